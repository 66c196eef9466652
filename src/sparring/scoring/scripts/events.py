"""Plain events held against expectations: speaking, interruptions, markers, images, absences."""

import math

from sparring.records import Kind
from sparring.records import events as ev
from sparring.scenarios import Expectation
from sparring.scoring.scripts.sightings import Sighting
from sparring.scoring.scripts.states import (
    Standing,
    State,
    View,
    earliest,
    late,
    missed,
    quoted,
)


def settle_event(expectation: Expectation, view: View, before: float | None) -> State:
    """Where an expectation of a plain event stands.

    Args:
        expectation: What is waited for.
        view: The turn.
        before: When what the expectation above it took had come.
    """
    came = view.free(expectation)
    good = [sighting for sighting in came if _fault(expectation, sighting) is None]
    floor = earliest(expectation, before)
    for sighting in good:
        if sighting.at >= floor:
            return State(
                Standing.MET,
                sighting.at,
                position=sighting.at,
                taken=(sighting,),
                reason=f"at {view.seconds(sighting.at)}",
            )
    if good and before is not None:
        return late(expectation, view, good, before)
    if came:
        fault = _fault(expectation, came[-1])
        assert fault is not None
        return missed(expectation, view, *fault)
    return missed(expectation, view, Kind.TIMEOUT, nothing(expectation, view))


def settle_absent(
    expectation: Expectation, view: View, before: float | None, waits_for_others: bool
) -> State:
    """Where an expectation that something does not happen stands.

    Args:
        expectation: What must not come.
        view: The turn.
        before: When what an expectation above it took had come.
        waits_for_others: Whether an expectation above it may still take what has come.
    """
    limit = view.limit(expectation)
    after = before if expectation.is_reply and before is not None else view.start
    came = [one for one in view.free(expectation) if one.began >= after]
    if came and not waits_for_others:
        first = came[0]
        what = f": {first.text!r}" if first.text else ""
        return State(
            Standing.FAILED,
            first.began,
            kind=Kind.UNEXPECTED_EVENT,
            reason=f"{expectation.event} came at {view.seconds(first.began)}{what}",
        )
    if view.now < limit or waits_for_others:
        return State(Standing.PENDING, limit)
    return State(Standing.MET, limit, reason=f"none in {view.seconds(limit)}")


def text_fault(expectation: Expectation, text: str) -> tuple[Kind, str] | None:
    """What is wrong with a text, if anything; runs of spaces count as one."""
    excluded, wanted = expectation.text_excludes, expectation.text_contains
    if excluded is not None and _plain(excluded) in _plain(text):
        return Kind.TEXT_PRESENT, f"it contains {excluded!r}: {quoted(text)}"
    if wanted is not None and _plain(wanted) not in _plain(text):
        return Kind.TEXT_MISMATCH, f"it does not contain {wanted!r}: {quoted(text)}"
    return None


def nothing(expectation: Expectation, view: View) -> str:
    """What to say if an event did not come at all."""
    within = view.deadline(expectation) - view.anchor
    seconds = min(within, view.limit(expectation) - view.anchor)
    return f"no {expectation.event} within {seconds:.12g} s" if seconds < math.inf else ""


def _fault(expectation: Expectation, sighting: Sighting) -> tuple[Kind, str] | None:
    """Why an event is not the one that is waited for; only markers can be another."""
    marker = sighting.source
    if not isinstance(marker, ev.LLMMarker):
        return None
    if fault := text_fault(expectation, marker.text):
        return fault
    if expectation.marker is not None and marker.kind != expectation.marker:
        told = f"the marker was {marker.kind}, wanted {expectation.marker}"
        return Kind.MARKER_MISMATCH, told
    count = len(marker.markers)
    if expectation.markers is not None and count != expectation.markers:
        return Kind.MARKER_FORMAT, f"{count} marker(s), wanted {expectation.markers}"
    raw = marker.raw.strip()
    first = any(raw.startswith(one) for one in marker.markers)
    if expectation.marker_first is not None and first != expectation.marker_first:
        told = "begins" if first else "does not begin"
        return Kind.MARKER_FORMAT, f"the response {told} with the marker: {raw!r}"
    after = bool(marker.text.strip())
    if expectation.text_after is not None and after != expectation.text_after:
        told = f"text follows the marker: {marker.text!r}" if after else "no text follows it"
        return Kind.MARKER_FORMAT, told
    return None


def _plain(text: str) -> str:
    return " ".join(text.split())
