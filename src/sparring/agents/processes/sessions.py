"""``isolation: session`` for an entry: one process serves many runs, then another follows it."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from sparring.agents.processes.ending import call_off
from sparring.agents.processes.isolation import AgentEntry, Means
from sparring.agents.processes.process import AgentProcess


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
            agent = await call_off(server.starting)
            if agent is not None:
                await agent.stop()


@dataclass
class _Server:
    """A process that serves many runs."""

    starting: "asyncio.Task[AgentProcess]"
    calls: int = 0
    """How many it was given to, ever."""
    callers: int = 0
    """How many have it now."""

    @property
    def agent(self) -> AgentProcess | None:
        """None while it starts, and if it could not."""
        if not self.starting.done() or self.starting.cancelled() or self.starting.exception():
            return None
        return self.starting.result()
