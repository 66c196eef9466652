"""Where a track of sound is voiced: the acoustic ground that all measures of speech stand on.

Sound is cut into frames of 20 ms from the first sample on, and a frame is voiced if its root mean
square reaches the threshold; frames in a row are one interval. There is no hangover: a pause of one
frame parts two intervals, and whoever wants them joined says over which gap. (RUN metrics contract
2.0: frames of 20 ms, a threshold of 220 in 16-bit units.)

A level cannot tell a voice from a noise as loud. A track that is hardly ever quiet has a noise
floor above the threshold, and then nothing can be said of its speech.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.scoring.voice.intervals import Interval, join
from sparring.scoring.voice.percentiles import percentile
from sparring.scoring.voice.speech import THRESHOLD_RMS

Samples: TypeAlias = NDArray[np.int16]
"""Mono 16-bit PCM."""

FRAME_MS = 20
QUIET_SHARE = 0.1
"""The share of frames that the noise floor is above: the quietest tenth of a track."""


def from_bytes(pcm: bytes) -> Samples:
    """Samples of little-endian 16-bit PCM; half a sample at the end is left out."""
    return np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.int16, copy=False)


class VoiceMeter:
    """Follows a track, in pieces of any size, and tells where it is voiced."""

    def __init__(self, sample_rate: int, threshold: float = THRESHOLD_RMS):
        """Follow a track.

        Args:
            sample_rate: Hertz.
            threshold: The least RMS of a voiced frame, in 16-bit units.
        """
        self.threshold = threshold
        self._rate = sample_rate
        self._frame = sample_rate * FRAME_MS // 1000
        self._rest: Samples = np.zeros(0, np.int16)
        self._levels: list[float] = []

    def feed(self, samples: Samples) -> None:
        """Take in the track's next samples."""
        samples = np.concatenate([self._rest, samples])
        whole = len(samples) - len(samples) % self._frame
        self._rest = samples[whole:]
        frames = samples[:whole].reshape(-1, self._frame).astype(np.float32)
        self._levels += np.sqrt(np.mean(frames * frames, axis=1)).tolist()

    @property
    def levels(self) -> list[float]:
        """The RMS of each frame so far; a last frame that is not whole counts as it is."""
        if not len(self._rest):
            return self._levels
        rest = self._rest.astype(np.float32)
        return [*self._levels, float(np.sqrt(np.mean(rest * rest)))]

    @property
    def duration_ms(self) -> float:
        """How long the track is so far."""
        samples = len(self._levels) * self._frame + len(self._rest)
        return samples * 1000 / self._rate

    @property
    def voiced(self) -> list[Interval]:
        """Where it is voiced, in milliseconds from its first sample."""
        frame_ms = self._frame * 1000 / self._rate
        end = self.duration_ms
        return join(
            (number * frame_ms, min((number + 1) * frame_ms, end))
            for number, level in enumerate(self.levels)
            if level >= self.threshold
        )

    @property
    def noise_floor(self) -> float:
        """The RMS that the quietest tenth of the track stays below; 0 for no track at all."""
        return percentile(self.levels, QUIET_SHARE) or 0.0


def voiced(samples: Samples, sample_rate: int, threshold: float = THRESHOLD_RMS) -> list[Interval]:
    """Where a whole track is voiced, in milliseconds from its first sample."""
    meter = VoiceMeter(sample_rate, threshold)
    meter.feed(samples)
    return meter.voiced
