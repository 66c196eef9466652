"""YAML with ``!include`` into plain data, and the place of every key and value.

The dialect is pipecat's: YAML 1.1 as PyYAML's safe loader reads it, but integers are decimal only,
so that ``012``, ``0x10`` and ``1:30`` stay text. ``!include path`` puts another file's content in
its place; paths are relative to the *top-level* file, at any depth.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

Steps: TypeAlias = tuple[str | int, ...]

_MAX_VALUES = 100_000
"""A file that unfolds into more values than this is taken for an alias bomb."""
_MAX_DEPTH = 100
_MAX_BYTES = 8 * 2**20
_PREFIX = "tag:yaml.org,2002:"
_PLAIN = {_PREFIX + tag for tag in ("str", "int", "float", "bool", "null", "map", "seq", "merge")}
_DECIMAL = re.compile(r"^[-+]?(0|[1-9][0-9_]*)$")


# The C loader reads ten times faster; types know only the one in Python.
_Base = yaml.SafeLoader if TYPE_CHECKING or not yaml.__with_libyaml__ else yaml.CSafeLoader


class _Loader(_Base):
    """The safe loader with decimal-only integers."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _PREFIX + "int"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _first in "-+0123456789":
    _Loader.yaml_implicit_resolvers.setdefault(_first, []).append((_PREFIX + "int", _DECIMAL))


