"""What a good agent does next: from the messages of a conversation to one move.

A pure function of the context, as a language model is one. One short question at a time, only for
what is missing; a table is checked before it is promised, and booked before it is confirmed.
"""

from dataclasses import dataclass
from typing import Any, Literal

from sparring.demo import phrases
from sparring.demo.conversation import Conversation, Messages
from sparring.demo.understanding import Question

Topic = Question | Literal["greeting", "booked", "info", "cancelled", "goodbye"]


@dataclass(frozen=True)
class Say:
    """Say something; the topic tells variants what it is about."""

    topic: Topic
    text: str
    pace_s: float = 0.0
    """How long each word takes, in seconds."""


@dataclass(frozen=True)
class Call:
    """Call a tool; its result comes back as the next conversation to decide on."""

    name: str
    arguments: dict[str, Any]


Move = Say | Call


def decide(messages: Messages) -> Move:
    """The next move of an agent that does its job."""
    now = Conversation.of(messages)
    if now.heard is None:
        return Say("greeting", phrases.GREETING)
    if now.last_result is not None:
        return _go_on(now)
    return _answer(now)


def _go_on(now: Conversation) -> Move:
    """A tool has answered; the caller still waits."""
    outcome = now.last_result
    if outcome is None or outcome.result is None:
        return Say("info", phrases.APOLOGY)
    if outcome.name in phrases.SHOWN:
        return Say("info", phrases.shown(outcome.name, outcome.result))
    if outcome.name == "book_table" and now.booked:
        return Say("booked", phrases.booked(now.booked, now.reference))
    if outcome.name == "cancel_booking":
        if not outcome.result.get("cancelled"):
            return Say("reference", phrases.unknown_reference(outcome.arguments["ref"]))
        if now.cancelling:
            return Say("cancelled", phrases.cancelled(outcome.arguments["ref"]))
    return _pursue(now)


def _answer(now: Conversation) -> Move:
    """The caller has spoken."""
    heard = now.heard
    assert heard is not None
    if now.cancelling:
        return _cancel(now)
    if heard.picture:
        return Call("look_at_picture", {})
    if heard.menu:
        return Call("show_menu", {})
    if heard.story:
        return Say("info", phrases.STORY, pace_s=phrases.STORY_PACE_S)
    if _is_closing(now):
        return Say("goodbye", phrases.goodbye(now.wish.name, now.booked, thanked=heard.thanks))
    if heard.question and not now.news:
        return _inform(now)
    if now.booked and not now.changed:
        return Say("info", phrases.ANYTHING_ELSE)
    if now.asked == "offer" and not now.news:
        if heard.no:
            return Say("time", phrases.OTHER_TIME)
        if heard.yes:
            return Say("offer", phrases.which_one(now.offers))
    return _pursue(now)


def _is_closing(now: Conversation) -> bool:
    heard = now.heard
    assert heard is not None
    if heard.goodbye and not now.news:
        return True
    if now.news or heard.question:
        return False
    if heard.no and now.asked == "time":
        return True
    # Thanks in the middle of a booking are manners; when nothing is open, they are the end.
    return (heard.thanks or heard.no) and (now.asked is None or (heard.thanks and heard.no))


def _cancel(now: Conversation) -> Move:
    assert now.heard is not None
    if reference := now.heard.reference or now.reference:
        return Call("cancel_booking", {"ref": reference})
    if now.wish.time or now.wish.party_size or now.asked == "reference":
        return Say("cancelled", f"{phrases.NOTHING_DONE} {phrases.ANYTHING_ELSE}")
    return Say("reference", f"Of course. {phrases.QUESTIONS['reference']}")


def _inform(now: Conversation) -> Move:
    """Answer a question that is not about the table, then go back to it."""
    if now.booked and now.reference:
        return Say("booked", phrases.booked(now.booked, now.reference))
    missing = now.wish.missing
    question = phrases.QUESTIONS[missing] if missing else phrases.ANYTHING_ELSE
    return Say(missing or "info", f"{phrases.OFF_TOPIC} {question}")


def _pursue(now: Conversation) -> Move:
    """Take the next step towards a booked table."""
    wish = now.wish
    if wish.party_size is None or wish.time is None:
        return _ask(now)
    answer = now.availability()
    if answer is None:
        return Call("check_availability", wish.slot)
    if not answer["available"]:
        topic: Topic = "party_size" if "reason" in answer else "offer"
        return Say(topic, phrases.full(wish.slot, answer))
    if wish.missing:
        return _ask(now)
    if now.booked and now.reference:  # Only a changed wish comes here: give the old table back.
        return Call("cancel_booking", {"ref": now.reference})
    return Call("book_table", wish.booking)


def _ask(now: Conversation) -> Say:
    """Ask for the one thing that is missing next, after a word on what came before."""
    missing, heard = now.wish.missing, now.heard
    assert missing is not None and heard is not None
    if now.last_result is not None and now.last_result.name == "check_availability":
        before = phrases.free(now.wish.slot)
    elif now.turns == 1:
        before = "I'd be happy to help."
    elif "name" in now.news and now.wish.name:
        before = f"Thank you, {phrases.first_name(now.wish.name)}."
    elif now.news or heard.yes or heard.thanks:
        before = "Thank you."
    else:
        before = phrases.NOT_UNDERSTOOD
    return Say(missing, f"{before} {phrases.QUESTIONS[missing]}")
