"""What the runs of an entry share: three ways to supply each run with an agent.

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

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeVar

from sparring.agents.fork import ForkUnavailable, Template
from sparring.agents.guard import Guard
from sparring.agents.process import AgentProcess, Starter, launch
from sparring.agents.spawn import FreshStart, Spawn
from sparring.errors import ConnectionFailed

_T = TypeVar("_T")


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


def supply(entry: AgentEntry, means: Means) -> Supply:
    """How an entry's runs get their agents."""
    kinds = {Isolation.PROCESS: Processes, Isolation.FORK: Forks, Isolation.SESSION: Sessions}
    return kinds[entry.isolation](entry, means)


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


class Forks:
    """A fork for each run, or a process where forking does not work, with a notice."""

    def __init__(self, entry: AgentEntry, means: Means):
        self._entry = entry
        self._means = means
        self._opening: asyncio.Task[Template | None] | None = None
        self._useless = False
        self._trusted = False
        """Forks are known to behave as processes do, at least in becoming ready."""

    async def obtain(self, log: Path) -> AgentProcess:
        """Fork one; the first to ask waits for the imports."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        template = await asyncio.shield(self._opening)
        if template is None or self._useless:
            return await self._means.launch_fresh(self._entry, log)
        try:
            agent = await self._means.launch(template, self._entry, log)
        except ConnectionFailed as error:
            if self._trusted:
                raise
            return await self._try_without(error, log)
        self._trusted = True
        return agent

    async def give_back(self, agent: AgentProcess) -> None:
        """End it."""
        await agent.stop()

    async def close(self) -> None:
        """End the template."""
        template = await _result(self._opening)
        if template is not None:
            await template.close()

    async def _open(self) -> Template | None:
        means, entry = self._means, self._entry
        log = means.logs / f"{entry.name}.template.log"
        try:
            return await Template.open(entry.spawn, means.environment, means.guard, log)
        except ForkUnavailable as why:
            means.notice(f"{entry.name} is not forked but started anew for each run: {why}")
            return None

    async def _try_without(self, error: ConnectionFailed, log: Path) -> AgentProcess:
        """Start a process where a first fork failed: is it the forking, or the agent?"""
        try:
            agent = await self._means.launch_fresh(self._entry, log)
        except ConnectionFailed:
            self._trusted = True
            raise
        self._useless = True
        self._means.notice(
            f"{self._entry.name} is not forked but started anew for each run: a fork of it did not "
            f"become ready ({error})"
        )
        return agent


class Sessions:
    """A process for many runs, followed by another when it has served its number of calls."""

    def __init__(self, entry: AgentEntry, means: Means):
        self._entry = entry
        self._means = means
        self._servers: list[_Server] = []
        self._started = 0

    async def obtain(self, log: Path) -> AgentProcess:
        """A seat at the process that serves now; its log is the process's own."""
        server = self._serving()
        server.calls += 1
        server.callers += 1
        try:
            return await asyncio.shield(server.starting)
        except BaseException:
            await self._leave(server)
            raise

    async def give_back(self, agent: AgentProcess) -> None:
        """Leave it; it ends when it has served its number of calls and nobody is left."""
        for server in list(self._servers):
            if server.agent is agent:
                await self._leave(server)

    async def close(self) -> None:
        """End what still serves."""
        await asyncio.gather(*(self._end(server) for server in list(self._servers)))

    def _serving(self) -> "_Server":
        if not self._servers or self._is_done(self._servers[-1]):
            self._started += 1
            log = self._means.logs / f"{self._entry.name}.{self._started}.log"
            starting = asyncio.create_task(self._means.launch_fresh(self._entry, log))
            self._servers.append(_Server(starting))
        return self._servers[-1]

    def _is_done(self, server: "_Server") -> bool:
        """Whether it takes no more calls."""
        if server.calls >= self._entry.recycle_after:
            return True
        if not server.starting.done():
            return False
        return server.agent is None or server.agent.exit is not None

    async def _leave(self, server: "_Server") -> None:
        server.callers -= 1
        if server.callers == 0 and self._is_done(server):
            await self._end(server)

    async def _end(self, server: "_Server") -> None:
        if server in self._servers:
            self._servers.remove(server)
            agent = await _result(server.starting)
            if agent is not None:
                await agent.stop()


@dataclass
class _Server:
    """A process that serves many runs."""

    starting: "asyncio.Task[AgentProcess]"
    calls: int = field(default=0)
    """How many it was given to, ever."""
    callers: int = field(default=0)
    """How many have it now."""

    @property
    def agent(self) -> AgentProcess | None:
        """None while it starts, and if it could not."""
        if not self.starting.done() or self.starting.cancelled() or self.starting.exception():
            return None
        return self.starting.result()


async def _result(task: "asyncio.Task[_T] | None") -> "_T | None":
    """What a task came to if it is called off now."""
    if task is None:
        return None
    task.cancel()
    await asyncio.wait({task})
    return None if task.cancelled() or task.exception() else task.result()
