"""A record as rows for other programs: its turns with what came of them, and its ticks."""

from collections import Counter
from collections.abc import Iterator
from math import ceil
from typing import Any

from sparring.errors import RecordError
from sparring.records import Record, Side
from sparring.scoring.voice.intervals import Track, clip, overlap, total
from sparring.scoring.voice.lines import lines_of
from sparring.scoring.voice.measures import unmeasurable
from sparring.scoring.voice.overlaps import backchannels, interruptions, yields
from sparring.scoring.voice.responses import responses
from sparring.scoring.voice.speech import VOICE_METRICS_VERSION, Speech, speech_of

DEFAULT_TICK_MS = 200


def turn_rows(record: Record, deadline_ms: float) -> Iterator[dict[str, Any]]:
    """Each turn of either side; those of a caller that is heard with all that was measured of it.

    Args:
        record: The record.
        deadline_ms: By when the agent must have begun to answer.
    """
    speech = speech_of(record)
    measured: dict[float, dict[str, Any]] = {}
    if speech is not None and unmeasurable(record) is None:
        measured = _measured(speech, deadline_ms)
    for number, line in enumerate(lines_of(record), 1):
        row = {
            "type": "turn",
            "number": number,
            "side": line.side.value,
            "turn": line.turn,
            "start_ms": _ms(line.start),
            "end_ms": _ms(line.end),
            "overlap": line.overlaps,
            "text": line.text,
        }
        yield {**row, **(measured.get(line.start, {}) if line.side is Side.CALLER else {})}


def tick_rows(record: Record, tick_ms: int = DEFAULT_TICK_MS) -> Iterator[dict[str, Any]]:
    """The recording in equal ticks: who is heard in each, and what happened.

    Args:
        record: The record.
        tick_ms: How long a tick is.

    Raises:
        RecordError: If the record has no sound.
    """
    sound, speech = record.soundtrack, speech_of(record)
    if sound is None or speech is None:
        raise RecordError("this record has no sound, so it has no ticks")
    for tick in range(ceil(speech.end / tick_ms)):
        start, end = tick * tick_ms, min((tick + 1) * tick_ms, speech.end)
        since, until = sound.began + start / 1000, sound.began + end / 1000
        happened = [event.type for event in record.events if since <= event.at < until]
        both = overlap(clip(speech.caller, start, end), clip(speech.agent, start, end))
        yield {
            "type": "tick",
            "tick": tick,
            "start_ms": start,
            "end_ms": _ms(end),
            "caller": _side(speech.caller, start, end),
            "agent": _side(speech.agent, start, end),
            "overlap_ms": _ms(total(both)),
            "work_ms": _ms(total(clip(speech.work, start, end))),
            "events": dict(Counter(happened)),
        }


def _measured(speech: Speech, deadline_ms: float) -> dict[float, dict[str, Any]]:
    """By when each caller turn starts: how it was answered, and what overlapped with it."""
    rows: dict[float, dict[str, Any]] = {
        one.turn.start: {
            "action": one.turn.action,
            "status": one.status,
            "reason": one.reason,
            "latency_ms": None if one.latency_ms is None else _ms(one.latency_ms),
            "deadline_ms": deadline_ms,
            "interrupted_at_ms": [
                _ms(at) for at in interruptions(speech) if one.turn.start <= at < one.turn.end
            ],
            "metrics_version": VOICE_METRICS_VERSION,
        }
        for one in responses(speech, deadline_ms).opportunities
    }
    for gave in yields(speech):
        told = {"yielded": gave.yielded, "yield_latency_ms": _ms(gave.latency_ms)}
        rows[gave.turn.start].update(told)
    for heard in backchannels(speech):
        rows[heard.turn.start]["backchannel"] = heard.outcome
    return rows


def _side(track: Track, start: float, end: float) -> dict[str, Any]:
    heard = clip(track, start, end)
    return {"voiced_ms": _ms(total(heard)), "intervals_ms": [[_ms(a), _ms(b)] for a, b in heard]}


def _ms(value: float) -> float:
    return round(value, 3)
