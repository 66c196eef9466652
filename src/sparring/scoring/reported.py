"""What the agent reports of its own speed: it stands beside what was measured, decides nothing."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, cast

from sparring.records import Record
from sparring.records import events as ev


def reported_ttfb(record: Record) -> dict[str, list[float]]:
    """Seconds to the first byte by the agent's own services, in order, as it sent them.

    RTVI ``metrics`` messages hold a list of ``{"processor": name, "value": seconds}``; what is not
    of that shape is passed over.
    """
    found: defaultdict[str, list[float]] = defaultdict(list)
    for event in record.events:
        if isinstance(event, ev.Metrics):
            for entry in _entries(event.data.get("ttfb")):
                name, value = entry.get("processor"), entry.get("value")
                if isinstance(name, str) and isinstance(value, int | float):
                    found[name].append(round(float(value), 4))
    return dict(found)


def _entries(listed: Any) -> Iterable[dict[str, Any]]:
    if isinstance(listed, list):
        for entry in cast(list[Any], listed):
            if isinstance(entry, dict):
                yield cast(dict[str, Any], entry)
