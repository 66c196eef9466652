"""Which runs of a plan have their result already, keyed by content and not by position.

A result belongs to a run if agent, scenario, attempt and the scenario's content are the same. So an
edited scenario is played again, and a file whose scenarios changed places is not.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sparring.records import Result, Status
from sparring.suites.plan import Run

_Key: TypeAlias = tuple[str, str, int, str]


@dataclass(frozen=True)
class Remainder:
    """What is left of a plan."""

    known: list[Result]
    """Results of the runs that need not be played."""
    runs: list[Run]


def remainder(
    runs: Sequence[Run],
    results: Iterable[Result],
    settled: Collection[Status] = (Status.PASSED, Status.FAILED),
) -> Remainder:
    """Hold a plan against earlier results.

    Args:
        runs: The plan.
        results: Earlier results; of several about the same run, the last counts.
        settled: What a result must be for its run not to be played again.
    """
    latest = {_key_of(result): result for result in results}
    known: list[Result] = []
    left: list[Run] = []
    for run in runs:
        result = latest.get(_key(run))
        if result is not None and result.status in settled:
            known.append(result)
        else:
            left.append(run)
    return Remainder(known, left)


def failed_before(runs: Sequence[Run], results: Iterable[Result]) -> list[Run]:
    """The runs of a plan that were played before and did not pass, whatever was edited since."""
    latest = {_key_of(result)[:3]: result for result in results}
    return [
        run
        for run in runs
        if (result := latest.get(_key(run)[:3])) is not None and not result.passed
    ]


def _key(run: Run) -> _Key:
    return (run.agent.label, run.scenario.name, run.attempt, run.scenario.hash)


def _key_of(result: Result) -> _Key:
    return (result.name, result.scenario, result.attempt, result.scenario_hash)
