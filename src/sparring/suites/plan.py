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
        name = f"{self.agent.prefix}{self.scenario.name}"
        return name if self.attempts == 1 else f"{name}__{self.attempt:03}"


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
    """The runs that play each scenario against one agent; see ``plan_all``.

    Args:
        scenarios: What is played.
        agent: What they are played against.
        plays_agenda: Whether a simulation is to be played without an LLM.
        attempts: How often each is played.
    """
    return plan_all([(agent, scenarios)], plays_agenda, lambda _: attempts)


def plan_all(
    casts: Sequence[tuple["AgentSource", Sequence[Scenario]]],
    plays_agenda: Callable[[Simulation], bool],
    attempts: Callable[[Scenario], int],
) -> Plan:
    """The runs that play scenarios against agents; all first attempts come first, then the second.

    Args:
        casts: Agents, each with what is played against it.
        plays_agenda: Whether a simulation is to be played without an LLM.
        attempts: How often a scenario is played.
    """
    playable: list[tuple[AgentSource, Scenario]] = []
    problems: list[str] = []
    for agent, scenarios in casts:
        for scenario in scenarios:
            problem = _unplayable(scenario, plays_agenda)
            if problem is None:
                playable.append((agent, scenario))
            elif (told := f"{scenario.file}: {problem}") not in problems:
                problems.append(told)
    rounds = max((attempts(scenario) for _, scenario in playable), default=0)
    runs = [
        Run(
            scenario,
            agent,
            attempt,
            attempt_seed(scenario.definition.seed or 0, scenario.name, attempt),
            attempts(scenario),
        )
        for attempt in range(1, rounds + 1)
        for agent, scenario in playable
        if attempt <= attempts(scenario)
    ]
    return Plan(runs, problems)


def _unplayable(scenario: Scenario, plays_agenda: Callable[[Simulation], bool]) -> str | None:
    """Why a scenario cannot be played as asked, if so. Its credentials are secrets from here on."""
    definition = scenario.definition
    _keep_credentials(definition.model_dump(mode="json"))
    problem = None
    if isinstance(definition, Simulation) and plays_agenda(definition):
        problem = unplayable(definition)
    if problem is None and definition.is_spoken:
        problem = f"{scenario.name} needs spoken calls, which are not here yet"
    return problem
