"""Were the right tools called? The rules of ``measure: function_calls``.

- A call that was cancelled did not happen. One still running when the call ended has not completed,
  so it meets no expectation, but it does count as a call that was made.
- Every listed entry needs a completed call of its own; listing one twice asks for two. Which call
  meets which entry is decided by a maximum matching, so the order of either list does not matter.
- A further call is fine if it matches a listed entry and is not the same call again (same name,
  same arguments). Any other call fails.
- ``times: 2`` fixes the count of matching calls, ``times: "1+"`` gives only the least.
- Arguments are a subset (``scoring.arguments``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sparring.records import ToolCall
from sparring.scenarios import CallExpectation
from sparring.scoring.arguments import assign, contains, differences, written


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
    matched = assign(needs, completed, matches)

    missing = [entry for i, entry in enumerate(needs) if i not in matched.values()]
    used = {id(completed[position]) for position in matched}
    further = [call for call in made if id(call) not in used]
    problems: list[str] = []
    for entry in _distinct(missing):
        near = next((c for c in further if c.name == entry.name and not matches(entry, c)), None)
        if near is not None and near.state == "completed":
            # A call that was meant for this entry is one fault with it, not two.
            further = [call for call in further if call is not near]
            problems.append(f"{entry.name} was called with {differences(near.args, entry.args)}")
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
    return CallsVerdict(not problems, "; ".join(problems), [written(c.name, c.args) for c in made])


def matches(entry: CallExpectation, call: ToolCall) -> bool:
    """Whether a call is one that the entry asks for."""
    return entry.name == call.name and contains(call.args or {}, entry.args)


def describe(entry: CallExpectation) -> str:
    """An entry as one would write the call."""
    return written(entry.name, entry.args)


def _further(
    call: ToolCall, earlier: Sequence[ToolCall], expected: Sequence[CallExpectation]
) -> str | None:
    """What is wrong with a call beyond those that were needed."""
    asked_for = [entry for entry in expected if matches(entry, call)]
    shown = written(call.name, call.args)
    if not asked_for:
        return f"{shown} was not asked for"
    if all(entry.exactly is not None for entry in asked_for):
        return None if call.state == "completed" else f"{shown} was called once too often"
    if any(entry.times is not None for entry in asked_for):
        return None  # "1+" lets the same call come again.
    again = any(
        other.name == call.name
        and contains([other.args], [call.args])
        and contains([call.args], [other.args])
        for other in earlier
    )
    return f"{shown} was called again" if again else None


def _missing(entry: CallExpectation, made: Sequence[ToolCall], lacking: int, wanted: int) -> str:
    if lacking < wanted:
        return f"{describe(entry)} was completed {wanted - lacking} of {wanted} times"
    same_name = [call for call in made if call.name == entry.name]
    if any(call.state == "running" for call in same_name):
        return f"{describe(entry)} had not completed when the call ended"
    if not same_name:
        return f"{describe(entry)} was not called"
    return f"{describe(entry)} was not called: every such call served another entry"


def _among(call: ToolCall, calls: Sequence[ToolCall]) -> bool:
    return any(call is other for other in calls)


def _distinct(entries: Sequence[CallExpectation]) -> list[CallExpectation]:
    return [entry for i, entry in enumerate(entries) if entry not in entries[:i]]
