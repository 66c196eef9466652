"""Faults that a model's own validators find, and the words that all faults are told in."""

import difflib
import json
from collections.abc import Sequence
from typing import Any

from pydantic_core import PydanticCustomError

FAULT = "fault"
"""The error type by which the explainer knows that the message is ours already."""

_LONGEST = 40


def fault(message: str, *place: str | int) -> PydanticCustomError:
    """An error to raise from a validator.

    Args:
        message: What is wrong, as a person would say it.
        place: Steps from the model that raises it to the key or value at fault.
    """
    steps: Sequence[str | int] = place
    # The template language of the library would read braces in the message as its own.
    return PydanticCustomError(FAULT, "{message}", {"message": message, "place": list(steps)})


def not_among(name: str, value: Any, allowed: Sequence[str]) -> str:
    """What to say of a value that is none of those allowed."""
    hint = suggestion(value, allowed) if isinstance(value, str) else quote_hint(value)
    return f"{name} must be one of {', '.join(allowed)}, not {shown(value)}{hint}"


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
            short = value if len(value) <= _LONGEST else value[:_LONGEST] + "…"
            return f"the text {json.dumps(short, ensure_ascii=False)}"
        case int() | float():
            return str(value)
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return repr(value)


def quote_hint(value: Any) -> str:
    """What to do about a value that YAML took for something other than text."""
    return ": quote it" if isinstance(value, bool | int | float) else ""
