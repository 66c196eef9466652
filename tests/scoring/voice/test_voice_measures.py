"""From a record with sound to measures, bounds and a score."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.records import Ending, Kind, Lateness, Record, Status
from sparring.records import events as ev
from sparring.scenarios.measure_names import VOICE_MEASURES, VoiceMeasure
from sparring.scoring import measure, score
from sparring.scoring.voice.speech import speech_of
from support.records import bot, record, soundtrack, spoken, tool, user

AUDIO: dict[str, Any] = {
    "user": {"modality": "audio", "speech": {"service": "piper", "voice": "x"}},
    "judge": {"modality": "audio", "transcription": {"service": "whisper"}, "eval": False},
}
ENDED = ev.Ended(at=60, ending=Ending.END_CALL)


def call(*events: Any, **keys: Any) -> Record:
    return record(*events, ENDED, **{**AUDIO, **keys})


def two_turns(**keys: Any) -> Record:
    """A greeting, two requests answered after 820 and 400 ms, a goodbye; one tool call."""
    return call(
        *bot(0.2, "Hello."),
        user(2, 1, "A table."),
        spoken(2, 3, 1, "A table."),
        *bot(3.2, "For how many?"),
        user(6, 2, "Two."),
        spoken(6, 6.5, 2, "Two."),
        *tool(6.55, "book", {}, took=0.3),
        *bot(6.7, "Booked."),
        user(9, 3, "Bye.", hanging_up=True),
        spoken(9, 9.4, 3, "Bye."),
        soundtrack(
            caller=[(2000, 3000), (6000, 6500), (9000, 9400)],
            agent=[(500, 1500), (3820, 5000), (6900, 8000)],
        ),
        **keys,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("response_rate", 1.0),
        ("response_latency_ms", 610),
        ("response_latency_p50_ms", 610),
        ("response_latency_p90_ms", 778),
        ("response_latency_p95_ms", 799),
        ("interruption_rate", 0),
        ("interruptions", 0),
        ("yield_rate", None),
        ("yield_latency_ms", None),
        ("selectivity_backchannel", None),
        ("speaking_duration_ms", 3280),
        ("speaking_duration_max_ms", 1180),
        ("floor_hold_silence_ms", 300),
        ("floor_hold_silence_max_ms", 300),
        ("overlap_ms", 0),
        ("talk_ratio", round(3280 / 5180, 4)),
        ("longest_silence_ms", 1000),
        ("latency", 0.82),
    ],
)
def test_a_call_measured(name: Any, value: float | None):
    assert measure(name, two_turns()).value == pytest.approx(value)


def test_what_stands_beside_a_rate():
    details = measure("response_rate", two_turns()).details
    assert details["metrics_version"] == "2.0+join200"
    assert (details["deadline_ms"], details["latencies_ms"]) == (5000, [820, 400])
    assert (details["answered"], details["excluded"]) == (2, 1)
    assert details["exclusion_reasons"] == {"caller_closing": 1}


def test_the_scenarios_deadline_counts():
    late = measure("response_rate", two_turns(response_deadline_ms=500))
    assert (late.value, late.details["late_latencies_ms"]) == (0.5, [820])


@pytest.mark.parametrize("name", VOICE_MEASURES)
def test_a_call_without_sound_is_not_measured(name: VoiceMeasure):
    made = measure(name, record(user(1, 1), ENDED))
    assert (made.value, made.text) == (None, "not measured: the call has no sound")


@pytest.mark.parametrize("name", VOICE_MEASURES)
def test_a_line_that_is_never_quiet_is_not_measured(name: VoiceMeasure):
    noisy = call(soundtrack(agent=[(0, 60_000)], agent_floor=640.0))
    made = measure(name, noisy)
    assert made.value is None
    assert "noise floor 640" in made.text


def test_an_agent_that_was_not_recorded_is_not_an_agent_that_was_silent():
    deaf = call(
        spoken(1, 2, 1), soundtrack(caller=[(1000, 2000)]).model_copy(update={"agent": None})
    )
    assert measure("response_rate", deaf).value is None
    assert measure("speaking_duration_ms", deaf).value is None


def test_an_agent_alone_can_be_measured_for_itself():
    text = call(user(1, 1), soundtrack(agent=[(500, 900)]).model_copy(update={"caller": None}))
    assert measure("speaking_duration_ms", text).value == 400
    assert measure("talk_ratio", text).value is None


def test_silence_is_an_observation():
    silent = call(user(1, 1), spoken(1, 2, 1), soundtrack(caller=[(1000, 2000)]))
    assert measure("response_rate", silent).value == 0
    assert measure("speaking_duration_ms", silent).value == 0
    assert measure("response_latency_ms", silent).value is None
    assert measure("latency", silent).fault == "caller turn 1 was never answered"


def test_a_bound_on_what_was_heard_decides():
    slow = score(two_turns(metrics=[{"measure": "response_latency_ms", "max_value": 600}]))
    assert (slow.status, slow.kind) == (Status.FAILED, Kind.OUT_OF_RANGE)
    assert slow.reason == ("response_latency_ms: mean latency 610 ms over 2 answer(s), at most 600")
    fast = score(two_turns(metrics=[{"measure": "response_latency_ms", "max_value": 620}]))
    assert fast.status is Status.PASSED


def test_a_bound_on_what_cannot_be_known_fails():
    noisy = call(
        *bot(0, "Hello."),
        soundtrack(agent_floor=300.0),
        metrics=[{"measure": "response_rate", "min_value": 0.5}],
    )
    assert score(noisy).kind is Kind.UNMEASURED


def test_words_without_a_sound_are_no_turn():
    made = speech_of(call(spoken(1, 2, 1), spoken(4, 5, 2), soundtrack(caller=[(4100, 4800)])))
    assert made is not None
    assert [(turn.number, turn.start, turn.end) for turn in made.turns] == [(1, 4100, 4800)]


def test_sound_without_words_is_no_turn_unless_there_are_no_words_at_all():
    caller = [(1000, 1500), (1600, 2000), (4000, 5000)]
    worded = speech_of(call(spoken(0.9, 2.1, 1), soundtrack(caller=caller)))
    wordless = speech_of(call(soundtrack(caller=caller)))
    assert worded is not None and wordless is not None
    assert [(turn.start, turn.end) for turn in worded.turns] == [(1000, 2000)]
    assert [(turn.start, turn.end) for turn in wordless.turns] == [(1000, 2000), (4000, 5000)]


@pytest.mark.parametrize(
    ("text", "began", "action"),
    [
        ("A table.", 5, "speak"),
        ("Mm-hmm.", 5, "speak"),
        ("Mm-hmm.", 2, "backchannel"),
        ("Got it!", 2, "backchannel"),
        ("Okay, a table.", 2, "interrupt"),
    ],
)
def test_what_a_turn_was_meant_as_is_inferred(text: str, began: float, action: str):
    sound = soundtrack(caller=[(began * 1000, began * 1000 + 500)], agent=[(1000, 4000)])
    made = speech_of(call(spoken(began, began + 0.5, None, text), sound))
    assert made is not None
    assert [turn.action for turn in made.turns] == [action]


def test_what_the_caller_meant_wins_over_what_it_looks_like():
    sound = soundtrack(caller=[(2000, 2500)], agent=[(1000, 4000)])
    made = speech_of(call(spoken(2, 2.5, 1, "Mm-hmm.", "interrupt"), sound))
    assert made is not None
    assert [turn.action for turn in made.turns] == ["interrupt"]


def test_times_count_from_the_recordings_first_sample():
    sound = soundtrack(caller=[(1000, 2000)], agent=[(2500, 3000)], began=0.25)
    assert measure("latency", call(spoken(1.25, 2.25, 1), sound)).value == 0.5


spans = st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 9000)), max_size=5)


@given(spans, spans, spans, st.sampled_from([None, "speak", "interrupt", "backchannel"]))
def test_any_sound_can_be_measured(caller: Any, agent: Any, said: Any, action: Any):
    events = [spoken(s / 1000, e / 1000, n, "Yes.", action) for n, (s, e) in enumerate(said, 1)]
    made = call(*events, soundtrack(caller, agent, 9000))
    for name in VOICE_MEASURES:
        value = measure(name, made).value
        assert value is None or value >= 0
        if name.endswith("_rate") and name != "interruption_rate":
            assert value is None or value <= 1


@pytest.mark.parametrize(
    ("lateness", "kind"),
    [
        (Lateness(max_ms=59, p99_ms=19, over_20_ms=4), Kind.OUT_OF_RANGE),
        (Lateness(max_ms=61, p99_ms=2, over_60_ms=1), Kind.HARNESS_OVERLOADED),
        (Lateness(max_ms=40, p99_ms=21, over_20_ms=90), Kind.HARNESS_OVERLOADED),
    ],
)
def test_a_failure_while_we_kept_bad_time_is_our_error(lateness: Lateness, kind: Kind):
    slow = call(
        *bot(0.2, "Hello."),
        spoken(1, 2, 1),
        soundtrack([(1000, 2000)], [(4000, 5000)], lateness=lateness),
        metrics=[{"measure": "latency", "max_value": 1}],
    )
    made = score(slow)
    assert made.kind is kind
    assert (made.status is Status.ERROR) is (kind is Kind.HARNESS_OVERLOADED)
    assert "at most 1" in made.reason


def test_what_passed_though_we_kept_bad_time_has_passed():
    lateness = Lateness(max_ms=61, over_60_ms=1)
    fast = call(
        *bot(0.2, "Hello."),
        spoken(1, 2, 1),
        soundtrack([(1000, 2000)], [(2500, 5000)], lateness=lateness),
        metrics=[{"measure": "latency", "max_value": 1}],
    )
    assert score(fast).status is Status.PASSED
