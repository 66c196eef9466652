from typing import Any

import pytest

from sparring.records import Ending
from sparring.records import events as ev
from sparring.scoring import measure
from sparring.scoring.reported import reported_ttfb
from support.records import bot, record, soundtrack, spoken, user

LLM = {"processor": "LLM#0", "model": "m", "value": 0.11271}


def test_what_services_report_is_kept_by_their_names():
    made = record(
        ev.Metrics(at=1, data={"ttfb": [LLM, {"processor": "TTS#0", "value": 0}]}),
        ev.Metrics(at=2, data={"ttfb": [{**LLM, "value": 0.2}], "tokens": [{}]}),
    )
    assert reported_ttfb(made) == {"LLM#0": [0.1127, 0.2], "TTS#0": [0.0]}


@pytest.mark.parametrize(
    "data", [{}, {"ttfb": None}, {"ttfb": {}}, {"ttfb": ["x"]}, {"ttfb": [{"value": "fast"}]}]
)
def test_reports_of_another_shape_are_passed_over(data: dict[str, Any]):
    assert reported_ttfb(record(ev.Metrics(at=1, data=data))) == {}


def test_they_stand_beside_what_was_measured():
    report = ev.Metrics(at=1.5, data={"ttfb": [LLM]})
    ended = ev.Ended(at=9, ending=Ending.END_CALL)
    text = record(user(1, 1), report, *bot(2, "Yes."), ended)
    sound = record(spoken(1, 2, 1), report, soundtrack([(1000, 2000)], [(2500, 3000)]), ended)
    assert measure("latency", text).details["reported_ttfb_s"] == {"LLM#0": [0.1127]}
    for name in ("latency", "response_latency_ms"):
        assert measure(name, sound).details["reported_ttfb_s"] == {"LLM#0": [0.1127]}
    assert "reported_ttfb_s" not in measure("latency", record(user(1, 1), ended)).details
