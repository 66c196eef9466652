"""The clock of a spoken call: frames of 20 ms with absolute deadlines.

A frame is what is captured from one deadline to the next, so it is due at its end. A deadline that
is met late is recorded and changes no later one. Frames whose time has passed meanwhile are left
out, never made up by a burst: no line in the world delivers faster than time.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable

from sparring.records import Lateness
from sparring.scoring.voice.percentiles import percentile
from sparring.scoring.voice.voiced import FRAME_MS

FRAME_S = FRAME_MS / 1000


class FrameClock:
    """Counts the frames of a call as they become due, and how late we were.

    Attributes:
        began: When the first frame began.
        now: The time, in seconds.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        """Set the clock; it runs from now on.

        Args:
            now: The time, in seconds.
            sleep: Waits so many seconds.
        """
        self.began = now()
        self.now = now
        self._sleep = sleep
        self._late: list[float] = []
        self._skipped = 0

    def frame_at(self, at: float) -> int:
        """The frame during which a time lies."""
        return int((at - self.began) / FRAME_S)

    async def frames(self) -> AsyncGenerator[int]:
        """The number of each frame that is due, from the one under way on; none that is skipped."""
        number = self.frame_at(self.now())
        while True:
            deadline = self.began + (number + 1) * FRAME_S
            early = deadline - self.now()
            if early > 0:
                await self._sleep(early)
            else:  # Let others have the loop, however far behind we are.
                await asyncio.sleep(0)
            self._late.append(max(0.0, self.now() - deadline))
            yield number
            # What has become due meanwhile is left out: the next one lies ahead again.
            following = max(number + 1, self.frame_at(self.now()))
            self._skipped += following - number - 1
            number = following

    def lateness(self, unsent: int = 0) -> Lateness:
        """How well time was kept so far.

        Args:
            unsent: How many messages the agent did not take.
        """
        late_ms = [seconds * 1000 for seconds in self._late]
        return Lateness(
            ticks=len(late_ms),
            max_ms=round(max(late_ms, default=0.0), 3),
            p99_ms=round(percentile(late_ms, 0.99) or 0.0, 3),
            over_20_ms=sum(late > 20 for late in late_ms),
            over_60_ms=sum(late > 60 for late in late_ms),
            skipped=self._skipped,
            unsent=unsent,
        )
