"""``sparring run``: load, plan, play, report."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer

from sparring.cli.exits import Exit, exit_code
from sparring.cli.logs import copy_logs, log_into, make_logs_dir
from sparring.cli.process import loading
from sparring.cli.stopping import until_told_to_stop
from sparring.errors import ModelError, UsageError
from sparring.records import Result
from sparring.records.redaction import redact
from sparring.reports import JsonReport, LiveReport, TerminalReport
from sparring.scenarios import load
from sparring.suites import Run, RunDirectory, Selection, plan, select
from sparring.suites.agents import AgentSource
from sparring.suites.casting import Casting
from sparring.suites.resume import Remainder, remainder


@dataclass(frozen=True)
class Wanted:
    """How to play, and what to show and keep of it."""

    offline: bool = False
    judged: bool = True
    measured: bool = False
    """Whether the results are a measurement, which no rate fails."""
    timeout_s: float = 60.0
    """How long a script's expectation has that does not say."""
    ready_timeout_s: float = 60.0
    trigger_disconnect: bool = False
    at_once: int = 1
    """How many runs go on at a time."""
    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """By service: how many requests at a time to one server."""
    retries: int = 0
    max_failures: int | None = None
    verbose: bool = False
    debug: bool = False
    json: bool = False
    runs_dir: Path = Path("eval-runs")
    name: str | None = None
    """The run directory's name; None for the time."""
    resume: bool = False
    """Whether to go on in a directory of that name, if there is one."""
    logs_dir: Path | None = None
    """Where copies of the logs go, besides."""


def play(
    paths: Sequence[Path],
    agent: AgentSource,
    wanted: Wanted,
    selection: Selection | None = None,
    repeat: int = 1,
) -> Exit:
    """Play scenario files against one agent.

    Args:
        paths: Scenario files, and directories of them.
        agent: The agent.
        wanted: How to play.
        selection: Which of the files' scenarios; by default all.
        repeat: How often each.
    """
    loaded = load(paths)
    casting = Casting(wanted.offline, wanted.judged, wanted.timeout_s)
    selected = select(loaded.scenarios, selection or Selection())
    planned = plan(selected, agent, casting.plays_agenda, repeat)
    return carry_out(planned.runs, [*loaded.problems, *planned.problems], wanted)


def carry_out(planned: Sequence[Run], problems: Sequence[object], wanted: Wanted) -> Exit:
    """Play what was planned, and report it.

    Args:
        planned: The runs.
        problems: What cannot be played; it stops nothing else, but the exit code tells of it.
        wanted: How to play.
    """
    for problem in problems:
        typer.echo(redact(str(problem)), err=True)
    if not planned:
        typer.echo("error: nothing to run", err=True)
        return Exit.USAGE
    resumed = _resumed(wanted)
    left = remainder(planned, resumed.results() if resumed else ())
    try:
        with loading():  # The clients of models are imported as they are needed.
            asyncio.run(_check(Casting(wanted.offline, wanted.judged), left.runs))
    except ModelError as error:
        raise UsageError(f"{error}. Or play without an LLM: --offline") from error
    if wanted.logs_dir is not None:
        make_logs_dir(wanted.logs_dir)
    directory = resumed or RunDirectory.create(wanted.runs_dir, wanted.name)
    started = time.monotonic()
    log_into(directory if wanted.debug else None)
    with _report(wanted, len(left.runs)) as report:
        results = _play(left, planned, directory, report, wanted)
    report.summary(results, time.monotonic() - started, directory.path, planned)
    directory.close()
    if problems:
        typer.echo(f"{len(problems)} problem(s) are told above: not all could be played", err=True)
    if wanted.logs_dir is not None:
        copy_logs(results, directory.path, wanted.logs_dir)
    code = exit_code(results, wanted.measured)
    if len(results) < len(planned) and code is Exit.PASSED:
        code = Exit.ERROR  # Something was not begun.
    return Exit.USAGE if problems and code is Exit.PASSED else code


def _resumed(wanted: Wanted) -> RunDirectory | None:
    """The run directory that is gone on in, if one is."""
    if not wanted.resume:
        return None
    if wanted.name is None:
        raise UsageError("which run is to be gone on with? Name it: -n NAME")
    path = wanted.runs_dir / wanted.name
    return RunDirectory.resume(path) if path.exists() else None


def _report(wanted: Wanted, runs: int) -> TerminalReport:
    if wanted.json:
        return JsonReport()
    kind = TerminalReport if wanted.verbose or not LiveReport.fits() else LiveReport
    return kind(verbose=wanted.verbose, runs=runs, at_once=min(runs, wanted.at_once))


async def _check(casting: Casting, runs: Sequence[Run]) -> None:
    try:
        await casting.check([run.scenario.definition for run in runs])
    finally:
        await casting.close()


def _play(
    left: Remainder,
    planned: Sequence[Run],
    directory: RunDirectory,
    report: TerminalReport,
    wanted: Wanted,
) -> list[Result]:
    with loading():
        from sparring.calls import CallOptions
        from sparring.suites.runs import PlayOptions, RunPlayer

    options = PlayOptions(
        at_once=wanted.at_once,
        ahead=max(1, wanted.at_once // 2),
        retries=wanted.retries,
        max_failures=wanted.max_failures,
        call=CallOptions(
            ready_timeout_s=wanted.ready_timeout_s, trigger_disconnect=wanted.trigger_disconnect
        ),
    )
    casting = Casting(wanted.offline, wanted.judged, wanted.timeout_s, wanted.limits)
    player = RunPlayer(directory, casting, report, options, left.known)
    if left.known:
        report.note(f"{len(left.known)} of {len(planned)} runs have their result already")
    try:
        asyncio.run(
            until_told_to_stop(
                player.play(left.runs, planned),
                lambda: report.note("stopping: what has begun is hung up and recorded"),
            )
        )
    except asyncio.CancelledError:
        if missing := len(planned) - len(player.results):
            report.note(f"interrupted: {missing} run(s) were not begun")
    return player.results
