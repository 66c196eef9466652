"""The events of a call that is spoken: what the caller said aloud, and the sound as a whole.

The sound of a call has one sample clock. Its first sample is heard at ``began`` on the call clock,
and what is here in milliseconds counts from that sample.
"""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sparring.records.event_base import EventBase

SpokenAction: TypeAlias = Literal["speak", "interrupt", "backchannel"]
Span: TypeAlias = tuple[float, float]


class CallerSpoke(EventBase):
    """The caller has said something aloud, to its end or until it was stopped."""

    type: Literal["caller_spoke"] = "caller_spoke"
    text: str = ""
    turn: int | None = None
    """The turn it is, as in ``caller_said``; None for a backchannel, which is no turn."""
    began: float = 0
    """Call seconds at which its first sample was captured."""
    ended: float = 0
    """Call seconds after its last."""
    action: SpokenAction | None = None
    """What it was meant as; None leaves that to be inferred."""
    stopped: bool = False
    """Its rest was dropped."""


class Lateness(BaseModel):
    """How well we kept time: how late the frames of our clock were, in milliseconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ticks: int = 0
    max_ms: float = 0
    p99_ms: float = 0
    over_20_ms: int = 0
    """How many ticks were later than that."""
    over_60_ms: int = 0
    skipped: int = 0
    """Frames that were left out because their time had passed: never made up by a burst."""
    unsent: int = 0
    """Messages dropped because the agent did not take what we sent."""

    @property
    def overloaded(self) -> bool:
        """Whether time was kept so badly that it could have changed what happened."""
        return self.over_60_ms > 0 or self.p99_ms > 20


class Soundtrack(EventBase):
    """The call's sound, complete: where either side was heard, and where it is kept."""

    type: Literal["soundtrack"] = "soundtrack"
    path: str | None = None
    """The recording, relative to the run directory; None if it was not kept."""
    began: float = 0
    """Call seconds of the first sample."""
    duration_ms: float = 0
    threshold: float = 0
    """The RMS that counts as voiced, in 16-bit units."""
    caller: list[Span] | None = None
    """Where the caller's track is voiced; None for a caller that has no voice."""
    agent: list[Span] | None = None
    """Where the agent's track is voiced; None if its sound was not taken."""
    caller_floor: float = 0
    """The RMS that the quietest tenth of the caller's track stays below."""
    agent_floor: float = 0
    lateness: Lateness = Field(default_factory=Lateness)
