"""The one clock of a call: monotonic seconds since it began to connect."""

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CallClock:
    """Seconds since the call began, from a monotonic source.

    Every event of a record is stamped with it on arrival, and all deadlines are decided by those
    stamps, never by when somebody got round to looking at the event.
    """

    origin: float = field(default_factory=time.monotonic)

    def now(self) -> float:
        """Seconds since the call began to connect, to the microsecond."""
        return round(time.monotonic() - self.origin, 6)
