"""Sounds for tests."""

import numpy as np

from sparring.scoring.voice.voiced import Samples


def tone(ms: float, rate: int = 24000, rms: float = 3000, hertz: float = 400) -> Samples:
    """A tone; its phase begins at zero."""
    count = np.arange(round(ms * rate / 1000))
    return (rms * np.sqrt(2) * np.sin(2 * np.pi * hertz * count / rate)).astype(np.int16)


def quiet(ms: float, rate: int = 24000) -> Samples:
    """Nothing, for so long."""
    return np.zeros(round(ms * rate / 1000), np.int16)


def pieces(samples: Samples, ms: float, rate: int = 24000) -> list[Samples]:
    """A sound in pieces of so many milliseconds."""
    size = round(ms * rate / 1000)
    return [samples[start : start + size] for start in range(0, len(samples), size)]
