"""Results as JSON lines, for programs; what a person should know goes to standard error."""

import json
import sys

from sparring.records import Event, Result
from sparring.records import events as ev
from sparring.records.json_text import json_of
from sparring.reports.terminal import Output, TerminalReport
from sparring.suites import Run


class JsonReport(TerminalReport):
    """Prints each result as one line of JSON when its run is over."""

    def __init__(self) -> None:
        super().__init__(Output(sys.stderr))
        self._out = Output()

    def run_started(self, run: Run) -> None:
        """A run begins: nothing to print."""

    def event(self, run: Run, event: Event) -> None:
        """Something happened in the run: only waits are told."""
        if isinstance(event, ev.CallerDelayed):
            self.note(event.why)

    def run_retried(self, run: Run, result: Result) -> None:
        """The run says nothing about the agent; it is played again."""
        self.note(f"{run.label} is played again: {result.reason} [{result.kind}]")

    def run_ended(self, run: Run, result: Result) -> None:
        """The run is over and scored."""
        self.scored(result)

    def scored(self, result: Result) -> None:
        """A record was scored. In ASCII, so that no locale can spoil it."""
        self._out.raw(json.dumps(json.loads(json_of(result))))
