"""Listening to a recording again, at another threshold."""

import wave
from pathlib import Path

from sparring.errors import RecordError
from sparring.records import Record, Soundtrack
from sparring.scoring.voice.speech import threshold_of
from sparring.scoring.voice.voiced import VoiceMeter, from_bytes

_BLOCK_S = 10
"""Seconds read at a time."""


def remeasured(record: Record, run_directory: Path) -> Record:
    """A record whose sound is measured at the threshold that its scenario asks for.

    Args:
        record: The record; one that is measured so already, or whose recording is not there, comes
            back as it is.
        run_directory: Where its recording lies.

    Raises:
        RecordError: If its recording cannot be read.
    """
    sound, threshold = record.soundtrack, threshold_of(record)
    if sound is None or sound.path is None or sound.threshold == threshold:
        return record
    path = run_directory / sound.path
    if not path.exists():
        return record
    again = _listen(path, sound, threshold)
    events = [again if event is sound else event for event in record.events]
    return record.model_copy(update={"events": events})


def _listen(path: Path, sound: Soundtrack, threshold: float) -> Soundtrack:
    try:
        with wave.open(str(path)) as file:
            rate = file.getframerate()
            caller, agent = VoiceMeter(rate, threshold), VoiceMeter(rate, threshold)
            while block := file.readframes(rate * _BLOCK_S):
                both = from_bytes(block).reshape(-1, 2)
                caller.feed(both[:, 0])
                agent.feed(both[:, 1])
    except (OSError, EOFError, wave.Error, ValueError) as error:
        raise RecordError(f"{path}: no recording: {error}") from None
    return sound.model_copy(
        update={
            "threshold": threshold,
            "caller": None if sound.caller is None else [*caller.voiced],
            "agent": None if sound.agent is None else [*agent.voiced],
            "caller_floor": round(caller.noise_floor, 1),
            "agent_floor": round(agent.noise_floor, 1),
        }
    )
