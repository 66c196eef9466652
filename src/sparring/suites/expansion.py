"""From a manifest to what it asks for: every entry, its files found and its scenarios loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sparring.scenarios import Problem, Scenario, load
from sparring.scenarios.faults import Fault, quoted, suggestion
from sparring.suites.manifest import Entry, LoadedManifest, Manifest
from sparring.suites.matrix import variations


@dataclass(frozen=True)
class SuiteEntry:
    """An entry of the manifest, ready to be played."""

    entry: Entry
    bot: Path
    cwd: Path | None
    body: Path | None
    """The file of its runner body, if that is a file."""
    scenarios: Sequence[Scenario]
    startable: bool
    """Whether its program and its directory are there; if not, that is among the problems."""


@dataclass
class Expanded:
    """What a manifest asks for."""

    entries: list[SuiteEntry] = field(default_factory=list[SuiteEntry])
    problems: list[Problem] = field(default_factory=list[Problem])
    """What cannot be played; each once, and none stops the others."""


def expand(loaded: LoadedManifest, bots_dir: Path | None, scenarios_dir: Path | None) -> Expanded:
    """Find an agent's program and load the scenarios of every entry.

    Args:
        loaded: The manifest.
        bots_dir: In place of the manifest's, relative to the working directory.
        scenarios_dir: Likewise.
    """
    manifest = loaded.manifest
    if manifest is None:
        return Expanded(problems=list(loaded.problems))
    return _Expansion(loaded, manifest, bots_dir, scenarios_dir).expand()


class _Expansion:
    def __init__(
        self,
        loaded: LoadedManifest,
        manifest: Manifest,
        bots_dir: Path | None,
        scenarios_dir: Path | None,
    ):
        self._loaded = loaded
        self._manifest = manifest
        self._home = loaded.path.parent
        self._bots = bots_dir or self._home / manifest.bots_dir
        self._scenarios = scenarios_dir or self._home / manifest.scenarios_dir
        self._files: dict[Path, list[Scenario]] = {}
        self._played: set[tuple[str, str]] = set()
        self._expanded = Expanded()

    def expand(self) -> Expanded:
        for index, entry in enumerate(self._manifest.suite):
            bot = self._bots / entry.bot
            cwd = self._home / entry.cwd if entry.cwd is not None else None
            body = self._body(entry)
            startable = True
            if not bot.exists() and "{bot}" in (entry.spawn or self._manifest.spawn):
                self._tell(f"there is no agent {bot}" + _likely(bot), "suite", index, "bot")
                startable = False
            if cwd is not None and not cwd.is_dir():
                self._tell(f"there is no directory {cwd}", "suite", index, "cwd")
                startable = False
            if body is not None and not body.is_file():
                at = ("suite", index, "runner_body")
                self._tell(f"there is no file {body}" + _likely(body), *at)
                startable = False
            scenarios = list(self._of(entry, index))
            if scenarios:
                made = SuiteEntry(entry, bot, cwd, body, scenarios, startable)
                self._expanded.entries.append(made)
        return self._expanded

    def _body(self, entry: Entry) -> Path | None:
        body = entry.runner_body
        return None if body is None or body.path is None else self._home / body.path

    def _of(self, entry: Entry, index: int) -> Iterator[Scenario]:
        for position, name in enumerate(entry.scenarios):
            at = ("suite", index, "scenarios", position)
            path = self._file(name)
            if not path.is_file():
                self._tell(f"there is no scenario file {path}" + _likely(path), *at)
                continue
            for scenario in self._load(path):
                for found in variations(scenario, entry.matrix):
                    if isinstance(found, Fault):
                        self._tell(found.message, "suite", index, "matrix")
                    elif (entry.label, found.name) in self._played:
                        called = f"{quoted(entry.label)} plays {quoted(found.name)}"
                        self._tell(f"{called} already: give one of them a `name` of its own", *at)
                    else:
                        self._played.add((entry.label, found.name))
                        yield found

    def _file(self, name: str) -> Path:
        if name.endswith((".yaml", ".yml")):
            return self._home / name
        file = self._scenarios / f"{name}.yaml"
        other = file.with_suffix(".yml")
        return other if other.is_file() and not file.is_file() else file

    def _load(self, path: Path) -> list[Scenario]:
        if path not in self._files:
            loaded = load([path])
            self._expanded.problems += loaded.problems
            self._files[path] = loaded.scenarios
        return self._files[path]

    def _tell(self, message: str, *at: str | int) -> None:
        problem = self._loaded.problem(message, *at)
        if problem not in self._expanded.problems:
            self._expanded.problems.append(problem)


def _likely(path: Path) -> str:
    """The nearest name beside a path that leads nowhere."""
    if not path.parent.is_dir():
        return ""
    return suggestion(path.name, [other.name for other in path.parent.iterdir()])
