"""YAML with ``!include`` into plain data, and the place of every key and value.

``!include path`` puts another file's content in its place; paths are relative to the *top-level*
file, at any depth. A matcher (``!gte 2``) becomes a mapping of its tag to what it takes. Faults are
collected, so that one reading tells them all; what a file may unfold into through aliases, merges
and includes is bounded.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sparring.scenarios.faults import quoted, shortened
from sparring.scenarios.matchers import MATCHERS
from sparring.scenarios.yaml_dialect import (
    MERGE,
    Place,
    Places,
    SourceError,
    parse,
    read_text,
    scalar,
    tag_fault,
    untagged,
)

Steps: TypeAlias = tuple[str | int, ...]

MAX_VALUES = 100_000
"""What a file may unfold into."""
_MAX_DEPTH = 100
_MAX_INCLUDES = 1_000


@dataclass
class Source:
    """What a file says, and where."""

    data: Any = None
    """Plain data; meaningful only without faults."""
    faults: list[tuple[Place, str]] = field(default_factory=list[tuple[Place, str]])
    """What cannot be read."""
    values: dict[Steps, Place] = field(default_factory=dict[Steps, Place])
    """Path from the top -> where the value stands."""
    keys: dict[Steps, Place] = field(default_factory=dict[Steps, Place])
    """Path from the top -> where its key stands."""

    def place(self, path: Steps, at_key: bool = False) -> Place:
        """Where a path's value stands, or its key; or the nearest part of it that is there."""
        if at_key and path in self.keys:
            return self.keys[path]
        while path not in self.values:
            path = path[:-1]
        return self.values[path]


def read_source(path: Path) -> Source:
    """Read a file and all it includes. Nothing is raised.

    Args:
        path: The top-level file. Places name it, and what it includes, as this path does.
    """
    return _Reader(path).read()


class _Excess(SourceError):
    """The file unfolds into more than any scenario needs: reading stops."""


@dataclass(frozen=True)
class _File:
    """The file that is being read."""

    places: Places
    chain: tuple[Path, ...]
    """This file and those that include it, outermost first."""

    def place(self, node: Node) -> Place:
        return self.places.at(node.start_mark.index)


