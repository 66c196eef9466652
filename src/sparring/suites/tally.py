"""How many runs came to what, scenario by scenario, with those that never ran."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparring.records import Result, Status
from sparring.suites.plan import Run


@dataclass
class ScenarioTally:
    """What the runs of one scenario against one agent came to."""

    agent: str
    scenario: str
    planned: int = 0
    counts: Counter[Status] = field(default_factory=Counter[Status])

    @property
    def valid(self) -> int:
        """Runs that say something about the agent."""
        return self.counts[Status.PASSED] + self.counts[Status.FAILED]

    @property
    def not_run(self) -> int:
        """Planned, and never begun."""
        return max(0, self.planned - self.counts.total())

    def data(self) -> dict[str, Any]:
        """As it stands in ``summary.json``."""
        counts = {status.value: self.counts[status] for status in Status}
        names = {"agent": self.agent, "scenario": self.scenario}
        return {**names, "planned": self.planned, "valid": self.valid, **counts}


def tallies(results: Iterable[Result], planned: Iterable[Run] = ()) -> list[ScenarioTally]:
    """The tallies of all scenarios, in the order of the plan.

    Args:
        results: What was played.
        planned: What was to be played; what is not in it counts as planned when it was played.
    """
    found: dict[tuple[str, str], ScenarioTally] = {}
    for run in planned:
        key = (run.agent.label, run.scenario.name)
        found.setdefault(key, ScenarioTally(*key)).planned += 1
    for result in results:
        key = (result.name, result.scenario)
        found.setdefault(key, ScenarioTally(*key)).counts[result.status] += 1
    for tally in found.values():
        tally.planned = max(tally.planned, tally.counts.total())
    return list(found.values())


def summary(tallied: Sequence[ScenarioTally]) -> dict[str, Any]:
    """What ``summary.json`` holds."""
    statuses: Counter[Status] = Counter()
    for tally in tallied:
        statuses += tally.counts
    return {
        "schema_version": 1,
        "planned": sum(tally.planned for tally in tallied),
        "executed": statuses.total(),
        "statuses": {status.value: statuses[status] for status in sorted(statuses)},
        "scenarios": [tally.data() for tally in tallied],
    }
