"""Percentiles of a few samples."""

from collections.abc import Sequence


def percentile(samples: Sequence[float], share: float) -> float | None:
    """The value below which this share of the samples lies.

    Between two samples it is interpolated linearly (Hyndman and Fan 1996, type 7, as numpy does).

    Args:
        samples: In any order.
        share: From 0 to 1.

    Returns:
        None if there are no samples.
    """
    if not samples:
        return None
    ordered = sorted(samples)
    rank = share * (len(ordered) - 1)
    below = int(rank)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return min(high, low + (high - low) * (rank - below))
