"""A WAV file that is valid at any moment while it grows.

The sizes in its header are brought up to date with every piece that is written, after the piece: if
we die in between, readers find a complete file that lacks the last piece, and nothing has to be
repaired.
"""

import struct
from pathlib import Path

_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_SAMPLE_BYTES = 2
_MOST_BYTES = 2**32 - 1 - _HEADER.size


class GrowingWav:
    """A 16-bit PCM WAV file being written."""

    def __init__(self, path: Path, sample_rate: int, channels: int):
        """Create the file, with nothing in it.

        Args:
            path: Where; what is there is replaced.
            sample_rate: Hertz.
            channels: How many, interleaved.

        Raises:
            OSError: If it cannot be written.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self._rate, self._channels = sample_rate, channels
        self._bytes = 0
        # Unbuffered, so that the order in which we write is the order on disk.
        self._file = path.open("wb", buffering=0)
        try:
            self._write_header()
        except OSError:
            self._file.close()
            raise

    def write(self, pcm: bytes) -> None:
        """Add interleaved samples; what a WAV file has no room for, beyond 4 GiB, is dropped.

        Raises:
            OSError: If the disk refuses.
        """
        pcm = pcm[: _MOST_BYTES - self._bytes]
        self._file.seek(_HEADER.size + self._bytes)
        rest = memoryview(pcm)
        while rest:  # A disk that is nearly full takes a part, and refuses the next.
            rest = rest[self._file.write(rest) :]
        self._bytes += len(pcm)
        self._write_header()

    def close(self) -> None:
        """Done."""
        self._file.close()

    def _write_header(self) -> None:
        frame = self._channels * _SAMPLE_BYTES
        self._file.seek(0)
        self._file.write(
            _HEADER.pack(
                *(b"RIFF", _HEADER.size - 8 + self._bytes, b"WAVE"),
                *(b"fmt ", 16, 1, self._channels, self._rate, self._rate * frame),
                *(frame, 8 * _SAMPLE_BYTES, b"data", self._bytes),
            )
        )
