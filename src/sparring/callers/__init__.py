"""Who is on our end: one protocol, ``Caller``, the callers there are, and scripts.

A script is cued by what it expects of the agent and not by whose move it is, so ``ScriptCaller``
has a shape of its own; calls seat either (``calls.parts``).
"""

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
from sparring.callers.script import ScriptCaller

__all__ = [
    "AgendaCaller",
    "Broke",
    "Caller",
    "Delayed",
    "HangUp",
    "Mended",
    "Move",
    "PersonaCaller",
    "ScriptCaller",
    "Spent",
    "Thought",
    "Wait",
    "Words",
    "Writing",
    "unplayable",
]
