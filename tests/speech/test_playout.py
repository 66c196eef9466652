import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.scoring.voice.voiced import Samples, voiced
from sparring.speech.playout import Playout
from support.sound import pieces, quiet, tone

RATE = 24000
FRAME = 480


def played(arrivals: list[tuple[float, Samples]], until_ms: float, rate: int = RATE) -> Samples:
    """What is read of pieces that arrive at these times, 80 ms behind time."""
    playout, waiting, out = Playout(RATE), sorted(arrivals, key=lambda one: one[0]), []
    for now in np.arange(20, until_ms + 80 + 1, 20):
        while waiting and waiting[0][0] <= now:
            at, piece = waiting.pop(0)
            playout.add(piece, rate, round(at * RATE / 1000))
        if now > 80:
            out.append(playout.read(FRAME))
    return np.concatenate(out)


def paced(sound: Samples, start: float, ms: float = 40, rate: int = RATE, jitter: float = 0):
    """A sound in pieces that arrive at the pace of time, every other one late."""
    return [
        (start + n * ms + (jitter if n % 2 else 0), piece)
        for n, piece in enumerate(pieces(sound, ms, rate))
    ]


def test_a_sound_stands_where_it_arrived_sample_for_sample():
    stream = played(paced(tone(400), 133), 800)
    assert np.array_equal(stream[133 * 24 : 533 * 24], tone(400))
    assert not stream[: 133 * 24].any() and not stream[533 * 24 :].any()


@pytest.mark.parametrize("jitter", [1, 15, 39, 70])
def test_jitter_makes_no_hole(jitter: float):
    stream = played(paced(tone(400), 100, jitter=jitter), 800)
    assert np.array_equal(stream[2400 : 2400 + 9600], tone(400))


def test_a_pause_is_as_long_as_it_was():
    stream = played([*paced(tone(200), 100), *paced(tone(200), 500)], 1000)
    assert voiced(stream, RATE) == [(100, 300), (500, 700)]


def test_an_agent_that_sends_all_at_once_is_heard_at_the_pace_of_time():
    assert voiced(played([(100, tone(1000))], 1500), RATE) == [(100, 1100)]


def test_what_comes_too_late_for_its_place_comes_where_it_arrived():
    first, second = pieces(tone(80), 40)
    stream = played([(100, first), (300, second)], 600)
    assert voiced(stream, RATE) == [(100, 140), (300, 340)]


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 44100, 48000])
@pytest.mark.parametrize("ms", [10, 20, 40, 100])
def test_other_rates_and_sizes(rate: int, ms: float):
    stream = played(paced(tone(600, rate), 200, ms, rate), 1200, rate)
    heard = voiced(stream, RATE)
    assert heard[0].start == pytest.approx(200, abs=20)
    assert heard[-1].end == pytest.approx(800, abs=20)
    assert sum(interval.length for interval in heard) == pytest.approx(600, abs=40)


def test_a_rate_may_change():
    low, high = paced(tone(200, 8000), 100, 40, 8000), paced(tone(200, 48000), 300, 40, 48000)
    playout, out = Playout(RATE), []
    for now in range(20, 700, 20):
        for at, piece in low:
            if now - 20 < at <= now:
                playout.add(piece, 8000, round(at * 24))
        for at, piece in high:
            if now - 20 < at <= now:
                playout.add(piece, 48000, round(at * 24))
        if now > 80:
            out.append(playout.read(FRAME))
    assert voiced(np.concatenate(out), RATE) == [(100, 500)]


def test_an_interrupted_agent_is_silent_at_once():
    playout = Playout(RATE)
    playout.add(tone(1000), RATE, 0)
    assert np.array_equal(playout.read(FRAME), tone(20))
    playout.drop(1200)
    assert np.array_equal(playout.read(FRAME * 2), np.concatenate([tone(50)[480:], quiet(10)]))
    playout.add(tone(40, hertz=900), RATE, 3000)
    assert voiced(playout.read(FRAME * 10), RATE) == [(60, 120)]
    assert playout.head == FRAME * 13


def test_an_interruption_of_nothing_changes_nothing():
    playout = Playout(RATE)
    playout.drop(5000)
    assert not playout.read(FRAME).any()
    playout.add(quiet(0), RATE, 9999)
    assert not playout.read(FRAME).any()


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 3000), st.sampled_from([8000, 24000])),
        max_size=12,
    )
)
def test_whatever_arrives_the_stream_has_no_hole_and_loses_nothing(
    arrivals: list[tuple[int, int, int]],
):
    playout, given_samples, got = Playout(RATE), 0.0, []
    for frames, count, rate in sorted(arrivals):
        while playout.head < (frames - 4) * FRAME:
            got.append(playout.read(FRAME))
        playout.add(np.full(count, 5000, np.int16), rate, frames * FRAME)
        given_samples += count * RATE / rate
    got.append(playout.read(round(given_samples) + 60 * FRAME))
    stream = np.concatenate(got)
    assert len(stream) == playout.head
    loud = np.count_nonzero(np.abs(stream) > 2500)
    assert loud == pytest.approx(given_samples, abs=3 * len(arrivals) + 1)
