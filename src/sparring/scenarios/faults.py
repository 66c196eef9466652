"""Faults that a model's own validators find, and the words that all faults are told in."""

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import PydanticCustomError

FAULT = "fault"
"""The error type by which the explainer knows that the message is ours already."""

_LONGEST = 40


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


def unknown_key(key: str, known: Sequence[str]) -> str:
    """What to say of a key that nobody knows."""
    return f"unknown key {shortened(key)!r}{suggestion(key, known)}"


def not_among(name: str, value: Any, allowed: Sequence[str], otherwise: str = "") -> str:
    """What to say of a value that is none of those allowed.

    Args:
        name: What the value is called.
        value: The value.
        allowed: What it may be.
        otherwise: What to add if none of those is near.
    """
    hint = suggestion(value, allowed) if isinstance(value, str) else quote_hint(value)
    return f"{name} must be one of {', '.join(allowed)}, not {shown(value)}{hint or otherwise}"


def suggestion(word: str, known: Sequence[str]) -> str:
    """The nearest right spelling, as a sentence; empty if none is near."""
    near = nearest(word, known)
    return f". Did you mean {near!r}?" if near else ""


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The nearest right spelling."""
    lowered = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), list(lowered), 1, cutoff=0.6)
    return lowered[near[0]] if near else None


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
            return "a mapping"
        case _:
            return shortened(str(value))


def shortened(text: str) -> str:
    """A text's beginning, if it is long."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def quote_hint(value: Any) -> str:
    """What to do about a value that YAML took for something other than text."""
    return ": quote it" if isinstance(value, bool | int | float) else ""
