"""What the runs of an entry share, and the seam behind which each of them is given an agent.

===========  ==================================  =============================================
isolation    what a run gets                     what can leak from one run into the next
===========  ==================================  =============================================
``process``  a process of its own                nothing
``fork``     a fork of a process that imported   what imported modules did while they were
             the agent's modules                 imported
``session``  a session of a process that         whatever the agent keeps in its modules; memory,
             serves many runs                    which is why the process is renewed
===========  ==================================  =============================================
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from sparring.agents.processes.guard import Guard
from sparring.agents.processes.process import AgentProcess, Starter, launch
from sparring.agents.processes.spawn import FreshStart, Spawn


class Isolation(StrEnum):
    """What the runs of an entry share."""

    PROCESS = "process"
    FORK = "fork"
    SESSION = "session"


@dataclass(frozen=True)
class AgentEntry:
    """One agent of a suite."""

    name: str
    """Unique among the entries, and fit for a file name: it names the logs that runs share."""
    spawn: Spawn
    isolation: Isolation = Isolation.PROCESS
    recycle_after: int = 100
    """With ``session``: how many calls one process takes before another follows it."""


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
