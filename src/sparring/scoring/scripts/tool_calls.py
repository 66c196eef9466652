"""Tool calls held against expectations: all that are listed, in any order, each with its own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sparring.records import Kind, ToolCall
from sparring.scenarios import CallPattern, Expectation
from sparring.scoring.arguments import assign, contains, differences, written
from sparring.scoring.scripts.events import nothing
from sparring.scoring.scripts.questions import call_question
from sparring.scoring.scripts.sightings import Sighting
from sparring.scoring.scripts.states import (
    Standing,
    State,
    View,
    earliest,
    late,
    missed,
)


def settle_calls(expectation: Expectation, view: View, before: float | None) -> State:
    """Where an expectation of tool calls stands.

    Args:
        expectation: What is waited for.
        view: The turn.
        before: When what the expectation above it took had come.
    """
    patterns = expectation.patterns or [None]
    made = [call for call in view.free(expectation) if _happened(expectation, call, view)]
    refused = [call for call in made if _verdict(expectation, call, view) == "no"]
    fitting = [call for call in made if call not in refused]
    floor = earliest(expectation, before)
    in_order = [call for call in fitting if call.at >= floor]
    taken = _assigned(expectation, patterns, in_order)
    if taken is not None:
        return _taken(expectation, view, taken)
    if before is not None:
        early = _assigned(expectation, patterns, fitting)
        if early is not None:
            return late(expectation, view, [call for call in early if call.at < floor], before)
    if _assigned(expectation, patterns, made) is not None:
        return _refused(expectation, view, refused)
    return missed(expectation, view, *_lacking(expectation, view, made))


def _happened(expectation: Expectation, sighting: Sighting, view: View) -> bool:
    """A call that was cancelled in the turn in which it was made was not made."""
    call = _call(sighting)
    withdrawn = call.cancelled and call.stopped_at is not None and call.stopped_at <= view.cut.at
    return expectation.event != "function_call" or not withdrawn


def _call(sighting: Sighting) -> ToolCall:
    assert isinstance(sighting.source, ToolCall)
    return sighting.source


def _args(expectation: Expectation, call: ToolCall) -> dict[str, Any]:
    """What ``args`` is held against: of an ended call, how it ended."""
    if expectation.event == "function_call":
        return call.args or {}
    return {"tool_call_id": call.id, "cancelled": call.cancelled}


def _assigned(
    expectation: Expectation, patterns: Sequence[CallPattern | None], calls: Sequence[Sighting]
) -> list[Sighting] | None:
    """A call for every pattern; None if there are not enough."""

    def fits(pattern: CallPattern | None, sighting: Sighting) -> bool:
        call = _call(sighting)
        return pattern is None or (
            pattern.name in (None, call.name) and contains(_args(expectation, call), pattern.args)
        )

    met = assign(patterns, calls, fits)
    return [calls[index] for index in sorted(met)] if len(met) == len(patterns) else None


def _verdict(expectation: Expectation, sighting: Sighting, view: View) -> str | None:
    if expectation.eval is None:
        return None
    question = call_question(expectation, view.turn, view.sightings, _call(sighting))
    verdict = view.verdicts.get(question.hash)
    return verdict.verdict if verdict is not None else None


def _taken(expectation: Expectation, view: View, calls: Sequence[Sighting]) -> State:
    last = max(call.at for call in calls)
    shown = ", ".join(_shown(expectation, call) for call in calls)
    state = State(Standing.MET, last, position=last, taken=tuple(calls), reason=shown)
    if expectation.eval is None:
        return state
    questions = [
        call_question(expectation, view.turn, view.sightings, _call(call)) for call in calls
    ]
    open = tuple(question for question in questions if question.hash not in view.verdicts)
    if open:
        return replace(state, standing=Standing.ASKING, questions=open)
    return replace(state, verdict=view.verdicts[questions[-1].hash])


def _refused(expectation: Expectation, view: View, refused: Sequence[Sighting]) -> State:
    """The judge said no of calls that would have done: another may still come."""
    last = refused[-1]
    final = min(view.calm_after(last.at), view.limit(expectation))
    if view.now < final:
        return State(Standing.PENDING, final)
    question = call_question(expectation, view.turn, view.sightings, _call(last))
    verdict = view.verdicts[question.hash]
    reason = f"{verdict.reason or 'the judge gave no reason'}: {_shown(expectation, last)}"
    return State(Standing.FAILED, final, kind=Kind.JUDGE_NO, reason=reason, verdict=verdict)


def _lacking(expectation: Expectation, view: View, made: Sequence[Sighting]) -> tuple[Kind, str]:
    """What is missing, beside what was called."""
    patterns = expectation.patterns
    if not patterns:
        return Kind.MISSING_FUNCTION_CALL, nothing(expectation, view)
    kind = Kind.MISSING_FUNCTION_CALL
    notes: list[str] = []
    for pattern in patterns:
        if _assigned(expectation, [pattern], made) is not None:
            continue
        near = [call for call in map(_call, made) if pattern.name in (None, call.name)]
        if near:
            kind = Kind.FUNCTION_ARGS_MISMATCH
            notes.append(differences(_args(expectation, near[-1]), pattern.args))
    wanted = ", ".join(written(pattern.name, pattern.args) for pattern in patterns)
    shown = ", ".join(_shown(expectation, call) for call in made) or "none"
    differing = f" ({'; '.join(notes)})" if notes else ""
    return kind, f"wanted {wanted}; called: {shown}{differing}"


def _shown(expectation: Expectation, sighting: Sighting) -> str:
    call = _call(sighting)
    return written(call.name, _args(expectation, call))
