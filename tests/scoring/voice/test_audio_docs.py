"""The document of the audio metrics knows all of them."""

from pathlib import Path

import pytest

from sparring.scenarios.measure_names import VOICE_MEASURES, VoiceMeasure
from sparring.scoring.voice.overlaps import BACKCHANNEL_WINDOW_MS, YIELD_WINDOW_MS
from sparring.scoring.voice.responses import DEFAULT_DEADLINE_MS
from sparring.scoring.voice.speech import JOIN_GAP_MS, THRESHOLD_RMS, VOICE_METRICS_VERSION
from sparring.scoring.voice.voiced import FRAME_MS

DOCUMENT = (Path(__file__).parents[3] / "docs" / "audio-metrics.md").read_text("utf-8")


@pytest.mark.parametrize("name", VOICE_MEASURES)
def test_every_measure_is_defined(name: VoiceMeasure):
    assert f"`{name}`" in DOCUMENT


def test_every_constant_is_the_one_in_use():
    for told in (
        f"`{VOICE_METRICS_VERSION}`",
        f"frames of {FRAME_MS} ms",
        f"at least {THRESHOLD_RMS:.0f}",
        f"up to {JOIN_GAP_MS:.0f} ms",
        f"({DEFAULT_DEADLINE_MS:.0f})",
        f"within {YIELD_WINDOW_MS:.0f} ms",
        f"for {BACKCHANNEL_WINDOW_MS:.0f} ms at least",
    ):
        assert told in DOCUMENT, told
