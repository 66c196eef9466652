import os
import resource
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.scoring.voice.voiced import Samples, voiced
from sparring.speech.pcm import Resampler, from_bytes, resample, to_bytes
from sparring.speech.recorder import RECORDING_RATE, Recorder
from sparring.speech.wav import GrowingWav
from support.sound import pieces, quiet, tone

NOTHING = quiet(0)


def read(path: Path) -> tuple[Samples, Samples]:
    """The two channels of a recording."""
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (2, 2)
        assert file.getframerate() == RECORDING_RATE
        both = from_bytes(file.readframes(file.getnframes())).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def test_the_caller_is_left_and_the_agent_right(tmp_path: Path):
    recorder = Recorder(RECORDING_RATE, path=tmp_path / "call.wav")
    caller, agent = tone(500), np.concatenate([quiet(250), tone(250, hertz=900)])
    for left, right in zip(pieces(caller, 20), pieces(agent, 20), strict=True):
        recorder.write(left, right)
    recorder.close()
    left, right = read(tmp_path / "call.wav")
    assert np.array_equal(left, caller) and np.array_equal(right, agent)


def test_sides_need_not_come_evenly_and_end_evenly(tmp_path: Path):
    recorder = Recorder(RECORDING_RATE, path=tmp_path / "call.wav")
    recorder.write(tone(1000), NOTHING)
    recorder.write(NOTHING, tone(300, hertz=900))
    recorder.close()
    left, right = read(tmp_path / "call.wav")
    assert np.array_equal(left, tone(1000))
    assert np.array_equal(right, np.concatenate([tone(300, hertz=900), quiet(700)]))
    assert recorder.agent.meter.duration_ms == recorder.caller.meter.duration_ms == 1000


def test_what_is_measured_is_what_is_in_the_file(tmp_path: Path):
    recorder = Recorder(16000, path=tmp_path / "call.wav")
    caller = np.concatenate([quiet(400, 16000), tone(600, 16000), quiet(500, 16000)])
    for piece in pieces(caller, 20, 16000):
        recorder.write(piece, quiet(20))
    recorder.close()
    left, right = read(tmp_path / "call.wav")
    assert recorder.caller.meter.voiced == voiced(left, RECORDING_RATE) == [(400, 1000)]
    assert recorder.agent.meter.voiced == voiced(right, RECORDING_RATE) == []
    assert len(left) == 1500 * 24


def test_without_a_file_it_measures_all_the_same():
    recorder = Recorder(RECORDING_RATE)
    recorder.write(tone(200), quiet(200))
    recorder.close()
    assert recorder.caller.meter.voiced == [(0, 200)]
    assert recorder.fault is None


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 24000, 44100, 48000])
@pytest.mark.parametrize("ms", [3, 10, 20, 33, 100])
def test_a_sound_stays_where_it_was_at_any_rate_and_frame_size(rate: int, ms: int):
    recorder = Recorder(rate)
    for piece in pieces(np.concatenate([quiet(300, rate), tone(400, rate)]), ms, rate):
        recorder.write(piece, NOTHING)
    recorder.close()
    [heard] = recorder.caller.meter.voiced
    assert (heard.start, heard.end) == (300, pytest.approx(700, abs=0.1))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([8000, 16000, 22050, 48000]), st.lists(st.integers(0, 2000), max_size=20))
def test_resampling_in_pieces_is_resampling_at_once(rate: int, sizes: list[int]):
    sound = tone(300, rate)
    stream = Resampler(rate, 24000)
    out, start = [], 0
    for size in sizes:
        out.append(stream.feed(sound[start : start + size]))
        start += size
    out += [stream.feed(sound[start:]), stream.flush()]
    whole, made = resample(sound, rate, 24000), np.concatenate(out)
    assert len(made) == pytest.approx(len(whole), abs=1)
    common = min(len(made), len(whole))
    difference = made[:common].astype(int) - whole[:common].astype(int)
    assert np.abs(difference).max(initial=0) <= 2


def test_a_flushed_resampler_can_go_on():
    stream = Resampler(16000, 24000)
    first = len(stream.feed(tone(100, 16000))) + len(stream.flush())
    second = len(stream.feed(tone(100, 16000))) + len(stream.flush())
    assert first == second == 2400
    assert len(stream.flush()) == 0


def test_half_a_sample_is_left_out():
    assert from_bytes(b"\x01\x00\x02").tolist() == [1]
    assert from_bytes(to_bytes(tone(20))).tolist() == tone(20).tolist()


def test_a_file_is_valid_at_any_moment(tmp_path: Path):
    path = tmp_path / "deep" / "call.wav"
    file = GrowingWav(path, 16000, channels=1)
    for count in range(4):
        with wave.open(str(path)) as so_far:
            assert so_far.getnframes() == count * 320
            assert so_far.getframerate() == 16000
        file.write(to_bytes(tone(20, 16000)))
    file.close()


DYING = """
import os, sys
from pathlib import Path
from sparring.speech.recorder import Recorder
from support.sound import tone
recorder = Recorder(24000, path=Path(sys.argv[1]))
for _ in range(50):
    recorder.write(tone(20), tone(20))
os.kill(os.getpid(), 9)
"""


def test_a_process_that_is_killed_leaves_a_valid_recording(tmp_path: Path):
    path = tmp_path / "call.wav"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    died = subprocess.run([sys.executable, "-c", DYING, str(path)], env=environment, timeout=60)
    assert died.returncode == -9
    left, right = read(path)
    assert len(left) == len(right) >= RECORDING_RATE * 0.75
    assert np.array_equal(left[:480], tone(20))


def test_a_place_that_cannot_be_written_is_told_and_no_more(tmp_path: Path):
    (tmp_path / "file").write_text("")
    recorder = Recorder(RECORDING_RATE, path=tmp_path / "file" / "call.wav")
    recorder.write(tone(400), tone(400))
    recorder.close()
    assert recorder.fault is not None and "could not be written" in recorder.fault
    assert recorder.caller.meter.voiced == [(0, 400)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_told_and_no_more():
    recorder = Recorder(RECORDING_RATE, path=Path("/dev/full"))
    recorder.write(tone(400), tone(400))
    recorder.close()
    assert recorder.fault == "the recording could not be written: No space left on device"
    assert recorder.agent.meter.voiced == [(0, 400)]


def test_a_disk_that_fills_up_leaves_what_was_written(tmp_path: Path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        recorder = Recorder(RECORDING_RATE, path=tmp_path / "call.wav")
        for _ in range(8):
            recorder.write(tone(250), tone(250))
        recorder.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert recorder.fault == "the recording could not be written: File too large"
    left, _ = read(tmp_path / "call.wav")
    assert np.array_equal(left[:6000], tone(250))
    assert recorder.caller.meter.duration_ms == 2000
