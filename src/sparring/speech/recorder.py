"""The recording of a call: the caller on the left, the agent on the right, on one sample clock.

Each side comes as one unbroken stream that begins at the recording's first sample; whoever feeds it
fills gaps with silence. The sides need not come evenly: what both have is written, and at the end
the shorter one is filled up. What is measured are exactly the samples that are in the file.

A disk that is full does not end the call: the recording stops short, and says so.
"""

from pathlib import Path

import numpy as np

from sparring.scoring.voice.voiced import THRESHOLD_RMS, Samples, VoiceMeter
from sparring.speech.pcm import Resampler, silence, to_bytes
from sparring.speech.wav import GrowingWav

RECORDING_RATE = 24000
"""Hertz: the rate of most agents' voices."""
_WRITE_EVERY = RECORDING_RATE // 4
"""Samples: what is lost at most if we die."""


class Recorder:
    """Records both sides of a call, to a file or only to measure them.

    Attributes:
        caller: The caller's side.
        agent: The agent's.
        fault: Why there is no file, or only its beginning, though one was asked for.
    """

    def __init__(
        self,
        caller_rate: int,
        agent_rate: int = RECORDING_RATE,
        path: Path | None = None,
        threshold: float = THRESHOLD_RMS,
    ):
        """Begin a recording.

        Args:
            caller_rate: Hertz, of what the caller's side will be fed.
            agent_rate: Hertz, of the agent's.
            path: The WAV file; None keeps no sound.
            threshold: The RMS that counts as voiced.
        """
        self.caller = RecordedSide(caller_rate, threshold)
        self.agent = RecordedSide(agent_rate, threshold)
        self.fault: str | None = None
        self._file: GrowingWav | None = None
        if path is not None:
            try:
                self._file = GrowingWav(path, RECORDING_RATE, channels=2)
            except OSError as error:
                self._give_up(error)

    def write(self, caller: Samples, agent: Samples) -> None:
        """Take in what comes next on both sides, as much of each as there is."""
        self.caller.feed(caller)
        self.agent.feed(agent)
        ready = min(self.caller.waiting, self.agent.waiting)
        if ready >= _WRITE_EVERY:
            self._write_out(ready)

    def close(self) -> None:
        """Write what is left; the sides are as long as each other then."""
        self.caller.finish()
        self.agent.finish()
        self._write_out(max(self.caller.waiting, self.agent.waiting))
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write_out(self, count: int) -> None:
        left, right = self.caller.take(count), self.agent.take(count)
        if self._file is not None:
            try:
                self._file.write(to_bytes(np.stack([left, right], axis=1)))
            except OSError as error:
                self._file.close()
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._file = None
        self.fault = f"the recording could not be written: {error.strerror or error}"


class RecordedSide:
    """One side of a recording; its meter tells where it is voiced."""

    def __init__(self, rate: int, threshold: float):
        self.meter = VoiceMeter(RECORDING_RATE, threshold)
        self.waiting = 0
        """How many samples wait for the other side."""
        self._resampler = Resampler(rate, RECORDING_RATE)
        self._pieces: list[Samples] = []

    def feed(self, samples: Samples) -> None:
        """Take in what comes next."""
        self._add(self._resampler.feed(samples))

    def finish(self) -> None:
        """Nothing more comes."""
        self._add(self._resampler.flush())

    def take(self, count: int) -> Samples:
        """Let so many samples go into the file; what lacks is silent."""
        whole = np.concatenate([*self._pieces, silence(count - self.waiting)])
        taken, rest = whole[:count], whole[count:]
        self._pieces, self.waiting = [rest], len(rest)
        self.meter.feed(taken)
        return taken

    def _add(self, samples: Samples) -> None:
        self._pieces.append(samples)
        self.waiting += len(samples)
