"""The demo agent, and a bare client that speaks the eval wire to it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from support.demo_agent import PATIENCE_S, AgentProcess, start_agent


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
