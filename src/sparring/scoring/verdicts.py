"""Reading a judge's answer: a validated object, or no verdict. Never a guess."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sparring.records.judgement import GoalVerdict, TurnVerdict
from sparring.scoring.question import Question

_THINK = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|$)", re.DOTALL | re.IGNORECASE)
"""Reasoning that was never closed is reasoning to the end: a draft in it is no verdict."""
_DECODER = json.JSONDecoder(strict=False)
"""Not strict: a raw line break inside a text is no reason to lose a verdict."""
_MAX_REASON = 500


@dataclass(frozen=True)
class Reading:
    """What was read of an answer."""

    goal: GoalVerdict | None
    criteria: Mapping[str, list[TurnVerdict]]
    problem: str | None
    """Why it is not a whole answer; None if it is."""


def read(answer: str, question: Question) -> Reading:
    """Read an answer.

    It is a verdict if it holds exactly one object that carries the question's id, with no keys but
    those asked for. Whatever is around that object does not matter; whatever is missing in it is
    ``none``, and said.
    """
    ours = _ours(_THINK.sub("", answer), question.id)
    if not ours:
        return Reading(None, {}, "it holds no object with the id that was asked for")
    if len({json.dumps(one, sort_keys=True) for one in ours}) > 1:
        return Reading(None, {}, "it holds two different objects with the id")
    found = ours[0]
    allowed: set[str] = set(question.schema["properties"])
    unknown = sorted(set(found) - allowed)
    if unknown:
        return Reading(None, {}, f"it holds keys that were not asked for: {', '.join(unknown)}")
    goal = _goal(found.get("goal"), question.success)
    criteria = {
        criterion: [
            _turn(found.get(f"turn_{turn}"), f"c{number}", turn)
            for turn in range(1, question.turns + 1)
        ]
        for number, criterion in enumerate(question.criteria, 1)
    }
    missing = [
        f"turn {v.turn}" for list_ in criteria.values() for v in list_ if v.verdict == "none"
    ]
    if goal is None and question.success is not None:
        missing.insert(0, "the goal")
    problem = f"it holds no verdict on {', '.join(dict.fromkeys(missing))}" if missing else None
    return Reading(goal, criteria, problem)


def _ours(text: str, id: str) -> list[dict[str, Any]]:
    """The objects at the top level of the text that carry the id."""
    found: list[dict[str, Any]] = []
    position = text.find("{")
    while position != -1:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            if isinstance(value, dict) and cast(dict[str, Any], value).get("id") == id:
                found.append(cast(dict[str, Any], value))
        position = text.find("{", end)
    return found


def _goal(value: Any, criterion: str | None) -> GoalVerdict | None:
    verdict, reason = _parts(value)
    if criterion is None or verdict not in ("yes", "no"):
        return None
    return GoalVerdict(criterion=criterion, verdict=verdict, reason=reason)


def _turn(value: Any, criterion: str, turn: int) -> TurnVerdict:
    entry = cast(dict[str, Any], value).get(criterion) if isinstance(value, dict) else None
    verdict, reason = _parts(entry)
    if verdict not in ("meets", "fails", "not_applicable"):
        return TurnVerdict(turn=turn, verdict="none")
    return TurnVerdict(turn=turn, verdict=verdict, reason=reason)


def _parts(value: Any) -> tuple[Any, str]:
    if not isinstance(value, dict):
        return None, ""
    entry = cast(dict[str, Any], value)
    return entry.get("verdict"), str(entry.get("reason") or "")[:_MAX_REASON]
