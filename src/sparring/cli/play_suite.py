"""``sparring suite``: load the manifest, choose, plan, play, report."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

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
    """What the user asked for beside how to play; what is None is the manifest's to say."""

    choice: Choice = field(default_factory=Choice)
    starting: Starting = field(default_factory=Starting)
    repeat: int | None = None
    at_once: int | None = None
    bots_dir: Path | None = None
    scenarios_dir: Path | None = None
    runs_dir: Path | None = None
    rerun_failed: Path | None = None


def play_suite(path: Path, asked: SuiteWanted, how: Wanted) -> Exit:
    """Play a manifest.

    Args:
        path: The manifest.
        asked: What of it, and in what it is overruled.
        how: How to play, but for what a manifest has a say in.
    """
    loaded = load_manifest(path)
    expanded = expand(loaded, asked.bots_dir, asked.scenarios_dir)
    manifest = loaded.manifest
    if manifest is None:
        return carry_out([], expanded.problems, how)
    entries = [one for one in choose(expanded.entries, asked.choice) if one.startable]
    repeat = asked.repeat if asked.repeat is not None else manifest.repeat
    with tempfile.TemporaryDirectory(prefix="sparring-") as bodies:
        agents = [
            (agent_of(one, f"{number:02}", manifest, asked.starting, Path(bodies)), one.scenarios)
            for number, one in enumerate(entries, 1)
        ]
        casting = Casting(how.offline, how.judged)
        planned = plan_all(agents, casting.plays_agenda, lambda one: repeat or _required(one))
        runs = planned.runs
        if asked.rerun_failed is not None:
            runs = _failed(asked.rerun_failed, runs)
        problems = [*expanded.problems, *planned.problems]
        return carry_out(runs, problems, _with_manifest(how, path, manifest, asked, repeat))


def _required(scenario: Scenario) -> int:
    """How often a scenario must pass."""
    definition = scenario.definition
    return definition.runs if isinstance(definition, Simulation) else 1


def _failed(directory: Path, runs: Sequence[Run]) -> Sequence[Run]:
    if not directory.is_dir():
        raise UsageError(f"there is no run directory {directory}")
    return failed_before(runs, RunDirectory(directory).results())


def _with_manifest(
    how: Wanted, path: Path, manifest: Manifest, asked: SuiteWanted, repeat: int | None
) -> Wanted:
    """How to play: as asked, else as the manifest says."""
    own = path.parent / manifest.runs_dir if manifest.runs_dir else how.runs_dir
    return replace(
        how,
        measured=repeat is not None,
        at_once=asked.at_once or manifest.concurrency,
        limits=manifest.limits,
        runs_dir=asked.runs_dir or own,
    )
