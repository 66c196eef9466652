"""Who is on our end: one protocol, ``Caller``, and the callers there are."""

from sparring.callers.agenda import AgendaCaller, unplayable
from sparring.callers.caller import Caller, HangUp, Move, Thought, Wait, Words

__all__ = [
    "AgendaCaller",
    "Caller",
    "HangUp",
    "Move",
    "Thought",
    "Wait",
    "Words",
    "unplayable",
]
