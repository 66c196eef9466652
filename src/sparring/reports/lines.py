"""What there is to say of a run, as lines of text: its conversation as it happens, its result."""

import json
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from sparring.records import (
    Conversation,
    Event,
    MetricScore,
    Response,
    Result,
    ScriptResult,
    SimulationResult,
    Status,
)
from sparring.records import events as ev
from sparring.reports.plain import clean
from sparring.reports.script_lines import (
    script_details,
    script_doubt,
    script_failures,
    turns_passed,
)
from sparring.suites.tally import ScenarioTally

_MAX_VALUE = 200
SIGNS = {
    Status.PASSED: ("✓", "green"),
    Status.FAILED: ("✗", "red"),
    Status.ERROR: ("!", "yellow"),
    Status.INVALID: ("?", "yellow"),
    Status.INTERRUPTED: ("‖", "yellow"),
}


class ConversationLines:
    """Renders a conversation's lines as soon as each is whole."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self._printed: set[int] = set()

    def of(self, event: Event) -> list[Text]:
        """Lines that this event completes."""
        self.conversation.fold(event)
        if isinstance(event, ev.LLMText | ev.TTSText):
            return []  # Whatever it belongs to, it is not whole yet.
        lines = [
            _spoken("bot", "cyan", response.text + (" —" if response.interrupted else ""))
            for response in self._finished()
        ]
        if isinstance(event, ev.CallerSaid):
            lines.append(_spoken("user", "magenta", event.text))
        elif isinstance(event, ev.CallerPressed):
            lines.append(_spoken("user", "magenta", f"(pressed {event.keys})"))
        elif isinstance(event, ev.FunctionCallStopped):
            lines.append(Text.assemble(("     ↳ ", "dim"), self._tool_call(event)))
        return lines

    def _finished(self) -> list[Response]:
        finished = [
            response
            for turn in self.conversation.turns[-2:]
            for response in turn.utterances
            if response.ended_at is not None and id(response) not in self._printed
        ]
        self._printed.update(map(id, finished))
        return finished

    def _tool_call(self, event: ev.FunctionCallStopped) -> str:
        call = next(c for c in reversed(self.conversation.tool_calls) if c.id == event.id)
        args = ", ".join(f"{key}={_value(value)}" for key, value in (call.args or {}).items())
        outcome = "cancelled" if call.cancelled else _value(call.result)
        return clean(f"{call.name or 'a tool'}({args}) → {outcome}")


def result_line(result: Result) -> Text:
    """A result on one line; with what should not go unseen though it passed."""
    sign, style = SIGNS[result.status]
    ending = result.ended_by or "not over"
    if isinstance(result, ScriptResult):
        ending = turns_passed(result)
    line = f" {clean(result.name)} {clean(result.scenario)} {ending} ({result.duration_ms}ms)"
    return Text.assemble((sign, style), line, (_doubt(result), "yellow"))


def details(result: Result) -> Iterator[Text]:
    """All that there is to say of a result."""
    if isinstance(result, ScriptResult):
        yield from script_details(result)
    elif isinstance(result, SimulationResult):
        yield from _simulation_details(result)
    if len(result.judges) > 1:
        who = ", ".join(f"{judge.service} {judge.model}" for judge in result.judges)
        yield Text(f"the verdicts are of several judges: {clean(who)}", style="yellow")


def _simulation_details(result: SimulationResult) -> Iterator[Text]:
    """How a call ended, who claims what, and every metric."""
    ended = f"ended by {result.ended_by}" if result.ended_by else "not over"
    yield Text(f"{ended} after {result.turns} persona turn(s)", style="bold")
    for text in result.unsent:
        yield Text(f"not sent: {clean(text)}", style="dim")
    if result.end_call is not None:
        claim = "succeeded" if result.end_call["success"] else "gave up"
        yield Text(f"caller: {claim}: {clean(result.end_call['reason'])}")
    if result.goal.verdict != "not_judged" or result.goal.reason != "no judge was asked":
        verdict = {"met": "yes", "not_met": "no"}.get(result.goal.verdict, "no verdict")
        yield Text(f"judge: {verdict}: {clean(result.goal.reason)}".rstrip(": "))
    if result.metrics:
        yield Text("metrics:")
    for metric in result.metrics:
        yield _metric(metric)


def failure(result: Result) -> Iterator[Text]:
    """A run that did not pass, and why."""
    sign, style = SIGNS[result.status]
    yield Text.assemble("  ", (sign, style), f" {clean(result.name)} {clean(result.scenario)}")
    if isinstance(result, ScriptResult):
        yield from script_failures(result)
        return
    first, *further = result.reason.split("\n")
    yield Text.assemble(f"    • {clean(first)} ", (f"[{result.kind}]", "dim"))
    for line in further:
        yield Text(f"        {clean(line)}", style="dim")


def scenario_line(tally: ScenarioTally) -> Text:
    """A scenario's runs: passed of those that count, and beside them those that do not."""
    passed = tally.counts[Status.PASSED]
    good = passed == tally.planned
    sign, style = SIGNS[Status.PASSED if good else Status.FAILED]
    if not tally.valid:
        sign, style = SIGNS[Status.ERROR]
    counts = [f"{passed}/{tally.valid} passed"]
    if tally.valid != tally.planned:
        counts.append(f"{tally.planned} planned")
    for status in (Status.ERROR, Status.INVALID, Status.INTERRUPTED):
        if tally.counts[status]:
            counts.append(f"{tally.counts[status]} {status.value}")
    if tally.not_run:
        counts.append(f"{tally.not_run} not run")
    names = f" {clean(tally.agent)} {clean(tally.scenario)}"
    return Text.assemble("  ", (sign, style), f"{names}  {' · '.join(counts)}")


def _doubt(result: Result) -> str:
    """Nobody judged, and the call does not look as if its goal had been reached."""
    if isinstance(result, ScriptResult):
        return script_doubt(result)
    if not isinstance(result, SimulationResult):
        return ""
    if not result.passed or result.goal.verdict != "not_judged":
        return ""
    if result.end_call is not None and not result.end_call["success"]:
        return f" · the goal was not judged, and the caller gave up: {result.end_call['reason']}"
    if result.ended_by == "bot":
        return " · the goal was not judged, and the agent hung up"
    return ""


def _spoken(who: str, style: str, text: str) -> Text:
    return Text.assemble((f"{who}: ", style), clean(text))


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}… ({len(text)} characters)"


def _metric(metric: MetricScore) -> Text:
    score = "–" if metric.score is None else f"{metric.score:.2f}"
    style = "red" if metric.gates and metric.passed is False else ""
    return Text(f"  {clean(metric.name)}: {score} | {clean(metric.reason)}", style=style)
