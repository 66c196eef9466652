"""Whoever shows what goes on while runs are played."""

from typing import Protocol

from sparring.records import Event, Result
from sparring.suites.plan import Run


class Reporter(Protocol):
    """Told of everything as it happens; it must be quick and must not raise."""

    def run_started(self, run: Run) -> None:
        """A run begins."""
        ...

    def event(self, run: Run, event: Event) -> None:
        """Something happened in a run."""
        ...

    def note(self, text: str) -> None:
        """Something the user should know of while it lasts: a wait, say."""
        ...

    def run_retried(self, run: Run, result: Result) -> None:
        """A run is over and says nothing about the agent; it is played again."""
        ...

    def run_ended(self, run: Run, result: Result) -> None:
        """A run is over, scored and stored."""
        ...
