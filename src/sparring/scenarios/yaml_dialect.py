"""The YAML that scenario files are written in: text to nodes, and nodes to plain values.

The dialect is pipecat's: YAML 1.1 as PyYAML's safe loader reads it, but integers are decimal only,
so that ``012``, ``0x10`` and ``1:30`` stay text. Dates, ``!!python`` and other tags are refused;
``!include`` and matchers are left to ``yaml_source``.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml
from yaml.constructor import SafeConstructor
from yaml.nodes import Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from sparring.scenarios.faults import quoted, shortened, suggestion
from sparring.scenarios.matchers import MATCHERS

MAX_BYTES = 8 * 2**20
_LONGEST_INTEGER = 1_000

_PREFIX = "tag:yaml.org,2002:"
MERGE = _PREFIX + "merge"
_DECIMAL = re.compile(r"^[-+]?(0|[1-9][0-9_]*)$")
_SURROGATE = re.compile("[\ud800-\udfff]")
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
    "nesting depth": "nested too deeply",
    "undefined alias": "there is no anchor of this name before it",
    "did not find expected whitespace": "after a tag such as !any there must be a space",
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


class Places:
    """The places of a file's text.

    Lines are those that editors count: YAML also ends one at U+0085, U+2028 and U+2029.
    """

    _LINE_END = re.compile(r"\r\n|\r|\n")

    def __init__(self, file: str, text: str):
        self.file = file
        self._starts = [0, *(end.end() for end in self._LINE_END.finditer(text))]

    def at(self, index: int) -> Place:
        """The place of the character at an index."""
        line = bisect_right(self._starts, index)
        return Place(self.file, line, index - self._starts[line - 1] + 1)


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
    if path.exists() and not path.is_file():  # To read a pipe may be to wait for ever.
        raise SourceError(Place(file), "cannot be read: it is no regular file")
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
            Places(file, before).at(len(before)),
            f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}; save it as UTF-8",
        ) from None


def parse(text: str, places: Places) -> Node | None:
    """The nodes of a file's one document; None if it is empty.

    Raises:
        SourceError: If the text is not YAML.
    """
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = places.at(mark.index if mark else 0)
        problem = error.problem or error.context or "it cannot be read"
        told = [ours for theirs, ours in _SYNTAX.items() if theirs in problem]
        raise SourceError(place, told[0] if told else f"not YAML: {problem}") from None
    except ReaderError as error:
        index: int = error.position
        if error.encoding != "unicode":  # libyaml counts bytes.
            index = len(text.encode()[:index].decode(errors="ignore"))
        message = f"not YAML: the character #x{error.character:04x} is not allowed"
        raise SourceError(places.at(index), message) from None
    except RecursionError:
        raise SourceError(places.at(0), "nested too deeply") from None


def tag_fault(node: Node) -> str | None:
    """What is wrong with a node's tag, if anything is."""
    if not node.tag.startswith(_PREFIX):
        meant = suggestion(node.tag, ("!include", *MATCHERS)) or "; !include is"
        return f"the tag {shortened(node.tag)} is not known here{meant}"
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
    return f"the tag !!{shortened(tag)} is not known here; !include is"


def untagged(node: Node) -> Node:
    """A matcher's operand: the node as it would be without its tag; an expression is text."""
    if isinstance(node, ScalarNode):
        is_plain = not node.style and node.tag != "!regex"
        tag = cast(str, _RESOLVER.resolve(ScalarNode, node.value, (is_plain, not is_plain)))
        return ScalarNode(tag, node.value, node.start_mark, node.end_mark, node.style)
    kind = "seq" if isinstance(node, SequenceNode) else "map"
    return type(node)(_PREFIX + kind, node.value, node.start_mark, node.end_mark)


def scalar(node: ScalarNode) -> Any:
    """The value of a scalar whose tag has been looked at.

    Raises:
        ValueError: If the text does not fit the tag.
    """
    tag = node.tag.removeprefix(_PREFIX)
    value = cast(str, node.value)
    if tag in ("str", "merge"):
        if _SURROGATE.search(value):
            raise ValueError("half a surrogate pair is no character: write the character itself")
        return value
    if tag == "null":
        return None
    if tag == "int" and len(value) > _LONGEST_INTEGER:
        raise ValueError(f"{quoted(value)} is too long for a whole number")
    make: Any = getattr(_CONSTRUCTOR, f"construct_yaml_{tag}")
    try:
        return make(node)
    except (ValueError, LookupError, OverflowError):
        raise ValueError(f"{quoted(value)} cannot be read as {_SCALARS[tag]}") from None


_CONSTRUCTOR = SafeConstructor()
_RESOLVER: Any = _Loader("")
