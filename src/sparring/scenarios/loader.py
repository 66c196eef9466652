"""Scenario files into scenarios: every file given, every problem of every file, in one go.

A file holds one simulation or script, or a ``scenarios:`` list in which every other top-level key
is a default that a scenario's own key replaces whole.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import ValidationError

from sparring.scenarios.explain import explain
from sparring.scenarios.faults import (
    Fault,
    nearest,
    nearest_spelling,
    quote_hint,
    quoted,
    shown,
    unknown_key,
)
from sparring.scenarios.script import Script
from sparring.scenarios.simulation import Simulation
from sparring.scenarios.yaml_dialect import Place
from sparring.scenarios.yaml_source import MAX_VALUES, Source, Steps, read_source

_SUFFIXES = (".yaml", ".yml")
_MARKS = ("name", "persona", "turns", "scenarios", "goal", "success")
"""A mapping with any of these in a directory is meant as a scenario file, not as a fragment."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with a file, for a person to mend; its text is ``file:line:col: message``."""

    file: str
    """The path as it was given, or as a file that was given includes it."""
    line: int | None
    """From 1; None if it is about no place in the file."""
    column: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}:{self.column}"
        # What a file holds may be quoted in the message: it stays one line, whatever that is.
        return "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode()
            for c in f"{place}: {self.message}"
        )


@dataclass(frozen=True)
class Scenario:
    """A scenario, ready to be played."""

    name: str
    """Full name: ``file name/scenario name``, or the one name of a single-scenario file."""
    file: Path
    definition: Simulation | Script

    @property
    def kind(self) -> Literal["simulation", "script"]:
        """What it is: a caller with a goal, or a script."""
        return "script" if isinstance(self.definition, Script) else "simulation"

    @property
    def hash(self) -> str:
        """A hash of the definition's content: where and how it is written does not matter.

        What is left to its default does not enter, so that a key that comes later changes nothing.
        """
        content = self.definition.model_dump(mode="json", exclude_defaults=True)
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass
class Loaded:
    """What came of loading."""

    scenarios: list[Scenario] = field(default_factory=list[Scenario])
    problems: list[Problem] = field(default_factory=list[Problem])
    """Each once, by file and place."""
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
    seen: set[str] = set()
    for path in map(Path, paths):
        try:
            _load_path(path, seen, loaded)
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            loaded.problems.append(Problem(str(path), None, None, message))
    loaded.problems = sorted(
        dict.fromkeys(loaded.problems),
        key=lambda problem: (problem.file, problem.line or 0, problem.column or 0, problem.message),
    )
    return loaded


def _load_path(path: Path, seen: set[str], loaded: Loaded) -> None:
    if not path.exists():
        loaded.problems.append(Problem(str(path), None, None, "there is no such file"))
    elif path.is_dir():
        entries = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES)
        # A broken link is told of; a directory, or a pipe that nobody may ever write to, is not.
        files = [file for file in entries if file.is_file() or not file.exists()]
        before = len(loaded.files)
        for file in files:
            _load_file(file, seen, loaded, is_named=False)
        if len(loaded.files) == before and seen.isdisjoint(map(os.path.realpath, files)):
            message = "there are no scenario files in this directory (*.yaml, *.yml)"
            loaded.problems.append(Problem(str(path), None, None, message))
    else:
        _load_file(path, seen, loaded, is_named=True)


def _load_file(file: Path, seen: set[str], loaded: Loaded, is_named: bool) -> None:
    real = os.path.realpath(file)
    if real in seen:
        return
    source = read_source(file)
    if not source.faults and not is_named and not _is_meant(source.data):
        return
    seen.add(real)
    loaded.files.append(file)
    if source.faults:
        loaded.problems += [_problem(place, message) for place, message in source.faults]
        return
    for found in _scenarios(file, source):
        if isinstance(found, Problem):
            loaded.problems.append(found)
        else:
            loaded.scenarios.append(found)


def _is_meant(data: Any) -> bool:
    return isinstance(data, dict) and any(mark in data for mark in _MARKS)


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


