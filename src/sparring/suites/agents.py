"""Where a run's agent comes from: one that runs already, or one that is started for it."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sparring.agents import AgentConnection, EvalWebSocket
from sparring.agents.eval_websocket import without_secrets
from sparring.agents.processes.fleet import Fleet, Lease
from sparring.agents.processes.isolation import AgentEntry
from sparring.agents.watched import WatchedConnection


@dataclass(frozen=True)
class Reached:
    """A run's agent, ready to be called."""

    connection: AgentConnection
    """A session with it, not opened yet."""
    log: Path | None = None
    """Where its output goes, if we started it."""


class AgentSource(Protocol):
    """Gives every run a session with an agent."""

    @property
    def label(self) -> str:
        """How reports call the agent."""
        ...

    @property
    def url(self) -> str:
        """Where it is reached, without credentials; empty if that is not known before it starts."""
        ...

    @property
    def prefix(self) -> str:
        """What the names of its runs' files begin with."""
        ...

    @property
    def concurrency(self) -> int | None:
        """How many of its runs may go on at a time; None for any number."""
        ...

    def ask(self, fleet: Fleet, log: Path) -> AbstractAsyncContextManager[Reached]:
        """Ask for an agent for one run; entering waits until it is ready.

        An agent that has to be started begins to start with this, so that asking early starts it
        ahead.

        Args:
            fleet: What starts agents.
            log: Where its output shall go, if it is started.
        """
        ...


@dataclass(frozen=True)
class RunningAgent:
    """An agent that somebody else has started; every run has a session of its own with it."""

    address: str
    prefix: str = ""
    concurrency: int | None = None

    @property
    def url(self) -> str:
        """Where it is reached."""
        return without_secrets(self.address)

    @property
    def label(self) -> str:
        """Its URL."""
        return self.url

    def ask(self, fleet: Fleet, log: Path) -> AbstractAsyncContextManager[Reached]:
        """A session with it."""
        return self._session()

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[Reached]:
        yield Reached(EvalWebSocket(self.address))


@dataclass(frozen=True)
class StartedAgent:
    """An agent of a manifest's entry, started for its runs and ended with them."""

    label: str
    entry: AgentEntry
    prefix: str = ""
    concurrency: int | None = None
    url: str = ""

    def ask(self, fleet: Fleet, log: Path) -> AbstractAsyncContextManager[Reached]:
        """Begin to start one, if the entry's isolation asks for one of its own."""
        return self._session(fleet.agent(self.entry, log))

    @asynccontextmanager
    async def _session(self, lease: Lease) -> AsyncGenerator[Reached]:
        async with lease as agent:
            connection = EvalWebSocket(agent.url, self.label)
            yield Reached(WatchedConnection(connection, agent), agent.log)
