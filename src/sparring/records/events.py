"""Everything that can happen in a call, as typed events on the call's one clock.

An event says what happened and when (``at``: seconds since connect). What the agent told us comes
first, then what our side did. Turns, tool calls and measures are all derived from these; nothing
else is a source of truth. The agent's events follow RTVI (protocol 2.2.0), whose message of the
same name each is made from. The events of spoken calls are in ``sound_events``.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from sparring.records.event_base import EventBase as _Event
from sparring.records.kinds import Ending, Kind, Side
from sparring.records.sound_events import CallerSpoke, Soundtrack

# --- What the agent told us ---------------------------------------------------------------------


class Ready(_Event):
    """The agent is ready for the call (``bot-ready``)."""

    type: Literal["ready"] = "ready"
    version: str | None = None
    """The RTVI version the agent speaks."""
    about: dict[str, Any] = Field(default_factory=dict)
    capabilities: dict[str, Any] = Field(default_factory=dict)


class LLMStarted(_Event):
    """The agent's LLM began a response."""

    type: Literal["llm_started"] = "llm_started"


class LLMText(_Event):
    """A piece of the response; pieces join without a separator."""

    type: Literal["llm_text"] = "llm_text"
    text: str


class LLMStopped(_Event):
    """The response is complete. One that held no words only called a tool."""

    type: Literal["llm_stopped"] = "llm_stopped"


class LLMMarker(_Event):
    """A turn-completion marker the agent's LLM wrote."""

    type: Literal["llm_marker"] = "llm_marker"
    text: str = ""
    kind: str | None = None
    raw: str = ""
    markers: list[str] = Field(default_factory=list[str])


class TTSStarted(_Event):
    """The agent began to synthesize speech."""

    type: Literal["tts_started"] = "tts_started"


class TTSText(_Event):
    """Words the agent's TTS has spoken."""

    type: Literal["tts_text"] = "tts_text"
    text: str


class TTSStopped(_Event):
    """The agent finished synthesizing; its sound may still be playing."""

    type: Literal["tts_stopped"] = "tts_stopped"


class BotOutput(_Event):
    """A segment of the agent's output, spoken or not, as its output transport reports it."""

    type: Literal["bot_output"] = "bot_output"
    text: str = ""
    output_type: str | None = None
    spoken_status: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)


class BotStartedSpeaking(_Event):
    """The agent's sound began."""

    type: Literal["bot_started_speaking"] = "bot_started_speaking"


class BotStoppedSpeaking(_Event):
    """The agent's sound ended."""

    type: Literal["bot_stopped_speaking"] = "bot_stopped_speaking"


class BotInterrupted(_Event):
    """The agent dropped what it was saying. In text, every caller turn brings one about."""

    type: Literal["bot_interrupted"] = "bot_interrupted"


class UserStartedSpeaking(_Event):
    """The agent decided that the caller began a turn."""

    type: Literal["user_started_speaking"] = "user_started_speaking"


class UserStoppedSpeaking(_Event):
    """The agent decided that the caller's turn was over."""

    type: Literal["user_stopped_speaking"] = "user_stopped_speaking"


class VADUserStartedSpeaking(_Event):
    """The agent's voice activity detection heard the caller begin."""

    type: Literal["vad_user_started_speaking"] = "vad_user_started_speaking"


class VADUserStoppedSpeaking(_Event):
    """The agent's voice activity detection heard the caller stop."""

    type: Literal["vad_user_stopped_speaking"] = "vad_user_stopped_speaking"


class UserInput(_Event):
    """What the agent understood the caller to say."""

    type: Literal["user_input"] = "user_input"
    text: str = ""
    input_type: str = "transcription"
    """``transcription`` | ``backchannel`` | ``chat`` (the echo of text we sent)."""
    final: bool = True


class FunctionCallAnnounced(_Event):
    """The agent's LLM asked for a tool; the call itself follows as ``function_call``."""

    type: Literal["function_call_announced"] = "function_call_announced"
    name: str | None = None


class FunctionCall(_Event):
    """A tool call is running. ``name`` and ``args`` are there if the agent reports them."""

    type: Literal["function_call"] = "function_call"
    id: str
    name: str | None = None
    args: dict[str, Any] | None = None


class FunctionCallStopped(_Event):
    """A tool call is over. ``result`` is None where the agent sent none (or a falsy one)."""

    type: Literal["function_call_stopped"] = "function_call_stopped"
    id: str
    name: str | None = None
    cancelled: bool = False
    result: Any = None


class Metrics(_Event):
    """The agent's own measurements (time to first byte, tokens, characters), as it sent them."""

    type: Literal["metrics"] = "metrics"
    data: dict[str, Any] = Field(default_factory=dict)


class BotImage(_Event):
    """The agent put out an image."""

    type: Literal["image"] = "image"
    width: int | None = None
    height: int | None = None
    format: str | None = None


class BotAudio(_Event):
    """A piece of the agent's sound: 16-bit little-endian mono PCM. The samples are not saved."""

    type: Literal["bot_audio"] = "bot_audio"
    sample_rate: int
    """Hertz."""
    samples: int
    """How many samples it holds."""
    audio: bytes = Field(default=b"", exclude=True, repr=False)


class AgentError(_Event):
    """The agent reported an error (RTVI ``error``). A fatal one ended its pipeline."""

    type: Literal["agent_error"] = "agent_error"
    error: str
    fatal: bool = False


