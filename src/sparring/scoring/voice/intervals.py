"""Arithmetic of time intervals: join, overlap, subtract, measure.

An interval is half open, ``[start, end)``, in milliseconds; any one unit would do. A *track* is a
sequence of intervals that are in order, not empty, and neither overlap nor touch: what ``join``
makes of any intervals. All else here takes tracks and gives tracks.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Interval(NamedTuple):
    """A stretch of time, its end not included."""

    start: float
    end: float

    @property
    def length(self) -> float:
        """How long it is."""
        return self.end - self.start


Track = Sequence[Interval]


def join(intervals: Iterable[tuple[float, float]], gap: float = 0) -> list[Interval]:
    """The track that covers these intervals.

    Args:
        intervals: In any order; empty ones count for nothing.
        gap: Gaps up to this long, inclusive, are closed. With 0 only what overlaps or touches is
            joined.
    """
    joined: list[Interval] = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if joined and start - joined[-1].end <= gap:
            last = joined.pop()
            joined.append(Interval(last.start, max(last.end, end)))
        else:
            joined.append(Interval(start, end))
    return joined


def overlap(one: Track, other: Track) -> list[Interval]:
    """Where both tracks are."""
    shared: list[Interval] = []
    first = second = 0
    while first < len(one) and second < len(other):
        start = max(one[first].start, other[second].start)
        end = min(one[first].end, other[second].end)
        if start < end:
            shared.append(Interval(start, end))
        if one[first].end <= other[second].end:
            first += 1
        else:
            second += 1
    return shared


def clip(track: Track, start: float, end: float) -> list[Interval]:
    """What of a track lies between two times."""
    return overlap(track, [Interval(start, end)]) if start < end else []


def gaps(track: Track, start: float, end: float) -> list[Interval]:
    """Where a track is not, between two times."""
    edges = [start]
    for interval in clip(track, start, end):
        edges += interval
    edges.append(end)
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [Interval(left, right) for left, right in pairs if left < right]


def subtract(track: Track, taken: Track) -> list[Interval]:
    """Where the first track is and the second is not."""
    return [rest for interval in track for rest in gaps(taken, *interval)]


def total(track: Track) -> float:
    """How long the intervals of a track are together."""
    return sum(interval.length for interval in track)


def longest(track: Track) -> float:
    """How long the longest interval of a track is; 0 without any."""
    return max((interval.length for interval in track), default=0)
