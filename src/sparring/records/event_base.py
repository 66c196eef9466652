"""What all events have in common."""

from pydantic import BaseModel, ConfigDict


class EventBase(BaseModel):
    """Something that happened in a call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: float
    """Seconds since the call began to connect, stamped on arrival or on sending."""