class ErrorResponse(_Event):
    """The agent refused one of our messages."""

    type: Literal["error_response"] = "error_response"
    id: str | None = None
    error: str


class ServerMessage(_Event):
    """A message of the agent's own making (RTVI ``server-message`` or ``server-response``)."""

    type: Literal["server_message"] = "server_message"
    data: Any = None


class OtherMessage(_Event):
    """A message whose type we make nothing of, kept as it came."""

    type: Literal["other_message"] = "other_message"
    message_type: str
    data: Any = None


class Unreadable(_Event):
    """Something that is not a message of the protocol. The call cannot go on after it."""

    type: Literal["unreadable"] = "unreadable"
    problem: str
    excerpt: str


class Closed(_Event):
    """The connection closed from the agent's side. No close frame is code 1006."""

    type: Literal["closed"] = "closed"
    code: int | None = None
    reason: str = ""
    process: str | None = None
    """What became of the agent's process and its last lines, if we started it and it is gone."""

    @property
    def clean(self) -> bool:
        """Whether the agent hung up in good order (RFC 6455: normal, going away, no status)."""
        return self.code in (1000, 1001, 1005)


# --- What our side did --------------------------------------------------------------------------


class Connected(_Event):
    """The connection stands; the agent may not be ready yet."""

    type: Literal["connected"] = "connected"
    url: str


class CallerSaid(_Event):
    """The caller's turn, as sent. Turns are counted from 1."""

    type: Literal["caller_said"] = "caller_said"
    turn: int
    text: str
    hanging_up: bool = False
    """The reply carried ``end_call`` too: the caller hangs up once these words are answered."""


class TurnBegan(_Event):
    """The script's next turn begins; what it sends may have to wait (``send_after``)."""

    type: Literal["turn_began"] = "turn_began"
    turn: int
    """Its place in the script, from 1."""


class CallerPressed(_Event):
    """Keys that the caller pressed: a turn of its own."""

    type: Literal["caller_pressed"] = "caller_pressed"
    turn: int
    """The caller's turns are counted from 1, spoken or pressed."""
    keys: str


class CallerShowed(_Event):
    """An image that the agent is given from now on when it asks for one. It is not saved."""

    type: Literal["caller_showed"] = "caller_showed"
    image: str
    """Its path, as the scenario gives it."""
    size: int
    """Bytes."""


class CallerWaited(_Event):
    """The caller chose to say nothing yet and lets the agent go on."""

    type: Literal["caller_waited"] = "caller_waited"
    reason: str


class CallerUnsent(_Event):
    """What the caller would have said, had its turns not been used up. Never sent."""

    type: Literal["caller_unsent"] = "caller_unsent"
    text: str


class EndCall(_Event):
    """The caller hung up. Its claim is advisory; scoring decides."""

    type: Literal["end_call"] = "end_call"
    success: bool
    reason: str


class CallerFailed(_Event):
    """Our caller could not go on."""

    type: Literal["caller_failed"] = "caller_failed"
    error: str


class CallerFault(_Event):
    """Our caller did what a caller does not do (``callers.conduct`` lists the faults)."""

    type: Literal["caller_fault"] = "caller_fault"
    fault: str
    mended: bool
    """Mended before it did harm; if not, the run is invalid."""
    text: str = ""
    """What it would have said."""


class CallerDelayed(_Event):
    """Our caller's service asked for patience (a rate limit, an overload)."""

    type: Literal["caller_delayed"] = "caller_delayed"
    why: str


class CallerSpent(_Event):
    """Tokens that a request of our caller's took; None where its service does not say."""

    type: Literal["caller_spent"] = "caller_spent"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Note(_Event):
    """A decision of ours, in words, for whoever reads the log."""

    type: Literal["note"] = "note"
    text: str


class Ended(_Event):
    """The call is over. Always the last event of a complete record."""

    type: Literal["ended"] = "ended"
    ending: Ending
    kind: Kind | None = None
    """Set when the ending is a fault."""
    reason: str = ""
    owed_by: Side | None = None
    """Who owed the next move when time ran out."""


AgentEvent: TypeAlias = (
    Ready
    | LLMStarted
    | LLMText
    | LLMStopped
    | LLMMarker
    | TTSStarted
    | TTSText
    | TTSStopped
    | BotOutput
    | BotStartedSpeaking
    | BotStoppedSpeaking
    | BotInterrupted
    | UserStartedSpeaking
    | UserStoppedSpeaking
    | VADUserStartedSpeaking
    | VADUserStoppedSpeaking
    | UserInput
    | FunctionCallAnnounced
    | FunctionCall
    | FunctionCallStopped
    | Metrics
    | BotImage
    | BotAudio
    | AgentError
    | ErrorResponse
    | ServerMessage
    | OtherMessage
    | Unreadable
    | Closed
)
"""What an ``AgentConnection`` delivers."""

OwnEvent: TypeAlias = (
    Connected
    | TurnBegan
    | CallerSaid
    | CallerPressed
    | CallerShowed
    | CallerWaited
    | CallerUnsent
    | EndCall
    | CallerFailed
    | CallerFault
    | CallerDelayed
    | CallerSpent
    | CallerSpoke
    | Soundtrack
    | Note
    | Ended
)
"""What our side adds."""

Event: TypeAlias = Annotated[AgentEvent | OwnEvent, Field(discriminator="type")]
"""Any event of a record."""
