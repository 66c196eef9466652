"""The YAML that scenario files are written in: text to nodes, and nodes to plain values.

The dialect is pipecat's: YAML 1.1 as PyYAML's safe loader reads it, but integers are decimal only,
so that ``012``, ``0x10`` and ``1:30`` stay text. Dates, ``!!python`` and other tags are refused;
``!include`` is left to ``yaml_source``.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml
from yaml.constructor import SafeConstructor
from yaml.nodes import Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from sparring.scenarios.faults import shortened

MAX_BYTES = 8 * 2**20

_PREFIX = "tag:yaml.org,2002:"
MERGE = _PREFIX + "merge"
_DECIMAL = re.compile(r"^[-+]?(0|[1-9][0-9_]*)$")
_SCALARS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
    "merge": "text",
}
_SYNTAX = {
    "found another document": "a second document begins here; a file holds one",
    "second occurrence": "there is an anchor of this name already",
    "undefined alias": "there is no anchor of this name before it",
}
"""What PyYAML says of the commoner faults -> what we say."""

# The C loader reads ten times faster; types know only the one in Python.
_Base = yaml.SafeLoader if TYPE_CHECKING or not yaml.__with_libyaml__ else yaml.CSafeLoader


def _dialect(base: type[yaml.SafeLoader]) -> type[yaml.SafeLoader]:
    """A safe loader with decimal-only integers, and ``=`` as the text it is."""

    class Loader(base):
        yaml_implicit_resolvers = {  # noqa: RUF012 (the library's own way of saying it)
            first: [
                (tag, pattern)
                for tag, pattern in resolvers
                if tag not in (_PREFIX + "int", _PREFIX + "value")
            ]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    for first in "-+0123456789":
        Loader.yaml_implicit_resolvers.setdefault(first, []).append((_PREFIX + "int", _DECIMAL))
    return Loader


_Loader = _dialect(_Base)


@dataclass(frozen=True, order=True)
class Place:
    """A place in a file, lines and columns from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class SourceError(Exception):
    """Something cannot be read; ``place`` says where and the message why."""

    def __init__(self, place: Place, message: str):
        super().__init__(message)
        self.place = place


def read_text(path: Path) -> str:
    """A file's text, which is UTF-8 with or without a byte order mark.

    Raises:
        SourceError: If it cannot be read, is larger than ``MAX_BYTES``, or is no UTF-8.
    """
    file = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise SourceError(Place(file), f"cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise SourceError(Place(file), f"larger than {MAX_BYTES // 2**20} MiB")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise SourceError(
            _place_after(file, before),
            f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}; save it as UTF-8",
        ) from None


def parse(path: Path, text: str) -> Node | None:
    """The nodes of a file's one document; None if it is empty.

    Raises:
        SourceError: If the text is not YAML.
    """
    file = str(path)
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
        problem = error.problem or error.context or "it cannot be read"
        told = [ours for theirs, ours in _SYNTAX.items() if theirs in problem]
        raise SourceError(place, told[0] if told else f"not YAML: {problem}") from None
    except ReaderError as error:
        raise SourceError(*_bad_character(file, text, error)) from None
    except RecursionError:
        raise SourceError(Place(file), "nested too deeply") from None


def tag_fault(node: Node) -> str | None:
    """What is wrong with a node's tag, if anything is."""
    if not node.tag.startswith(_PREFIX):
        return f"the tag {node.tag} is not known here; !include is"
    tag = node.tag.removeprefix(_PREFIX)
    if isinstance(node, ScalarNode):
        fits = tag in _SCALARS
    else:
        fits = tag == ("seq" if isinstance(node, SequenceNode) else "map")
    if fits:
        return None
    if tag == "timestamp":
        return f"{shortened(str(node.value))} would be read as a date: quote it"
    if tag in (*_SCALARS, "seq", "map"):
        return f"the tag !!{tag} does not fit what stands here"
    return f"the tag !!{tag} is not known here; !include is"


def scalar(node: ScalarNode) -> Any:
    """The value of a scalar whose tag has been looked at.

    Raises:
        ValueError: If the text does not fit the tag.
    """
    tag = node.tag.removeprefix(_PREFIX)
    value = cast(str, node.value)
    if tag in ("str", "merge"):
        return value
    if tag == "null":
        return None
    make: Any = getattr(_CONSTRUCTOR, f"construct_yaml_{tag}")
    try:
        return make(node)
    except (ValueError, LookupError, OverflowError):
        raise ValueError(f"{shortened(value)!r} cannot be read as {_SCALARS[tag]}") from None


_CONSTRUCTOR = SafeConstructor()


def _bad_character(file: str, text: str, error: Any) -> tuple[Place, str]:
    """Where and what the character is that the reader of YAML stumbled over."""
    position: int = error.position
    if error.encoding == "unicode":
        before = text[:position]
    else:  # libyaml counts bytes.
        before = text.encode()[:position].decode(errors="ignore")
    place = _place_after(file, before)
    return place, f"not YAML: the character #x{error.character:04x} is not allowed"


def _place_after(file: str, before: str) -> Place:
    return Place(file, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
