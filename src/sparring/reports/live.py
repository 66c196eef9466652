"""The live display of a terminal: what is over scrolls up, what goes on stays at the bottom.

Whatever the number of runs, only those that go on take a line each, and no more of them than the
terminal has room for; below them stands the tally. The display is redrawn by a clock, so a resized
terminal is right again within a moment.
"""

import os
import sys
import time
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from sparring.records import Result, Side
from sparring.reports.plain import clean
from sparring.reports.terminal import Output, TerminalReport, tally
from sparring.suites import Run

_ROOM = 4
"""Lines of the terminal that are not for runs: the tally, the notice of more, some air."""


@dataclass
class _Going:
    run: Run
    since: float = field(default_factory=time.monotonic)


class LiveReport(TerminalReport):
    """Shows on a terminal what goes on, and prints a line for every run that is over."""

    def __init__(
        self,
        console: Output | None = None,
        verbose: bool = False,
        runs: int = 1,
        at_once: int = 1,
    ):
        super().__init__(console, verbose, runs, at_once)
        self._planned = runs
        self._at_once = at_once
        self._going: dict[int, _Going] = {}
        self._results: list[Result] = []
        self._begun = time.monotonic()
        self._live = Live(
            console=self._console,
            get_renderable=self._screen,
            refresh_per_second=8,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    @staticmethod
    def fits() -> bool:
        """Whether standard output is a terminal that a live display can be drawn on."""
        return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def __enter__(self) -> "LiveReport":
        self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """The runs are over: the display makes way for the summary."""
        self._live.stop()

    def run_started(self, run: Run) -> None:
        """A run begins."""
        super().run_started(run)
        self._going[id(run)] = _Going(run)

    def run_retried(self, run: Run, result: Result) -> None:
        """The run says nothing about the agent; it is played again."""
        self._going.pop(id(run))
        super().run_retried(run, result)

    def run_ended(self, run: Run, result: Result) -> None:
        """The run is over and scored."""
        self._going.pop(id(run))
        self._results.append(result)
        super().run_ended(run, result)

    def _screen(self) -> RenderableType:
        going = list(self._going.values())
        room = max(1, self._console.height - _ROOM)
        table = Table.grid(padding=(0, 2), expand=False)
        for column in ("sign", "name", "turn", "time"):
            table.add_column(column, no_wrap=True, overflow="ellipsis")
        table.add_column("words", no_wrap=True, overflow="ellipsis", ratio=1, style="dim")
        for one in going[:room]:
            table.add_row(*self._row(one))
        parts: list[RenderableType] = [table]
        if len(going) > room:
            parts.append(Text(f"  and {len(going) - room} more", style="dim"))
        parts.append(self._tally())
        return Group(*parts)

    def _row(self, one: _Going) -> tuple[RenderableType, ...]:
        conversation = self._talking[id(one.run)].conversation
        turns = conversation.spoken_turns[-1:]
        who = {Side.CALLER: "user", Side.AGENT: "bot"}
        words = f"{who[turns[0].side]}: {clean(turns[0].text)}" if turns else "connecting"
        return (
            Spinner("dots"),
            Text(clean(one.run.label)),
            Text(f"turn {len(conversation.caller_turns)}"),
            Text(_clock(time.monotonic() - one.since)),
            Text(words),
        )

    def _tally(self) -> Text:
        done, elapsed = len(self._results), time.monotonic() - self._begun
        waiting = self._planned - done - len(self._going)
        parts = [f"{done}/{self._planned} over"]
        if done:
            parts.append(tally(self._results))
        if waiting:
            parts.append(f"{waiting} waiting")
        parts.append(_clock(elapsed))
        if done and done < self._planned:
            parts.append(f"about {_clock(elapsed / done * (self._planned - done))} left")
        return Text(" · ".join(parts), style="bold", no_wrap=True, overflow="ellipsis")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