class _Reader:
    def __init__(self, path: Path):
        self._top = path
        self._source = Source()
        self._told: set[tuple[Place, str]] = set()
        self._values = 0
        self._includes = 0

    def read(self) -> Source:
        self._source.values[()] = Place(str(self._top))
        try:
            self._source.data = self._file((self._top,), (), 0)
        except SourceError as error:
            self._tell(error.place, str(error))
        return self._source

    def _tell(self, place: Place, message: str) -> None:
        if (place, message) not in self._told:
            self._told.add((place, message))
            self._source.faults.append((place, message))

    def _file(self, chain: tuple[Path, ...], at: Steps, depth: int) -> Any:
        text = read_text(chain[-1])
        file = _File(Places(str(chain[-1]), text), chain)
        node = parse(text, file.places)
        if node is None:
            self._source.values[at] = file.places.at(0)
            return None
        return self._value(node, at, file, depth)

    def _value(self, node: Node, at: Steps, file: _File, depth: int) -> Any:
        place = file.place(node)
        self._take(place, depth)
        self._source.values[at] = place
        if node.tag == "!include":
            return self._include(node, at, file, depth)
        if node.tag in MATCHERS:
            return self._matcher(node, at, file, depth)
        fault = tag_fault(node)
        if fault is not None:
            return self._tell(place, fault)
        if isinstance(node, MappingNode):
            return self._mapping(node, at, file, depth)
        if isinstance(node, SequenceNode):
            return [
                self._value(item, (*at, index), file, depth + 1)
                for index, item in enumerate(cast(list[Node], node.value))
            ]
        try:
            return scalar(cast(ScalarNode, node))
        except ValueError as error:
            return self._tell(place, str(error))

    def _matcher(self, node: Node, at: Steps, file: _File, depth: int) -> Any:
        tag = node.tag
        if "args" not in at[:-1]:
            return self._tell(file.place(node), f"{tag} stands only within the `args` of a call")
        operand = self._value(untagged(node), (*at, tag), file, depth + 1)
        return {tag: True if tag == "!any" and operand is None else operand}

    def _take(self, place: Place, depth: int) -> None:
        """Count a value, or a pair that is merged."""
        self._values += 1
        if self._values > MAX_VALUES:
            raise _Excess(place, f"the file unfolds into more than {MAX_VALUES} values")
        if depth > _MAX_DEPTH:
            raise _Excess(
                place, f"nested more than {_MAX_DEPTH} deep; does an anchor contain itself?"
            )

    def _mapping(self, node: MappingNode, at: Steps, file: _File, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, (key_node, value_node) in self._pairs(node, file, depth).items():
            self._source.keys[(*at, key)] = file.place(key_node)
            result[key] = self._value(value_node, (*at, key), file, depth + 1)
        return result

    def _pairs(self, node: MappingNode, file: _File, depth: int) -> dict[str, tuple[Node, Node]]:
        """A mapping's pairs, its own before those merged into it (``<<``).

        Of several mappings that are merged, the first wins (YAML 1.1, merge key).
        """
        own: dict[str, tuple[Node, Node]] = {}
        merged: dict[str, tuple[Node, Node]] = {}
        first: dict[str, int] = {}
        for key_node, value_node in cast(list[tuple[Node, Node]], node.value):
            place = file.place(key_node)
            self._take(place, depth)
            is_merge = key_node.tag == MERGE
            key = "<<" if is_merge else self._key(key_node, place)
            if key is None:
                continue
            if key in first:
                self._tell(place, f"{quoted(key)} is given twice, first on line {first[key]}")
                continue
            first[key] = place.line
            if not is_merge:
                own[key] = (key_node, value_node)
                continue
            for source in _merge_sources(value_node):
                if not isinstance(source, MappingNode):
                    self._tell(place, "<< merges a mapping, or a list of mappings")
                    continue
                merged = {**self._pairs(source, file, depth + 1), **merged}
        return {**merged, **own}

    def _key(self, node: Node, place: Place) -> str | None:
        if isinstance(node, ScalarNode) and tag_fault(node) is None:
            try:
                key = scalar(node)
            except ValueError as error:
                return self._tell(place, str(error))
            if isinstance(key, str):
                return key
        hint = (
            f": quote it, as in '{shortened(node.value)}':" if isinstance(node, ScalarNode) else ""
        )
        return self._tell(place, f"a key must be text{hint}")

    def _include(self, node: Node, at: Steps, file: _File, depth: int) -> Any:
        place = file.place(node)
        if not isinstance(node, ScalarNode) or not node.value:
            return self._tell(place, "!include takes one path")
        self._includes += 1
        if self._includes > _MAX_INCLUDES:
            raise _Excess(place, f"more than {_MAX_INCLUDES} includes")
        name = cast(str, node.value)
        target, fault = self._target(name)
        if fault is not None:
            return self._tell(place, f"!include {shortened(name)}: {fault}")
        if any(os.path.samefile(target, path) for path in file.chain):
            names = [path.name for path in (*file.chain, target)]
            return self._tell(place, f"!include goes in a circle: {' → '.join(names)}")
        try:
            return self._file((*file.chain, target), at, depth + 1)
        except _Excess:
            raise
        except SourceError as error:
            return self._tell(error.place, str(error))

    def _target(self, name: str) -> tuple[Path, str | None]:
        """The file that is included, and what is wrong with it."""
        target = self._top.parent / name.replace("\\", "/")
        missing = (
            f"there is no such file (paths are relative to {self._top.parent}, the top-level "
            "file's directory)"
        )
        try:
            if target.is_dir():
                return target, "a directory cannot be included"
            if not target.is_file():
                return target, missing
            # Without `a/../`, unless a link makes that another file.
            plain = Path(os.path.normpath(target))
            is_same = plain.exists() and os.path.samefile(plain, target)
            return (plain if is_same else target), None
        except OSError as error:
            return target, f"cannot be read: {error.strerror}"


def _merge_sources(node: Node) -> list[Node]:
    return cast(list[Node], node.value) if isinstance(node, SequenceNode) else [node]
