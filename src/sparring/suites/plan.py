"""What is to be played: runs, each with an attempt and a seed of its own."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sparring.callers import unplayable
from sparring.records import ScenarioIdentity
from sparring.records.redaction import keep_secrets_of
from sparring.scenarios import Scenario, Simulation

if TYPE_CHECKING:  # Reports read plans, and know nothing of sockets.
    from sparring.suites.agents import AgentSource


@dataclass(frozen=True)
class Run:
    """One scenario against one agent, once."""

    scenario: Scenario
    agent: "AgentSource"
    attempt: int
    """From 1."""
    seed: int
    attempts: int = 1
    """How often its scenario is played in all."""

    @property
    def label(self) -> str:
        """The scenario's name, and which of several attempts this is."""
        if self.attempts == 1:
            return self.scenario.name
        return f"{self.scenario.name} {self.attempt}/{self.attempts}"

    @property
    def stem(self) -> str:
        """What its files are called after."""
        if self.attempts == 1:
            return self.scenario.name
        return f"{self.scenario.name}__{self.attempt:03}"


def identity_of(scenario: Scenario) -> ScenarioIdentity:
    """What a record keeps of a scenario: enough to be scored without its file.

    Credentials in its blocks are secrets from here on.
    """
    definition = scenario.definition.model_dump(mode="json")
    _keep_credentials(definition)
    return ScenarioIdentity(
        name=scenario.name,
        file=str(scenario.file),
        hash=scenario.hash,
        definition=definition,
    )


def _keep_credentials(definition: dict[str, Any]) -> None:
    for block in ("simulator", "user", "judge"):
        keep_secrets_of(definition.get(block))


def attempt_seed(seed: int, scenario: str, attempt: int) -> int:
    """The seed of one attempt: repeatable, and different for every scenario and attempt.

    Args:
        seed: The scenario's own ``seed``.
        scenario: The scenario's full name.
        attempt: From 1.

    Returns:
        An integer of 32 bits.
    """
    text = f"{seed}\0{scenario}\0{attempt}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4])


@dataclass(frozen=True)
class Plan:
    """What is to be played, and what of it cannot be."""

    runs: Sequence[Run]
    problems: Sequence[str]
    """Scenarios that cannot be played as asked, each with its file and the way out."""


def plan(
    scenarios: Sequence[Scenario],
    agent: "AgentSource",
    plays_agenda: Callable[[Simulation], bool],
    attempts: int = 1,
) -> Plan:
    """The runs that play each scenario; of several attempts, all the first ones come first.

    Args:
        scenarios: What is played.
        agent: What they are played against.
        plays_agenda: Whether a simulation is to be played without an LLM.
        attempts: How often each is played.
    """
    playable: list[Scenario] = []
    problems: list[str] = []
    for scenario in scenarios:
        definition = scenario.definition
        _keep_credentials(definition.model_dump(mode="json"))
        problem = None
        if isinstance(definition, Simulation) and plays_agenda(definition):
            problem = unplayable(definition)
        if problem is None and definition.is_spoken:
            problem = f"{scenario.name} needs spoken calls, which are not here yet"
        if problem is not None:
            problems.append(f"{scenario.file}: {problem}")
        else:
            playable.append(scenario)
    runs = [
        Run(
            scenario,
            agent,
            attempt,
            attempt_seed(scenario.definition.seed or 0, scenario.name, attempt),
            attempts,
        )
        for attempt in range(1, attempts + 1)
        for scenario in playable
    ]
    return Plan(runs, problems)
