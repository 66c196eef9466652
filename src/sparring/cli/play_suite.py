"""``sparring suite``: load the manifest, choose, plan, play, report."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sparring.agents.processes.isolation import Isolation
from sparring.cli.exits import Exit
from sparring.cli.play import Wanted, carry_out
from sparring.errors import UsageError
from sparring.scenarios import Scenario, Simulation
from sparring.suites import RunDirectory
from sparring.suites.casting import Casting
from sparring.suites.expansion import expand
from sparring.suites.manifest import Manifest, load_manifest
from sparring.suites.plan import Run, plan_all
from sparring.suites.resume import failed_before
from sparring.suites.suite import Choice, Starting, agent_of, choose


@dataclass(frozen=True)
class SuiteWanted:
    """What the user asked for; what is None is the manifest's to say."""

    choice: Choice = field(default_factory=Choice)
    repeat: int | None = None
    at_once: int | None = None
    isolation: Literal["process", "fork", "session"] | None = None
    spawn: str | None = None
    python: str | None = None
    bots_dir: Path | None = None
    scenarios_dir: Path | None = None
    rerun_failed: Path | None = None
    runs_dir: Path | None = None
    offline: bool = False
    judged: bool = True
    timeout_s: float = 60.0
    """How long a script's expectation has that does not say."""
    retries: int = 0
    max_failures: int | None = None
    verbose: bool = False
    debug: bool = False
    json: bool = False
    name: str | None = None
    resume: bool = False


def play_suite(path: Path, asked: SuiteWanted) -> Exit:
    """Play a manifest."""
    loaded = load_manifest(path)
    expanded = expand(loaded, asked.bots_dir, asked.scenarios_dir)
    manifest = loaded.manifest
    if manifest is None:
        return carry_out([], expanded.problems, Wanted())
    entries = [one for one in choose(expanded.entries, asked.choice) if one.startable]
    repeat = asked.repeat if asked.repeat is not None else manifest.repeat
    isolation = Isolation(asked.isolation) if asked.isolation else None
    starting = Starting(asked.spawn, asked.python, isolation)
    with tempfile.TemporaryDirectory(prefix="sparring-") as bodies:
        agents = [
            (agent_of(one, f"{number:02}", manifest, starting, Path(bodies)), one.scenarios)
            for number, one in enumerate(entries, 1)
        ]
        casting = Casting(asked.offline, asked.judged)
        planned = plan_all(agents, casting.plays_agenda, lambda one: repeat or _required(one))
        runs = planned.runs
        if asked.rerun_failed is not None:
            runs = _failed(asked.rerun_failed, runs)
        problems = [*expanded.problems, *planned.problems]
        return carry_out(runs, problems, _wanted(path, manifest, asked, repeat))


def _required(scenario: Scenario) -> int:
    """How often a scenario must pass."""
    definition = scenario.definition
    return definition.runs if isinstance(definition, Simulation) else 1


def _failed(directory: Path, runs: Sequence[Run]) -> Sequence[Run]:
    if not directory.is_dir():
        raise UsageError(f"there is no run directory {directory}")
    return failed_before(runs, RunDirectory(directory).results())


def _wanted(path: Path, manifest: Manifest, asked: SuiteWanted, repeat: int | None) -> Wanted:
    """How to play: as asked, else as the manifest says."""
    own = path.parent / manifest.runs_dir if manifest.runs_dir else Path("eval-runs")
    return Wanted(
        offline=asked.offline,
        judged=asked.judged,
        timeout_s=asked.timeout_s,
        measured=repeat is not None,
        at_once=asked.at_once or manifest.concurrency,
        caps={
            entry.label: entry.concurrency
            for entry in manifest.suite
            if entry.concurrency is not None
        },
        limits=manifest.limits,
        retries=asked.retries,
        max_failures=asked.max_failures,
        verbose=asked.verbose,
        debug=asked.debug,
        json=asked.json,
        runs_dir=asked.runs_dir or own,
        name=asked.name,
        resume=asked.resume,
    )
