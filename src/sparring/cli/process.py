"""The process a command runs in: its signals, its streams, its environment, how errors leave it.

It is the same for every door. Imports only typer, since every ``pipecat`` command loads it.
"""

import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from sparring.cli.exits import Exit
from sparring.errors import SparringError


class Commands(TyperGroup):
    """A group of commands whose intended errors become one line and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except SparringError as error:
            from sparring.records.redaction import redact

            typer.echo(redact(f"error: {error}"), err=True)
            raise typer.Exit(Exit.USAGE) from None
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            typer.echo("error: what there is to say cannot be written: the disk is full", err=True)
            raise typer.Exit(Exit.USAGE) from None


def signals() -> list[signal.Signals]:
    """What asks us to stop: Ctrl-C, whoever runs us, a terminal that is closed.

    What is ignored (``nohup``) shall not stop us.
    """
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    known = [signal.Signals[name] for name in names if name in signal.Signals.__members__]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def take_over() -> None:
    """Make this process ours: stopped, it says so and exits as an interrupted run does."""
    for number in signals():
        signal.signal(number, _stop)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # Closed by whoever runs us: what is said goes nowhere.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # A terminal that cannot show é gets a ?.


@contextmanager
def loading() -> Generator[None]:
    """Import in a hurry: without looking for garbage, which takes a tenth of an import's time.

    What has been imported stays, and is not looked at again.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def load_environment() -> None:
    """Load the nearest .env upward from here; what the shell has set wins."""
    from dotenv import find_dotenv, load_dotenv

    load_dotenv(find_dotenv(usecwd=True))


def _stop(number: int, frame: object) -> None:
    """Stop at once where nothing is going on that would have to be ended in order."""
    typer.echo("interrupted", err=True)
    sys.exit(Exit.ERROR)
