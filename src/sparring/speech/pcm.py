"""Raw sound: mono 16-bit PCM as numpy arrays, resampled as a stream.

A stream of sound that is resampled comes out later than it goes in, since the filter looks ahead,
but sample for sample where it belongs: what is behind is made up by ``flush``.
"""

import numpy as np
import soxr  # pyright: ignore[reportMissingTypeStubs]  (it has none)

from sparring.scoring.voice.voiced import Samples, from_bytes

__all__ = ["NOTHING", "Resampler", "Samples", "from_bytes", "resample", "silence", "to_bytes"]

NOTHING: Samples = np.zeros(0, np.int16)


def to_bytes(samples: Samples) -> bytes:
    """Samples as little-endian 16-bit PCM."""
    return samples.astype("<i2", copy=False).tobytes()


def silence(samples: int) -> Samples:
    """So many samples of nothing."""
    return np.zeros(max(samples, 0), np.int16)


def resample(samples: Samples, source: int, target: int) -> Samples:
    """A whole sound at another rate (Hertz)."""
    if source == target or not len(samples):
        return samples
    return soxr.resample(samples, source, target, quality="HQ")


class Resampler:
    """Resamples a sound that comes in pieces."""

    def __init__(self, source: int, target: int):
        """Begin.

        Args:
            source: The rate of what comes in, in Hertz.
            target: The rate of what comes out.
        """
        self.source = source
        self._same = source == target
        self._stream = soxr.ResampleStream(source, target, 1, dtype="int16", quality="HQ")
        self._fed = False

    def feed(self, samples: Samples) -> Samples:
        """Take in the next piece; gives what is ready."""
        if self._same:
            return samples
        self._fed = True
        return self._stream.resample_chunk(samples)

    def flush(self) -> Samples:
        """What is still inside; the next piece begins a sound of its own."""
        if self._same or not self._fed:
            return NOTHING
        rest = self._stream.resample_chunk(NOTHING, last=True)
        self._stream.clear()
        self._fed = False
        return rest
