"""FakeAgent: a WebSocket server that speaks the agent's side of the eval wire from a script.

It knows nothing of sparring and nothing of pipecat: what it sends and takes is the wire itself, so
it can be any agent, of any version, with any misbehaviour, and with exact timings.

A script is an async function of one ``Session``::

    async def script(session):
        await session.ready()
        await session.say("Hello, how can I help?")
        assert await session.hear() == "Hi."
        await session.tool("book_table", {"party_size": 2}, result={"ref": "R-1"})
        await session.say("All set.")
"""

import asyncio
import json
import re
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

LABEL = "rtvi-ai"


class ClientLeftError(Exception):
    """Raised in a script when the client has left; the server takes it for a normal end."""


@dataclass
class Received:
    """A message from the client and when it came (monotonic seconds)."""

    at: float
    message: dict[str, Any]

    @property
    def type(self) -> str:
        """The message's type; a client-message goes by its own."""
        data = self.message.get("data") or {}
        return data["t"] if self.message["type"] == "client-message" else self.message["type"]

    @property
    def payload(self) -> Any:
        """The message's data; a client-message's own."""
        data = self.message.get("data") or {}
        return data.get("d") if self.message["type"] == "client-message" else data


@dataclass
class Session:
    """One connection, as a script sees it."""

    socket: ServerConnection
    received: list[Received] = field(default_factory=list[Received])
    query: dict[str, str] = field(default_factory=dict[str, str])
    cancelled: bool = False
    close_code: int | None = None
    audio_messages: int = 0
    _texts: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue[str | None])
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _left: bool = False
    _ids: int = 0

    # --- taking in ---------------------------------------------------------------------------

    async def ready(self, **data: Any) -> None:
        """Wait for the client's opening messages and answer that the agent is ready."""
        await self.wait_for("client-ready")
        capabilities = {"audio_in": True, "audio_out": True, "metrics": True}
        about = {"library": "fake-agent", "library_version": "1.14.0"}
        payload = {"version": "2.2.0", "about": about, "capabilities": capabilities, **data}
        await self.send("bot-ready", payload, id="client-ready")

    async def wait_for(self, type: str) -> Received:
        """Wait until a message of this type has come, now or before."""
        async with self._news:
            await self._news.wait_for(lambda: self._left or self._find(type))
        found = self._find(type)
        if found is None:
            raise ClientLeftError
        return found

    async def hear(self) -> str:
        """The next text of the caller, answered with what the real agent sends at once."""
        text = await self._texts.get()
        if text is None:
            raise ClientLeftError
        await self.send("bot-interrupted")
        await self.send("user-input", {"text": text, "input_type": "chat", "final": True})
        await self.send("user-llm-text", {"text": text})
        return text

    async def hang(self) -> None:
        """Do nothing more until the client leaves."""
        async with self._news:
            await self._news.wait_for(lambda: self._left)
        raise ClientLeftError

    @property
    def context(self) -> list[dict[str, Any]] | None:
        """The messages of an eval-context, if one came."""
        found = self._find("eval-context")
        return found.payload["messages"] if found else None

    def _find(self, type: str) -> Received | None:
        return next((item for item in self.received if item.type == type), None)

    # --- saying ------------------------------------------------------------------------------

    async def send(self, type: str, data: Any = None, **more: Any) -> None:
        """Send any message."""
        message = {"label": LABEL, "type": type, **more}
        if data is not None:
            message["data"] = data
        await self.raw(json.dumps(message))

    async def raw(self, message: str | bytes) -> None:
        """Send anything at all."""
        try:
            await self.socket.send(message)
        except ConnectionClosed:
            raise ClientLeftError from None

    async def start(self) -> None:
        """Begin an LLM response."""
        await self.send("bot-llm-started")

    async def token(self, text: str) -> None:
        """Send a piece of a response."""
        await self.send("bot-llm-text", {"text": text})

    async def stop(self) -> None:
        """End an LLM response."""
        await self.send("bot-llm-stopped")

    async def say(self, text: str, *, delay: float = 0, gap: float = 0) -> None:
        """A whole response, word by word.

        Args:
            text: The words.
            delay: Seconds between its start and its first token.
            gap: Seconds between tokens.
        """
        await self.start()
        await asyncio.sleep(delay)
        for token in re.findall(r"\s*\S+", text):
            await self.token(token)
            await asyncio.sleep(gap)
        await self.stop()

    async def tool(
        self,
        name: str,
        args: dict[str, Any],
        *,
        result: Any = None,
        cancelled: bool = False,
        took: float = 0,
        id: str | None = None,
    ) -> None:
        """A response that calls a tool, and the call's end after ``took`` seconds."""
        id = await self.tool_open(name, args, id=id)
        await asyncio.sleep(took)
        data = {"tool_call_id": id, "function_name": name, "cancelled": cancelled}
        await self.send("llm-function-call-stopped", {**data, "result": result})

    async def tool_open(self, name: str, args: dict[str, Any], *, id: str | None = None) -> str:
        """A response that calls a tool which does not end; gives the call's id."""
        self._ids += 1
        id = id or f"call_{self._ids}"
        await self.start()
        await self.send("llm-function-call-started", {"function_name": name})
        await self.stop()
        data = {"tool_call_id": id, "function_name": name, "arguments": args}
        await self.send("llm-function-call-in-progress", data)
        return id

    async def speak(self, text: str) -> None:
        """A line that the TTS says without the LLM."""
        await self.send("bot-tts-started")
        await self.send("bot-started-speaking")
        await self.send("bot-tts-text", {"text": text})
        await self.send("bot-tts-stopped")
        await self.send("bot-stopped-speaking")

    async def error(self, error: str, fatal: bool = True) -> None:
        """Report an error."""
        await self.send("error", {"error": error, "fatal": fatal})

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Hang up."""
        await self.socket.close(code, reason)
        raise ClientLeftError

    async def abort(self) -> None:
        """Break the connection without a close frame, as a dying process does."""
        raw = self.socket.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.transport.abort()
        raise ClientLeftError

    # --- the server's part -------------------------------------------------------------------

    async def _take(self) -> None:
        try:
            async for raw in self.socket:
                await self._took(json.loads(raw))
        except ConnectionClosed:
            pass
        self.close_code = self.socket.close_code
        self._texts.put_nowait(None)
        async with self._news:
            self._left = True
            self._news.notify_all()

    async def _took(self, message: dict[str, Any]) -> None:
        received = Received(time.monotonic(), message)
        if received.type == "raw-audio":
            self.audio_messages += 1
            return
        async with self._news:
            self.received.append(received)
            self._news.notify_all()
        if received.type == "send-text":
            self._texts.put_nowait(received.payload["content"])
        self.cancelled |= received.type == "eval-cancel"


Script = Callable[[Session], Awaitable[None]]


class FakeAgent:
    """Serves every connection with a script, until its ``with`` is left."""

    def __init__(self, script: Script, *, status: int | None = None):
        """Prepare to serve.

        Args:
            script: What every session does.
            status: Refuse every connection with this HTTP status.
        """
        self._script = script
        self._status = status
        self._faults: list[Exception] = []
        self._server: Server | None = None
        self.sessions: list[Session] = []
        self.url = ""

    @property
    def texts(self) -> list[str]:
        """What callers said, in all sessions."""
        return [
            item.payload["content"]
            for session in self.sessions
            for item in session.received
            if item.type == "send-text"
        ]

    async def __aenter__(self) -> Self:
        self._server = await serve(
            self._serve, "127.0.0.1", 0, process_request=self._admit, close_timeout=1, max_size=None
        )
        port = next(iter(self._server.sockets)).getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/ws"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()
        if self._faults and error is None:
            raise self._faults[0]

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        if self._status is not None:
            return connection.respond(HTTPStatus(self._status), "refused\n")
        if urlsplit(request.path).path != "/ws":
            return connection.respond(HTTPStatus.FORBIDDEN, "no such route\n")
        return None

    async def _serve(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        query = dict(parse_qsl(urlsplit(connection.request.path).query))
        session = Session(connection, query=query)
        self.sessions.append(session)
        taking = asyncio.create_task(session._take())
        try:
            await self._script(session)
            await session.hang()
        except ClientLeftError:
            pass
        except Exception as error:  # Raised where the test is, so that it cannot pass over it.
            self._faults.append(error)
            await connection.close(1011, "the script failed")
        await taking


def replies(*texts: str) -> Script:
    """A script that greets with the first text and answers each caller turn with the next."""

    async def script(session: Session) -> None:
        await session.ready()
        for text in texts:
            await session.say(text)
            await session.hear()
        await session.hang()

    return script


async def silent(session: Session) -> None:
    """A script that gets ready and never says a word."""
    await session.ready()
    await session.hang()


async def polite_booking(session: Session) -> None:
    """A script for a good booking of four caller turns."""
    await session.ready()
    await session.say("Hello, how can I help?")
    await session.hear()
    await session.tool("check_availability", {"time": "18:00"}, result={"available": True})
    await session.say("Could I get a name?")
    await session.hear()
    await session.say("And a phone number?")
    await session.hear()
    await session.tool("book_table", {"party_size": 2, "time": "18:00"}, result={"ref": "R-1"})
    await session.say("You're all set: a table for two at 6 PM.")
    await session.hear()
    await session.say("Goodbye!")
