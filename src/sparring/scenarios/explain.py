"""Validation errors, told as a person would tell them."""

import re
from collections.abc import Iterator
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sparring.scenarios.faults import FAULT, nearest, not_among, quote_hint, shown, suggestion
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
    faults = [(_path_in(data, details), details) for details in error.errors(include_url=False)]
    misspelt = {
        (*path[:-1], nearest(str(path[-1]), _known_keys(model, path)))
        for path, details in faults
        if details["type"] == "extra_forbidden"
    }
    told: set[Steps] = set()
    for path, details in faults:
        # A key that is missing because it is there misspelt is one fault, not two.
        if path in told or (details["type"] == "missing" and path in misspelt):
            continue
        told.add(path)
        context = details.get("ctx", {})
        is_key = details["type"] == "extra_forbidden" or bool(context.get("place"))
        yield path, _message(details, path, model), is_key


def locate(source: Source, path: Steps, is_key: bool) -> Any:
    """The place of a fault in the file."""
    if is_key and path in source.keys:
        return source.keys[path]
    return source.place(path)


def _path_in(data: Any, details: ErrorDetails) -> Steps:
    """Where an error lies, without the steps that only name variants of a union."""
    path: list[str | int] = []
    location = details["loc"]
    for step in location:
        if _holds(data, step):
            path.append(step)
            data = data[step]
    if details["type"] == "missing":
        path.append(location[-1])
    context = details.get("ctx", {})
    return (*path, *context.get("place", ())) if details["type"] == FAULT else tuple(path)


def _holds(data: Any, step: str | int) -> bool:
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and step < len(cast(Any, data))


def _message(details: ErrorDetails, path: Steps, model: type[BaseModel]) -> str:
    context = details.get("ctx", {})
    name = _name(path)
    kind, value = details["type"], details["input"]
    match kind:
        case "fault":
            return context["message"]
        case "extra_forbidden":
            return f"unknown key {path[-1]!r}{suggestion(str(path[-1]), _known_keys(model, path))}"
        case "missing":
            return f"the key {path[-1]!r} is missing"
        case "literal_error":
            allowed = re.findall(r"'([^']*)'", context["expected"])
            return not_among(name, value, allowed)
        case "string_too_short":
            return f"{name} must not be empty"
        case "string_pattern_mismatch":
            return f"{name} must be a dotted path such as my_module.judge, not {shown(value)}"
        case "greater_than_equal" | "greater_than" | "less_than_equal" | "less_than":
            return f"{name} must be {_limit(kind, context)}, not {shown(value)}"
        case "finite_number":
            return f"{name} must be a finite number"
        case _ if kind in _TYPES:
            hint = quote_hint(value) if kind == "string_type" else ""
            return f"{name} must be {_TYPES[kind]}, not {shown(value)}{hint}"
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
