"""The agent's end of one eval WebSocket: what came, what went, and who has left.

It knows nothing of sparring and nothing of pipecat: what it sends and takes is the wire itself.
"""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

LABEL = "rtvi-ai"
WAIT_S = 10.0
"""How long a test waits for something before it fails; scripts wait as long as it takes."""

_CLIENT_TYPES = {
    *("client-ready", "client-message", "disconnect-bot", "send-text", "send-file", "dtmf"),
    *("raw-audio", "raw-audio-batch", "llm-function-call-result"),
    *("ui-event", "ui-snapshot", "ui-cancel-job-group"),
}


class ClientLeftError(Exception):
    """Raised in a script when the client has left; the server takes it for a normal end."""


@dataclass(frozen=True)
class Dialect:
    """How agents of one version differ on the wire from those of another."""

    version: str = "1.14.0"
    protocol: str = "2.2.0"
    path: str | None = "/ws"
    """The one path that is served; None serves every path."""
    eval_connect: bool = True
    """The first message has to be an eval-connect; the runner drops everyone else."""
    user_input: bool = True
    user_transcription: bool = True
    vad_repeats: int = 2
    """How often each VAD message is sent; pipecat 1.14 sends it twice."""
    one_client: bool = False
    """A second client is turned away with 1013 while the first is there."""
    ids: bool = False
    """Every message has an id, not only the answers."""
    report_level: str | None = "full"
    """How much tool calls tell, whatever the client configured; None obeys its eval-configure."""


V1_14 = Dialect()
V1_12 = Dialect(
    version="1.12.0",
    protocol="2.1.0",
    path=None,
    eval_connect=False,
    user_input=False,
    one_client=True,
)


@dataclass(frozen=True)
class Message:
    """One message, and when it came or went (monotonic seconds)."""

    at: float
    body: dict[str, Any]
    binary: bool = False

    @property
    def type(self) -> str:
        """The message's type; a client-message goes by its own."""
        return self._inner.get("t", "") if self._is_client_message else self.body.get("type", "")

    @property
    def payload(self) -> Any:
        """The message's data; a client-message's own."""
        return self._inner.get("d") if self._is_client_message else self._inner

    @property
    def id(self) -> str | None:
        """The message's id, if it has one."""
        return self.body.get("id")

    @property
    def _is_client_message(self) -> bool:
        return self.body.get("type") == "client-message"

    @property
    def _inner(self) -> Any:
        return self.body.get("data") or {}


class Wire:
    """One connection: its messages in both directions, and waiting for them."""

    def __init__(
        self,
        socket: ServerConnection,
        dialect: Dialect,
        stopping: asyncio.Event,
        query: dict[str, str],
    ):
        self.socket = socket
        self.dialect = dialect
        self.query = query
        self.received: list[Message] = []
        """What came, without the audio."""
        self.sent: list[Message] = []
        self.garbage: list[str | bytes] = []
        """What came and is no RTVI message; the agent drops it, as the real one does."""
        self.audio_messages = 0
        self.on_audio: Callable[[Message], None] = lambda _: None
        """Told of every message of the caller's sound."""
        self.cancelled = False
        self.close_code: int | None = None
        self.close_reason: str | None = None
        self._stopping = stopping
        self._texts: deque[Message] = deque()
        self._gone = asyncio.Event()
        self._changed = asyncio.Event()

    # --- sending -----------------------------------------------------------------------------

    async def send(self, type: str, data: Any = None, **more: Any) -> None:
        """Send any message.

        Args:
            type: Its RTVI type.
            data: Its data; None leaves the key out.
            more: Further keys beside type and data, such as ``id``, or another ``label``.
        """
        if self.over:
            raise ClientLeftError
        body = {"label": LABEL, "type": type, **more}
        if self.dialect.ids:
            body.setdefault("id", f"agent-{len(self.sent) + 1}")
        if data is not None:
            body["data"] = data
        at = time.monotonic()  # No later than the client can have it.
        await self.raw(json.dumps(body))
        self.sent.append(Message(at, body))

    async def raw(self, message: str | bytes) -> None:
        """Send anything at all, even after an eval-cancel; a str as text, bytes as binary."""
        try:
            await self.socket.send(message)
        except ConnectionClosed:
            raise ClientLeftError from None

    # --- waiting -----------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the client has cancelled or left, so that the agent says nothing more."""
        return self.cancelled or self.gone

    @property
    def gone(self) -> bool:
        """Whether the connection is closed."""
        return self._gone.is_set()

    async def wait_for(self, type: str, count: int = 1) -> Message:
        """Wait until a message of this type has come, now or before.

        Args:
            type: The type; of a client-message, its ``t``.
            count: Which of them, from 1.
        """
        await self._until(lambda: len(self.of_type(type)) >= count)
        return self.of_type(type)[count - 1]

    async def wait_for_audio(self, count: int) -> None:
        """Wait until so many messages of the caller's sound have come."""
        await self._until(lambda: self.audio_messages >= count)

    def of_type(self, type: str) -> list[Message]:
        """The messages of this type that have come so far."""
        return [message for message in self.received if message.type == type]

    async def hang(self) -> None:
        """Do nothing more until the client leaves."""
        await self._until(lambda: False)

    async def wait(self, seconds: float) -> None:
        """Do nothing for so long, or until the client leaves."""
        if seconds > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.hang()
        else:
            await asyncio.sleep(0)

    async def left(self) -> None:
        """For tests: wait until the connection is closed."""
        async with asyncio.timeout(WAIT_S):
            await self._gone.wait()

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            if self.over:
                raise ClientLeftError
            await self._changed.wait()

    def _news(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    # --- taking in ---------------------------------------------------------------------------

    async def take(self) -> None:
        """Take in whatever the client sends, until it has left; the server's part."""
        with suppress(ConnectionClosed):
            async for raw in self.socket:
                await self._took(raw)
        self.close_code, self.close_reason = self.socket.close_code, self.socket.close_reason
        self._gone.set()
        self._news()

    async def _took(self, raw: str | bytes) -> None:
        at = time.monotonic()
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if not isinstance(body, dict) or body.get("label") != LABEL:
            self.garbage.append(raw)
            self._news()
            return
        message = Message(at, body, binary=isinstance(raw, bytes))
        if message.type == "raw-audio":
            self.audio_messages += 1
            self.on_audio(message)
            self._news()
            return
        self.received.append(message)
        if message.type == "send-text":
            self._texts.append(message)
        self.cancelled |= message.type == "eval-cancel"
        self._news()
        if body.get("type") not in _CLIENT_TYPES:
            with suppress(ClientLeftError):
                error = {"error": f"Unsupported type {body.get('type')}"}
                await self.send("error-response", error, id=message.id)
