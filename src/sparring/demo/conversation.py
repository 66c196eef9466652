"""What an agent knows after a conversation: the messages of a context, folded into one state.

The state is never kept. It is read anew from the context for every decision, so a conversation
that begins in the middle (``context:`` in a scenario) is understood like one that was held.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from sparring.demo.understanding import Heard, Question, understand

Messages = Iterable[Mapping[str, Any]]

_ASKED: tuple[tuple[Question, re.Pattern[str]], ...] = (
    ("offer", re.compile(r"(do|does|would) (that|either|one of)|which .*prefer|\d [ap]m\?", re.I)),
    ("reference", re.compile(r"reference", re.I)),
    ("phone", re.compile(r"phone|number", re.I)),
    ("name", re.compile(r"name", re.I)),
    ("party_size", re.compile(r"how many|people|guests|party", re.I)),
    ("time", re.compile(r"time|when", re.I)),
)


@dataclass(frozen=True)
class Wish:
    """The table the caller wants, as far as it has said so."""

    date: str = "tonight"
    time: str | None = None
    party_size: int | None = None
    name: str | None = None
    phone: str | None = None

    @property
    def missing(self) -> Question | None:
        """What to ask for next."""
        for detail in ("party_size", "time", "name", "phone"):
            if getattr(self, detail) is None:
                return detail
        return None

    @property
    def slot(self) -> dict[str, Any]:
        """What availability depends on, as the arguments of ``check_availability``."""
        return {"date": self.date, "time": self.time, "party_size": self.party_size}

    @property
    def booking(self) -> dict[str, Any]:
        """The arguments of ``book_table``."""
        return self.slot | {"name": self.name, "phone": self.phone}


@dataclass(frozen=True)
class ToolResult:
    """A tool call of the context and what came of it; an unusable result is ``None``."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None


@dataclass
class Conversation:
    """All that matters of the messages so far."""

    wish: Wish = field(default_factory=Wish)
    heard: Heard | None = None
    """The caller's last words; ``None`` before the first."""
    news: frozenset[str] = frozenset()
    """The details the caller's last words gave or changed."""
    turns: int = 0
    asked: Question | None = None
    last_result: ToolResult | None = None
    """Set when a tool result is the last message: the agent is still answering."""
    checked: list[ToolResult] = field(default_factory=list[ToolResult])
    booked: dict[str, Any] | None = None
    reference: str | None = None
    changed: bool = False
    """The caller changed its mind about the table that is booked."""
    cancelling: bool = False

    @classmethod
    def of(cls, messages: Messages) -> "Conversation":
        """Read a context's messages."""
        conversation = cls()
        calls: dict[str, tuple[str, dict[str, Any]]] = {}
        for message in messages:
            conversation._read(message, calls)
        return conversation

    def availability(self) -> dict[str, Any] | None:
        """What the last check of the wished slot said; ``None`` if it was never checked."""
        for check in reversed(self.checked):
            if check.arguments == self.wish.slot:
                return check.result
        return None

    @property
    def offers(self) -> list[str]:
        """The free times nearest to a wish that could not be met."""
        return (self.availability() or {}).get("alternatives", [])

    def _read(
        self, message: Mapping[str, Any], calls: dict[str, tuple[str, dict[str, Any]]]
    ) -> None:
        role, text = message.get("role"), _text(message.get("content"))
        if role == "assistant":
            for call in message.get("tool_calls") or ():
                function = call["function"]
                calls[call["id"]] = (function["name"], _json(function["arguments"]) or {})
            if text:
                self.asked, self.last_result = _question(text), None
        elif role == "user":
            self._hear(text)
        elif role == "tool" and (call := calls.get(str(message.get("tool_call_id")))):
            self._learn(ToolResult(*call, _json(text)))

    def _hear(self, text: str) -> None:
        heard = understand(text, self.asked or self.wish.missing)
        if self.asked == "offer" and (chosen := self._accepted(heard)):
            heard = replace(heard, time=chosen)
        given = {
            detail: value
            for detail in ("date", "time", "party_size", "name", "phone")
            if (value := getattr(heard, detail)) is not None
        }
        self.heard, self.news, self.last_result = heard, frozenset(given), None
        self.turns += 1
        self.wish = replace(self.wish, **given)
        # A bare reference answers the question for one, which is only asked in order to cancel.
        self.cancelling = heard.cancel or (self.asked == "reference" and bool(heard.reference))
        if self.booked and any(self.booked.get(key) != value for key, value in given.items()):
            self.changed = True

    def _accepted(self, heard: Heard) -> str | None:
        """The offered time that a yes or "the later one" stands for."""
        offers = self.offers
        if heard.time or not offers:
            return None
        if heard.choice:
            return offers[0 if heard.choice == "first" else -1]
        return offers[0] if heard.yes and len(offers) == 1 else None

    def _learn(self, outcome: ToolResult) -> None:
        self.last_result = outcome
        result = outcome.result
        if result is None:
            return
        if outcome.name == "book_table" and "ref" in result:
            self.booked, self.reference, self.changed = outcome.arguments, result["ref"], False
        elif outcome.name == "cancel_booking" and result.get("cancelled"):
            self.booked = self.reference = None
            if self.cancelling:
                self.wish = Wish()
        elif "available" in result:
            slot = {key: outcome.arguments.get(key) for key in Wish().slot}
            self.checked.append(ToolResult(outcome.name, slot, result))


def _question(said: str) -> Question | None:
    """What the agent's last question was about."""
    questions = re.findall(r"[^.!?]*\?", said)
    if not questions:
        return None
    return next((topic for topic, words in _ASKED if words.search(questions[-1])), None)


def _text(content: object) -> str:
    """The words of a message, whether it is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = cast(list[dict[str, Any]], content)
        return " ".join(part["text"] for part in parts if part.get("type") == "text")
    return ""


def _json(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None
