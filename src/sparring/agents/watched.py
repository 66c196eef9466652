"""A session with an agent that we started: when its process goes, the session says so."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

from sparring.agents.connection import AgentConnection, SessionOptions, ToAgent
from sparring.errors import AgentExited, ConnectionFailed
from sparring.records import AgentEvent, CallClock
from sparring.records import events as ev

_EXIT_S = 1.0
"""How long after a broken connection the exit that broke it is waited for, and the reverse."""
_BROKEN = 1006


class Watched(Protocol):
    """What is watched: an ``AgentProcess``, say."""

    @property
    def log(self) -> Path:
        """Where its output goes."""
        ...

    async def exited(self) -> object:
        """Wait until it is gone; how, as the end of a sentence that begins with its name."""
        ...

    async def exit_within(self, seconds: float) -> object | None:
        """How it exited, if it has or does so soon."""
        ...

    def last_lines(self) -> str:
        """The last lines of its output."""
        ...


class WatchedConnection:
    """A connection whose end names the exit code of the agent's process, and its last lines."""

    def __init__(self, connection: AgentConnection, agent: Watched):
        self._connection = connection
        self._agent = agent
        self._clock = CallClock()
        self.label = connection.label
        self.url = connection.url

    async def open(self, clock: CallClock, options: SessionOptions) -> None:
        """Connect.

        Raises:
            AgentExited: If the process is gone.
            ConnectionFailed: If it is there and cannot be reached.
        """
        self._clock = clock
        try:
            await self._connection.open(clock, options)
        except ConnectionFailed as error:
            gone = await self._agent.exit_within(_EXIT_S)
            if gone is None:
                raise
            raise AgentExited(f"the agent {gone}. {self._last_lines()}") from error

    async def send(self, message: ToAgent) -> None:
        """Send a message."""
        await self._connection.send(message)

    async def events(self) -> AsyncIterator[AgentEvent]:
        """The agent's events; the last one tells of its process, if that is gone."""
        events = self._connection.events()
        exited = asyncio.ensure_future(self._agent.exited())
        try:
            while True:
                following = asyncio.ensure_future(anext(events, None))
                await asyncio.wait({following, exited}, return_when=asyncio.FIRST_COMPLETED)
                if not following.done():  # Gone, and something of it still holds the connection.
                    await asyncio.wait({following}, timeout=_EXIT_S)
                if not following.done():
                    following.cancel()
                    yield await self._end(ev.Closed(at=self._clock.now(), code=_BROKEN))
                    return
                event = following.result()
                if event is None:
                    return
                yield await self._end(event) if isinstance(event, ev.Closed) else event
        finally:
            exited.cancel()

    async def close(self) -> None:
        """End the session; the process is not ours to end."""
        await self._connection.close()

    async def _end(self, closed: ev.Closed) -> ev.Closed:
        """The end, with what became of the process; one that hung up in good order lives on."""
        if closed.clean:
            return closed
        gone = await self._agent.exit_within(_EXIT_S)
        if gone is None:
            return closed
        return closed.model_copy(update={"process": f"{gone}. {self._last_lines()}"})

    def _last_lines(self) -> str:
        return f"Its last lines ({self._agent.log}):\n{self._agent.last_lines()}"