def _scenarios(file: Path, source: Source) -> Iterator[Scenario | Problem]:
    if not isinstance(source.data, dict):
        what = "empty" if source.data is None else shown(source.data)
        yield _problem(source.place(()), f"a scenario file is a mapping with a `name`, not {what}")
        return
    data = cast(dict[str, Any], source.data)
    if "scenarios" not in data:
        yield from _scenario(file, source, _Entry(data, {}, ()))
        return
    name = data.get("name")
    if not isinstance(name, str) or not name.strip():
        yield _problem(source.place(("name",)), _no_name(data))
        name = file.stem
    listed = data["scenarios"]
    if not isinstance(listed, list) or not listed:
        yield _problem(source.place(("scenarios",)), "`scenarios` must be a list of scenarios")
        return
    defaults = {key: value for key, value in data.items() if key not in ("scenarios", "name")}
    inherited = sum(1 for path in source.values if path and path[0] in defaults)
    if inherited * len(cast(list[Any], listed)) > MAX_VALUES:
        message = (
            f"with its defaults in each scenario, the file holds more than {MAX_VALUES} values"
        )
        yield _problem(source.place(("scenarios",)), message)
        return
    names: set[str] = set()
    for index, own in enumerate(cast(list[Any], listed)):
        at: Steps = ("scenarios", index)
        if not isinstance(own, dict):
            message = f"a scenario is a mapping with a `name`, not {shown(own)}"
            yield _problem(source.place(at), message)
            continue
        entry = _Entry(cast(dict[str, Any], own), defaults, at)
        if "scenarios" in entry.own:
            place = source.place((*at, "scenarios"), at_key=True)
            yield _problem(place, "a scenario cannot hold `scenarios` of its own")
            continue
        own_name = entry.own.get("name")
        own_name = own_name.strip() if isinstance(own_name, str) else ""
        if own_name and own_name in names:
            message = f"a scenario named {quoted(own_name)} is there already"
            yield _problem(source.place((*at, "name")), message)
            continue
        names.add(own_name)
        yield from _scenario(file, source, entry, prefix=f"{name.strip()}/")


def _no_name(data: Mapping[str, Any]) -> str:
    if "name" not in data:
        return "the key 'name' is missing"
    name = data["name"]
    if isinstance(name, str):
        return "name must not be empty"
    return f"name must be text, not {shown(name)}{quote_hint(name)}"


def _scenario(
    file: Path, source: Source, entry: _Entry, prefix: str = ""
) -> Iterator[Scenario | Problem]:
    data = entry.data
    fault = _undecided(data, may_list=not entry.at)
    if fault is not None:
        yield _problem(source.place(entry.path(fault.path), fault.at_key), fault.message)
        return
    model = Script if "turns" in data else Simulation
    foreign = list(_foreign(data, model))
    try:
        own = {key: data[key] for key in data if (key,) not in [fault.path for fault in foreign]}
        definition = model.model_validate(own)
        is_script = isinstance(definition, Script)
        faults = [*foreign, *(definition.missing_files(file.parent) if is_script else ())]
    except ValidationError as error:
        faults = [*foreign, *explain(error, model, data)]
    else:
        if not faults:
            yield Scenario(prefix + definition.name, file, definition)
    for fault in faults:
        yield _problem(source.place(entry.path(fault.path), fault.at_key), fault.message)


def _foreign(data: Mapping[str, Any], model: type[Simulation | Script]) -> Iterator[Fault]:
    """Keys that only the other kind of scenario has."""
    other = Simulation if model is Script else Script
    kind = "simulations (`persona:`)" if model is Script else "scripts (`turns:`)"
    for key in data:
        if key in other.model_fields and key not in model.model_fields:
            yield Fault(f"{key!r} is for {kind}", (key,), True)


def _undecided(data: Mapping[str, Any], may_list: bool) -> Fault | None:
    """Why a scenario cannot be told to be a simulation or a script, if so."""
    if "turns" in data:
        if "persona" in data:
            return Fault("a scenario has a `persona:` or `turns:`, not both", ("turns",), True)
        return None
    # A misspelt key that decides what the whole is would make faults of all the others.
    deciding = ("turns", "scenarios") if may_list else ("turns",)
    known = [*Simulation.model_fields, *deciding]
    unknown = [key for key in data if key not in known]
    for key in unknown:
        if nearest_spelling(key, known) in deciding:
            return Fault(unknown_key(key, known), (key,), True)
    if "persona" not in data and all(nearest(key, known) != "persona" for key in unknown):
        return Fault("a scenario needs a `persona:` (a simulation) or `turns:` (a script)")
    return None


def _problem(place: Place, message: str) -> Problem:
    return Problem(place.file, place.line, place.column, message)
