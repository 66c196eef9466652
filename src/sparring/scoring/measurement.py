"""What a measure returns."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """What was measured."""

    value: float | None
    """In the measure's unit; None where there was nothing to measure, which is never 0."""
    text: str
    """What the value is, in words: ``longest reply 14 words``."""
    fault: str | None = None
    """Something that fails any bound, whatever the value: a turn that was never answered."""
    details: dict[str, Any] = field(default_factory=dict[str, Any])
