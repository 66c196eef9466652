"""An agent that we started: proved to be ours, watched until it exits, ended with all it started.

``launch`` starts one, by whatever ``Starter`` (a new process, or a fork of a template), and gives
an ``AgentProcess`` that listens. Whoever has one may wait for ``exited()`` beside a call, read
``last_lines()``, and must ``stop()`` it.

On Linux this holds for wrappers too (``uv run``, shell scripts, ``setsid``), since what belongs to
an agent is known by the token in its environment. On macOS an agent is its process group. What a
container runs is not ours on any platform: its port belongs to the container's daemon.
"""

import asyncio
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from sparring.agents.processes import ports
from sparring.agents.processes.carriers import carriers, send
from sparring.agents.processes.ending import end
from sparring.agents.processes.guard import Guard
from sparring.agents.processes.output import Output
from sparring.errors import AgentExited, ConnectionFailed

_POLL_S = 0.03
_WATCH_S = 0.1
_LAST_WORDS_S = 0.5
"""How long an agent's output is waited for after its exit."""
_PORTS_TRIED = 3


class Child(Protocol):
    """A process that was started, the leader of a session of its own."""

    @property
    def pid(self) -> int:
        """Its process id, which is also that of its group and session."""
        ...

    async def wait(self) -> int | None:
        """Its exit code, negative for the signal that killed it; None if nobody can tell."""
        ...


class Starter(Protocol):
    """A way to start an agent."""

    async def start(self, port: int, token: str, output: int) -> Child:
        """Start it on a port, with a token, printing to a file descriptor.

        Raises:
            ConnectionFailed: If it cannot be started.
        """
        ...


@dataclass(frozen=True)
class AgentExit:
    """That an agent is gone, and with what."""

    code: int | None
    """Negative for a signal; None if nobody can tell: what launched it went before, or stays."""

    def __str__(self) -> str:
        """The end of a sentence that begins with ``the agent``."""
        if self.code is None:
            return "is gone (its exit code is not known)"
        if self.code < 0:
            return f"was killed by {_signal(-self.code)}"
        by_signal = f" ({_signal(self.code - 128)})" if self.code > 128 else ""
        return f"exited with code {self.code}{by_signal}"


async def launch(
    starter: Starter, log: Path, guard: Guard, ready_timeout_s: float = 60.0, path: str = "/ws"
) -> "AgentProcess":
    """Start an agent on a free port and wait until it listens there.

    Args:
        starter: How to start it.
        log: Where its output goes, redacted.
        guard: What ends it if we cannot.
        ready_timeout_s: How long it may take, in seconds.
        path: The path of its URL.

    Raises:
        AgentExited: If it exits before it listens, with its exit code and last lines.
        ConnectionFailed: If it cannot be started, does not listen in time, or if others took its
            ports, one after the other.
    """
    output = Output(log)
    taken: list[str] = []
    try:
        while len(taken) < _PORTS_TRIED:
            agent = await AgentProcess.start(starter, output, guard, path)
            try:
                await agent.wait_until_ready(ready_timeout_s)
                return agent
            except _PortTaken as error:
                await agent.end()
                taken.append(str(error))
            except BaseException:
                await agent.end()
                raise
    except BaseException:
        output.close()
        raise
    output.close()
    raise ConnectionFailed(f"no port was left to the agent: {'; '.join(taken)}")


