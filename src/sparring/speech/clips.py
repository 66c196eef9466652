"""What the caller says, as sound: recordings from files, pieces of speech and pauses between."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sparring.errors import CallerError
from sparring.scoring.voice.voiced import Samples
from sparring.speech.pcm import NOTHING, resample, silence

_LONGEST_S = 600
"""Seconds; what is longer is no turn of a caller's."""


@dataclass(frozen=True)
class Pause:
    """Silence of so many milliseconds."""

    ms: float


def load_clip(path: Path, sample_rate: int) -> Samples:
    """A recording, as it is to be said.

    Any format and rate that libsndfile reads (WAV, FLAC, OGG, MP3 and more). Channels are mixed.

    Args:
        path: The file.
        sample_rate: Hertz, of what is wanted.

    Raises:
        CallerError: If it cannot be read, holds no sound, or is longer than ten minutes.
    """
    import soundfile  # pyright: ignore[reportMissingTypeStubs]  (it has none)

    try:
        with path.open("rb") as opened, soundfile.SoundFile(opened) as file:
            rate = file.samplerate
            if file.frames > _LONGEST_S * rate:
                raise CallerError(f"{path}: longer than {_LONGEST_S // 60} minutes")
            read = cast("NDArray[np.float32]", file.read(dtype="float32", always_2d=True))
    except OSError as error:
        raise CallerError(f"{path}: {error.strerror or error}") from None
    except (soundfile.SoundFileError, ValueError) as error:
        raise CallerError(f"{path}: no sound that can be read: {_cause(error)}") from None
    sound = np.nan_to_num(read)
    if not sound.any():
        raise CallerError(f"{path}: there is no sound in it")
    return resample(_sixteen_bits(sound.mean(axis=1)), rate, sample_rate)


def with_pauses(pieces: Sequence[Samples | Pause], sample_rate: int) -> Samples:
    """Pieces of speech and pauses as one sound.

    Args:
        pieces: In the order in which they are said; sounds at ``sample_rate``.
        sample_rate: Hertz.
    """
    sounds = [
        silence(round(piece.ms * sample_rate / 1000)) if isinstance(piece, Pause) else piece
        for piece in pieces
    ]
    return np.concatenate([NOTHING, *sounds])


def _sixteen_bits(sound: NDArray[np.floating]) -> Samples:
    return np.clip(np.rint(sound * 32768), -32768, 32767).astype(np.int16)


def _cause(error: Exception) -> str:
    """What libsndfile says, without the name that it has for the file."""
    return str(error).rpartition(": ")[2].rstrip(".")
