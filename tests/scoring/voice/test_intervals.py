import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.scoring.voice.intervals import (
    Interval,
    clip,
    gaps,
    join,
    longest,
    overlap,
    subtract,
    total,
)
from sparring.scoring.voice.percentiles import percentile

END = 60
edges = st.integers(0, END)
raw = st.lists(st.tuples(edges, edges), max_size=12)
tracks = raw.map(join)


def instants(track: list[Interval]) -> set[int]:
    """What a track covers, instant by instant: the same arithmetic, done the slow way."""
    return {instant for start, end in track for instant in range(int(start), int(end))}


def is_track(track: list[Interval]) -> bool:
    return all(i.start < i.end for i in track) and all(
        one.end < next.start for one, next in itertools.pairwise(track)
    )


@given(raw)
def test_joining_covers_the_same_instants(intervals: list[tuple[int, int]]):
    joined = join(intervals)
    assert is_track(joined)
    assert instants(joined) == {i for start, end in intervals for i in range(start, end)}
    assert join(joined) == joined
    assert join(reversed(intervals)) == joined


@given(raw, st.integers(0, 9))
def test_joining_over_a_gap_closes_no_longer_one(intervals: list[tuple[int, int]], gap: int):
    joined = join(intervals, gap)
    closed = instants(joined) - instants(join(intervals))
    assert all(one.end + gap < next.start for one, next in itertools.pairwise(joined))
    assert all(hole.length <= gap for hole in join((i, i + 1) for i in closed))


@given(tracks, tracks)
def test_overlap_is_what_both_cover(one: list[Interval], other: list[Interval]):
    shared = overlap(one, other)
    assert instants(shared) == instants(one) & instants(other)
    assert shared == overlap(other, one)
    assert total(shared) <= min(total(one), total(other))


@given(tracks, tracks)
def test_subtraction_leaves_what_the_other_does_not_cover(
    one: list[Interval], other: list[Interval]
):
    rest = subtract(one, other)
    assert is_track(rest)
    assert instants(rest) == instants(one) - instants(other)
    assert total(rest) + total(overlap(one, other)) == total(one)


@given(tracks, edges, edges)
def test_gaps_and_what_is_clipped_fill_a_window(track: list[Interval], start: int, end: int):
    window = set(range(start, end))
    assert instants(clip(track, start, end)) == instants(track) & window
    assert instants(gaps(track, start, end)) == window - instants(track)


def test_touching_is_joined_and_parting_is_not():
    assert join([(0, 20), (20, 40), (60, 80)]) == [(0, 40), (60, 80)]
    assert join([(0, 20), (40, 60)], gap=20) == [(0, 60)]
    assert join([(0, 20), (40, 60)], gap=19.9) == [(0, 20), (40, 60)]


def test_nothing_is_nothing():
    assert (join([]), total([]), longest([]), overlap([], [])) == ([], 0, 0, [])
    assert join([(5, 5), (7, 6)]) == []


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(0, 1))
def test_percentiles_are_those_of_numpy(samples: list[float], share: float):
    value = percentile(samples, share)
    assert value == pytest.approx(float(np.quantile(samples, share)), abs=1e-6)
    assert value is not None and min(samples) <= value <= max(samples)


def test_no_samples_have_no_percentile():
    assert percentile([], 0.5) is None
