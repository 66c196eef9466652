"""What can be measured of a call, by the names that scenario files use."""

from typing import Literal, TypeAlias, get_args

TextMeasure: TypeAlias = Literal["turns", "duration", "words", "latency"]
"""What any call has."""

VoiceMeasure: TypeAlias = Literal[
    "response_rate",
    "response_latency_ms",
    "response_latency_p50_ms",
    "response_latency_p90_ms",
    "response_latency_p95_ms",
    "interruption_rate",
    "interruptions",
    "yield_rate",
    "yield_latency_ms",
    "selectivity_backchannel",
    "speaking_duration_ms",
    "speaking_duration_max_ms",
    "floor_hold_silence_ms",
    "floor_hold_silence_max_ms",
    "overlap_ms",
    "talk_ratio",
    "longest_silence_ms",
]
"""What only the recording of a spoken call tells."""

RangeMeasure: TypeAlias = TextMeasure | VoiceMeasure
"""What comes to a number, and may have bounds."""

TEXT_MEASURES: tuple[TextMeasure, ...] = get_args(TextMeasure)
VOICE_MEASURES: tuple[VoiceMeasure, ...] = get_args(VoiceMeasure)
