"""Faults that a model's own validators find, and the words that all faults are told in."""

import difflib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, cast

from pydantic_core import PydanticCustomError

FAULT = "fault"
"""The error type by which the explainer knows that the message is ours already."""

_LONGEST = 40
_MOST_NAMES = 8
_MOST_COMPARED = 200


@dataclass(frozen=True)
class Fault:
    """One fault, told as a person would tell it."""

    message: str
    path: tuple[str | int, ...] = ()
    """Steps from the model that finds it to the value at fault."""
    at_key: bool = False
    """Whether the key at that path is at fault, and not its value."""


def fault(message: str, *path: str | int, at_key: bool = False) -> PydanticCustomError:
    """An error to raise from a validator; see ``Fault``."""
    return all_of([Fault(message, path, at_key)])


def all_of(faults: Sequence[Fault]) -> PydanticCustomError:
    """An error to raise from a validator that found several faults."""
    text = "; ".join(found.message for found in faults)
    # The template language of the library would read braces in the message as its own.
    return PydanticCustomError(FAULT, "{message}", {"message": text, "faults": list(faults)})


def unknown_key(key: str, known: Collection[str]) -> str:
    """What to say of a key that nobody knows."""
    return f"unknown key {quoted(key)}{suggestion(key, known)}"


def not_among(name: str, value: Any, allowed: Sequence[str], otherwise: str = "") -> str:
    """What to say of a value that is none of those allowed.

    Args:
        name: What the value is called.
        value: The value.
        allowed: What it may be.
        otherwise: What to add if none of those is near.
    """
    hint = suggestion(value, allowed) if isinstance(value, str) else ""
    return f"{name} must be one of {', '.join(allowed)}, not {shown(value)}{hint or otherwise}"


def suggestion(word: str, known: Collection[str]) -> str:
    """What was probably meant, as a sentence; empty if nothing is near."""
    near = nearest(word, known)
    return f". Did you mean {quoted(near)}?" if near else ""


def nearest(word: str, known: Collection[str]) -> str | None:
    """What was probably meant: the nearest spelling, else the one name that shares a word."""
    return _nearest(word, tuple(islice(known, _MOST_COMPARED)))


def nearest_spelling(word: str, known: Collection[str]) -> str | None:
    """The nearest right spelling."""
    return _nearest_spelling(word, tuple(islice(known, _MOST_COMPARED)))


# A file may repeat one slip in each of its scenarios, and comparing is slow.
@lru_cache(4096)
def _nearest_spelling(word: str, known: tuple[str, ...]) -> str | None:
    lowered = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), list(lowered), 1, cutoff=0.6)
    return lowered[near[0]] if near else None


@lru_cache(4096)
def _nearest(word: str, known: tuple[str, ...]) -> str | None:
    """``min_quality`` is no misspelt ``min_score``, but the only other name with a ``min``."""
    if near := _nearest_spelling(word, known):
        return near
    sharing = [name for name in known if _words(name) & _words(word)]
    return sharing[0] if len(sharing) == 1 else None


def _words(name: str) -> set[str]:
    return {part for part in name.lower().split("_") if len(part) > 2}


def shown(value: Any) -> str:
    """A value with its type, as people call it."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"the boolean {str(value).lower()}"
        case str():
            return f"the text {json.dumps(shortened(value), ensure_ascii=False)}"
        case list():
            return "a list"
        case dict():
            keys = list(cast(dict[Any, Any], value))
            is_matcher = len(keys) == 1 and str(keys[0]).startswith("!")
            return f"the matcher {keys[0]}" if is_matcher else "a mapping"
        case _:
            return shortened(str(value))


def shortened(text: str) -> str:
    """A text's beginning, if it is long."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def quoted(text: str) -> str:
    """A text in quotes; its beginning, if it is long."""
    return repr(shortened(text))


def listed(names: Iterable[str], between: str = ", ") -> str:
    """Names in a row; the first of them, if they are many."""
    first = [shortened(name) for name in islice(names, _MOST_NAMES + 1)]
    return between.join(first if len(first) <= _MOST_NAMES else [*first[:-1], "…"])


def quote_hint(value: Any) -> str:
    """What to do about a value that YAML took for something other than text."""
    return ": quote it" if isinstance(value, bool | int | float) else ""