class AgentProcess:
    """One agent that we started."""

    def __init__(
        self, child: Child, port: int, token: str, output: Output, guard: Guard, path: str
    ):
        """Take charge of a process that was just started; ``launch`` is the way to get one."""
        self.url = f"ws://127.0.0.1:{port}{path}"
        self.log = output.path
        """Where its output goes."""
        self.exit: AgentExit | None = None
        """How it ended; None while it runs."""
        self._child = child
        self._port = port
        self._path = path
        self._token = token
        self._output = output
        self._guard = guard
        self._groups = {child.pid}
        self._holders: frozenset[int] = frozenset()
        self._left_alone = False
        """What we started is gone and the agent is not: its exit code will be nobody's."""
        guard.watch(child.pid)
        self._watching = asyncio.create_task(self._watch())

    @classmethod
    async def start(cls, starter: Starter, output: Output, guard: Guard, path: str) -> Self:
        """Start one on a free port, without waiting for it."""
        port, token = ports.free_port(), guard.token()
        writing = await output.open_pipe()
        starting = asyncio.create_task(starter.start(port, token, writing))
        try:
            child = await asyncio.shield(starting)
        except asyncio.CancelledError:
            # What has begun to start cannot be called back, only be ended once it is there.
            await asyncio.wait({starting})
            if starting.exception() is None:
                await cls(starting.result(), port, token, output, guard, path).end()
            raise
        finally:
            os.close(writing)
        return cls(child, port, token, output, guard, path)

    async def wait_until_ready(self, timeout_s: float) -> None:
        """Wait until it, and nobody else, listens on its port; ``url`` is right from then on.

        Raises:
            AgentExited: If it exits before.
            ConnectionFailed: If it takes longer than ``timeout_s`` seconds, or its port was taken.
        """
        deadline = time.monotonic() + timeout_s
        stranger = ""
        while True:
            found = await asyncio.to_thread(ports.find, self._port, self._token, self._child.pid)
            if found is not None and found.ours:
                self.url = f"ws://{found.host}:{self._port}{self._path}"
                self._holders = found.holders
                self._left_alone = bool(found.holders) and not ports.is_running(self._child.pid)
                return
            # Seen twice, since a process of ours cannot be told while it is being exchanged (exec).
            if found is not None and found.who == stranger:
                raise _PortTaken(f"{found.who} listens on port {self._port}")
            stranger = found.who if found is not None else ""
            if self.exit is not None:
                if not ports.is_free(self._port):
                    raise _PortTaken(f"port {self._port} was in use when the agent {self.exit}")
                raise AgentExited(
                    f"the agent {self.exit} before it listened. "
                    f"Its last lines ({self.log}):\n{self.last_lines()}"
                )
            if time.monotonic() > deadline:
                raise ConnectionFailed(
                    f"the agent did not listen on port {self._port} within {timeout_s:g} s. "
                    f"Its last lines ({self.log}):\n{self.last_lines()}"
                )
            await asyncio.wait({self._watching}, timeout=_POLL_S)

    async def exited(self) -> AgentExit:
        """Wait until it has exited, of itself or because it was stopped; known within 2 s.

        Any number of tasks may wait, and stop waiting.
        """
        return await asyncio.shield(self._watching)

    async def exit_within(self, seconds: float) -> AgentExit | None:
        """How it exited, if it has or does so soon.

        A connection breaks a moment before the exit that broke it is known.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                return await self.exited()
        return None

    def last_lines(self) -> str:
        """The last lines of its output, redacted and indented."""
        return self._output.last_lines()

    async def stop(self) -> None:
        """End it and all that it started, and close its log; 8 s at most."""
        try:
            await self.end()
        finally:
            self._output.close()

    async def end(self) -> None:
        """End it and all that it started; its log stays open for another start."""
        try:
            await end(self._token, self._groups)
            await asyncio.wait({self._watching}, timeout=2 * _LAST_WORDS_S + _WATCH_S)
            await asyncio.sleep(0)  # For asyncio to close what it watched the process with.
        finally:
            self._watching.cancel()
            self._guard.forget(self._child.pid)

    async def _watch(self) -> AgentExit:
        launcher = asyncio.create_task(self._child.wait())
        try:
            while not await self._is_gone(launcher):
                if launcher.done():
                    self._left_alone = True
                    await asyncio.sleep(_WATCH_S)
                else:
                    await asyncio.wait({launcher}, timeout=_WATCH_S)
            await asyncio.wait({launcher}, timeout=_LAST_WORDS_S)
            await self._output.drained(_LAST_WORDS_S)
        finally:
            launcher.cancel()
        knows = launcher.done() and not self._left_alone
        self.exit = AgentExit(launcher.result() if knows else None)
        return self.exit

    async def _is_gone(self, launcher: "asyncio.Task[int | None]") -> bool:
        """Whether the agent is gone, which is not the same as what we started."""
        if launcher.done() and not send(0, -self._child.pid):
            # The group's number may be another's from now on.
            self._groups.clear()
            self._guard.forget(self._child.pid)
        code = launcher.result() if launcher.done() else None
        if code is not None and (code != 0 or self._child.pid in self._holders):
            return True
        if self._holders:
            return not any(map(ports.is_running, self._holders))
        # A launcher that says all went well may have left the agent behind (``setsid``, ``&``).
        return launcher.done() and not await asyncio.to_thread(carriers, self._token)


class _PortTaken(ConnectionFailed):
    """Somebody else has the agent's port."""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
