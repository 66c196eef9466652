"""The record of a call: who called whom with what, and everything that happened.

A record is complete by itself: it carries the scenario's definition, so it can be scored again at
any time without the agent, and without the scenario's file.
"""

from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sparring.records.conversation import Conversation
from sparring.records.events import Ended, Event, Ready, Soundtrack
from sparring.records.judgement import Judgement
from sparring.records.kinds import AGENTS_FAULT

RECORD_SCHEMA = 1
"""Version of the record's file format; a later one still reads this."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScenarioIdentity(_Part):
    """The scenario that was played."""

    name: str
    """Full name: ``file name/scenario name``, or the one name of a single-scenario file."""
    file: str | None = None
    hash: str
    """Hash of the definition's content; two runs with the same hash asked the same."""
    definition: dict[str, Any]


class AgentIdentity(_Part):
    """The agent that was called."""

    label: str
    url: str


class CallerIdentity(_Part):
    """Who was on our end."""

    service: str
    """``agenda`` for the deterministic caller."""
    model: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    prompt_version: str | None = None


class Header(_Part):
    """What is known of a call before it begins."""

    schema_version: Literal[1] = RECORD_SCHEMA
    scenario: ScenarioIdentity
    agent: AgentIdentity
    caller: CallerIdentity
    attempt: int = 1
    """From 1."""
    seed: int
    """This attempt's own seed."""
    started_at: datetime
    """Wall clock (UTC) at the call clock's zero."""
    versions: dict[str, str] = Field(default_factory=dict)
    timed: bool = True
    """Whether events carry times; a conversation file has none."""


class Record(Header):
    """A call, whole: its header and its events in the order they happened."""

    events: list[Event]
    judgements: list[Judgement] = Field(default_factory=list[Judgement])
    """What judges said of it; those on an older question stay."""

    @cached_property
    def conversation(self) -> Conversation:
        """The call's turns and tool calls."""
        return Conversation(self.events)

    @property
    def ended(self) -> Ended | None:
        """How the call ended; None for a record that was cut off while it grew."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Ended) else None

    @property
    def broken_by_agent(self) -> bool:
        """Whether the call broke, and it was the doing of an agent that had been ready for it."""
        ended = self.ended
        if ended is None or ended.kind not in AGENTS_FAULT:
            return False
        return any(isinstance(event, Ready) for event in self.events)

    @property
    def soundtrack(self) -> Soundtrack | None:
        """The call's sound; None for a call in text, or one that was cut off."""
        found = (event for event in reversed(self.events) if isinstance(event, Soundtrack))
        return next(found, None)
