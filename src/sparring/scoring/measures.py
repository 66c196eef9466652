"""What can be measured of a record, as pure functions.

Each measure returns a ``Measurement``: a value in the measure's unit, or None where there was
nothing to measure, and the words to say it with. None is never 0.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from sparring.records import Record, Side, Turn
from sparring.scenarios.measure_names import VOICE_MEASURES, RangeMeasure
from sparring.scoring.measurement import Measurement
from sparring.scoring.reported import reported_ttfb
from sparring.scoring.voice.latency import spoken_latency
from sparring.scoring.voice.measures import measure_voice
from sparring.scoring.voice.responses import DEFAULT_DEADLINE_MS
from sparring.scoring.words import count_words

_TIMED = ("duration", "latency")


def measure(name: RangeMeasure, record: Record, max_value: float | None = None) -> Measurement:
    """Measure a record.

    Args:
        name: What to measure.
        record: The record.
        max_value: The metric's upper bound; for ``latency`` it is also the deadline by which a turn
            must have been answered.
    """
    if name in _TIMED and not record.timed:
        return Measurement(None, "not timed: a conversation file holds no times")
    if name in VOICE_MEASURES:
        made = measure_voice(name, record, response_deadline_ms(record))
    else:
        made = _MEASURES[name](record, max_value)
    reported = reported_ttfb(record) if "latency" in name else {}
    if not reported:
        return made
    return replace(made, details={**made.details, "reported_ttfb_s": reported})


def response_deadline_ms(record: Record) -> float:
    """How long the agent may take to begin an answer, as the scenario has it."""
    return record.scenario.definition.get("response_deadline_ms") or DEFAULT_DEADLINE_MS


def turns(record: Record, max_value: float | None = None) -> Measurement:
    """The caller's turns. A reply that only hangs up is none."""
    count = len(record.conversation.caller_turns)
    return Measurement(count, f"{count} caller turn(s)")


def duration(record: Record, max_value: float | None = None) -> Measurement:
    """Seconds from the first line, whoever said it, to the hang-up, whoever hung up."""
    starts = [
        start
        for turn in record.conversation.spoken_turns
        for start in [turn.started_at if turn.side is Side.CALLER else turn.answered_at]
        if start is not None
    ]
    if not starts or not record.events:
        return Measurement(None, "nobody said anything")
    end_call = record.conversation.end_call
    hang_up = end_call.at if end_call is not None else record.events[-1].at
    seconds = round(hang_up - min(starts), 3)
    return Measurement(seconds, f"{seconds:.1f} s from the first line to the hang-up")


def words(record: Record, max_value: float | None = None) -> Measurement:
    """Words of the longest agent turn, as ``scoring.words`` counts them."""
    counts = [count_words(turn.text) for turn in record.conversation.agent_turns]
    if not counts:
        return Measurement(None, "the agent said nothing")
    longest = max(counts)
    unit = "word" if longest == 1 else "words"
    return Measurement(longest, f"longest reply {longest} {unit}", details={"per_turn": counts})


def latency(record: Record, max_value: float | None = None) -> Measurement:
    """Seconds of the slowest answer: from sending a caller turn to the first word that answers it.

    In a spoken call it is what the caller hears: from its own last sound to the agent's first.

    A response without words (one that only calls a tool) answers nothing. A turn that carried the
    caller's hang-up is excluded. One that the call's end cut off before its deadline is censored:
    it says nothing. Any other turn without an answer fails every bound.
    """
    deadline = response_deadline_ms(record) / 1000 if max_value is None else max_value
    if record.soundtrack is not None and record.soundtrack.caller is not None:
        return spoken_latency(record, deadline * 1000)
    end = record.events[-1].at if record.events else 0.0
    details: dict[str, Any] = {"seconds": [], "excluded": [], "censored": [], "unanswered": []}
    for caller, reply in _exchanges(record.conversation.turns):
        if caller.hanging_up:
            details["excluded"].append(caller.number)
        elif reply is not None and reply.answered_at is not None:
            details["seconds"].append(round(reply.answered_at - caller.started_at, 3))
        elif end - caller.started_at < deadline:
            details["censored"].append(caller.number)
        else:
            details["unanswered"].append(caller.number)
    slowest = max(details["seconds"], default=None)
    text = (
        "no reply was timed"
        if slowest is None
        else f"slowest reply {slowest:.2f} s to the first token"
    )
    unanswered = ", ".join(map(str, details["unanswered"]))
    fault = f"caller turn {unanswered} was never answered" if unanswered else None
    return Measurement(slowest, text, fault, details)


_MEASURES: dict[RangeMeasure, Callable[[Record, float | None], Measurement]] = {
    "turns": turns,
    "duration": duration,
    "words": words,
    "latency": latency,
}


def _exchanges(turns: list[Turn]) -> list[tuple[Turn, Turn | None]]:
    """Each caller turn with the agent turn that follows it, if one does."""
    return [
        (turn, reply if reply is not None and reply.side is Side.AGENT else None)
        for turn, reply in zip_longest(turns, turns[1:])
        if turn.side is Side.CALLER
    ]
