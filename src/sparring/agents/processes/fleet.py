"""The agents of a suite: for each run one that is ready, whatever its isolation.

::

    async with Fleet(logs, notice=report.note) as fleet:
        first = fleet.agent(entry, logs / "first.log")    # begins to start now
        second = fleet.agent(entry, logs / "second.log")  # and so does this, while first talks
        async with first as agent:                        # waits until it is ready
            ...                                           # agent.url, agent.exited(), …
        async with second as agent:
            ...

Asking for an agent starts it, so a schedule starts agents ahead by asking early: as many are there
as it has asked for and not given back. A lease that nobody enters ends with the fleet.

Leaving a lease waits until its agent is gone, so an agent that must be alone can be. Leaving the
fleet ends everything, and last the guard, which finds what we missed.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from sparring.agents.processes.ending import call_off
from sparring.agents.processes.environment import AT_START
from sparring.agents.processes.forks import Forks
from sparring.agents.processes.guard import Guard
from sparring.agents.processes.isolation import AgentEntry, Isolation, Means, Processes, Supply
from sparring.agents.processes.process import AgentProcess
from sparring.agents.processes.sessions import Sessions
from sparring.errors import AgentExited

_SUPPLIES = {
    Isolation.PROCESS: Processes,
    Isolation.FORK: Forks,
    Isolation.SESSION: Sessions,
}


class Lease:
    """One run's agent: starting from the first moment, ready in the ``async with``, then ended."""

    def __init__(self, supply: Supply, log: Path):
        """Begin to obtain an agent; ``Fleet.agent`` makes leases."""
        self._supply = supply
        self._log = log
        self._obtaining = asyncio.create_task(supply.obtain(log))
        self.is_open = True
        """Not given back yet."""

    async def __aenter__(self) -> AgentProcess:
        """Wait until the agent is ready. One that has gone since is started once more.

        Raises:
            AgentExited: If it exited before it was ready, or again since.
            ConnectionFailed: If it cannot be started.
        """
        try:
            agent = await self._obtaining
            if agent.exit is not None:  # It was idle, or another run of a shared one ended it.
                await self._supply.give_back(agent)
                self._obtaining = asyncio.create_task(self._supply.obtain(self._log))
                agent = await self._obtaining
            if agent.exit is not None:
                raise AgentExited(
                    f"the agent {agent.exit} while it waited for its call. "
                    f"Its last lines ({agent.log}):\n{agent.last_lines()}"
                )
        except BaseException:
            await self.close()
            raise
        return agent

    async def __aexit__(self, *exception: object) -> None:
        """Give the agent back."""
        await self.close()

    async def close(self) -> None:
        """Give the agent back, or up if it is not ready yet; again, it does nothing."""
        if not self.is_open:
            return
        self.is_open = False
        agent = await call_off(self._obtaining)
        if agent is not None:
            await self._supply.give_back(agent)


class Fleet:
    """Starts agents, and ends every one of them."""

    def __init__(
        self,
        logs: Path,
        notice: Callable[[str], None],
        environment: Mapping[str, str] = AT_START,
    ):
        """Prepare; nothing runs before the first agent is asked for, inside the ``async with``.

        Args:
            logs: The directory of the logs that runs share (of ``session`` and ``fork``).
            notice: Told what the user should know, in a sentence.
            environment: What agents get, beside their own variables.
        """
        self._logs = logs
        self._notice = notice
        self._environment = environment
        self._means: Means | None = None
        self._supplies: dict[int, tuple[AgentEntry, Supply]] = {}
        """By the identity of their entries: two may have one name, and are two agents."""
        self._leases: list[Lease] = []

    async def __aenter__(self) -> Self:
        """Nothing runs yet; with the first agent the guard starts."""
        return self

    def agent(self, entry: AgentEntry, log: Path) -> Lease:
        """One run's agent, which begins to start now.

        Args:
            entry: Which agent.
            log: Where its output goes, redacted. With ``session``, the process's output goes to a
                log of its own; the agent's ``log`` tells.
        """
        if self._means is None:
            self._means = Means(Guard(), self._environment, self._logs, self._notice)
        if id(entry) not in self._supplies:
            supply = _SUPPLIES[entry.isolation](entry, self._means)
            self._supplies[id(entry)] = (entry, supply)
        lease = Lease(self._supplies[id(entry)][1], log)
        self._leases = [*(other for other in self._leases if other.is_open), lease]
        return lease

    async def __aexit__(self, *exception: object) -> None:
        """End every agent, and then the guard."""
        if self._means is None:
            return
        try:
            await asyncio.gather(*(lease.close() for lease in self._leases))
            await asyncio.gather(*(supplied.close() for _, supplied in self._supplies.values()))
        finally:
            await asyncio.to_thread(self._means.guard.close)
