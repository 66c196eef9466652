"""``sparring run``: load, plan, play, report."""

import asyncio
import signal
import time
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from sparring.agents import check_url
from sparring.cli.app import Exit
from sparring.errors import ModelError, UsageError
from sparring.records import Result, Status
from sparring.reports import TerminalReport
from sparring.scenarios import load
from sparring.suites import Run, RunDirectory, plan
from sparring.suites.casting import Casting


def play(
    paths: Sequence[Path],
    url: str,
    offline: bool,
    verbose: bool,
    runs_dir: Path,
    name: str | None,
    judged: bool = True,
) -> Exit:
    """Play what was asked for.

    Files with problems do not stop the others, but the exit code tells of them.
    """
    loaded = load(paths)
    for problem in loaded.problems:
        typer.echo(str(problem), err=True)
    casting = Casting(offline, judged)
    runs = plan(loaded.scenarios, check_url(url), casting.plays_agenda)
    if not runs:
        typer.echo("error: nothing to run", err=True)
        return Exit.USAGE
    try:
        asyncio.run(_check(casting, runs))
    except ModelError as error:
        raise UsageError(f"{error}. Or play without an LLM: --offline") from error
    directory = RunDirectory.create(runs_dir, name)
    report = TerminalReport(verbose=verbose)
    started = time.monotonic()
    _play(runs, directory, Casting(offline, judged), report)
    results = list(directory.results())
    report.summary(results, time.monotonic() - started, directory.path)
    code = exit_code(results)
    return Exit.USAGE if loaded.problems and code is Exit.PASSED else code


def exit_code(results: Sequence[Result]) -> Exit:
    """What these results come to."""
    statuses = {result.status for result in results}
    if Status.FAILED in statuses:
        return Exit.FAILED
    return Exit.PASSED if statuses == {Status.PASSED} else Exit.ERROR


async def _check(casting: Casting, runs: Sequence[Run]) -> None:
    try:
        await casting.check([run.scenario.definition for run in runs])
    finally:
        await casting.close()


def _play(
    runs: Sequence[Run], directory: RunDirectory, casting: Casting, report: TerminalReport
) -> None:
    _quiet_pipecat()
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


def _quiet_pipecat() -> None:
    """Keep pipecat's log off the terminal; this process is ours, so its log is ours to set up."""
    from loguru import logger

    logger.remove()
