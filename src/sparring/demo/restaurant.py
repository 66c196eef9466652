"""The restaurant behind the demo agent: which tables are free, and who has booked them.

It has no calendar and no clock: a date is the text that names it ("tonight", "tomorrow",
"August 8"), so the same call books the same table on any day. Times are 24-hour "HH:MM".
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

OPENS, LAST_SEATING = 17, 22
"""Tables are given out by the hour, from the first of these hours to the last."""

TABLES_PER_HOUR = 4
LARGEST_PARTY = 8
FULL = frozenset({("tonight", 19), ("tonight", 20)})

_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True)
class Booking:
    """A table that is taken."""

    date: str
    time: str
    party_size: int
    name: str
    phone: str


@dataclass
class Restaurant:
    """The bookings of one session; every caller finds the same fresh evening."""

    bookings: dict[str, Booking] = field(default_factory=dict[str, Booking])
    _issued: int = 0

    def check_availability(self, date: str, time: str, party_size: int) -> dict[str, Any]:
        """Whether a table is free.

        Returns:
            ``{"available": True}``, or ``{"available": False, "alternatives": [...]}`` with the
            nearest free times before and after, if any; with a ``reason`` if no time would do.
        """
        if not 1 <= party_size <= LARGEST_PARTY:
            reason = f"we seat at most {LARGEST_PARTY} people at a table"
            return {"available": False, "alternatives": [], "reason": reason}
        if not (match := _TIME.fullmatch(time)):
            return {"available": False, "alternatives": []}
        hour, minute = int(match[1]), int(match[2])
        after_last = hour == LAST_SEATING and minute > 0
        if self._has_table(date, hour) and not after_last:
            return {"available": True}
        return {"available": False, "alternatives": self._alternatives(date, hour)}

    def book_table(
        self, date: str, time: str, party_size: int, name: str, phone: str
    ) -> dict[str, Any]:
        """Take a table.

        Returns:
            ``{"ref": "R-1"}``, or what ``check_availability`` says when there is none.
        """
        answer = self.check_availability(date, time, party_size)
        if not answer["available"]:
            return answer
        self._issued += 1
        ref = f"R-{self._issued}"
        self.bookings[ref] = Booking(date, time, party_size, name, phone)
        return {"ref": ref}

    def cancel_booking(self, ref: str) -> dict[str, Any]:
        """Give a table back: ``{"cancelled": True}``, or ``False`` if the reference is unknown."""
        return {"cancelled": self.bookings.pop(ref, None) is not None}

    def _has_table(self, date: str, hour: int) -> bool:
        if not OPENS <= hour <= LAST_SEATING or (date, hour) in FULL:
            return False
        taken = Counter((b.date, int(b.time.split(":")[0])) for b in self.bookings.values())
        return taken[date, hour] < TABLES_PER_HOUR

    def _alternatives(self, date: str, hour: int) -> list[str]:
        free = [h for h in range(OPENS, LAST_SEATING + 1) if self._has_table(date, h)]
        earlier = [h for h in free if h < hour][-1:]
        later = [h for h in free if h > hour][:1]
        return [f"{h}:00" for h in earlier + later]
