"""The eval WebSocket: how an unchanged Pipecat agent on the stock dev runner is reached."""

import asyncio
import ipaddress
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidStatus,
    InvalidURI,
)

from sparring.agents import rtvi
from sparring.agents.connection import SessionOptions, ToAgent
from sparring.errors import ConnectionFailed, UsageError
from sparring.records import AgentEvent, CallClock
from sparring.records import events as ev

MAX_MESSAGE_BYTES = 64 * 2**20
"""An agent's tool results may be large; beyond this the message is refused."""
_CLOSE_TIMEOUT_S = 2.0


_HOST = re.compile(r"[^\s/?#@:]+|\[[0-9a-fA-F:.]+(%\w+)?\]")


def check_url(url: str) -> str:
    """The URL, if it can be one of an agent.

    Raises:
        UsageError: If it is not, saying what it should look like.
    """
    try:
        parts = urlsplit(url)
        address = parts.netloc.rpartition("@")[2]
        host = address.removesuffix(f":{parts.port}" if parts.port is not None else ":")
        valid = _is_host(host) and parts.port != 0
    except ValueError:
        valid, parts = False, urlsplit("")
    if valid and parts.scheme in ("ws", "wss") and url.isprintable() and not parts.fragment:
        return url
    swapped = {"http": "ws", "https": "wss"}.get(parts.scheme)
    if valid and parts.fragment:
        hint = "The part after # would never reach the agent: leave it out."
    elif valid and swapped:
        hint = f"Did you mean {without_secrets(urlunsplit(parts._replace(scheme=swapped)))}?"
    else:
        hint = "It should look like ws://localhost:7860/ws."
    raise UsageError(f"{without_secrets(url)!r} is not the URL of an agent. {hint}")


def _is_host(host: str) -> bool:
    """Whether it can be a host's name or address, as DNS would have it."""
    if not _HOST.fullmatch(host):
        return False
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


class EvalWebSocket:
    """A session with a Pipecat agent over its eval transport."""

    def __init__(self, url: str, label: str | None = None):
        """Prepare a session; nothing is opened yet.

        Args:
            url: The agent's WebSocket, such as ``ws://localhost:7860/ws``.
            label: How reports call the agent; by default its URL.

        Raises:
            UsageError: If the URL cannot be one of an agent.
        """
        self._address = check_url(url)
        self.url = without_secrets(url)
        self.label = label or self.url
        self._socket: ClientConnection | None = None
        self._clock = CallClock()
        self._options = SessionOptions()
        self._sent = 0

    async def open(self, clock: CallClock, options: SessionOptions) -> None:
        """Connect and send the messages that begin a session."""
        self._clock, self._options = clock, options
        address = _with_flags(self._address, options)
        try:
            self._socket = await connect(
                address,
                open_timeout=options.connect_timeout_s,
                close_timeout=_CLOSE_TIMEOUT_S,
                # A busy agent may be too slow to answer pings; silence has a cap of its own.
                ping_interval=None,
                max_size=MAX_MESSAGE_BYTES,
                compression=None,
                user_agent_header="sparring",
                # A proxy that the environment names is for the world outside.
                proxy=None if _is_local(address) else True,
            )
        except InvalidStatus as error:
            raise ConnectionFailed(_refusal(self.url, error.response.status_code)) from error
        except TimeoutError as error:
            raise ConnectionFailed(
                f"{self.url} accepted the connection but did not answer the WebSocket handshake "
                f"within {options.connect_timeout_s:g} s"
            ) from error
        except OSError as error:
            raise ConnectionFailed(_unreachable(self.url, error)) from error
        except (InvalidHandshake, InvalidURI, EOFError) as error:
            raise ConnectionFailed(
                f"{self.url} does not speak WebSocket ({_innermost(error)})"
            ) from error
        with suppress(ConnectionClosed):  # ``events`` tells with which code and reason.
            for message in rtvi.opening_messages(options):
                await self._socket.send(message)

    async def send(self, message: ToAgent) -> None:
        """Send a message; dropped if the agent has left."""
        if self._socket is None:
            return
        with suppress(ConnectionClosed):  # The agent's leaving is on its way as an event.
            await self._socket.send(rtvi.encode(message, id=self._next_id()))

    async def events(self) -> AsyncIterator[AgentEvent]:
        """The agent's events; ends with ``Closed`` or ``Unreadable``."""
        if self._socket is None:
            return
        decoder = rtvi.Decoder()
        try:
            while True:
                raw = await self._socket.recv()
                event = decoder.decode(raw, at=self._clock.now())
                if event is not None:
                    yield event
                if isinstance(event, ev.Unreadable):
                    return
        except ConnectionClosed as error:
            yield self._closed(error)

    async def close(self) -> None:
        """Cancel the agent's pipeline, unless its own handler shall do that, and close."""
        socket, self._socket = self._socket, None
        if socket is None:
            return
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                if not self._options.trigger_disconnect:
                    await socket.send(rtvi.cancel_message(id=self._next_id()))
                await socket.close()
        except (ConnectionClosed, TimeoutError):
            pass  # It is closed, or the agent is too stuck to say so.
        finally:
            socket.transport.abort()

    def _closed(self, error: ConnectionClosed) -> ev.Closed:
        at = self._clock.now()
        if error.rcvd is not None:
            return ev.Closed(at=at, code=error.rcvd.code, reason=error.rcvd.reason)
        if error.sent is not None:  # We refused what it sent, a message beyond the limit say.
            return ev.Closed(at=at, code=error.sent.code, reason=error.sent.reason)
        return ev.Closed(at=at, code=1006)

    def _next_id(self) -> str:
        self._sent += 1
        return str(self._sent)


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _with_flags(url: str, options: SessionOptions) -> str:
    """The URL with its session flags, which agents before pipecat 1.13 read from there."""
    flags = {
        "skip_tts": options.skip_tts,
        "capture_bot_audio": options.capture_bot_audio,
        "capture_bot_images": options.capture_bot_images,
        "trigger_disconnect": options.trigger_disconnect,
    }
    query = urlencode({key: "true" for key, on in flags.items() if on})
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, query)))))


def without_secrets(url: str) -> str:
    """The URL as it may be shown: no password, no query values that could be a token."""
    try:
        parts = urlsplit(url)
    except ValueError:  # What is no URL may hold a password all the same.
        return re.sub(r"[^/@]*@", "", url)
    host = parts.netloc.rpartition("@")[2]
    query = "&".join(f"{quote(key)}=…" for key, _ in parse_qsl(parts.query))
    return urlunsplit(parts._replace(netloc=host, query=query))


def _refusal(url: str, status: int) -> str:
    if status == 403:
        return (
            f"{url} refused the connection (HTTP 403): on pipecat's dev runner the path is /ws, "
            "and a runner with --ws-auth wants its token in the URL"
        )
    return f"{url} refused the connection (HTTP {status})"


def _unreachable(url: str, error: OSError) -> str:
    if isinstance(error, ssl.SSLError) or (
        url.startswith("wss:") and isinstance(error, ConnectionResetError)
    ):
        return (
            f"{url} does not speak TLS, or not with a certificate that is trusted here "
            f"({_innermost(error)}): the URL of an agent without TLS begins with ws://"
        )
    cause = error.strerror or str(error) or type(error).__name__
    return f"nothing answers at {url} ({cause}): is the agent running?"


def _innermost(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__
