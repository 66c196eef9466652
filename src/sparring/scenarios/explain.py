"""Validation errors, told as a person would tell them."""

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sparring.scenarios.faults import FAULT
from sparring.scenarios.yaml_source import Source, Steps

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def explain(
    error: ValidationError, model: type[BaseModel], data: Any
) -> Iterator[tuple[Steps, str, bool]]:
    """Each fault of a value that did not validate.

    Args:
        error: What pydantic says.
        model: What the value should have been.
        data: The value.

    Yields:
        The path of the fault within the value, the message, and whether the fault is the key at
        that path (and not its value). One fault yields once, whatever variants were tried.
    """
    told: set[Steps] = set()
    for details in error.errors(include_url=False):
        path = _path_in(data, details["loc"])
        if details["type"] == FAULT:
            context = cast(dict[str, Any], details.get("ctx", {}))
            path = (*path, *context.get("place", ()))
        if path not in told:
            told.add(path)
            yield path, _message(details, path, model), details["type"] == "extra_forbidden"


def locate(source: Source, path: Steps, is_key: bool) -> Any:
    """The place of a fault in the file."""
    if is_key and path in source.keys:
        return source.keys[path]
    return source.place(path)


def _path_in(data: Any, location: Sequence[str | int]) -> Steps:
    """An error's location without the steps that only name variants of a union."""
    path: list[str | int] = []
    for index, step in enumerate(location):
        inside = (isinstance(data, dict) and step in data) or (
            isinstance(data, list) and isinstance(step, int) and step < len(cast(Any, data))
        )
        if inside:
            path.append(step)
            data = cast(Any, data)[step]
        elif index == len(location) - 1 and isinstance(data, dict) and isinstance(step, str):
            path.append(step)  # A key that is missing.
    return tuple(path)


def _message(details: ErrorDetails, path: Steps, model: type[BaseModel]) -> str:
    context = cast(dict[str, Any], details.get("ctx", {}))
    name = _name(path)
    kind, value = details["type"], details["input"]
    match kind:
        case "fault":
            return context["message"]
        case "extra_forbidden":
            return f"unknown key {path[-1]!r}{_suggestion(str(path[-1]), _known_keys(model, path))}"
        case "missing":
            return f"the key {path[-1]!r} is missing"
        case "literal_error":
            allowed = _choices(details["msg"])
            hint = _suggestion(value, allowed) if isinstance(value, str) else _quote_hint(value)
            return f"{name} must be one of {', '.join(allowed)}, not {_shown(value)}{hint}"
        case "string_too_short":
            return f"{name} must not be empty"
        case "string_pattern_mismatch":
            return f"{name} must be a dotted path such as my_module.my_function, not {_shown(value)}"
        case "greater_than_equal" | "greater_than" | "less_than_equal" | "less_than":
            return f"{name} must be {_limit(kind, context)}, not {_shown(value)}"
        case "finite_number":
            return f"{name} must be a finite number"
        case _ if kind in _TYPES:
            hint = _quote_hint(value) if kind == "string_type" else ""
            return f"{name} must be {_TYPES[kind]}, not {_shown(value)}{hint}"
        case _:
            return f"{name}: {details['msg']}"


def _name(path: Steps) -> str:
    """A path as one would write it: ``metrics[0].min_score``; long ones keep their end."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the scenario"


def _limit(kind: str, context: dict[str, Any]) -> str:
    words = {
        "greater_than_equal": ("at least", "ge"),
        "greater_than": ("more than", "gt"),
        "less_than_equal": ("at most", "le"),
        "less_than": ("less than", "lt"),
    }
    word, key = words[kind]
    return f"{word} {context[key]:g}"


def _shown(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return f"the boolean {str(value).lower()}"
        case str():
            short = value if len(value) <= 40 else value[:40] + "…"
            return f"the text {json.dumps(short, ensure_ascii=False)}"
        case int() | float():
            return str(value)
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return repr(value)


def _quote_hint(value: Any) -> str:
    return ": quote it" if isinstance(value, bool | int | float) else ""


def _choices(message: str) -> list[str]:
    return message.removeprefix("Input should be ").replace(" or ", ", ").replace("'", "").split(", ")


def _suggestion(word: str, known: Sequence[str]) -> str:
    lowered = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), list(lowered), 1, cutoff=0.6)
    return f". Did you mean {lowered[near[0]]!r}?" if near else ""


def _known_keys(model: type[BaseModel], path: Steps) -> list[str]:
    """The keys that may stand where the last step of the path does."""
    here = [model]
    for step in path[:-1]:
        if isinstance(step, str):
            fields = [m.model_fields[step].annotation for m in here if step in m.model_fields]
            here = [found for annotation in fields for found in _models(annotation)]
    return sorted({key for m in here for key in m.model_fields})


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models(part)]
