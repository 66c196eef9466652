"""What a judge is asked about a record: one request, with a schema made for the call.

The call enters as data that cannot break out of its fence: one JSON object a line, so no line of it
can look like the marker. The answer must carry an id that is a hash of the whole question; the
agent, having spoken before there was a question, cannot have said it, so nothing quoted from the
call can ever be taken for a verdict. Secrets are left out as they are in a stored record, so that a
call is the same question before and after it was stored.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from sparring.records import Conversation, Side, ToolCall, Turn
from sparring.records.json_text import json_of_data

PROMPT_VERSION = "judge-1"
RESULT_CAP = 2000
"""Characters of a tool's result that the judge sees."""
_ANSWER_TOKENS = 300
_TOKENS_PER_VERDICT = 60


@dataclass(frozen=True)
class Question:
    """Everything a judge is asked about one call."""

    call: str
    """Hash of the call as shown, and of the instructions: verdicts hold for the same one only."""
    system: str
    text: str
    schema: Mapping[str, Any]
    success: str | None
    """The success criterion; None if the goal is not asked about."""
    criteria: Sequence[str]
    """Criteria, in the order of the answer's keys ``c1``, ``c2``, …"""
    turns: int
    """Agent turns to judge."""
    id: str
    """What the answer must carry."""

    @property
    def max_tokens(self) -> int:
        """How long an answer may be."""
        return _ANSWER_TOKENS + _TOKENS_PER_VERDICT * self.turns * len(self.criteria)


@dataclass(frozen=True)
class ShownCall:
    """A call as a judge sees it."""

    text: str
    turns: int
    hash: str


def show_call(conversation: Conversation, ending: str) -> ShownCall:
    """Write a call down for a judge.

    Args:
        conversation: The call.
        ending: How it ended, in words.
    """
    lines, turns = lines_of(conversation)
    text = "\n".join([*lines, json_of_data({"ended": ending})])
    return ShownCall(text, turns, digest(_system(), text)[:32])


def ask_about(call: ShownCall, success: str | None, criteria: Sequence[str]) -> Question:
    """Make the question about a call.

    Args:
        call: The call.
        success: The success criterion; None to ask only about the criteria.
        criteria: What every agent turn is held against.
    """
    id = digest(call.text, str(success), *criteria)[:12]
    marker = f"===== {id} ====="
    rules = "\n".join(f"c{number}: {json_of_data(text)}" for number, text in enumerate(criteria, 1))
    schema = _schema(id, success is not None, call.turns, len(criteria))
    text = (
        f"The call:\n{marker}\n{call.text}\n{marker}\n\n"
        + (f"Success criterion: {json_of_data(success)}\n\n" if success is not None else "")
        + (f"Criteria for every agent turn:\n{rules}\n\n" if criteria else "")
        + f"The id: {id}\nAgent turns: {call.turns}\n\n"
        f"Answer with one JSON object that follows this JSON Schema:\n{json_of_data(schema)}"
    )
    return Question(call.hash, _system(), text, schema, success, criteria, call.turns, id)


def digest(*parts: str) -> str:
    """The hash by which questions, and the calls they are about, are told apart."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


@cache
def _system() -> str:
    return resources.files("sparring.scoring").joinpath("prompts/judge.md").read_text("utf-8")


def lines_of(conversation: Conversation) -> tuple[list[str], int]:
    """A conversation as data, a JSON object a line, and how many agent turns it holds."""
    lines: list[str] = []
    number = 0
    for turn in conversation.turns:
        lines += [
            json_of_data({"agent": {"tool_call": _tool_call(call)}}) for call in turn.tool_calls
        ]
        if not turn.text:
            continue
        if turn.side is Side.CALLER:
            lines.append(json_of_data({"caller": {"said": turn.text}}))
        else:
            number += 1
            lines.append(json_of_data({"agent": _said(turn, number)}))
    return lines, number


def _said(turn: Turn, number: int) -> dict[str, Any]:
    said: dict[str, Any] = {"turn": number, "said": turn.text}
    return {**said, "interrupted": True} if turn.interrupted else said


def _tool_call(call: ToolCall) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": call.name, "arguments": call.args, "state": call.state}
    if call.result is not None:
        result = json_of_data(call.result)
        cut = f" [cut: {RESULT_CAP} of {len(result)} characters shown]"
        shown["result"] = call.result if len(result) <= RESULT_CAP else result[:RESULT_CAP] + cut
    return shown


def _schema(id: str, goal: bool, turns: int, criteria: int) -> dict[str, Any]:
    def verdict(*allowed: str) -> dict[str, Any]:
        choice = {"type": "string", "enum": list(allowed)}
        return object_schema({"verdict": choice, "reason": {"type": "string"}})

    keys: dict[str, Any] = {"id": {"type": "string", "enum": [id]}}
    if goal:
        keys["goal"] = verdict("yes", "no")
    if criteria:
        one = {f"c{n}": verdict("meets", "fails", "not_applicable") for n in range(1, criteria + 1)}
        keys |= {f"turn_{number}": object_schema(one) for number in range(1, turns + 1)}
    return object_schema(keys)


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
