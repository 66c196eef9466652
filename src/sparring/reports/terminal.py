"""Results as plain lines on a terminal: the conversation while it happens, then what it came to."""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Self

from rich.console import Console
from rich.text import Text

from sparring.records import Event, Result, Status
from sparring.records import events as ev
from sparring.reports.lines import (
    ConversationLines,
    details,
    failure,
    result_line,
    scenario_line,
)
from sparring.reports.plain import clean
from sparring.suites import Run
from sparring.suites.tally import tallies

_PLAIN = str.maketrans("✓✗‖…·•↳→–—─", "+x|.-*>>---")
"""Our own signs, for a terminal that cannot show them."""


class Output(Console):
    """A console that stops no run: its reader may leave (``| head``), its disk may be full."""

    def __init__(self, file: IO[str] | None = None):
        super().__init__(file=file, highlight=False, markup=False, emoji=False)
        self._shows_signs = _can_show("✓", self.encoding)

    def say(self, text: Text) -> None:
        """Print a line, in full however narrow the terminal is."""
        if not self._shows_signs:
            text = text.copy()
            text.plain = text.plain.translate(_PLAIN)
        try:
            self.print(text, soft_wrap=True)
        except OSError:
            self.on_broken_pipe()

    def raw(self, text: str) -> None:
        """Print a line that is for programs, as it is."""
        try:
            self.file.write(text + "\n")
            self.file.flush()
        except OSError:
            self.on_broken_pipe()

    def on_broken_pipe(self) -> None:
        """Write into nothing from now on; the interpreter's own last flush too."""
        self.quiet = True
        if self.file is sys.stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class TerminalReport:
    """Prints lines as runs go on, and the summary at the end."""

    def __init__(
        self,
        console: Output | None = None,
        verbose: bool = False,
        runs: int = 1,
        at_once: int = 1,
    ):
        """Print to a console.

        Args:
            console: Where to; by default standard output.
            verbose: Whether to show the conversations and every metric.
            runs: How many there will be; of more than one, conversations have a heading.
            at_once: How many runs go on at a time; of more than one, a conversation is shown when
                it is over, since they would be mixed up otherwise.
        """
        self._console = console or Output()
        self._verbose = verbose
        self._several = runs > 1
        self._mixed = at_once > 1
        self._talking: dict[int, ConversationLines] = {}
        self._kept: dict[int, list[Text]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """The runs are over; what is left to say is the summary."""

    def run_started(self, run: Run) -> None:
        """A run begins."""
        self._talking[id(run)] = ConversationLines()
        self._kept[id(run)] = []
        if self._verbose and self._several:
            self._show(run, [Text(f"\n── {clean(run.label)} ──", style="bold")])

    def event(self, run: Run, event: Event) -> None:
        """Something happened in the run."""
        if isinstance(event, ev.CallerDelayed):
            self.note(event.why)
        lines = self._talking[id(run)].of(event)
        if self._verbose:
            self._show(run, lines)

    def note(self, text: str) -> None:
        """Something the user should know of while it lasts."""
        self._print([Text(f"… {clean(text)}", style="dim")])

    def run_retried(self, run: Run, result: Result) -> None:
        """The run says nothing about the agent; it is played again."""
        self._talking.pop(id(run))
        self._print(self._kept.pop(id(run)))
        self.note(f"{run.label} is played again: {result.reason} [{result.kind}]")

    def run_ended(self, run: Run, result: Result) -> None:
        """The run is over and scored."""
        self._talking.pop(id(run))
        self._print(self._kept.pop(id(run)))
        self.scored(result)

    def scored(self, result: Result) -> None:
        """A record was scored."""
        if self._verbose:
            self._print(details(result))
        self._print([result_line(result)])

    def summary(
        self,
        results: Sequence[Result],
        seconds: float,
        directory: Path,
        planned: Sequence[Run] = (),
    ) -> None:
        """Everything is over: the failures first, then what each scenario came to, then all.

        Args:
            results: What was played.
            seconds: How long it took.
            directory: Where records and logs are.
            planned: What was to be played.
        """
        failures = [result for result in results if not result.passed]
        if failures:
            self._print([Text(f"\nFailures ({len(failures)} of {len(results)}):")])
            for result in failures:
                self._print(failure(result))
        tallied = tallies(results, planned)
        begun = [one for one in tallied if one.counts]
        if any(one.planned > 1 for one in tallied):
            self._print([Text("\nScenarios:"), *map(scenario_line, begun)])
        not_run = sum(one.not_run for one in tallied)
        missing = f", {not_run} of {len(results) + not_run} not run" if not_run else ""
        self._print(
            [
                Text(f"{tally(results)}{missing} · {seconds:.1f}s"),
                Text(f"records and logs: {directory}", style="dim"),
            ]
        )

    def _show(self, run: Run, lines: Sequence[Text]) -> None:
        """Print lines of a conversation, now or when the run is over."""
        if self._mixed:
            self._kept[id(run)] += lines
        else:
            self._print(lines)

    def _print(self, lines: Iterable[Text]) -> None:
        for line in lines:
            self._console.say(line)


def tally(results: Sequence[Result]) -> str:
    """How many results came to what."""
    counts = [f"{sum(result.passed for result in results)}/{len(results)} passed"]
    for status in (Status.FAILED, Status.ERROR, Status.INVALID, Status.INTERRUPTED):
        count = sum(result.status is status for result in results)
        if count:
            counts.append(f"{count} {status.value}")
    retried = sum(bool(result.retried) and result.passed for result in results)
    if retried:
        counts.append(f"{retried} passed only when played again")
    return ", ".join(counts)


def _can_show(signs: str, encoding: str) -> bool:
    try:
        signs.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
