"""Results as plain lines on a terminal: the conversation while it happens, then what it came to."""

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from sparring.records import Conversation, Event, MetricScore, Response, Result, Status
from sparring.records import events as ev
from sparring.records.redaction import redact
from sparring.suites import Run

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_MAX_VALUE = 200
_SIGNS = {
    Status.PASSED: ("✓", "green"),
    Status.FAILED: ("✗", "red"),
    Status.ERROR: ("!", "yellow"),
    Status.INVALID: ("?", "yellow"),
    Status.INTERRUPTED: ("‖", "yellow"),
}


class _Output(Console):
    """A console whose reader may leave (``| head``): the runs go on, unseen."""

    def on_broken_pipe(self) -> None:
        """Write into nothing from now on; the interpreter's own last flush too."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class TerminalReport:
    """Prints lines as runs go on, and the summary at the end."""

    def __init__(
        self, console: Console | None = None, verbose: bool = False, several: bool = False
    ):
        """Print to a console.

        Args:
            console: Where to; by default standard output.
            verbose: Whether to show the conversations and every metric.
            several: Whether there is more than one run, so that conversations need a heading.
        """
        self._several = several
        self._console = console or _Output(highlight=False, markup=False, emoji=False)
        self._verbose = verbose
        self._conversation = _LiveConversation()

    def run_started(self, run: Run) -> None:
        """A run begins."""
        self._conversation = _LiveConversation()
        if self._verbose and self._several:
            self._print(Text(f"\n── {clean(run.scenario.name)} ──", style="bold"))

    def event(self, run: Run, event: Event) -> None:
        """Something happened in the run."""
        if isinstance(event, ev.CallerDelayed):
            self.note(event.why)
        lines = self._conversation.lines(event)
        if self._verbose:
            for speaker, style, text in lines:
                self._print(Text.assemble((speaker, style), text))

    def note(self, text: str) -> None:
        """Something the user should know of while it lasts."""
        self._print(Text(f"… {clean(text)}", style="dim"))

    def run_ended(self, run: Run, result: Result) -> None:
        """The run is over and scored."""
        self.scored(result)

    def scored(self, result: Result) -> None:
        """A record was scored."""
        if self._verbose:
            self._details(result)
        sign, style = _SIGNS[result.status]
        ending = result.ended_by or "not over"
        line = f" {clean(result.name)} {clean(result.scenario)} {ending} ({result.duration_ms}ms)"
        self._print(Text.assemble((sign, style), line))

    def summary(self, results: Sequence[Result], seconds: float, directory: Path) -> None:
        """Everything is over."""
        failures = [result for result in results if not result.passed]
        if failures:
            self._print(Text(f"\nFailures ({len(failures)} of {len(results)}):"))
            for result in failures:
                sign, style = _SIGNS[result.status]
                name = f" {clean(result.name)} {clean(result.scenario)}"
                self._print(Text.assemble("  ", (sign, style), name))
                self._print(
                    Text.assemble(f"    • {clean(result.reason)} ", (f"[{result.kind}]", "dim"))
                )
        passed = sum(result.passed for result in results)
        counts = [f"{passed}/{len(results)} passed"]
        for status in (Status.FAILED, Status.ERROR, Status.INVALID, Status.INTERRUPTED):
            count = sum(result.status is status for result in results)
            if count:
                counts.append(f"{count} {status.value}")
        self._print(Text(f"{', '.join(counts)} · {seconds:.1f}s"))
        self._print(Text(f"records and logs: {directory}", style="dim"))

    def _details(self, result: Result) -> None:
        ended = f"ended by {result.ended_by}" if result.ended_by else "not over"
        self._print(Text(f"{ended} after {result.turns} persona turn(s)", style="bold"))
        for text in result.unsent:
            self._print(Text(f"not sent: {clean(text)}", style="dim"))
        if result.end_call is not None:
            claim = "succeeded" if result.end_call["success"] else "gave up"
            self._print(Text(f"caller: {claim}: {clean(result.end_call['reason'])}"))
        if result.goal.verdict != "not_judged" or result.goal.reason != "no judge was asked":
            verdict = {"met": "yes", "not_met": "no"}.get(result.goal.verdict, "no verdict")
            self._print(Text(f"judge: {verdict}: {clean(result.goal.reason)}".rstrip(": ")))
        if result.metrics:
            self._print(Text("metrics:"))
        for metric in result.metrics:
            self._print(_metric_line(metric))

    def _print(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True)


class _LiveConversation:
    """Renders a conversation's lines as soon as each is whole."""

    def __init__(self) -> None:
        self._conversation = Conversation()
        self._printed: set[int] = set()

    def lines(self, event: Event) -> list[tuple[str, str, str]]:
        """Lines that this event completes, as (speaker, style, text)."""
        self._conversation.fold(event)
        lines = [
            ("bot: ", "cyan", clean(response.text) + (" —" if response.interrupted else ""))
            for response in self._finished()
        ]
        if isinstance(event, ev.CallerSaid):
            lines.append(("user: ", "magenta", clean(event.text)))
        elif isinstance(event, ev.FunctionCallStopped):
            lines.append(("     ↳ ", "dim", self._tool_line(event)))
        return lines

    def _finished(self) -> list[Response]:
        finished = [
            response
            for turn in self._conversation.turns[-2:]
            for response in turn.utterances
            if response.ended_at is not None and id(response) not in self._printed
        ]
        self._printed.update(map(id, finished))
        return finished

    def _tool_line(self, event: ev.FunctionCallStopped) -> str:
        call = next(c for c in reversed(self._conversation.tool_calls) if c.id == event.id)
        args = ", ".join(f"{key}={_value(value)}" for key, value in (call.args or {}).items())
        outcome = "cancelled" if call.cancelled else _value(call.result)
        return clean(f"{call.name or 'a tool'}({args}) → {outcome}")


def clean(text: str) -> str:
    """Text that is safe to print on one line: whatever moves a cursor becomes a space."""
    return _CONTROL.sub(" ", redact(text)).strip()


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}… ({len(text)} characters)"


def _metric_line(metric: MetricScore) -> Text:
    score = "–" if metric.score is None else f"{metric.score:.2f}"
    style = "red" if metric.gates and metric.passed is False else ""
    return Text(f"  {clean(metric.name)}: {score} | {clean(metric.reason)}", style=style)
