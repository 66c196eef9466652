"""Validation errors, told as a person would tell them: one fault, one line."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from sparring.scenarios.faults import (
    FAULT,
    Fault,
    nearest,
    not_among,
    quote_hint,
    shown,
    unknown_key,
)

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
_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
}
_Steps = tuple[str | int, ...]


def explain(error: ValidationError, model: type[BaseModel], data: Any) -> Iterator[Fault]:
    """Each fault of a value that did not validate.

    Args:
        error: What pydantic says.
        model: What the value should have been.
        data: The value.

    Yields:
        Faults with their paths within the value. One fault yields once, whatever variants were
        tried, and a key that is missing because it is there misspelt is one fault, not two.
    """
    errors = [
        (details, *_walk(model, data, details["loc"]))
        for details in error.errors(include_url=False)
    ]
    misspelt = {
        (*path[:-1], nearest(str(path[-1]), known))
        for details, path, known in errors
        if details["type"] == "extra_forbidden"
    }
    told: set[_Steps] = set()
    for details, path, known in errors:
        if details["type"] == FAULT:
            for found in cast(Sequence[Fault], details.get("ctx", {})["faults"]):
                yield Fault(found.message, (*path, *found.path), found.at_key)
        elif details["type"] == "missing":
            if (missing := (*path, details["loc"][-1])) not in misspelt:
                yield Fault(f"the key {missing[-1]!r} is missing", path)
        elif path not in told:
            told.add(path)
            if details["type"] == "extra_forbidden":
                yield Fault(unknown_key(str(path[-1]), known), path, at_key=True)
            else:
                yield Fault(_message(details, path), path)


def _walk(model: type[BaseModel], data: Any, location: _Steps) -> tuple[_Steps, list[str]]:
    """Where an error lies, and what might stand there.

    Returns:
        The way in the data, without the steps that only name variants of a union; and the keys that
        could stand where the last of them does, without those that are there.
    """
    path: list[str | int] = []
    known: list[str] = []
    here: list[tuple[str | None, type[BaseModel]]] = [(None, model)]
    for step in location:
        if variants := [found for tag, found in here if tag == step]:
            # The tag is done with: a key may be named like it.
            here = [(None, found) for found in variants]
            continue
        if isinstance(step, str):
            fields = [found.model_fields for _, found in here]
            known = sorted({key for field in fields for key in field if not _holds(data, key)})
            here = [
                tagged
                for field in fields
                if step in field
                for tagged in _models(field[step].annotation)
            ]
        if _holds(data, step):
            path.append(step)
            data = data[step]
    return tuple(path), known


def _holds(data: Any, step: str | int) -> bool:
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and step < len(cast(Any, data))


def _message(details: ErrorDetails, path: _Steps) -> str:
    context = details.get("ctx", {})
    name = _name(path)
    kind, value = details["type"], details["input"]
    match kind:
        case "literal_error":
            allowed = re.findall(r"'([^']*)'", context["expected"])
            is_service = path[-1] == "service"
            otherwise = "; for any other there is `factory: module.function`" if is_service else ""
            return not_among(name, value, allowed, otherwise)
        case "string_too_short" | "too_short":
            return f"{name} must not be empty"
        case "string_pattern_mismatch":
            return f"{name} must be a dotted path such as my_module.judge, not {shown(value)}"
        case "finite_number":
            return f"{name} must be a finite number"
        case _ if kind in _LIMITS:
            word, key = _LIMITS[kind]
            return f"{name} must be {word} {context[key]:.12g}, not {shown(value)}"
        case _ if kind in _TYPES:
            hint = quote_hint(value) if kind == "string_type" else ""
            return f"{name} must be {_TYPES[kind]}, not {shown(value)}{hint}"
        case _:
            return f"{name} cannot be {shown(value)}"


def _name(path: _Steps) -> str:
    """A path as one would write it: ``metrics[0].min_score``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the scenario"


def _models(annotation: Any, tag: str | None = None) -> list[tuple[str | None, type[BaseModel]]]:
    """The models of an annotation, each with the tag that errors of its variant carry."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [(tag, annotation)]
    parts = get_args(annotation)
    if get_origin(annotation) is Annotated:
        tags = [part.tag for part in parts[1:] if isinstance(part, Tag)]
        return _models(parts[0], tags[0] if tags else tag)
    return [found for part in parts for found in _models(part, tag)]
