"""Who is on our end: one protocol, ``Caller``, and the callers there are."""

from sparring.callers.agenda import AgendaCaller, unplayable
from sparring.callers.caller import (
    Broke,
    Caller,
    Delayed,
    HangUp,
    Mended,
    Move,
    Spent,
    Thought,
    Wait,
    Words,
    Writing,
)
from sparring.callers.persona import PersonaCaller

__all__ = [
    "AgendaCaller",
    "Broke",
    "Caller",
    "Delayed",
    "HangUp",
    "Mended",
    "Move",
    "PersonaCaller",
    "Spent",
    "Thought",
    "Wait",
    "Words",
    "Writing",
    "unplayable",
]
