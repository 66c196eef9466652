"""Playing runs: each one called, recorded, scored and stored, whatever becomes of the others."""

import asyncio
import platform
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Protocol

from loguru import logger

from sparring.agents import AgentConnection, EvalWebSocket
from sparring.calls import Call, CallOptions
from sparring.errors import ModelError
from sparring.records import (
    AgentIdentity,
    CallerIdentity,
    Event,
    Goal,
    Header,
    Kind,
    Record,
    RecordWriter,
    Result,
    Score,
    Status,
    make_result,
    save_record,
)
from sparring.scoring import JudgeFailure, is_worth_judging, judge_record, score
from sparring.suites.casting import Cast, Casting
from sparring.suites.plan import Run, identity_of
from sparring.suites.store import RunDirectory, TraceLog


class Reporter(Protocol):
    """Whoever shows what goes on."""

    def run_started(self, run: Run) -> None:
        """A run begins."""
        ...

    def event(self, run: Run, event: Event) -> None:
        """Something happened in a run."""
        ...

    def note(self, text: str) -> None:
        """Something the user should know of while it lasts: a wait, say."""
        ...

    def run_ended(self, run: Run, result: Result) -> None:
        """A run is over, scored and stored."""
        ...


@dataclass
class _Played:
    """What has become of a run so far."""

    record: Record
    failure: JudgeFailure | None = None
    """Why a judge that was asked gave no verdict."""
    kind: Kind = Kind.INTERNAL_ERROR
    fault: str = ""
    """What went wrong outside the call: the run says nothing about the agent then."""


class RunPlayer:
    """Plays runs into a run directory.

    Every run that began has its result in ``results``, and as far as the disk allows in the
    directory, also when the playing is cancelled.
    """

    def __init__(
        self,
        directory: RunDirectory,
        casting: Casting,
        reporter: Reporter,
        options: CallOptions | None = None,
    ):
        self.results: list[Result] = []
        """In the order in which the runs ended."""
        self._directory = directory
        self._casting = casting
        self._reporter = reporter
        self._options = options

    async def play(self, runs: Sequence[Run], at_once: int = 1) -> None:
        """Play runs, in their order.

        Args:
            runs: What is played.
            at_once: How many of them at a time; each has a session of its own with the agent.
        """
        waiting = iter(runs)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(at_once, len(runs))):
                    group.create_task(self._play_all(waiting))
        finally:
            with self._telling("the summary could not be written"):
                self._directory.save_summary(len(runs), self.results)
            await self._casting.close()

    async def _play_all(self, waiting: Iterator[Run]) -> None:
        for run in waiting:
            await self._play(run)

    async def _play(self, run: Run) -> None:
        self._reporter.run_started(run)
        stem = self._directory.stem(run.stem)
        connection = EvalWebSocket(run.url)
        played = _Played(Record(**make_header(run, connection).model_dump(), events=[]))
        try:
            with logger.contextualize(run=stem):
                async with self._casting.cast(run) as cast:
                    await self._call(run, connection, cast, stem, played)
        except ModelError as error:
            played.kind, played.fault = Kind.CALLER_ERROR, str(error)
        except Exception as error:  # One run's trouble is not the next one's.
            played.fault = _why(error)
        finally:
            self._conclude(run, stem, played)

    async def _call(
        self, run: Run, connection: AgentConnection, cast: Cast, stem: str, played: _Played
    ) -> None:
        header = make_header(run, connection, cast.caller.identity)
        path = self._directory.record_path(stem)
        with RecordWriter(path, header) as writer, TraceLog(self._directory, stem) as trace:

            def note(text: str) -> None:
                trace.note(text)
                self._reporter.note(text)

            call = Call(
                run.scenario.definition,
                connection,
                cast.caller,
                header,
                listeners=(writer.add, trace.add, lambda event: self._reporter.event(run, event)),
                options=self._options,
            )
            try:
                played.record = await call.play()
            except asyncio.CancelledError:
                played.record = call.record
                raise
            writer.close()
            if cast.judge is not None and is_worth_judging(played.record):
                played.failure = JudgeFailure(
                    Kind.INTERRUPTED, "interrupted before the judge answered"
                )
                played.record, played.failure = await judge_record(
                    played.record, cast.judge, note=note
                )
                save_record(played.record, path)
            if played.failure is not None:
                trace.note(played.failure.reason)

    def _conclude(self, run: Run, stem: str, played: _Played) -> None:
        """Score and store what there is."""
        try:
            conversation = self._directory.save_conversation(stem, played.record)
            scored = score(played.record, played.failure)
        except Exception as error:
            played.fault = played.fault or _why(error)
            conversation = None
            scored = Score(status=Status.ERROR, goal=Goal(verdict="not_judged"))
        if played.fault:
            told = {"status": Status.ERROR, "kind": played.kind, "reason": played.fault}
            scored = scored.model_copy(update=told)
        files = {
            "record": self._directory.record_path(stem),
            "eval_log": self._directory.trace_path(stem),
            "conversation": conversation,
            "debug_log": self._directory.debug_path(stem),
        }
        artifacts = {
            name: path.relative_to(self._directory.path).as_posix()
            for name, path in files.items()
            if path is not None and path.exists()
        }
        result = make_result(played.record, scored, artifacts)
        try:
            self._directory.add(result)
        except OSError as error:
            told = f"its result could not be stored: {_why(error)}"
            update = {"status": Status.ERROR, "passed": False, "kind": Kind.INTERNAL_ERROR}
            result = result.model_copy(update={**update, "reason": told, "error": told})
        self.results.append(result)
        self._reporter.run_ended(run, result)

    @contextmanager
    def _telling(self, what: str) -> Generator[None]:
        """Tell of what the disk refuses, and go on."""
        try:
            yield
        except OSError as error:
            self._reporter.note(f"{what}: {_why(error)}")


def make_header(
    run: Run, connection: AgentConnection, caller: CallerIdentity | None = None
) -> Header:
    """What is known of a run before it is played."""
    return Header(
        scenario=identity_of(run.scenario),
        agent=AgentIdentity(label=connection.label, url=connection.url),
        caller=caller or CallerIdentity(service="unknown"),
        attempt=run.attempt,
        seed=run.seed,
        started_at=datetime.now(UTC),
        versions=_versions(),
    )


def _why(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}"


@cache
def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("sparring", "pipecat-ai")}
    return {**packages, "python": platform.python_version()}
