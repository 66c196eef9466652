"""``isolation: fork`` for an entry: a fork for each run, or a process where that does not work."""

import asyncio
from pathlib import Path

from sparring.agents.processes.ending import call_off
from sparring.agents.processes.fork import ForkUnavailable, Template
from sparring.agents.processes.isolation import AgentEntry, Means
from sparring.agents.processes.process import AgentProcess
from sparring.errors import ConnectionFailed


class Forks:
    """Forks of one template, which the first run to ask starts; notices when they are none."""

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
        template = await call_off(self._opening)
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
