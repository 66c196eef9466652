"""Logs beside the records: pipecat's own of every run, and copies where pipecat would put them.

The process is ours, so its log is ours to set up: nothing of it ever reaches the terminal.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparring.errors import UsageError
from sparring.records import Result
from sparring.records.redaction import redact
from sparring.suites import RunDirectory

if TYPE_CHECKING:
    from loguru import Message

_COPIED = ("eval_log", "debug_log", "conversation")


def log_into(directory: RunDirectory | None) -> None:
    """Put pipecat's log of each run into a file of its own, without secrets; or nowhere.

    What is logged outside every run is not kept.
    """
    from loguru import logger

    logger.remove()
    if directory is None:
        return

    def write(message: "Message") -> None:
        stem = message.record["extra"].get("run")
        if stem is not None:
            path = directory.debug_path(stem)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(redact(str(message)))

    logger.add(write, level="DEBUG", catch=True)


def make_logs_dir(path: Path) -> None:
    """Make the place for copies, before any call is made.

    Raises:
        UsageError: If it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path} cannot be made: {error.strerror}") from None


def copy_logs(results: Sequence[Result], directory: Path, to: Path) -> None:
    """Copy the logs of every run, as pipecat names them: ``FILE__SCENARIO.eval.log`` and so on."""
    for result in results:
        for path in (result.artifacts.get(name) for name in _COPIED):
            if path is not None:
                try:
                    shutil.copyfile(directory / path, to / Path(path).name)
                except OSError as error:
                    typer.echo(f"{path} could not be copied: {error.strerror}", err=True)
