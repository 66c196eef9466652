"""``isolation: fork``: an agent's modules are imported once, and each run gets a fork of that.

A template process imports what the agent's script imports, without entering its ``__main__`` part,
and forks a clean agent for every run: as isolated as a process of its own, and started in a tenth
of the time. The fork runs the script as ``__main__``, with its own arguments, output and token.

It is only done where it is safe: on Linux, for a plain ``{python} {bot} …`` or ``{python} -m module
…`` command whose imports leave one thread and no open socket. Everything else is
``ForkUnavailable``, and the agent is started as a new process instead. What differs in a fork:
modules that read the time, the arguments or the environment while they are imported did so once,
and OpenBLAS, if imported, has one thread.
"""

import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from sparring.agents.processes import fork_template, ports
from sparring.agents.processes.carriers import VARIABLE
from sparring.agents.processes.ending import end
from sparring.agents.processes.guard import Guard
from sparring.agents.processes.output import Output
from sparring.agents.processes.process import Child
from sparring.agents.processes.spawn import Spawn, agent_environment
from sparring.errors import ConnectionFailed
from sparring.records.redaction import redact

_PACKET_BYTES = 65536
_ANSWER_S = 10.0
_POLL_S = 0.3
_ALONE = {"OPENBLAS_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"}
"""What keeps imports from starting threads; for the template only."""
_NO_PORT = 0


class ForkUnavailable(Exception):
    """Why an agent is not forked; the text is the end of a sentence about it."""


