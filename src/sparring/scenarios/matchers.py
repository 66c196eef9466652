"""Matchers: what may stand in a call's ``args`` instead of a value.

In YAML a matcher is a tag (``time: !regex "^18"``); in JSON, and so in records, it is a mapping
with the tag as its one key (``{"time": {"!regex": "^18"}}``, ``{"time": {"!any": true}}``). They
may stand at any depth.

=========  ============================  ===========================================
tag        takes                         holds for
=========  ============================  ===========================================
!any       nothing                       any value, as long as the argument is there
!regex     a regular expression          text in which it is found
!one_of    a list of values or matchers  what equals one of them
!gt !gte   a number                      numbers above it (or equal)
!lt !lte   a number                      numbers below it (or equal)
!approx    a number, or [number, by]     numbers within 1 % of it (or within ``by``)
=========  ============================  ===========================================
"""

import math
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Annotated, Any, cast

import regex
from pydantic import AfterValidator

from sparring.scenarios.blocks import JsonMapping
from sparring.scenarios.faults import Fault, all_of, shown

MATCHERS = ("!any", "!regex", "!one_of", "!gt", "!gte", "!lt", "!lte", "!approx")
APPROX_SHARE = 0.01
"""What ``!approx`` allows by itself, as a share of the number."""


def matcher_of(value: Any) -> tuple[str, Any] | None:
    """The tag and the operand of a matcher; None if the value stands for itself."""
    if isinstance(value, dict) and len(cast(dict[str, Any], value)) == 1:
        ((tag, operand),) = cast(dict[str, Any], value).items()
        if tag in MATCHERS:
            return tag, operand
    return None


def approximate(operand: Any) -> tuple[float, float]:
    """The number and the distance that an ``!approx`` allows."""
    if isinstance(operand, list):
        number, by = cast(list[float], operand)
        return number, by
    return operand, abs(operand) * APPROX_SHARE


def compiled(pattern: str) -> "regex.Pattern[str]":
    """A ``!regex`` ready to search with.

    Raises:
        ValueError: If it is no good regular expression, or one of doubtful meaning.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            re.compile(pattern)  # Its warnings and its words for what is wrong are the better.
            return regex.compile(pattern)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        except (re.error, regex.error, OverflowError, Warning) as error:
            raise ValueError(str(error)) from None


def _matcher_faults(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[Fault]:
    found = matcher_of(value)
    if found is not None:
        tag, operand = found
        problem = _OPERANDS.get(tag, _number)(operand)
        if problem is not None:
            yield Fault(f"{tag} {problem}", path)
        elif tag == "!one_of":
            yield from _matcher_faults(operand, (*path, tag))
    elif isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield from _matcher_faults(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[Any], value)):
            yield from _matcher_faults(item, (*path, index))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _number(operand: Any) -> str | None:
    return None if _is_number(operand) else f"takes a number, not {shown(operand)}"


def _nothing(operand: Any) -> str | None:
    return None if operand is True else f"takes nothing, not {shown(operand)}"


def _values(operand: Any) -> str | None:
    if isinstance(operand, list) and operand:
        return None
    return f"takes a list of values, not {'an empty one' if operand == [] else shown(operand)}"


def _expression(operand: Any) -> str | None:
    if not isinstance(operand, str) or not operand:
        return f"takes a regular expression, not {shown(operand)}"
    try:
        compiled(operand)
    except ValueError as error:
        return f"takes a regular expression, and this is no good one: {error}"
    return None


def _near(operand: Any) -> str | None:
    if _is_number(operand):
        return None
    parts = cast(list[Any], operand) if isinstance(operand, list) else []
    if len(parts) == 2 and all(map(_is_number, parts)) and parts[1] >= 0:
        return None
    return f"takes a number, or a list of a number and a distance, not {shown(operand)}"


_OPERANDS: dict[str, Callable[[Any], str | None]] = {
    "!any": _nothing,
    "!regex": _expression,
    "!one_of": _values,
    "!approx": _near,
}


def _sound(args: dict[str, Any]) -> dict[str, Any]:
    if faults := list(_matcher_faults(args)):
        raise all_of(faults)
    return args


Arguments = Annotated[JsonMapping, AfterValidator(_sound)]
"""Arguments that a call must have, as values or matchers."""
