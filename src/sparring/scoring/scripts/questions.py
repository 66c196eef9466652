"""What a judge is asked about a script's expectations.

A question is about one reply, or one tool call, and shows the conversation up to it. Its hash is of
all that: the verdict on it holds for the same conversation, however it is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from sparring.records import Conversation, ToolCall
from sparring.records.json_text import json_of_data
from sparring.records.redaction import redact
from sparring.scenarios import Expectation
from sparring.scoring.question import digest, lines_of
from sparring.scoring.scripts.sightings import Sightings


@dataclass(frozen=True)
class Question:
    """What is to be decided of one expectation."""

    hash: str
    turn: int
    """The turn's place in the script, from 0."""
    criterion: str
    subject: Mapping[str, Any]
    """What it is about: ``{"reply": text}`` or ``{"call": {name, arguments}}``."""
    conversation: str
    """The conversation up to it, a JSON object a line."""
    may_continue: bool
    """Whether ``not_yet`` is an answer."""


def reply_question(
    expectation: Expectation,
    turn: int,
    sightings: Sightings,
    reply: str,
    cut: float,
    may_continue: bool,
) -> Question:
    """Ask about what was said.

    Args:
        expectation: Its ``eval`` is the criterion.
        turn: The turn's place in the script, from 0.
        sightings: The call.
        reply: What was said.
        cut: The judge sees the call up to this moment.
        may_continue: Whether ``not_yet`` is an answer.
    """
    by_agent = not expectation.event.startswith("user_")
    subject = {"reply" if by_agent else "heard": reply}
    return _question(expectation, turn, sightings, subject, cut, may_continue and by_agent)


def call_question(
    expectation: Expectation, turn: int, sightings: Sightings, call: ToolCall
) -> Question:
    """Ask about a tool call; the judge sees what came before it."""
    subject = {"call": {"name": call.name, "arguments": call.args}}
    return _question(expectation, turn, sightings, subject, call.started_at, False)


def _question(
    expectation: Expectation,
    turn: int,
    sightings: Sightings,
    subject: Mapping[str, Any],
    cut: float,
    may_continue: bool,
) -> Question:
    criterion = redact(expectation.eval or "")  # As it is stored, so that it is the same question.
    conversation = _up_to(sightings, cut)
    parts = (instructions(), conversation, json_of_data(subject), criterion, str(may_continue))
    return Question(digest(*parts)[:32], turn, criterion, subject, conversation, may_continue)


def _up_to(sightings: Sightings, cut: float) -> str:
    if cut not in sightings.shown:
        events = (event for event in sightings.events if event.at <= cut)
        sightings.shown[cut] = "\n".join(lines_of(Conversation(events))[0])
    return sightings.shown[cut]


@cache
def instructions() -> str:
    """What every judge of expectations is told."""
    prompts = resources.files("sparring.scoring").joinpath("prompts/expectations.md")
    return prompts.read_text("utf-8")
