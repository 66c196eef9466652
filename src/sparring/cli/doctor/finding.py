"""One thing that was looked at: how it stands, and the way out if it is amiss."""

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """How a thing stands."""

    OK = "ok"
    WARN = "warn"
    """Amiss, and perhaps not needed."""
    BAD = "bad"
    """What was asked for cannot run."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    level: Level
    what: str
    state: str
    way_out: str = ""
