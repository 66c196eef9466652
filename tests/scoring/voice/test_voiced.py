import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.scoring.voice.voiced import VoiceMeter, voiced
from support.sound import quiet, tone

RATE = 24000


def test_a_tone_is_voiced_for_its_frames():
    track = np.concatenate([quiet(100), tone(60), quiet(40), tone(20), quiet(20)])
    assert voiced(track, RATE) == [(100, 160), (200, 220)]


def test_a_pause_of_one_frame_parts_two_intervals():
    assert voiced(np.concatenate([tone(40), quiet(20), tone(40)]), RATE) == [(0, 40), (60, 100)]


@pytest.mark.parametrize(("level", "heard"), [(219, []), (220, [(0, 20)]), (221, [(0, 20)])])
def test_the_threshold_itself_is_voiced(level: int, heard: list[tuple[int, int]]):
    square = np.full(480, level, np.int16)
    assert voiced(square, RATE) == heard


def test_another_threshold():
    assert voiced(tone(40, rms=500), RATE, threshold=600) == []
    assert voiced(tone(40, rms=500), RATE, threshold=400) == [(0, 40)]


def test_the_loudest_sound_does_not_overflow():
    assert voiced(np.full(480, -32768, np.int16), RATE) == [(0, 20)]


def test_a_last_frame_that_is_not_whole_counts():
    assert voiced(np.concatenate([quiet(20), tone(5)]), RATE) == [(20, 25)]


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 44100, 48000])
def test_any_rate(rate: int):
    track = np.concatenate([quiet(200, rate), tone(200, rate=rate), quiet(200, rate)])
    [heard] = voiced(track, rate)
    assert heard.start == pytest.approx(200, abs=20)
    assert heard.end == pytest.approx(400, abs=20)


@given(st.lists(st.integers(1, 1500), max_size=20))
def test_the_pieces_a_track_comes_in_do_not_matter(sizes: list[int]):
    track = np.concatenate([quiet(110), tone(130), quiet(70), tone(50)])
    meter = VoiceMeter(RATE)
    start = 0
    for size in sizes:
        meter.feed(track[start : start + size])
        start += size
    meter.feed(track[start:])
    assert meter.voiced == voiced(track, RATE)
    assert meter.duration_ms == 360


def test_the_noise_floor_is_that_of_the_quietest_tenth():
    noise = np.random.default_rng(1).normal(0, 400, RATE * 4).astype(np.int16)
    noisy, clean = VoiceMeter(RATE), VoiceMeter(RATE)
    noisy.feed(noise)
    clean.feed(np.concatenate([tone(3000), quiet(1000)]))
    assert noisy.noise_floor == pytest.approx(400, rel=0.1)
    assert clean.noise_floor == 0


def test_nothing_was_heard():
    meter = VoiceMeter(RATE)
    assert (meter.voiced, meter.duration_ms, meter.noise_floor) == ([], 0, 0)
