"""Is this the call that was asked for? Values held against values, and what to say if not.

Arguments are a subset, at every depth of mappings. Numbers are equal across int and float, booleans
equal only booleans, text is compared in Unicode's NFC, and ``"2"`` is not ``2``. Matchers
(``scenarios.matchers``) may stand for values at any depth.
"""

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from sparring.errors import UsageError
from sparring.scenarios.matchers import approximate, compiled, matcher_of

_SEARCH_S = 0.5
"""What a regular expression may take; one that backtracks without end would stop everything."""

Need = TypeVar("Need")
Call = TypeVar("Call")


def contains(actual: Any, wanted: Any) -> bool:
    """Whether a value is what was wanted; mappings may hold more than that.

    Raises:
        UsageError: If a ``!regex`` cannot be searched for in any decent time.
    """
    matcher = matcher_of(wanted)
    if matcher is not None:
        return _satisfies(actual, *matcher)
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


def _satisfies(actual: Any, tag: str, operand: Any) -> bool:
    match tag:
        case "!any":
            return True
        case "!one_of":
            return any(contains(actual, choice) for choice in operand)
        case "!regex":
            return isinstance(actual, str) and _found(operand, actual)
        case _:
            return _is_number(actual) and _within(actual, tag, operand)


def _found(pattern: str, text: str) -> bool:
    try:
        return compiled(pattern).search(text, timeout=_SEARCH_S) is not None
    except TimeoutError:
        raise UsageError(
            f"the regular expression {pattern!r} takes more than {_SEARCH_S:g} s on what the agent "
            "called with; write it so that it cannot match in many ways"
        ) from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _within(actual: float, tag: str, operand: Any) -> bool:
    match tag:
        case "!gt":
            return actual > operand
        case "!gte":
            return actual >= operand
        case "!lt":
            return actual < operand
        case "!lte":
            return actual <= operand
        case _:
            number, distance = approximate(operand)
            return abs(actual - number) <= distance


def assign(
    needs: Sequence[Need], calls: Sequence[Call], fits: Callable[[Need, Call], bool]
) -> dict[int, int]:
    """Give as many needs as can be a call of their own (a maximum matching, augmenting paths).

    Returns:
        Positions of calls, each with the position of the need that it meets.
    """
    met_by: dict[int, int] = {}

    def find(need: int, tried: set[int]) -> bool:
        for position, call in enumerate(calls):
            if position not in tried and fits(needs[need], call):
                tried.add(position)
                if position not in met_by or find(met_by[position], tried):
                    met_by[position] = need
                    return True
        return False

    for need in range(len(needs)):
        find(need, set())
    return met_by


def differences(args: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> str:
    """What of the arguments is not as wanted, as in ``party_size=4, wanted 2``."""
    actual = args or {}
    parts: list[str] = []
    for key, value in wanted.items():
        if key not in actual:
            parts.append(f"no {key}, wanted {_shown(value)}")
        elif not contains(actual[key], value):
            was, asked = _shown(actual[key]), _shown(value)
            is_plain = matcher_of(value) is None
            if is_plain and type(actual[key]) is not type(value):
                was, asked = f"{was} ({_kind(actual[key])})", f"{asked} ({_kind(value)})"
            parts.append(f"{key}={was}, wanted {asked}")
    return "; ".join(parts)


def written(name: str | None, args: Mapping[str, Any] | None) -> str:
    """A call as one would write it, matchers as in the scenario file."""
    inside = ", ".join(f"{key}={_shown(value)}" for key, value in (args or {}).items())
    return f"{name or 'a tool without a name'}({inside})"


def _kind(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list"}
    return names.get(cast(type[Any], type(value)), "nothing" if value is None else "a mapping")


def _shown(value: Any) -> str:
    matcher = matcher_of(value)
    if matcher is not None:
        tag, operand = matcher
        return tag if tag == "!any" else f"{tag} {_shown(operand)}"
    if isinstance(value, dict):
        items = cast(dict[str, Any], value).items()
        return "{" + ", ".join(f"{_shown(key)}: {_shown(item)}" for key, item in items) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, cast(list[Any], value))) + "]"
    return json.dumps(value, ensure_ascii=False)
