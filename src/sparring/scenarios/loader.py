"""Scenario files into scenarios: every file given, every problem of every file, in one go.

A file holds one simulation, or a ``scenarios:`` list in which every other top-level key is a
default that a scenario's own key replaces whole.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from sparring.scenarios.explain import explain, locate
from sparring.scenarios.simulation import Simulation
from sparring.scenarios.yaml_source import Place, Source, SourceError, Steps, read_source

_SUFFIXES = (".yaml", ".yml")
_MARKS = ("name", "persona", "turns", "scenarios", "goal", "success")
"""A mapping with any of these in a directory is meant as a scenario file, not as a fragment."""


@dataclass(frozen=True, order=True)
class Problem:
    """Something wrong with a file, for a person to mend."""

    file: str
    line: int | None
    column: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}:{self.column}"
        return f"{place}: {self.message}"


@dataclass(frozen=True)
class Scenario:
    """A scenario, ready to be played."""

    name: str
    """Full name: ``file name/scenario name``, or the one name of a single-scenario file."""
    file: Path
    definition: Simulation

    @property
    def hash(self) -> str:
        """A hash of the definition's content: where and how it is written does not matter."""
        content = self.definition.model_dump(mode="json", exclude_defaults=True)
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass
class Loaded:
    """What came of loading."""

    scenarios: list[Scenario] = field(default_factory=list[Scenario])
    problems: list[Problem] = field(default_factory=list[Problem])
    files: list[Path] = field(default_factory=list[Path])
    """The scenario files that were read, good or bad."""


def load(paths: Iterable[str | Path]) -> Loaded:
    """Load scenario files.

    Args:
        paths: Files and directories. A directory gives its ``*.yaml`` and ``*.yml``, sorted, not
            those below it; in it, YAML that is no scenario file is passed over.

    Returns:
        The good scenarios, and the problems of the others. Nothing is raised.
    """
    loaded = Loaded()
    seen: set[Path] = set()
    for path in map(Path, paths):
        if not path.exists():
            loaded.problems.append(Problem(str(path), None, None, "there is no such file"))
        elif path.is_dir():
            files = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES)
            before = len(loaded.files)
            for file in files:
                _load_once(file, seen, loaded, named=False)
            if len(loaded.files) == before and not seen.intersection(f.resolve() for f in files):
                message = "there are no scenario files in this directory (*.yaml, *.yml)"
                loaded.problems.append(Problem(str(path), None, None, message))
        else:
            _load_once(path, seen, loaded, named=True)
    return loaded


def _load_once(file: Path, seen: set[Path], loaded: Loaded, named: bool) -> None:
    if file.resolve() in seen:
        return
    problems: list[Problem] = []
    try:
        source = read_source(file)
    except SourceError as error:
        problems.append(_problem(error.place, str(error)))
    else:
        if not named and not _is_meant(source.data):
            return
        for found in _scenarios(file, source):
            if isinstance(found, Problem):
                problems.append(found)
            else:
                loaded.scenarios.append(found)
    seen.add(file.resolve())
    loaded.files.append(file)
    loaded.problems += sorted(
        dict.fromkeys(problems), key=lambda p: (p.file, p.line or 0, p.column or 0)
    )


def _is_meant(data: Any) -> bool:
    return isinstance(data, dict) and any(mark in data for mark in _MARKS)


def _scenarios(file: Path, source: Source) -> Iterator[Scenario | Problem]:
    data: Any = source.data
    if not isinstance(data, dict):
        message = "a scenario file is a mapping with a `name`, not "
        yield _problem(source.place(()), message + ("empty" if data is None else "this"))
        return
    entry = cast(dict[str, Any], data)
    if "scenarios" not in entry:
        yield from _scenario(file, source, _Entry(entry, {}, ()))
        return
    name = entry.get("name")
    if not isinstance(name, str) or not name.strip():
        yield _problem(source.place(("name",)), "the file needs a `name`, as text")
        name = file.stem
    listed = entry["scenarios"]
    if not isinstance(listed, list) or not listed:
        yield _problem(source.place(("scenarios",)), "`scenarios` must be a list of scenarios")
        return
    defaults = {key: value for key, value in entry.items() if key not in ("scenarios", "name")}
    names: set[str] = set()
    for index, own in enumerate(cast(list[Any], listed)):
        at: Steps = ("scenarios", index)
        if not isinstance(own, dict):
            yield _problem(source.place(at), "a scenario is a mapping with a `name`")
            continue
        own = cast(dict[str, Any], own)
        if "scenarios" in own:
            place = locate(source, (*at, "scenarios"), is_key=True)
            yield _problem(place, "a scenario cannot hold `scenarios` of its own")
            continue
        for found in _scenario(file, source, _Entry(own, defaults, at), prefix=f"{name.strip()}/"):
            if isinstance(found, Scenario) and found.name in names:
                place = source.place((*at, "name"))
                found = _problem(place, f"a scenario named {own['name']!r} is there already")
            elif isinstance(found, Scenario):
                names.add(found.name)
            yield found


@dataclass(frozen=True)
class _Entry:
    """One scenario of a file: its own keys over the file's defaults."""

    own: Mapping[str, Any]
    defaults: Mapping[str, Any]
    at: Steps

    @property
    def data(self) -> dict[str, Any]:
        return {**self.defaults, **self.own}

    def path(self, path: Steps) -> Steps:
        """The path in the file of a path in the scenario."""
        is_default = bool(path) and path[0] in self.defaults and path[0] not in self.own
        return path if is_default else (*self.at, *path)


def _scenario(
    file: Path, source: Source, entry: _Entry, prefix: str = ""
) -> Iterator[Scenario | Problem]:
    data = entry.data
    if "turns" in data or "persona" not in data:
        yield _problem(*_no_simulation(source, entry, data))
        return
    try:
        definition = Simulation.model_validate(data)
    except ValidationError as error:
        for path, message, is_key in explain(error, Simulation, data):
            yield _problem(locate(source, entry.path(path), is_key), message)
    else:
        yield Scenario(prefix + definition.name, file, definition)


def _no_simulation(source: Source, entry: _Entry, data: dict[str, Any]) -> tuple[Place, str]:
    if "turns" not in data:
        return source.place(entry.at), (
            "a scenario needs a `persona:` (a simulation) or `turns:` (a script)"
        )
    place = locate(source, entry.path(("turns",)), is_key=True)
    if "persona" in data:
        return place, "a scenario has a `persona:` or `turns:`, not both"
    return place, "scripts (`turns:`) cannot be played yet; simulations (`persona:`) can"


def _problem(place: Place, message: str) -> Problem:
    return Problem(place.file, place.line, place.column, message)
