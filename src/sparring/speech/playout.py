"""The agent's side of the line: pieces of sound that arrive, laid out as one unbroken stream.

A piece belongs where it arrived. While the agent goes on speaking, pieces come at about the pace of
time, so one that arrives while the one before is still to be heard continues it, sample for sample,
whatever the jitter. Once what had arrived is used up, the agent is silent, and its next piece again
stands where it arrives.

The stream is read a little behind time (``HOLD_MS``), so that jitter and the delay of resampling
make no holes.
"""

from collections import deque

import numpy as np

from sparring.scoring.voice.voiced import Samples
from sparring.speech.pcm import NOTHING, Resampler, silence

HOLD_MS = 80


class Playout:
    """Lays out the agent's sound. Positions are samples from the line's beginning."""

    def __init__(self, sample_rate: int):
        """Lay out a stream.

        Args:
            sample_rate: Hertz, of the stream; pieces may come at any rate.
        """
        self.head = 0
        """Where the stream is read next."""
        self._rate = sample_rate
        self._tail = 0
        self._pieces: deque[Samples] = deque()
        self._resampler: Resampler | None = None
        self._silent = True

    def add(self, samples: Samples, sample_rate: int, position: int) -> None:
        """Take in a piece.

        Args:
            samples: The piece.
            sample_rate: Its rate, in Hertz.
            position: Where in the stream it arrived.
        """
        if not len(samples):
            return
        if self._silent:
            self._put(silence(position - self._tail))
            self._silent = False
        if self._resampler is None or self._resampler.source != sample_rate:
            self._flush()
            self._resampler = Resampler(sample_rate, self._rate)
        self._put(self._resampler.feed(samples))

    def read(self, count: int) -> Samples:
        """The stream's next samples; silent where nothing has arrived."""
        if self._tail < self.head + count:
            self._flush()
        if self._tail < self.head + count:
            self._put(silence(self.head + count - self._tail))
            self._silent = True
        self.head += count
        return self._take(count)

    def drop(self, position: int) -> None:
        """Forget what would be heard from a position on: the agent was interrupted."""
        keep = max(position, self.head)
        if self._tail > keep:
            whole = self._take(self._tail - self.head)
            self._pieces.appendleft(whole[: keep - self.head])
            self._tail = keep
        self._resampler = None
        self._silent = True

    def _put(self, samples: Samples) -> None:
        if len(samples):
            self._pieces.append(samples)
            self._tail += len(samples)

    def _take(self, count: int) -> Samples:
        taken: list[Samples] = []
        while count > 0:
            piece = self._pieces.popleft()
            if len(piece) > count:
                self._pieces.appendleft(piece[count:])
                piece = piece[:count]
            taken.append(piece)
            count -= len(piece)
        return np.concatenate(taken) if taken else NOTHING

    def _flush(self) -> None:
        if self._resampler is not None:
            self._put(self._resampler.flush())
