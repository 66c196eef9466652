"""How the agent says things: times, numbers and whole replies in spoken English."""

from collections.abc import Sequence
from typing import Any

from sparring.demo.understanding import Question

GREETING = "Hello, this is the Corner Table. How can I help you?"
APOLOGY = "I'm sorry, I can't reach our booking system. Please try again in a moment."
NOT_UNDERSTOOD = "I'm sorry, I didn't catch that."
OFF_TOPIC = "I'm sorry, I can only help with tables here."
ANYTHING_ELSE = "Is there anything else I can do for you?"
NOTHING_DONE = "No problem, nothing is booked."
OTHER_TIME = "I understand. Is there another time or day that would suit you?"

STORY = (
    "The Corner Table has stood on this corner since my grandmother opened it with four chairs, "
    "one pot and a great deal of courage. In the first winter the roof leaked, and the guests ate "
    "with their hats on. In the second she bought a stove, and people came for the warmth and "
    "stayed for the soup. Then came the long years of the good bread, of which I could tell you "
    "for hours."
)
STORY_PACE_S = 0.05
SHOWN = {
    "look_at_picture": "Thank you, I can see your picture.",
    "show_menu": "Here is our menu.",
}
NOT_SHOWN = "I'm sorry, I can't see a picture."

QUESTIONS: dict[Question, str] = {
    "party_size": "How many people will be coming?",
    "time": "What time would you like to come?",
    "name": "Could I get a name for the reservation?",
    "phone": "What phone number can we reach you on?",
    "reference": "What is the reference of your reservation?",
}

_NUMBERS = "nobody one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905 -- reads better


def spoken_number(number: int) -> str:
    """The number in words, up to twelve."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def spoken_time(time: str) -> str:
    """The 24-hour time as one says it: "18:00" is "6 PM", "18:30" is "6:30 PM"."""
    hour, minute = (int(part) for part in time.split(":"))
    half = "AM" if hour < 12 else "PM"
    return f"{hour % 12 or 12}{f':{minute:02}' if minute else ''} {half}"


def spoken_date(date: str) -> str:
    """The date as it stands in a sentence: "tonight", "on August 8"."""
    return date if date in ("tonight", "tomorrow") else f"on {date}"


def spoken_table(slot: dict[str, Any]) -> str:
    """The table as one names it: "a table for two tonight at 6 PM"."""
    number, day = spoken_number(slot["party_size"]), spoken_date(slot["date"])
    return f"a table for {number} {day} at {spoken_time(slot['time'])}"


def free(slot: dict[str, Any]) -> str:
    """There is a table."""
    return f"I have {spoken_table(slot)}."


def full(slot: dict[str, Any], answer: dict[str, Any]) -> str:
    """There is none, but others are."""
    if reason := answer.get("reason"):
        return f"I'm sorry, {reason}. {QUESTIONS['party_size']}"
    sorry = f"I'm sorry, {spoken_time(slot['time'])} {spoken_date(slot['date'])} is not available."
    offers: Sequence[str] = answer["alternatives"]
    if not offers:
        return f"{sorry} Is there another time or day that would suit you?"
    which = "that" if len(offers) == 1 else "either of those"
    return f"{sorry} I could offer you {_either(offers)}. Would {which} work for you?"


def which_one(offers: Sequence[str]) -> str:
    """A yes to two offers needs another word."""
    return f"Which would you prefer, {_either(offers)}?"


def _either(times: Sequence[str]) -> str:
    return " or ".join(spoken_time(time) for time in times)


def booked(booking: dict[str, Any], reference: str | None) -> str:
    """The confirmation."""
    confirmation = f"You're all set: {spoken_table(booking)} under {booking['name']}."
    return f"{confirmation} Your reference is {reference}." if reference else confirmation


def cancelled(reference: str) -> str:
    """The booking is gone."""
    return f"Your reservation {reference} is cancelled. {ANYTHING_ELSE}"


def unknown_reference(reference: str) -> str:
    """There was no such booking."""
    return f"I'm sorry, I can't find a reservation {reference}. {QUESTIONS['reference']}"


def shown(tool: str, result: dict[str, Any]) -> str:
    """What a tool that shows something has shown."""
    return f"{NOT_SHOWN if 'error' in result else SHOWN[tool]} {ANYTHING_ELSE}"


def goodbye(name: str | None, booking: dict[str, Any] | None, *, thanked: bool) -> str:
    """The last words."""
    manners = "You're welcome" if thanked else "Thank you for calling"
    who = f", {first_name(name)}" if name else ""
    until = f" See you {spoken_date(booking['date'])}." if booking else ""
    return f"{manners}{who}.{until} Goodbye!"


def first_name(name: str) -> str:
    """The part of a name to address its owner by: "Jamie" of "Jamie Lee"."""
    return name.split()[0]
