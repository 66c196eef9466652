"""Playing runs: each one called, recorded, scored and stored before the next begins."""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from sparring.agents import AgentConnection, EvalWebSocket
from sparring.callers import AgendaCaller
from sparring.calls import Call, CallOptions
from sparring.records import (
    AgentIdentity,
    Event,
    Header,
    Record,
    RecordWriter,
    Result,
    ScenarioIdentity,
    make_result,
)
from sparring.scoring import score
from sparring.suites.plan import Run
from sparring.suites.store import RunDirectory, TraceLog


class Reporter(Protocol):
    """Whoever shows what goes on."""

    def run_started(self, run: Run) -> None:
        """A run begins."""
        ...

    def event(self, run: Run, event: Event) -> None:
        """Something happened in a run."""
        ...

    def run_ended(self, run: Run, result: Result) -> None:
        """A run is over, scored and stored."""
        ...


async def play_runs(
    runs: Sequence[Run],
    directory: RunDirectory,
    reporter: Reporter,
    options: CallOptions | None = None,
) -> None:
    """Play runs one after the other.

    Every run that began has its result in the directory, also when this is cancelled.
    """
    try:
        for run in runs:
            reporter.run_started(run)
            await _play(run, directory, reporter, options)
    finally:
        directory.save_summary(planned=len(runs))


async def _play(
    run: Run,
    directory: RunDirectory,
    reporter: Reporter,
    options: CallOptions | None,
) -> None:
    stem = directory.stem(run.scenario.name)
    connection: AgentConnection = EvalWebSocket(run.url)
    caller = AgendaCaller(run.scenario.definition)
    header = make_header(run, connection, caller)
    trace = TraceLog(directory, stem)
    try:
        with RecordWriter(directory.record_path(stem), header) as writer:
            call = Call(
                run.scenario.definition,
                connection,
                caller,
                header,
                listeners=(writer.add, trace.add, lambda event: reporter.event(run, event)),
                options=options,
            )
            try:
                await call.play()
            finally:
                writer.close()
                files = [writer.path, trace.path]
                result = _score_and_store(call.record, directory, stem, files)
                reporter.run_ended(run, result)
    finally:
        trace.close()


def _score_and_store(
    record: Record, directory: RunDirectory, stem: str, files: Sequence[Path]
) -> Result:
    conversation = directory.save_conversation(stem, record)
    names = ("record", "eval_log", "conversation")
    artifacts = {
        name: path.relative_to(directory.path).as_posix()
        for name, path in zip(names, (*files, conversation), strict=True)
    }
    result = make_result(record, score(record), artifacts)
    directory.add(result)
    return result


def make_header(run: Run, connection: AgentConnection, caller: AgendaCaller) -> Header:
    """What is known of a run before it is played."""
    return Header(
        scenario=ScenarioIdentity(
            name=run.scenario.name,
            file=str(run.scenario.file),
            hash=run.scenario.hash,
            definition=run.scenario.definition.model_dump(mode="json"),
        ),
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
