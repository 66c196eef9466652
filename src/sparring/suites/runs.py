"""Playing runs: each one called, recorded, scored and stored before the next begins."""

import asyncio
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Protocol

from sparring.agents import AgentConnection, EvalWebSocket
from sparring.callers import Caller
from sparring.calls import Call, CallOptions
from sparring.records import (
    AgentIdentity,
    Event,
    Header,
    Kind,
    Record,
    RecordWriter,
    Result,
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


async def play_runs(
    runs: Sequence[Run],
    directory: RunDirectory,
    casting: Casting,
    reporter: Reporter,
    options: CallOptions | None = None,
) -> None:
    """Play runs one after the other.

    Every run that began has its result in the directory, also when this is cancelled.
    """
    try:
        for run in runs:
            reporter.run_started(run)
            async with casting.cast(run) as cast:
                await _play(run, directory, cast, reporter, options)
    finally:
        directory.save_summary(planned=len(runs))
        await casting.close()


async def _play(
    run: Run,
    directory: RunDirectory,
    cast: Cast,
    reporter: Reporter,
    options: CallOptions | None,
) -> None:
    stem = directory.stem(run.scenario.name)
    connection: AgentConnection = EvalWebSocket(run.url)
    header = make_header(run, connection, cast.caller)
    trace = TraceLog(directory, stem)
    path = directory.record_path(stem)
    with RecordWriter(path, header) as writer, trace:
        call = Call(
            run.scenario.definition,
            connection,
            cast.caller,
            header,
            listeners=(writer.add, trace.add, lambda event: reporter.event(run, event)),
            options=options,
        )

        def note(text: str) -> None:
            trace.note(text)
            reporter.note(text)

        failure: JudgeFailure | None = None
        record = call.record
        try:
            record = await call.play()
            writer.close()
            if cast.judge is not None and is_worth_judging(record):
                failure = JudgeFailure(Kind.INTERRUPTED, "interrupted before the judge answered")
                record, failure = await judge_record(record, cast.judge, note=note)
                save_record(record, path)
        except asyncio.CancelledError:
            record = call.record
            raise
        finally:
            writer.close()
            if failure is not None:
                trace.note(failure.reason)
            result = make_result(
                record, score(record, failure), _artifacts(record, directory, stem)
            )
            directory.add(result)
            reporter.run_ended(run, result)


def _artifacts(record: Record, directory: RunDirectory, stem: str) -> dict[str, str]:
    """The files of a run, as paths relative to its directory."""
    files = {
        "record": directory.record_path(stem),
        "eval_log": directory.trace_path(stem),
        "conversation": directory.save_conversation(stem, record),
    }
    return {name: path.relative_to(directory.path).as_posix() for name, path in files.items()}


def make_header(run: Run, connection: AgentConnection, caller: Caller) -> Header:
    """What is known of a run before it is played."""
    return Header(
        scenario=identity_of(run.scenario),
        agent=AgentIdentity(label=connection.label, url=connection.url),
        caller=caller.identity,
        attempt=run.attempt,
        seed=run.seed,
        started_at=datetime.now(UTC),
        versions=_versions(),
    )


@cache
def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("sparring", "pipecat-ai")}
    return {**packages, "python": platform.python_version()}
