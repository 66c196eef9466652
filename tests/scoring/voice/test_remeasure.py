"""A recording is listened to again when its scenario asks for another threshold."""

from pathlib import Path

import numpy as np
import pytest

from sparring.cli.saved import load_saved
from sparring.errors import RecordError
from sparring.records import Ending, Record, save_record
from sparring.records import events as ev
from sparring.scenarios.measure_names import VOICE_MEASURES, VoiceMeasure
from sparring.scoring import measure
from sparring.scoring.voice.remeasure import remeasured
from sparring.speech.recorder import Recorder
from support.records import record, soundtrack, spoken
from support.sound import quiet, tone

HISS = np.random.default_rng(7).normal(0, 400, 24 * 4000).astype(np.int16)


def noisy(run: Path, threshold: float = 700) -> Record:
    """A call whose agent hisses all the time and speaks in the middle, measured at 220."""
    recorder = Recorder(24000, path=run / "recordings" / "call.wav")
    recorder.write(
        np.concatenate([quiet(500), tone(1000), quiet(2500)]),
        HISS + np.concatenate([quiet(2000), tone(1000), quiet(1000)]),
    )
    recorder.close()
    caller, agent = recorder.caller.meter, recorder.agent.meter
    sound = soundtrack(
        [*caller.voiced],
        [*agent.voiced],
        4000,
        agent_floor=agent.noise_floor,
        path="recordings/call.wav",
    )
    ended = ev.Ended(at=4, ending=Ending.END_CALL)
    return record(spoken(0.4, 1.6, 1), sound, ended, speech_threshold_rms=threshold)


def test_at_a_threshold_above_the_noise_speech_is_found(tmp_path: Path):
    made = noisy(tmp_path)
    assert measure("latency", made).value is None
    again = remeasured(made, tmp_path)
    assert again.soundtrack is not None and again.soundtrack.threshold == 700
    assert again.soundtrack.agent == [(2000, 3000)]
    assert again.soundtrack.caller == [(500, 1500)]
    assert measure("latency", again).value == 0.5


def test_what_is_measured_as_asked_is_left_as_it_is(tmp_path: Path):
    made = noisy(tmp_path, threshold=220)
    assert remeasured(made, tmp_path) is made
    assert "noise floor" in measure("latency", made).text


def test_a_saved_record_is_measured_as_its_scenario_asks(tmp_path: Path):
    path = tmp_path / "records" / "call.json"
    save_record(noisy(tmp_path), path)
    assert measure("response_latency_ms", load_saved(path, None)).value == 500


@pytest.mark.parametrize("name", VOICE_MEASURES)
def test_without_the_recording_nobody_can_know(tmp_path: Path, name: VoiceMeasure):
    made = noisy(tmp_path)
    (tmp_path / "recordings" / "call.wav").unlink()
    told = measure(name, remeasured(made, tmp_path))
    assert told.value is None
    assert told.text == (
        "not measured: the sound was measured at a threshold of 220, and there is no recording to "
        "measure again at 700"
    )


@pytest.mark.parametrize("content", [b"", b"hello", b"RIFF\0\0\0\0WAVEfmt "])
def test_a_recording_that_is_none_is_told(tmp_path: Path, content: bytes):
    made = noisy(tmp_path)
    (tmp_path / "recordings" / "call.wav").write_bytes(content)
    with pytest.raises(RecordError, match=r"call\.wav: no recording"):
        remeasured(made, tmp_path)
