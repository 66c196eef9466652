"""The caller's side of the line: what it says, cut into frames, one utterance after the other.

Whoever speaks gives an utterance its sound, whole or in pieces while it is still being made. It
begins with the first frame that is not under way yet, never in the middle of one, and everything it
is given is said without a gap, as long as it is given in time.
"""

import asyncio
from collections import deque
from collections.abc import Callable

import numpy as np

from sparring.scoring.voice.voiced import Samples
from sparring.speech.pcm import NOTHING, silence


class Utterance:
    """Something the caller says.

    Attributes:
        began: Call seconds at which its first sample was captured; None until then.
        ended: Call seconds after its last; None until it is over.
        stopped: Whether its rest was dropped.
    """

    def __init__(self, frame: int, tell: Callable[["Utterance"], None] | None = None):
        """Prepare an utterance; ``Utterances.begin`` does.

        Args:
            frame: The first frame it may be in.
            tell: Told when it is over.
        """
        self.began: float | None = None
        self.ended: float | None = None
        self.stopped = False
        self.first_frame = frame
        self._tell = tell
        self._waiting = NOTHING
        self._complete = False
        self._over = asyncio.Event()

    def add(self, samples: Samples) -> None:
        """Give it more sound, at the line's rate."""
        if not self._complete:
            self._waiting = np.concatenate([self._waiting, samples])

    def complete(self) -> None:
        """All its sound is there: it is over when that is said."""
        self._complete = True

    def stop(self) -> None:
        """Drop what has not been said of it."""
        self._complete = True
        if len(self._waiting) or self.began is None:
            self.stopped = True
        self._waiting = NOTHING

    def abandon(self, now: float) -> None:
        """The line is gone: nothing more is said of it, and nobody waits for it any longer."""
        if not self.is_over:
            self.stop()
            self._finish(now)

    async def over(self) -> None:
        """Wait until it has been said, or stopped."""
        await self._over.wait()

    @property
    def is_over(self) -> bool:
        """Whether nothing more of it will be said."""
        return self._over.is_set()

    def take(self, count: int, starts: float, second: float) -> Samples:
        """What of it is said in a frame.

        Args:
            count: How many samples the frame holds.
            starts: When the frame started, in call seconds.
            second: How many samples make a second.
        """
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        if len(taken) and self.began is None:
            self.began = starts
        if len(taken):
            self.ended = starts + len(taken) / second
        if self._complete and not len(self._waiting):
            self._finish(starts)
        return taken

    def _finish(self, now: float) -> None:
        self.ended = now if self.ended is None else self.ended
        self._over.set()
        if self._tell is not None:
            self._tell(self)


class Utterances:
    """What the caller has still to say, as frames."""

    def __init__(self, sample_rate: int):
        """Say nothing yet.

        Args:
            sample_rate: Hertz, of what is said.
        """
        self._rate = sample_rate
        self._queue: deque[Utterance] = deque()

    def add(self, utterance: Utterance) -> None:
        """Say this after what is to be said already."""
        self._queue.append(utterance)

    def frame(self, number: int, starts: float, count: int) -> Samples:
        """What is said in a frame: silence where nothing is.

        Args:
            number: The frame's number.
            starts: When it started, in call seconds.
            count: How many samples it holds.
        """
        said = NOTHING
        while self._queue and self._queue[0].is_over:
            self._queue.popleft()
        if self._queue and self._queue[0].first_frame <= number:
            said = self._queue[0].take(count, starts, self._rate)
        return np.concatenate([said, silence(count - len(said))])
