"""Reading a judge's answer: a validated object, or no verdict. Never a guess."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sparring.records.judgement import GoalVerdict, TurnVerdict
from sparring.scoring.question import Question
from sparring.scoring.verdicts import Verdicts, missing

_MARK = re.compile(r"\{|<(/?)(think|thinking|reasoning)>", re.IGNORECASE)
"""Where an object may begin, or reasoning begins or ends."""
_MAX_REASON = 500


@dataclass(frozen=True)
class Reading:
    """What was read of an answer."""

    verdicts: Verdicts
    problem: str | None
    """Why it is not a whole answer; None if it is."""


def read(answer: str, question: Question) -> Reading:
    """Read an answer about a call; whatever is missing in it is ``none``, and said."""
    found = read_object(answer, question.id, question.schema)
    if isinstance(found, str):
        return Reading(Verdicts(), found)
    goal = _goal(found.get("goal"), question.success)
    criteria = {
        criterion: [
            _turn(found.get(f"turn_{turn}"), f"c{number}", turn)
            for turn in range(1, question.turns + 1)
        ]
        for number, criterion in enumerate(question.criteria, 1)
    }
    verdicts = Verdicts(goal, criteria)
    open = missing(verdicts, question.success, question.criteria)
    return Reading(verdicts, f"it holds no verdict on {open}" if open else None)


def read_object(answer: str, id: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """The object that an answer is; a text says why there is none that counts.

    It counts if the answer holds exactly one object that carries the id, with no keys at any depth
    but the schema's, and none of them twice. Whatever is around that object does not matter.
    """
    objects = [one for one in _objects(answer) if one.content.get("id") == id]
    if not objects:
        return "it holds no object with the id that was asked for"
    if len({json.dumps(one.content, sort_keys=True) for one in objects}) > 1:
        return "it holds two different objects with the id"
    twice = [key for one in objects for key in one.twice]
    if twice:
        return f"it holds a key twice: {', '.join(dict.fromkeys(twice))}"
    unknown = _unknown(objects[0].content, schema)
    if unknown:
        return f"it holds keys that were not asked for: {', '.join(unknown)}"
    return objects[0].content


def verdict_in(value: Any) -> tuple[Any, str]:
    """The verdict and the reason of an entry; None if it is none."""
    if not isinstance(value, dict):
        return None, ""
    entry = cast(dict[str, Any], value)
    reason = entry.get("reason") or ""
    return (entry.get("verdict"), reason[:_MAX_REASON]) if isinstance(reason, str) else (None, "")


@dataclass(frozen=True)
class _Object:
    content: Mapping[str, Any]
    twice: Sequence[str]
    """Keys that stand in it twice, at any depth: nobody can say which of their values counts."""


def _objects(text: str) -> list[_Object]:
    """The objects at the top level of the text, but for those in the model's reasoning.

    Reasoning that was never closed goes on to the end, and reasoning that is closed without having
    been opened goes back to the beginning: a draft in it is no verdict.
    """
    twice: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counts = Counter(key for key, _ in pairs)
        twice.extend(key for key, count in counts.items() if count > 1)
        return dict(pairs)

    # Not strict: a raw line break inside a text is no reason to lose a verdict.
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=keep)
    found: list[_Object] = []
    mark = _MARK.search(text)
    while mark is not None:
        end = mark.end()
        if mark[0] == "{":
            twice.clear()
            try:
                content, end = decoder.raw_decode(text, mark.start())
            except RecursionError:
                return []  # No answer is nested like that; reading on would take for ever.
            except ValueError:
                pass
            else:
                found.append(_Object(content, tuple(twice)))
        elif mark[1]:
            found.clear()
        else:
            closed = re.compile(f"</{mark[2]}>", re.IGNORECASE).search(text, end)
            end = closed.end() if closed else len(text)
        mark = _MARK.search(text, end)
    return found


def _unknown(value: Mapping[str, Any], schema: Mapping[str, Any], path: str = "") -> list[str]:
    """Keys at any depth that the schema does not have."""
    unknown: list[str] = []
    for key, item in value.items():
        rule = schema["properties"].get(key)
        if rule is None:
            unknown.append(f"{path}{key}")
        elif rule["type"] == "object" and isinstance(item, dict):
            unknown += _unknown(cast(dict[str, Any], item), rule, f"{path}{key}.")
    return unknown


def _goal(value: Any, criterion: str | None) -> GoalVerdict | None:
    verdict, reason = verdict_in(value)
    if criterion is None or verdict not in ("yes", "no"):
        return None
    return GoalVerdict(criterion=criterion, verdict=verdict, reason=reason)


def _turn(value: Any, criterion: str, turn: int) -> TurnVerdict:
    entry = cast(dict[str, Any], value).get(criterion) if isinstance(value, dict) else None
    verdict, reason = verdict_in(entry)
    if verdict not in ("meets", "fails", "not_applicable"):
        return TurnVerdict(turn=turn, verdict="none")
    return TurnVerdict(turn=turn, verdict=verdict, reason=reason)
