"""Who is on our end of the call: one small protocol.

A caller hears the conversation so far and says what it does next. It keeps no transcript of its
own and knows nothing of wires: asked again about the same conversation, it may be asked because the
agent went on talking before the first answer was out, so an answer is only *said* once it shows up
in the conversation as the caller's own turn.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sparring.records import CallerIdentity, Turn


@dataclass(frozen=True)
class Words:
    """A piece of what the caller says; pieces join without a separator."""

    text: str


@dataclass(frozen=True)
class HangUp:
    """The caller hangs up once its words, if any, have been answered."""

    success: bool
    """The caller's own claim; it decides nothing."""
    reason: str


@dataclass(frozen=True)
class Wait:
    """The caller says nothing now and lets the agent go on."""

    reason: str


@dataclass(frozen=True)
class Thought:
    """Why the caller does what it does, for the log."""

    text: str


@dataclass(frozen=True)
class Writing:
    """The caller is at work: a token, say, of a reply that is not whole yet."""


@dataclass(frozen=True)
class Delayed:
    """The caller's service asked for patience."""

    why: str


@dataclass(frozen=True)
class Spent:
    """Tokens that a request of the caller's took; None where its service does not say."""

    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True)
class Mended:
    """A fault of the caller's that was mended before it did harm."""

    fault: str


@dataclass(frozen=True)
class Broke:
    """A fault of the caller's that cannot be mended: the run says nothing about the agent."""

    fault: str
    text: str
    """What it would have said."""


Move: TypeAlias = Words | HangUp | Wait | Thought | Writing | Delayed | Spent | Mended | Broke


class Caller(Protocol):
    """Hears turns, answers turns, hangs up."""

    @property
    def identity(self) -> CallerIdentity:
        """Who it is, for the record."""
        ...

    def answer(self, turns: Sequence[Turn]) -> AsyncIterator[Move]:
        """What the caller does after these turns.

        Args:
            turns: The conversation so far, turns with words only; empty if the caller opens it.
                The last one is the agent's, save that the caller opens a call.

        Raises:
            CallerError: If it cannot go on.
        """
        ...
