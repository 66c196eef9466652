"""``sparring run``: load, plan, play, report."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer

from sparring.agents import check_url
from sparring.cli.exits import Exit, exit_code
from sparring.cli.logs import copy_logs, log_into, make_logs_dir
from sparring.cli.stopping import until_told_to_stop
from sparring.errors import ModelError, UsageError
from sparring.records import Result
from sparring.records.redaction import redact
from sparring.reports import JsonReport, LiveReport, TerminalReport
from sparring.scenarios import load
from sparring.suites import Run, RunDirectory, Selection, plan, select
from sparring.suites.agents import RunningAgent
from sparring.suites.casting import Casting


@dataclass(frozen=True)
class Wanted:
    """What the user asked for."""

    url: str
    """The agent."""
    selection: Selection = field(default_factory=Selection)
    """Which of the files' scenarios."""
    repeat: int = 1
    """How often each is played; of more than once, the results are a measurement."""
    offline: bool = False
    judged: bool = True
    timeout_s: float = 60.0
    """How long a script's expectation has that does not say."""
    ready_timeout_s: float = 60.0
    trigger_disconnect: bool = False
    verbose: bool = False
    debug: bool = False
    json: bool = False
    at_once: int = 1
    """How many runs go on at a time."""
    runs_dir: Path = Path("eval-runs")
    name: str | None = None
    """The run directory's name; None for the time."""
    logs_dir: Path | None = None
    """Where copies of the logs go, besides."""


def play(paths: Sequence[Path], wanted: Wanted) -> Exit:
    """Play what was asked for.

    Files with problems, and scenarios that cannot be played as asked, do not stop the others, but
    the exit code tells of them.
    """
    loaded = load(paths)
    casting = Casting(wanted.offline, wanted.judged, wanted.timeout_s)
    selected = select(loaded.scenarios, wanted.selection)
    planned = plan(
        selected, RunningAgent(check_url(wanted.url)), casting.plays_agenda, wanted.repeat
    )
    problems = [*loaded.problems, *planned.problems]
    for problem in problems:
        typer.echo(redact(str(problem)), err=True)
    runs = planned.runs
    if not runs:
        typer.echo("error: nothing to run", err=True)
        return Exit.USAGE
    try:
        asyncio.run(_check(casting, runs))
    except ModelError as error:
        raise UsageError(f"{error}. Or play without an LLM: --offline") from error
    directory = RunDirectory.create(wanted.runs_dir, wanted.name)
    if wanted.logs_dir is not None:
        make_logs_dir(wanted.logs_dir)
    started = time.monotonic()
    log_into(directory if wanted.debug else None)
    with _report(wanted, len(runs)) as report:
        casting = Casting(wanted.offline, wanted.judged, wanted.timeout_s)
        results = _play(runs, directory, casting, report, wanted)
    report.summary(results, time.monotonic() - started, directory.path)
    if wanted.logs_dir is not None:
        copy_logs(results, directory.path, wanted.logs_dir)
    code = exit_code(results, measured=wanted.repeat > 1)
    return Exit.USAGE if problems and code is Exit.PASSED else code


def _report(wanted: Wanted, runs: int) -> TerminalReport:
    if wanted.json:
        return JsonReport()
    kind = TerminalReport if wanted.verbose or not LiveReport.fits() else LiveReport
    return kind(verbose=wanted.verbose, runs=runs, at_once=wanted.at_once)


async def _check(casting: Casting, runs: Sequence[Run]) -> None:
    try:
        await casting.check([run.scenario.definition for run in runs])
    finally:
        await casting.close()


def _play(
    runs: Sequence[Run],
    directory: RunDirectory,
    casting: Casting,
    report: TerminalReport,
    wanted: Wanted,
) -> list[Result]:
    from sparring.calls import CallOptions
    from sparring.suites.runs import PlayOptions, RunPlayer

    call = CallOptions(
        ready_timeout_s=wanted.ready_timeout_s, trigger_disconnect=wanted.trigger_disconnect
    )
    options = PlayOptions(at_once=wanted.at_once, call=call)
    player = RunPlayer(directory, casting, report, options)
    try:
        asyncio.run(
            until_told_to_stop(
                player.play(runs),
                lambda: report.note("stopping: what has begun is hung up and recorded"),
            )
        )
    except asyncio.CancelledError:
        report.note(f"interrupted: {len(runs) - len(player.results)} run(s) were not begun")
    return player.results
