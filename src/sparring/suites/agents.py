"""Where a run's agent comes from: one that runs already, or one that is started for it."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sparring.agents import AgentConnection, EvalWebSocket
from sparring.agents.eval_websocket import without_secrets


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

    def ask(self, log: Path) -> AbstractAsyncContextManager[Reached]:
        """Ask for an agent for one run; entering waits until it is ready.

        An agent that has to be started begins to start with this, so that asking early starts it
        ahead.

        Args:
            log: Where its output shall go, if it is started.
        """
        ...


@dataclass(frozen=True)
class RunningAgent:
    """An agent that somebody else has started; every run has a session of its own with it."""

    address: str

    @property
    def url(self) -> str:
        """Where it is reached."""
        return without_secrets(self.address)

    @property
    def label(self) -> str:
        """Its URL."""
        return self.url

    def ask(self, log: Path) -> AbstractAsyncContextManager[Reached]:
        """A session with it."""
        return self._session()

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[Reached]:
        yield Reached(EvalWebSocket(self.address))
