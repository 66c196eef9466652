"""How the runs of an entry get their agents: each one a process of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sparring.agents.guard import Guard
from sparring.agents.process import AgentProcess, Starter, launch
from sparring.agents.spawn import FreshStart, Spawn


@dataclass(frozen=True)
class AgentEntry:
    """One agent of a suite."""

    name: str
    """Unique among the entries, and fit for a file name: it names the logs that runs share."""
    spawn: Spawn


@dataclass(frozen=True)
class Means:
    """What every supply works with."""

    guard: Guard
    environment: Mapping[str, str]
    """What agents get, beside their own variables."""
    logs: Path
    """The directory of the logs that runs share."""
    notice: Callable[[str], None]
    """Told what the user should know, in a sentence."""

    async def launch(self, starter: Starter, entry: AgentEntry, log: Path) -> AgentProcess:
        """Start an agent of an entry and wait until it is ready."""
        spawn = entry.spawn
        return await launch(starter, log, self.guard, spawn.ready_timeout_s, spawn.path)

    async def launch_fresh(self, entry: AgentEntry, log: Path) -> AgentProcess:
        """Start an agent of an entry as a new process."""
        return await self.launch(FreshStart(entry.spawn, self.environment), entry, log)


class Supply(Protocol):
    """Agents of one entry."""

    async def obtain(self, log: Path) -> AgentProcess:
        """A ready agent for one run.

        Args:
            log: Where its output goes, unless it is shared.

        Raises:
            ConnectionFailed: If there is none.
        """
        ...

    async def give_back(self, agent: AgentProcess) -> None:
        """The run is over."""
        ...

    async def close(self) -> None:
        """End what runs share; every agent has been given back."""
        ...


def supply(entry: AgentEntry, means: Means) -> Supply:
    """How an entry's runs get their agents."""
    return Processes(entry, means)


class Processes:
    """A process for each run."""

    def __init__(self, entry: AgentEntry, means: Means):
        self._entry = entry
        self._means = means

    async def obtain(self, log: Path) -> AgentProcess:
        """Start one."""
        return await self._means.launch_fresh(self._entry, log)

    async def give_back(self, agent: AgentProcess) -> None:
        """End it."""
        await agent.stop()

    async def close(self) -> None:
        """Nothing is shared."""
