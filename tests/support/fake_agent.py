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

Whatever it raises, the ``async with`` of the agent raises again, so that no test passes over a
broken script.
"""

import asyncio
import socket
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from support.fake_scripts import (
    Script,
    crashing,
    full,
    never_ready,
    polite_booking,
    replies,
    silent,
)
from support.fake_session import Session
from support.fake_wire import V1_12, V1_14, WAIT_S, ClientLeftError, Dialect, Message

__all__ = [
    "V1_12",
    "V1_14",
    "ClientLeftError",
    "Dialect",
    "FakeAgent",
    "Message",
    "Script",
    "Session",
    "crashing",
    "full",
    "never_ready",
    "polite_booking",
    "replies",
    "silent",
]

_HOST = "127.0.0.1"
_GRACE_S = 0.2
"""What a script has to come to its end by itself after the client has left."""


class FakeAgent:
    """Serves every connection with a script, until its ``with`` is left.

    Attributes:
        url: Where it listens.
        sessions: Every session there was, in the order they began.
        refused: How many connections were turned away.
    """

    def __init__(
        self,
        script: Script = silent,
        *,
        status: int | None = None,
        deaf: bool = False,
        dialect: Dialect = V1_14,
        query: str = "",
        port: int = 0,
    ):
        """Prepare to serve.

        Args:
            script: What every session does.
            status: Refuse every connection with this HTTP status.
            deaf: Take TCP connections and never answer the WebSocket handshake.
            dialect: How an agent of this version speaks.
            query: What the URL ends in, such as ``token=secret``.
            port: Where to listen; by default on any free port.
        """
        self.url = ""
        self.sessions: list[Session] = []
        self.refused = 0
        self._script = script
        self._status = status
        self._dialect = dialect
        self._query = query
        self._port = port
        self._faults: list[BaseException] = []
        self._server: Server | None = None
        self._deaf = deaf
        self._ear: socket.socket | None = None
        self._stopping = asyncio.Event()
        self._joined = asyncio.Condition()

    @property
    def received(self) -> list[Message]:
        """What clients sent, in all sessions, by the time it came."""
        every = (message for session in self.sessions for message in session.received)
        return sorted(every, key=lambda message: message.at)

    @property
    def texts(self) -> list[str]:
        """What callers said, in all sessions, one session after the other."""
        return [
            message.payload["content"]
            for session in self.sessions
            for message in session.of_type("send-text")
        ]

    async def session(self, count: int = 1) -> Session:
        """For tests: wait until so many sessions have begun; gives the last of them."""
        async with asyncio.timeout(WAIT_S), self._joined:
            await self._joined.wait_for(lambda: len(self.sessions) >= count)
        return self.sessions[count - 1]

    async def __aenter__(self) -> Self:
        if self._deaf:
            self._ear = socket.create_server((_HOST, 0))  # Nobody ever takes what comes in.
            port = self._ear.getsockname()[1]
        else:
            self._server = await serve(
                self._serve,
                _HOST,
                self._port,
                process_request=self._admit,
                close_timeout=1,
                max_size=None,
            )
            port = next(iter(self._server.sockets)).getsockname()[1]
        query = f"?{self._query}" if self._query else ""
        self.url = f"ws://{_HOST}:{port}{self._dialect.path or ''}{query}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping.set()
        if self._ear is not None:
            self._ear.close()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        if error is not None:
            for fault in self._faults:
                error.add_note(f"The fake agent's script failed before: {fault!r}")
        elif len(self._faults) == 1:
            raise self._faults[0]
        elif self._faults:
            raise BaseExceptionGroup("the fake agent's scripts failed", self._faults)

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        status, why = self._status, "refused\n"
        if self._dialect.path not in (None, urlsplit(request.path).path):
            status, why = status or HTTPStatus.FORBIDDEN, "no such route\n"
        if status is None:
            return None
        self.refused += 1
        return connection.respond(HTTPStatus(status), why)

    async def _serve(self, connection: ServerConnection) -> None:
        if self._dialect.one_client and not all(session.gone for session in self.sessions):
            self.refused += 1
            await connection.close(1013, "Only one client is allowed")
            return
        assert connection.request is not None
        query = dict(parse_qsl(urlsplit(connection.request.path).query))
        session = Session(connection, self._dialect, self._stopping, query)
        self.sessions.append(session)
        async with self._joined:
            self._joined.notify_all()
        playing = asyncio.create_task(self._play(session))
        try:
            await session.take()
            await asyncio.wait({playing}, timeout=_GRACE_S)
        finally:
            playing.cancel()
            await asyncio.wait({playing})

    async def _play(self, session: Session) -> None:
        try:
            await self._script(session)
            await session.hang()
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # A pytest.fail is no Exception.
            fault = _unless_left(error)
            if fault is not None:
                self._faults.append(fault)
                await session.socket.close(1011, "the script failed")


def _unless_left(error: BaseException) -> BaseException | None:
    """The error, or what remains of a group, if it is not only that the client has left."""
    leaving = (ClientLeftError, ConnectionClosed)
    if isinstance(error, BaseExceptionGroup):
        return error.split(leaving)[1]
    return None if isinstance(error, leaving) else error