class Template:
    """A process that has imported an agent's modules, and forks agents: a ``Starter``."""

    def __init__(self, spawn: Spawn, guard: Guard, log: Path):
        """Prepare; ``open`` starts it.

        Args:
            spawn: The agent's command.
            guard: What ends the template if we cannot.
            log: Where goes what is printed while modules are imported.
        """
        self._spawn = spawn
        self._guard = guard
        self._output = Output(log)
        self._token = guard.token()
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.setblocking(False)
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._said_ready: asyncio.Future[str | None] = _future()
        self._asked: dict[str, asyncio.Future[Child]] = {}
        self._exits: dict[int, asyncio.Future[int | None]] = {}

    @classmethod
    async def open(
        cls, spawn: Spawn, environment: Mapping[str, str], guard: Guard, log: Path
    ) -> Self:
        """Start a template and wait until it can fork.

        Raises:
            ForkUnavailable: If the agent cannot be forked, and why; nothing is left behind.
        """
        if sys.platform != "linux":
            raise ForkUnavailable("that needs Linux")
        order = _order(spawn, environment)
        template = cls(spawn, guard, log)
        try:
            await template._start(order, environment)
        except BaseException:
            await template.close()
            raise
        return template

    async def start(self, port: int, token: str, output: int) -> Child:
        """Fork an agent.

        Raises:
            ConnectionFailed: If the template is gone.
        """
        argv = _argv(self._spawn, port)
        answer = self._asked[token] = _future()
        try:
            request = json.dumps({"argv": argv, "token": token}).encode()
            socket.send_fds(self._ours, [request], [output])
            async with asyncio.timeout(_ANSWER_S):
                return await answer
        except (OSError, TimeoutError) as error:
            raise ConnectionFailed("the process that agents are forked from is gone") from error
        finally:
            del self._asked[token]

    async def close(self) -> None:
        """End it; agents that it forked must have been stopped before."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})
        self._ours.close()
        self._theirs.close()
        if self._process is not None:
            await end(self._token, {self._process.pid})
            await self._process.wait()
            self._guard.forget(self._process.pid)
        self._output.close()

    async def _start(self, order: dict[str, Any], environment: Mapping[str, str]) -> None:
        order = {**order, "control": self._theirs.fileno()}
        own = {**self._spawn.env, **_ALONE}
        writing = await self._output.open_pipe()
        try:
            self._process = await asyncio.create_subprocess_exec(
                self._spawn.python,
                *order.pop("flags"),
                fork_template.__file__,
                json.dumps(order),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                cwd=self._spawn.cwd,
                env=agent_environment(environment, own, self._token),
                pass_fds=[self._theirs.fileno()],
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ForkUnavailable(redact(f"its Python cannot be started ({error})")) from error
        finally:
            os.close(writing)
        self._theirs.close()
        self._guard.watch(self._process.pid)
        self._reading = asyncio.create_task(self._read())
        odd = await self._why_not()
        if odd is not None:
            raise ForkUnavailable(redact(odd))

    async def _why_not(self) -> str | None:
        """Wait for the imports; what speaks against forking, None if nothing does."""
        deadline = time.monotonic() + self._spawn.ready_timeout_s
        guarded = 'is `if __name__ == "__main__":` missing?'
        while not self._said_ready.done():
            await asyncio.wait({self._said_ready}, timeout=_POLL_S)
            if time.monotonic() > deadline:
                return (
                    f"its imports do not end within {self._spawn.ready_timeout_s:g} s ({guarded})"
                )
            if await asyncio.to_thread(ports.listens_anywhere, self._token):
                return f"it listens while it is imported ({guarded})"
        return self._said_ready.result()

    async def _read(self) -> None:
        """Take what the template says until it is gone."""
        loop = asyncio.get_running_loop()
        while packet := await _receive(loop, self._ours):
            self._take(json.loads(packet))
        _set(self._said_ready, f"its imports end the process:\n{self._output.last_lines()}")
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ConnectionResetError())
        for exited in self._exits.values():
            _set(exited, None)  # Its forks may well live on, but nobody will tell us their codes.

    def _take(self, said: dict[str, Any]) -> None:
        match said:
            case {"ready": True}:
                _set(self._said_ready, None)
            case {"odd": str(why)}:
                _set(self._said_ready, why)
            case {"forked": int(pid), "token": str(token)}:
                fork = _Fork(pid, self._exits.setdefault(pid, _future()))
                if token in self._asked:
                    _set(self._asked[token], fork)
            case {"exited": int(pid), "code": int(code)}:
                _set(self._exits.pop(pid), code)
            case _:
                raise AssertionError(f"not said by a template: {said}")


class _Fork:
    """One forked agent: a ``Child``."""

    def __init__(self, pid: int, exited: asyncio.Future[int | None]):
        self.pid = pid
        self._exited = exited

    async def wait(self) -> int | None:
        return await asyncio.shield(self._exited)


def _order(spawn: Spawn, environment: Mapping[str, str]) -> dict[str, Any]:
    """What a template is told, but for its socket; ``flags`` are for its interpreter.

    Raises:
        ForkUnavailable: If the command is not plainly a Python script or module.
    """
    tokens = spawn.tokens()
    flags = [token for token in tokens[1:2] if token == "-u"]
    what = tokens[1 + len(flags) :]
    module = what[:1] == ["-m"] and len(what) > 1
    if tokens[0] not in ("{python}", spawn.python) or not (module or what[:1] == ["{bot}"]):
        raise ForkUnavailable(
            f"the command {spawn.command!r} is neither {{python}} {{bot}} … "
            "nor {python} -m module …"
        )
    agent_has = {**environment, **spawn.env}
    return {
        "flags": flags,
        "module": module,
        "target": spawn.put_in(what[1] if module else what[0], _NO_PORT),
        "argv": _argv(spawn, _NO_PORT),
        "token": VARIABLE,
        "restore": {name: agent_has.get(name) for name in _ALONE},
    }


def _argv(spawn: Spawn, port: int) -> list[str]:
    """What the agent finds in ``sys.argv``."""
    argv = spawn.argv(port)[1:]
    while argv[0] in ("-u", "-m"):
        argv = argv[1:]
    return argv


async def _receive(loop: asyncio.AbstractEventLoop, control: socket.socket) -> bytes:
    try:
        return await loop.sock_recv(control, _PACKET_BYTES)
    except ConnectionError:
        return b""


def _set(future: "asyncio.Future[Any]", value: object) -> None:
    if not future.done():
        future.set_result(value)


def _future() -> "asyncio.Future[Any]":
    return asyncio.get_running_loop().create_future()
