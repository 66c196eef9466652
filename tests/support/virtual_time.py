"""Time that passes only when somebody waits, or when a test says so."""

import asyncio
from collections.abc import Callable

from sparring.speech.frame_clock import FrameClock


class VirtualTime:
    """A clock for one waiting task: waiting takes no time, and exactly as long as it should.

    Attributes:
        time: Seconds.
        late: Given the time a wait should end, how many seconds later it does.
    """

    def __init__(self, late: Callable[[float], float] = lambda _: 0.0):
        self.time = 0.0
        self.late = late
        self._plan: list[tuple[float, Callable[[], object]]] = []

    def now(self) -> float:
        return self.time

    def at(self, time: float, do: Callable[[], object]) -> None:
        """Do something at a time, or at once if it has passed."""
        self._plan.append((time, do))
        self._plan.sort(key=lambda one: one[0])

    async def sleep(self, seconds: float) -> None:
        until = self.time + seconds
        while self._plan and self._plan[0][0] < until:
            time, do = self._plan.pop(0)
            self.time = max(self.time, time)
            do()
        await asyncio.sleep(0)
        self.time = max(self.time, until) + self.late(until)

    def clock(self) -> FrameClock:
        """A frame clock that runs on it."""
        return FrameClock(self.now, self.sleep)