@dataclass(frozen=True, order=True)
class Place:
    """A place in a file, lines and columns from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class SourceError(Exception):
    """The text cannot be read; ``place`` says where and the message why."""

    def __init__(self, place: Place, message: str):
        super().__init__(message)
        self.place = place


@dataclass
class Source:
    """What a file says, and where."""

    data: Any
    values: dict[Steps, Place] = field(default_factory=dict[Steps, Place])
    """Path from the top -> where the value stands."""
    keys: dict[Steps, Place] = field(default_factory=dict[Steps, Place])
    """Path from the top -> where its key stands."""

    def place(self, path: Steps) -> Place:
        """Where the value of a path stands, or of the nearest part of it that is there."""
        while path and path not in self.values:
            path = path[:-1]
        return self.values[path]


def read_source(path: Path) -> Source:
    """Read a file and all it includes.

    Args:
        path: The top-level file. Places name it, and what it includes, as this path does.

    Raises:
        SourceError: For the first thing that cannot be read.
    """
    return _Reader(path).read()


class _Reader:
    def __init__(self, path: Path):
        self._path = path
        self._source = Source(None)
        self._count = 0

    def read(self) -> Source:
        self._source.data = self._file(self._path, (), ())
        return self._source

    def _file(self, path: Path, at: Steps, chain: tuple[Path, ...]) -> Any:
        text = _text(path)
        try:
            loader = _Loader(text)
            try:
                node = loader.get_single_node()
                if node is None:
                    self._source.values[at] = Place(str(path))
                    return None
                context = _Context(path, loader, (*chain, path.resolve()))
                return self._value(node, at, context)
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = Place(str(path), mark.line + 1, mark.column + 1) if mark else Place(str(path))
            problem = error.problem or error.context or "not YAML"
            raise SourceError(place, f"not YAML: {problem}") from None
        except yaml.YAMLError as error:
            place = _reader_place(path, text, error)
            raise SourceError(place, f"not YAML: {_reason(error)}") from None
        except RecursionError:
            raise SourceError(Place(str(path)), "nested too deeply") from None

    def _value(self, node: Node, at: Steps, context: "_Context", depth: int = 0) -> Any:
        place = context.place(node)
        self._count += 1
        if self._count > _MAX_VALUES:
            raise SourceError(place, f"aliases unfold into more than {_MAX_VALUES} values")
        if depth > _MAX_DEPTH:
            raise SourceError(place, "nested too deeply, or an anchor that contains itself")
        self._source.values[at] = place
        if node.tag == "!include":
            return self._include(node, at, context)
        if node.tag not in _PLAIN:
            raise SourceError(place, _wrong_tag(node))
        if isinstance(node, MappingNode):
            return self._mapping(node, at, context, depth)
        if isinstance(node, SequenceNode):
            return [
                self._value(item, (*at, index), context, depth + 1)
                for index, item in enumerate(cast(list[Node], node.value))
            ]
        return _scalar(context, cast(ScalarNode, node))

    def _mapping(self, node: MappingNode, at: Steps, context: "_Context", depth: int) -> Any:
        result: dict[str, Any] = {}
        first: dict[str, Place] = {}
        for key_node, value_node, is_own in _with_merges(node, context):
            place = context.place(key_node)
            key = self._key(key_node, context)
            if is_own and key in first:
                raise SourceError(place, f"{key!r} is given twice, first on line {first[key].line}")
            if is_own:
                first[key] = place
            self._source.keys[(*at, key)] = place
            result[key] = self._value(value_node, (*at, key), context, depth + 1)
        return result

    @staticmethod
    def _key(node: Node, context: "_Context") -> str:
        if not isinstance(node, ScalarNode) or node.tag not in _PLAIN:
            raise SourceError(context.place(node), "a key must be text")
        key = _scalar(context, node)
        if not isinstance(key, str):
            raise SourceError(
                context.place(node), f"a key must be text: quote it, as in {node.value!r}:"
            )
        return key

    def _include(self, node: Node, at: Steps, context: "_Context") -> Any:
        place = context.place(node)
        if not isinstance(node, ScalarNode) or not node.value:
            raise SourceError(place, "!include takes one path")
        name = cast(str, node.value).replace("\\", "/")
        target = self._path.parent / name
        if "\0" in name or not target.is_file():
            raise SourceError(
                place,
                f"!include {node.value}: there is no such file (paths are relative to "
                f"{self._path.parent}, the top-level file's directory)",
            )
        if target.resolve() in context.chain:
            names = [path.name for path in (*context.chain, target)]
            raise SourceError(place, f"!include goes in a circle: {' → '.join(names)}")
        try:
            return self._file(target, at, context.chain)
        except RecursionError:
            raise SourceError(place, "nested too deeply") from None


@dataclass(frozen=True)
class _Context:
    """The file that is being read."""

    path: Path
    loader: Any
    chain: tuple[Path, ...]
    """This file and those that include it."""

    def place(self, node: Node) -> Place:
        mark = node.start_mark
        return Place(str(self.path), mark.line + 1, mark.column + 1)


def _pairs(node: MappingNode) -> list[tuple[Node, Node]]:
    return cast(list[tuple[Node, Node]], node.value)


def _with_merges(
    node: MappingNode, context: _Context, inside: tuple[int, ...] = ()
) -> list[tuple[Node, Node, bool]]:
    """A mapping's pairs after those merged into it (``<<``), and whether each is its own.

    Later pairs override earlier ones: its own override all, and of several mappings that are
    merged the first does (YAML 1.1, merge key).
    """
    own: list[tuple[Node, Node, bool]] = []
    merged: list[tuple[Node, Node, bool]] = []
    for key, value in _pairs(node):
        if key.tag != _PREFIX + "merge":
            own.append((key, value, True))
            continue
        sources = cast(list[Node], value.value) if isinstance(value, SequenceNode) else [value]
        for source in reversed(sources):
            if not isinstance(source, MappingNode) or id(source) in inside:
                raise SourceError(context.place(key), "<< merges a mapping, or a list of mappings")
            pairs = _with_merges(source, context, (*inside, id(node)))
            merged += [(key, value, False) for key, value, _ in pairs]
    return [*merged, *own]


def _scalar(context: _Context, node: ScalarNode) -> Any:
    try:
        value: Any = context.loader.construct_object(node)
    except (ValueError, OverflowError) as error:
        raise SourceError(context.place(node), f"{node.value!r} is no value: {error}") from None
    return value


def _wrong_tag(node: Node) -> str:
    if node.tag == _PREFIX + "timestamp":
        return f"{node.value} would be read as a date: quote it"
    tag = node.tag.replace(_PREFIX, "!!")
    return f"the tag {tag} is not known here; !include is"


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise SourceError(Place(str(path)), f"larger than {_MAX_BYTES // 2**20} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(Place(str(path)), f"cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        raise SourceError(
            Place(str(path), line, column),
            f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}; save it as UTF-8",
        ) from None


def _reader_place(path: Path, text: str, error: yaml.YAMLError) -> Place:
    position = getattr(error, "position", None)
    if not isinstance(position, int):
        return Place(str(path))
    before = text[:position]
    return Place(str(path), before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


def _reason(error: yaml.YAMLError) -> str:
    character = getattr(error, "character", None)
    if character is not None:
        code = character if isinstance(character, int) else ord(character)
        return f"the character #x{code:04x} is not allowed"
    return str(error).splitlines()[0] if str(error) else "it cannot be read"
