"""The booking that call tests play."""

from collections.abc import Awaitable, Callable
from typing import Any

from sparring.records import Record
from support.records import SIMULATION

BOOKING: dict[str, Any] = {
    **SIMULATION,
    "opening": "A table for two at 6 PM, please.",
    "agenda": [
        {"id": "name", "hear": ["name"], "say": "It's Jamie."},
        {"id": "phone", "hear": ["phone"], "say": "555-0142."},
        {"id": "thanks", "hear": ["all set"], "say": "Thank you!", "action": "finish"},
    ],
}

Play = Callable[..., Awaitable[Record]]
