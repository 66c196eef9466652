"""The seam between a call and an agent, however the agent is reached.

A call knows nothing of sockets: it opens an ``AgentConnection``, sends it messages and takes typed
events from it. The eval WebSocket is one implementation; whatever else can carry a conversation
(a chat endpoint, a session in this process, the fakes of the tests) is another.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from sparring.records import AgentEvent, CallClock


@dataclass(frozen=True)
class SendText:
    """The caller's words, as text."""

    text: str
    audio_response: bool = False
    """Whether the agent should speak its answer."""


@dataclass(frozen=True)
class SendDTMF:
    """Keys that the caller presses, all at once."""

    keys: str


@dataclass(frozen=True)
class SetImage:
    """What the agent is given from now on when it asks for an image."""

    name: str
    """What the record calls it."""
    data: bytes
    """The file's content."""
    format: str
    """Its media type, such as image/jpeg."""


@dataclass(frozen=True)
class SendAudio:
    """A piece of the caller's sound, at the pace of time: 16-bit little-endian mono PCM."""

    pcm: bytes
    sample_rate: int
    """Hertz."""


@dataclass(frozen=True)
class SetContext:
    """Messages that the agent's context starts from, in place of its own."""

    messages: Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Configure:
    """What the agent should report about itself."""

    function_calls: str = "full"
    """How much of each tool call: ``none`` | ``name`` | ``arguments`` | ``full``."""
    vad: bool = False
    """Report when its voice activity detection hears the caller."""
    markers: bool = False
    """Report the turn-completion markers that its LLM writes."""


ToAgent: TypeAlias = SendText | SendAudio | SendDTMF | SetImage | SetContext | Configure


@dataclass(frozen=True)
class SessionOptions:
    """What a session asks of the agent when it begins."""

    skip_tts: bool = True
    """The agent shall not speak: its words are taken as text."""
    capture_bot_audio: bool = False
    capture_bot_images: bool = False
    trigger_disconnect: bool = False
    """Close without cancelling first, so that the agent's own disconnect handler runs."""
    connect_timeout_s: float = 10.0


class AgentConnection(Protocol):
    """One session with an agent."""

    @property
    def label(self) -> str:
        """How the agent is called in reports."""
        ...

    @property
    def url(self) -> str:
        """Where the agent is reached, without credentials."""
        ...

    async def open(self, clock: CallClock, options: SessionOptions) -> None:
        """Connect and ask for a session; the agent's ``Ready`` comes as an event.

        Raises:
            ConnectionFailed: If the agent cannot be reached; its text is the cause.
        """
        ...

    async def send(self, message: ToAgent) -> None:
        """Send a message. What is sent after the agent has left is dropped."""
        ...

    def events(self) -> AsyncIterator[AgentEvent]:
        """Everything the agent says, stamped on arrival; the last is a ``Closed``.

        An ``Unreadable`` is followed by nothing more.
        """
        ...

    async def close(self) -> None:
        """End the session, in bounded time; safe to call at any moment and more than once."""
        ...
