"""``sparring run``: load, plan, play, report."""

import asyncio
import signal
import time
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from sparring.agents import check_url
from sparring.cli.exits import Exit, exit_code
from sparring.errors import ModelError, UsageError
from sparring.records.redaction import redact
from sparring.reports import TerminalReport
from sparring.scenarios import load
from sparring.suites import Run, RunDirectory, plan
from sparring.suites.casting import Casting


@dataclass(frozen=True)
class Wanted:
    """What the user asked for."""

    url: str
    """The agent."""
    offline: bool = False
    judged: bool = True
    verbose: bool = False
    debug: bool = False
    runs_dir: Path = Path("eval-runs")
    name: str | None = None
    """The run directory's name; None for the time."""


def play(paths: Sequence[Path], wanted: Wanted) -> Exit:
    """Play what was asked for.

    Files with problems do not stop the others, but the exit code tells of them.
    """
    loaded = load(paths)
    for problem in loaded.problems:
        typer.echo(str(problem), err=True)
    casting = Casting(wanted.offline, wanted.judged)
    runs = plan(loaded.scenarios, check_url(wanted.url), casting.plays_agenda)
    if not runs:
        typer.echo("error: nothing to run", err=True)
        return Exit.USAGE
    try:
        asyncio.run(_check(casting, runs))
    except ModelError as error:
        raise UsageError(f"{error}. Or play without an LLM: --offline") from error
    directory = RunDirectory.create(wanted.runs_dir, wanted.name)
    report = TerminalReport(verbose=wanted.verbose, several=len(runs) > 1)
    started = time.monotonic()
    _log_to(directory.path / "logs" / "run.debug.log" if wanted.debug else None)
    _play(runs, directory, Casting(wanted.offline, wanted.judged), report)
    results = list(directory.results())
    report.summary(results, time.monotonic() - started, directory.path)
    code = exit_code(results)
    return Exit.USAGE if loaded.problems and code is Exit.PASSED else code


async def _check(casting: Casting, runs: Sequence[Run]) -> None:
    try:
        await casting.check([run.scenario.definition for run in runs])
    finally:
        await casting.close()


def _play(
    runs: Sequence[Run], directory: RunDirectory, casting: Casting, report: TerminalReport
) -> None:
    from sparring.suites.runs import play_runs

    try:
        asyncio.run(_until_told_to_stop(play_runs(runs, directory, casting, report)))
    except asyncio.CancelledError:
        typer.echo("interrupted", err=True)


async def _until_told_to_stop(playing: Coroutine[Any, Any, None]) -> None:
    """Cancel what plays on Ctrl-C or SIGTERM, so that it ends in order and is recorded."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(playing)
    with suppress(NotImplementedError):  # Windows; Ctrl-C still cancels the loop's main task.
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
    await task


def _log_to(path: Path | None) -> None:
    """Put pipecat's log into a file, without secrets, or nowhere; never on the terminal.

    This process is ours, so its log is ours to set up.
    """
    from loguru import logger

    logger.remove()
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a", encoding="utf-8")

        def write(message: object) -> None:
            file.write(redact(str(message)))
            file.flush()

        logger.add(write, level="DEBUG")
