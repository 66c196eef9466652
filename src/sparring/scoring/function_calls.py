"""Were the right tools called? The rules of ``measure: function_calls``.

- A call that was cancelled did not happen. One still running when the call ended has not completed,
  so it meets no expectation, but it does count as a call that was made.
- Every listed entry needs a completed call of its own; listing one twice asks for two. Which call
  meets which entry is decided by a maximum matching, so the order of either list does not matter.
- A further call is fine if it matches a listed entry and is not the same call again (same name,
  same arguments). Any other call fails.
- ``times: 2`` fixes the count of matching calls, ``times: "1+"`` gives only the least.
- Arguments are a subset, at every depth of mappings. Numbers are equal across int and float,
  booleans equal only booleans, text is compared in Unicode's NFC, and ``"2"`` is not ``2``.
"""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sparring.records import ToolCall
from sparring.scenarios import CallExpectation


@dataclass(frozen=True)
class CallsVerdict:
    """Whether the calls were those that were asked for, and what was wrong."""

    passed: bool
    reason: str
    """What was wrong; empty if nothing was."""
    made: list[str]
    """The calls that were made, as one would write them."""


def check_calls(expected: Sequence[CallExpectation], calls: Sequence[ToolCall]) -> CallsVerdict:
    """Hold the calls that were made against those that were asked for."""
    made = [call for call in calls if not call.cancelled]
    completed = [call for call in made if call.state == "completed"]
    needs = [entry for entry in expected for _ in range(entry.at_least)]
    matched = _match(needs, completed)

    missing = [entry for i, entry in enumerate(needs) if i not in matched.values()]
    used = {id(completed[position]) for position in matched}
    further = [call for call in made if id(call) not in used]
    problems: list[str] = []
    for entry in _distinct(missing):
        near = next((c for c in further if c.name == entry.name and not matches(entry, c)), None)
        if near is not None and near.state == "completed":
            # A call that was meant for this entry is one fault with it, not two.
            further = [call for call in further if call is not near]
            problems.append(f"{entry.name} was called with {_differences(near, entry)}")
        else:
            problems.append(_missing(entry, made, missing.count(entry), needs.count(entry)))
    for entry in expected:
        count = sum(matches(entry, call) for call in completed)
        if entry.exactly is not None and count > entry.exactly:
            problems.append(f"{describe(entry)} was called {count} times, wanted {entry.exactly}")
    for position, call in enumerate(made):
        problem = _further(call, made[:position], expected) if _among(call, further) else None
        if problem:
            problems.append(problem)
    return CallsVerdict(not problems, "; ".join(problems), [_written(c.name, c.args) for c in made])


def matches(entry: CallExpectation, call: ToolCall) -> bool:
    """Whether a call is one that the entry asks for."""
    return entry.name == call.name and contains(call.args or {}, entry.args)


def contains(actual: Any, wanted: Any) -> bool:
    """Whether a value is what was wanted; mappings may hold more than that."""
    if isinstance(wanted, dict):
        return isinstance(actual, dict) and all(
            key in actual and contains(actual[key], value)
            for key, value in cast(dict[str, Any], wanted).items()
        )
    if isinstance(wanted, list):
        items = cast(list[Any], wanted)
        return (
            isinstance(actual, list)
            and len(cast(list[Any], actual)) == len(items)
            and all(map(contains, cast(list[Any], actual), items))
        )
    if isinstance(wanted, bool) or isinstance(actual, bool):
        return wanted is actual
    if isinstance(wanted, str) and isinstance(actual, str):
        return unicodedata.normalize("NFC", actual) == unicodedata.normalize("NFC", wanted)
    return wanted == actual


def describe(entry: CallExpectation) -> str:
    """An entry as one would write the call."""
    return _written(entry.name, entry.args)


def _match(needs: Sequence[CallExpectation], calls: Sequence[ToolCall]) -> dict[int, int]:
    """A maximum matching, position of a call -> position of a need (augmenting paths)."""
    met_by: dict[int, int] = {}

    def find(need: int, tried: set[int]) -> bool:
        for position, call in enumerate(calls):
            if position not in tried and matches(needs[need], call):
                tried.add(position)
                if position not in met_by or find(met_by[position], tried):
                    met_by[position] = need
                    return True
        return False

    for need in range(len(needs)):
        find(need, set())
    return met_by


def _further(
    call: ToolCall, earlier: Sequence[ToolCall], expected: Sequence[CallExpectation]
) -> str | None:
    """What is wrong with a call beyond those that were needed."""
    asked_for = [entry for entry in expected if matches(entry, call)]
    written = _written(call.name, call.args)
    if not asked_for:
        return f"{written} was not asked for"
    if all(entry.exactly is not None for entry in asked_for):
        return None if call.state == "completed" else f"{written} was called once too often"
    if any(entry.times is not None for entry in asked_for):
        return None  # "1+" lets the same call come again.
    again = any(
        other.name == call.name
        and contains([other.args], [call.args])
        and contains([call.args], [other.args])
        for other in earlier
    )
    return f"{written} was called again" if again else None


def _missing(entry: CallExpectation, made: Sequence[ToolCall], lacking: int, wanted: int) -> str:
    if lacking < wanted:
        return f"{describe(entry)} was completed {wanted - lacking} of {wanted} times"
    same_name = [call for call in made if call.name == entry.name]
    if any(call.state == "running" for call in same_name):
        return f"{describe(entry)} had not completed when the call ended"
    if not same_name:
        return f"{describe(entry)} was not called"
    return f"{describe(entry)} was not called: every such call served another entry"


def _differences(call: ToolCall, entry: CallExpectation) -> str:
    actual = call.args or {}
    parts: list[str] = []
    for key, value in entry.args.items():
        if key not in actual:
            parts.append(f"no {key}, wanted {_json(value)}")
        elif not contains(actual[key], value):
            was, wanted = _json(actual[key]), _json(value)
            if type(actual[key]) is not type(value):
                was, wanted = f"{was} ({_kind(actual[key])})", f"{wanted} ({_kind(value)})"
            parts.append(f"{key}={was}, wanted {wanted}")
    return "; ".join(parts)


def _kind(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list"}
    return names.get(cast(type[Any], type(value)), "nothing" if value is None else "a mapping")


def _among(call: ToolCall, calls: Sequence[ToolCall]) -> bool:
    return any(call is other for other in calls)


def _distinct(entries: Sequence[CallExpectation]) -> list[CallExpectation]:
    return [entry for i, entry in enumerate(entries) if entry not in entries[:i]]


def _written(name: str | None, args: dict[str, Any] | None) -> str:
    inside = ", ".join(f"{key}={_json(value)}" for key, value in (args or {}).items())
    return f"{name or 'a tool without a name'}({inside})"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
