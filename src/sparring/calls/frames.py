"""The frames that travel through a call's pipeline, besides pipecat's own."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipecat.frames.frames import ControlFrame, DataFrame

from sparring.agents import ToAgent
from sparring.callers import HangUp, Wait
from sparring.records import AgentEvent, Turn


@dataclass
class AgentEventFrame(DataFrame):
    """Something the agent told us, on its way from the transport to whoever takes turns."""

    event: AgentEvent


@dataclass
class CueFrame(DataFrame):
    """The caller's cue: the agent has said its piece, and here is the conversation.

    It travels on ahead of the reply, so that whoever handles the reply knows which cue it answers.
    Dropping a reply cannot be left to an interruption alone, which overtakes frames still queued.
    """

    number: int
    turns: Sequence[Turn]


@dataclass
class CallerMoveFrame(ControlFrame):
    """What a reply holds besides words: a hang-up, or the choice to wait."""

    move: HangUp | Wait


@dataclass
class InputFrame(DataFrame):
    """A script's turn, on its way to the agent."""

    messages: Sequence[ToAgent]


@dataclass
class ReplyFrame(DataFrame):
    """A caller's whole reply, on its way to the agent."""

    cue: int
    text: str
    hang_up: HangUp | None = None
    unsent: bool = False
    """The caller's turns are used up: its words are recorded, and not sent."""
