"""The demo agent as its own process, and a bare client that speaks the eval wire to it."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

REPO = Path(__file__).parents[2]
PATIENCE_S = 30
"""How long to wait for an event before calling it lost; no test depends on the number."""


@dataclass
class AgentProcess:
    """A running demo agent: its process, its address, and all it has printed."""

    process: subprocess.Popen[str]
    port: int
    lines: list[str] = field(default_factory=list)
    _ready: threading.Event = field(default_factory=threading.Event)
    _reader: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"ws://localhost:{self.port}/ws"

    @property
    def output(self) -> str:
        return "".join(self.lines)

    def wait_until_ready(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._ready.wait(PATIENCE_S), self.output
        assert self.process.poll() is None, self.output

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if "Uvicorn running on" in line:
                self._ready.set()
        self._ready.set()  # The output has ended: there is nothing more to wait for.

    def wait(self) -> int:
        """Wait for the process to exit and for the last of its output."""
        code = self.process.wait(PATIENCE_S)
        if self._reader is not None:
            self._reader.join(PATIENCE_S)
        return code

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def start_agent(variant: str | None = None, *python_options: str) -> AgentProcess:
    """Start a demo agent on a free port, in a process group of its own."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, *python_options, "-m", "sparring.demo.agent", "--port", str(port)]
    if variant:
        command += ["--agent", variant]
    agent = AgentProcess(
        subprocess.Popen(
            command,
            cwd=REPO,
            env=os.environ | {"PYTHONPATH": str(REPO / "src")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ),
        port,
    )
    try:
        agent.wait_until_ready()
    except BaseException:
        agent.stop()
        raise
    return agent


@dataclass
class Reply:
    """What the agent did in answer to one line."""

    text: str
    calls: list[dict[str, Any]]
    events: list[tuple[float, dict[str, Any]]]


@dataclass
class Client:
    """One call: sends lines, collects replies."""

    socket: ClientConnection
    greeting: str = ""
    _sent: int = 0

    async def send(self, kind: str, data: dict[str, Any], id: str | None = None) -> None:
        self._sent += 1
        message = {"label": "rtvi-ai", "type": kind, "id": id or str(self._sent), "data": data}
        await self.socket.send(json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE_S):
            return json.loads(await self.socket.recv())

    async def reply(self) -> Reply:
        """Everything up to the end of the next response that has words."""
        reply = Reply("", [], [])
        while True:
            message = await self.receive()
            reply.events.append((time.monotonic(), message))
            if message["type"] == "bot-llm-text":
                reply.text += message["data"]["text"]
            elif message["type"] == "llm-function-call-in-progress":
                reply.calls.append(dict(message["data"]))
            elif message["type"] == "llm-function-call-stopped":
                reply.calls[-1] |= message["data"]
            elif message["type"] == "bot-llm-stopped" and reply.text:
                return reply

    async def speak(self, text: str) -> None:
        options = {"run_immediately": True, "audio_response": False}
        await self.send("send-text", {"content": text, "options": options})

    async def say(self, text: str) -> Reply:
        await self.speak(text)
        return await self.reply()

    async def set_context(self, *messages: dict[str, Any]) -> None:
        await self.send("client-message", {"t": "eval-context", "d": {"messages": list(messages)}})

    async def hang_up(self) -> None:
        await self.send("client-message", {"t": "eval-cancel", "d": {}})
        await self.socket.close()


@asynccontextmanager
async def calling(agent: AgentProcess) -> AsyncIterator[Client]:
    """Connect as an eval harness does, and hear the greeting."""
    async with connect(agent.url, max_size=None) as websocket:
        client = Client(websocket)
        flags = {"skip_tts": True, "capture_bot_audio": False, "capture_bot_images": False}
        await client.send("client-message", {"t": "eval-connect", "d": flags}, "eval-connect")
        await client.send("client-ready", {"version": "2.2.0", "about": {"library": "test"}})
        # The greeting may begin before the agent is ready and end after it, or the reverse.
        seen: set[str] = set()
        while not seen >= {"bot-ready", "bot-llm-stopped"}:
            message = await client.receive()
            seen.add(message["type"])
            if message["type"] == "bot-llm-text":
                client.greeting += message["data"]["text"]
        levels = {"function_call_report_level": {"*": "full"}}
        await client.send("client-message", {"t": "eval-configure", "d": levels})
        yield client
        await client.hang_up()


@pytest.fixture(scope="session")
def good_agent() -> Iterator[AgentProcess]:
    """One good agent for all tests; every call is a session of its own."""
    # Deprecations are to be printed, wherever they come from, so that a test can look for ours.
    agent = start_agent(None, "-W", "default::DeprecationWarning")
    yield agent
    agent.stop()


@pytest.fixture
def agent_of() -> Iterator[Callable[[str], AgentProcess]]:
    """Start agents by the name of their variant; they end with the test."""
    started: list[AgentProcess] = []

    def start(variant: str) -> AgentProcess:
        started.append(start_agent(variant))
        return started[-1]

    yield start
    for agent in started:
        agent.stop()


@pytest.fixture
def call() -> Callable[[AgentProcess], Any]:
    """How to call an agent, as an async context manager that gives the client."""
    return calling
