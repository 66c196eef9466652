"""``latency`` in a spoken call: the slowest answer, as the caller hears it."""

from sparring.records import Record
from sparring.scoring.measurement import Measurement
from sparring.scoring.voice.measures import response_counts, unmeasurable
from sparring.scoring.voice.responses import responses
from sparring.scoring.voice.speech import VOICE_METRICS_VERSION, speech_of


def spoken_latency(record: Record, deadline_ms: float) -> Measurement:
    """Seconds from the caller's last sound to the agent's first, of the slowest answer.

    Late answers count with what they took. A turn that was missed and never answered fails every
    bound.

    Args:
        record: A record with sound.
        deadline_ms: By when a turn must have been answered not to be missed.
    """
    why, speech = unmeasurable(record), speech_of(record)
    if why is not None or speech is None:
        return Measurement(None, f"not measured: {why}")
    made = responses(speech, deadline_ms)
    took = [one.latency_ms / 1000 for one in made.opportunities if one.latency_ms is not None]
    never = [one.turn.number for one in made.missed if one.latency_ms is None]
    slowest = round(max(took), 3) if took else None
    text = "no reply was timed" if slowest is None else f"slowest reply {slowest:.2f} s, as heard"
    fault = f"caller turn {', '.join(map(str, never))} was never answered" if never else None
    details = {
        "metrics_version": VOICE_METRICS_VERSION,
        "seconds": [round(seconds, 3) for seconds in took],
        "unanswered": never,
        **response_counts(made, deadline_ms),
    }
    return Measurement(slowest, text, fault, details)
