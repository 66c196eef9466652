"""The measures of spoken calls, by name.

Each is None where it is not known: no sound, nothing to divide by, or a line so noisy that speech
cannot be told from it. What was observed and came to nothing is 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sparring.records import Record, Side
from sparring.scenarios.measure_names import VoiceMeasure
from sparring.scoring.measurement import Measurement
from sparring.scoring.voice import durations, overlaps
from sparring.scoring.voice.intervals import longest, total
from sparring.scoring.voice.percentiles import percentile
from sparring.scoring.voice.responses import Responses, responses
from sparring.scoring.voice.speech import (
    VOICE_METRICS_VERSION,
    Speech,
    speech_of,
    threshold_of,
)

_BOTH = (Side.CALLER, Side.AGENT)


def measure_voice(name: VoiceMeasure, record: Record, deadline_ms: float) -> Measurement:
    """Measure a record's sound.

    Args:
        name: What to measure.
        record: The record.
        deadline_ms: By when the agent must have begun to answer.
    """
    sides = (Side.AGENT,) if name.startswith("speaking_duration") else _BOTH
    why, speech = unmeasurable(record, sides), speech_of(record)
    if why is not None or speech is None:
        return Measurement(None, f"not measured: {why}")
    made = _MEASURES[name](_Heard(speech, deadline_ms))
    versioned = {"metrics_version": VOICE_METRICS_VERSION, **made.details}
    return Measurement(made.value, made.text, made.fault, versioned)


def unmeasurable(record: Record, sides: Sequence[Side] = _BOTH) -> str | None:
    """Why nothing can be said of the speech of these sides; None if it can."""
    sound, threshold = record.soundtrack, threshold_of(record)
    if sound is None:
        return "the call has no sound"
    if sound.threshold != threshold:
        return (
            f"the sound was measured at a threshold of {sound.threshold:.12g}, and there is no "
            f"recording to measure again at {threshold:.12g}"
        )
    tracks = {
        Side.CALLER: (sound.caller, sound.caller_floor),
        Side.AGENT: (sound.agent, sound.agent_floor),
    }
    for side in sides:
        track, floor = tracks[side]
        if track is None:
            return f"the {side}'s sound was not recorded"
        if floor >= threshold:
            return (
                f"the {side}'s line is never quiet (noise floor {floor:.0f} RMS), so speech cannot "
                f"be told from it at a speech_threshold_rms of {threshold:.12g}"
            )
    return None


@dataclass(frozen=True)
class _Heard:
    speech: Speech
    deadline_ms: float

    @cached_property
    def responses(self) -> Responses:
        return responses(self.speech, self.deadline_ms)


def response_counts(made: Responses, deadline_ms: float) -> dict[str, Any]:
    """What stands beside every rate of answers: how many of each sort, and by which deadline."""
    late = [one.latency_ms for one in made.opportunities if one.late]
    return {
        "deadline_ms": deadline_ms,
        **made.counts(),
        "latencies_ms": made.latencies,
        "late_latencies_ms": late,
    }


def _response_rate(heard: _Heard) -> Measurement:
    made = heard.responses
    answered, scored = len(made.answered), made.scored
    text = f"answered {answered} of {scored} turn(s) within {heard.deadline_ms:.12g} ms"
    if not scored:
        text = "no turn that could have been answered"
    return Measurement(made.rate, text, details=response_counts(made, heard.deadline_ms))


def _latency(what: str, choose: Callable[[list[float]], float | None]) -> "_Measure":
    def measured(heard: _Heard) -> Measurement:
        made = heard.responses
        value = _rounded(choose(made.latencies))
        text = (
            "no turn was answered in time"
            if value is None
            else f"{what} {value:.0f} ms over {len(made.latencies)} answer(s)"
        )
        return Measurement(value, text, details=response_counts(made, heard.deadline_ms))

    return measured


def _mean(samples: Sequence[float]) -> float | None:
    return sum(samples) / len(samples) if samples else None


def _interruption_rate(heard: _Heard) -> Measurement:
    count, scored = len(overlaps.interruptions(heard.speech)), heard.responses.scored
    text = f"cut in {count} time(s), over {scored} turn(s) that could be answered"
    rate = round(count / scored, 4) if scored else None
    return Measurement(rate, text, details=_interrupted(heard))


def _interruptions(heard: _Heard) -> Measurement:
    count = len(overlaps.interruptions(heard.speech))
    return Measurement(count, f"cut in {count} time(s)", details=_interrupted(heard))


def _interrupted(heard: _Heard) -> dict[str, Any]:
    turns = heard.speech.turns
    return {
        "at_ms": overlaps.interruptions(heard.speech),
        "caller_turns": len(turns),
        "scored_turns": heard.responses.scored,
    }


def _yield_rate(heard: _Heard) -> Measurement:
    found = overlaps.yields(heard.speech)
    gave_way = sum(one.yielded for one in found)
    value = round(gave_way / len(found), 4) if found else None
    text = f"gave way {gave_way} of {len(found)} time(s)" if found else "nobody came in"
    return Measurement(value, text, details=_yielded(found))


def _yield_latency(heard: _Heard) -> Measurement:
    found = overlaps.yields(heard.speech)
    value = _rounded(_mean([one.latency_ms for one in found if one.yielded]))
    text = "never gave way" if value is None else f"gave way after {value:.0f} ms on average"
    return Measurement(value, text, details=_yielded(found))


def _yielded(found: Sequence[overlaps.Yield]) -> dict[str, Any]:
    return {
        "turns": [one.turn.number for one in found],
        "latencies_ms": [_rounded(one.latency_ms) for one in found],
        "yielded": [one.yielded for one in found],
    }


def _selectivity(heard: _Heard) -> Measurement:
    found = overlaps.backchannels(heard.speech)
    went_on = sum(one.outcome == "continued" for one in found)
    value = round(went_on / len(found), 4) if found else None
    text = f"talked on over {went_on} of {len(found)} backchannel(s)" if found else "none was made"
    outcomes = [{"turn": one.turn.number, "outcome": one.outcome} for one in found]
    return Measurement(value, text, details={"outcomes": outcomes})


def _speaking(heard: _Heard) -> Measurement:
    cumulative = durations.speaking_ms(heard.speech)
    return _plain(cumulative, f"spoke for {cumulative:.0f} ms", _spoken(heard))


def _longest_speaking(heard: _Heard) -> Measurement:
    most = durations.longest_turn_ms(heard.speech)
    return _plain(most, f"spoke for {most:.0f} ms in its longest turn", _spoken(heard))


def _spoken(heard: _Heard) -> dict[str, Any]:
    return {
        "cumulative": _rounded(durations.speaking_ms(heard.speech)),
        "maximum": _rounded(durations.longest_turn_ms(heard.speech)),
    }


def _floor_hold(heard: _Heard) -> Measurement:
    silences = durations.floor_hold_silences(heard.speech)
    held = total(silences)
    return _plain(held, f"{held:.0f} ms of silence while tools ran", _held(heard))


def _longest_floor_hold(heard: _Heard) -> Measurement:
    most = longest(durations.floor_hold_silences(heard.speech))
    return _plain(most, f"at most {most:.0f} ms of silence while tools ran", _held(heard))


def _held(heard: _Heard) -> dict[str, Any]:
    silences = durations.floor_hold_silences(heard.speech)
    return {
        "cumulative": _rounded(total(silences)),
        "maximum": _rounded(longest(silences)),
        "work_ms": _rounded(total(heard.speech.work)),
        "source": "tool_calls",
    }


def _overlap(heard: _Heard) -> Measurement:
    both = durations.overlap_ms(heard.speech)
    return _plain(both, f"{both:.0f} ms of both speaking")


def _talk_ratio(heard: _Heard) -> Measurement:
    ratio = durations.talk_ratio(heard.speech)
    text = "nobody was heard" if ratio is None else f"{ratio:.0%} of all speech is the agent's"
    return Measurement(ratio, text)


def _longest_silence(heard: _Heard) -> Measurement:
    most = durations.longest_silence_ms(heard.speech)
    text = "nobody was heard" if most is None else f"longest silence {most:.0f} ms"
    return Measurement(_rounded(most), text)


def _plain(value: float, text: str, details: Mapping[str, Any] | None = None) -> Measurement:
    return Measurement(_rounded(value), text, details=dict(details or {}))


def _rounded(value: float | None) -> float | None:
    """To the microsecond, below which nothing of a recording is known."""
    return None if value is None else round(value, 3)


_Measure = Callable[[_Heard], Measurement]
_MEASURES: dict[VoiceMeasure, _Measure] = {
    "response_rate": _response_rate,
    "response_latency_ms": _latency("mean latency", _mean),
    "response_latency_p50_ms": _latency("median latency", lambda ms: percentile(ms, 0.5)),
    "response_latency_p90_ms": _latency("90th percentile", lambda ms: percentile(ms, 0.9)),
    "response_latency_p95_ms": _latency("95th percentile", lambda ms: percentile(ms, 0.95)),
    "interruption_rate": _interruption_rate,
    "interruptions": _interruptions,
    "yield_rate": _yield_rate,
    "yield_latency_ms": _yield_latency,
    "selectivity_backchannel": _selectivity,
    "speaking_duration_ms": _speaking,
    "speaking_duration_max_ms": _longest_speaking,
    "floor_hold_silence_ms": _floor_hold,
    "floor_hold_silence_max_ms": _longest_floor_hold,
    "overlap_ms": _overlap,
    "talk_ratio": _talk_ratio,
    "longest_silence_ms": _longest_silence,
}
