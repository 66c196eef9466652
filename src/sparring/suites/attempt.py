"""One run, once: called, recorded, judged, scored, stored; whatever goes wrong, it has a result."""

import asyncio
import platform
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from loguru import logger

from sparring.calls import Call, CallOptions
from sparring.errors import AgentExited, ConnectionFailed, ModelError
from sparring.models import ChatModel
from sparring.records import (
    AgentIdentity,
    CallerIdentity,
    Header,
    Kind,
    Record,
    RecordWriter,
    Result,
    Status,
    make_result,
    save_record,
)
from sparring.scenarios import Script
from sparring.scoring import JudgeFailure, is_worth_judging, judge_record, score, unscored
from sparring.scoring.scripts.live_judge import LiveJudge
from sparring.suites.agents import Reached
from sparring.suites.casting import Cast, Casting
from sparring.suites.plan import Run, identity_of
from sparring.suites.reporting import Reporter
from sparring.suites.store import RunDirectory, TraceLog


@dataclass
class _Played:
    """What has become of a run so far."""

    record: Record
    failure: JudgeFailure | None = None
    """Why a judge that was asked gave no verdict."""
    kind: Kind = Kind.INTERNAL_ERROR
    fault: str = ""
    """What went wrong outside the call: the run says nothing about the agent then."""
    log: Path | None = None


class Attempt:
    """Plays one run, and makes its result."""

    def __init__(
        self,
        run: Run,
        stem: str,
        directory: RunDirectory,
        reporter: Reporter,
        options: CallOptions | None,
    ):
        """Prepare.

        Args:
            run: What is played.
            stem: What its files are called after.
            directory: Where they go.
            reporter: Told of what happens.
            options: How the call is made.
        """
        self._run = run
        self._stem = stem
        self._directory = directory
        self._reporter = reporter
        self._options = options
        self._played = _Played(Record(**make_header(run, run.agent.url).model_dump(), events=[]))

    async def play(self, casting: Casting, agent: AbstractAsyncContextManager[Reached]) -> None:
        """Play it. Only cancellation is raised; ``result`` says what came of it in any case."""
        played = self._played
        try:
            with logger.contextualize(run=self._stem):
                async with casting.cast(self._run) as cast, agent as reached:
                    await self._call(reached, cast)
        except ModelError as error:
            played.kind, played.fault = Kind.CALLER_ERROR, str(error)
        except AgentExited as error:
            played.kind, played.fault = Kind.AGENT_EXITED, str(error)
        except ConnectionFailed as error:
            played.kind, played.fault = Kind.CONNECT_FAILED, str(error)
        except Exception as error:  # One run's trouble is not the next one's.
            played.fault = why(error)

    def result(self, **more: Any) -> Result:
        """Its result, made of what there is.

        Args:
            more: Further fields of the result.
        """
        played = self._played
        try:
            conversation = self._directory.save_conversation(self._stem, played.record)
            if played.record.soundtrack is not None:
                self._directory.save_transcript(self._stem, played.record)
            scored = score(played.record, played.failure)
        except Exception as error:
            played.fault = played.fault or why(error)
            conversation = None
            scored = unscored(played.record)
        if played.fault:
            told = {"status": Status.ERROR, "kind": played.kind, "reason": played.fault}
            scored = scored.model_copy(update=told)
        files = {
            "record": self._directory.record_path(self._stem),
            "eval_log": self._directory.trace_path(self._stem),
            "conversation": conversation,
            "transcript": self._directory.transcript_path(self._stem),
            "recording": self._directory.recording_path(self._stem),
            "debug_log": self._directory.debug_path(self._stem),
            "log": played.log or self._directory.agent_log_path(self._stem),
        }
        artifacts = {
            name: path.relative_to(self._directory.path).as_posix()
            for name, path in files.items()
            if path is not None and path.exists()
        }
        return make_result(played.record, scored, artifacts).model_copy(update=more)

    async def _call(self, reached: Reached, cast: Cast) -> None:
        run, played = self._run, self._played
        played.log = reached.log
        header = make_header(run, reached.connection.url, cast.caller.identity)
        path = self._directory.record_path(self._stem)
        with RecordWriter(path, header) as writer, TraceLog(self._directory, self._stem) as trace:

            def note(text: str) -> None:
                trace.note(text)
                self._reporter.note(text)

            definition, judge = run.scenario.definition, cast.judge
            live = LiveJudge(judge, note) if judge and isinstance(definition, Script) else None
            call = Call(
                definition,
                reached.connection,
                cast.caller,
                header,
                listeners=(writer.add, trace.add, lambda event: self._reporter.event(run, event)),
                options=self._options,
                judge=live,
            )
            try:
                played.record = await call.play()
            except asyncio.CancelledError:
                played.record = call.record
                if live is not None:
                    live.stop()
                raise
            writer.close()
            if cast.judge is not None and is_worth_judging(played.record):
                await self._judge(cast.judge, live, note)
                save_record(played.record, path)
            if played.failure is not None:
                trace.note(played.failure.reason)

    async def _judge(
        self, judge: ChatModel, live: LiveJudge | None, note: Callable[[str], None]
    ) -> None:
        """Ask about what is not decided yet; a judge that failed during the call is not asked."""
        played = self._played
        played.failure = JudgeFailure(Kind.INTERRUPTED, "interrupted before the judge answered")
        if live is not None:
            await live.finish()
            judgements = {"judgements": live.judgements}
            played.record = played.record.model_copy(update=judgements)
            if live.failure is not None:
                played.failure = live.failure
                return
        played.record, played.failure = await judge_record(played.record, judge, note=note)


def make_header(run: Run, url: str, caller: CallerIdentity | None = None) -> Header:
    """What is known of a run before it is played."""
    return Header(
        scenario=identity_of(run.scenario),
        agent=AgentIdentity(label=run.agent.label, url=url),
        caller=caller or CallerIdentity(service="unknown"),
        attempt=run.attempt,
        seed=run.seed,
        started_at=datetime.now(UTC),
        versions=_versions(),
    )


def why(error: Exception) -> str:
    """What an error that nobody expected says, for a reason."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}"


@cache
def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("sparring", "pipecat-ai")}
    return {**packages, "python": platform.python_version()}
