"""JSON as we write and read it: without secrets, one line, and holding nothing that is no JSON.

Secrets are taken out of the values, before they become text, so that what is left is always the
JSON of the same shape: keys of the format, numbers and enumerated words are never touched, whatever
a secret happens to be.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any, Literal, cast, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from sparring.records.redaction import MASK, redact

_LINE_ENDS = {ord("\u2028"): "\\u2028", ord("\u2029"): "\\u2029", ord("\u0085"): "\\u0085"}
"""Characters that JSON leaves as they are and some readers end a line at."""
_SUSPECT = re.compile(r"\\u[dD][89a-fA-F]|NaN|Infinity|[eE]\+?[0-9]{3}")
"""Where a text may hold half a surrogate pair or a number that is not finite."""


def json_of(model: BaseModel, *, exclude_none: bool = False, indent: int | None = None) -> str:
    """A model as JSON without secrets; on one line, unless it is indented."""
    try:
        text = model.model_dump_json(exclude_none=exclude_none, indent=indent)
    except PydanticSerializationError:  # Half a surrogate pair, from an LLM's answer say.
        text = ""
    if not text or redact(text) != text:
        data = model.model_dump(mode="json", exclude_none=exclude_none)
        cleaned = _mended(_without_secrets(data, model))
        compact = (",", ":") if indent is None else None
        text = json.dumps(cleaned, ensure_ascii=False, indent=indent, separators=compact)
    return text.translate(_LINE_ENDS)


def json_of_data(data: Any, *, indent: int | None = None) -> str:
    """Data of no model of ours as JSON without secrets."""
    text = json.dumps(_redacted(data), ensure_ascii=False, indent=indent)
    return text.translate(_LINE_ENDS)


def parse_json(raw: str | bytes) -> Any:
    """Read JSON from outside; what Python's reader takes beyond the standard is mended.

    Numbers that are not finite become None, and half a surrogate pair, which could never be
    written to a file, becomes ``?``.

    Raises:
        ValueError: If it is not JSON.
        RecursionError: If it is nested too deeply.
    """
    data = json.loads(raw)
    text = raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
    return _mended(data) if _SUSPECT.search(text) else data


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _through(value, _mended, _mended)


def _without_secrets(data: Any, source: Any) -> Any:
    """Dumped data without secrets; ``source`` tells what of it is a model of ours."""
    if isinstance(source, BaseModel):
        fixed = _fixed_fields(type(source))
        return {
            name: value
            if name in fixed or isinstance(value, int | float)
            else _without_secrets(value, getattr(source, name))
            for name, value in cast(dict[str, Any], data).items()
        }
    if isinstance(source, list | tuple):
        return [_without_secrets(*pair) for pair in zip(data, cast(list[Any], source), strict=True)]
    if isinstance(source, Mapping):
        values = cast(Mapping[str, Any], source).values()
        pairs = zip(cast(dict[str, Any], data).items(), values, strict=True)
        return {redact(key): _without_secrets(value, of) for (key, value), of in pairs}
    return data if isinstance(source, Enum) else _redacted(data)


@cache
def _fixed_fields(model: type[BaseModel]) -> frozenset[str]:
    """Fields whose words are the format's own."""
    return frozenset(
        name
        for name, field in model.model_fields.items()
        if get_origin(field.annotation) is Literal
    )


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return MASK if redact(str(value)) == MASK else value
    return _through(value, redact, _redacted)


def _through(value: Any, key: Callable[[str], str], item: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key(k): item(v) for k, v in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [item(v) for v in cast(list[Any], value)]
    return value
