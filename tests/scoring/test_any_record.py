"""Whatever happens in a call, it can be scored, shown and written down."""

import io
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.records import Event, Record, Status, make_result
from sparring.records import events as ev
from sparring.records.trace import Trace
from sparring.reports import TerminalReport
from sparring.reports.terminal import Output
from sparring.scenarios.measure_names import VOICE_MEASURES
from sparring.scoring import score
from sparring.scoring.voice.timeline import turn_rows
from sparring.scoring.voice.transcript import transcript
from support.records import record

METRICS: list[dict[str, Any]] = [
    {"measure": "turns", "max_value": 9},
    {"measure": "duration", "max_value": 9},
    {"measure": "words", "max_value": 9},
    {"measure": "latency", "max_value": 1},
    *({"measure": measure} for measure in VOICE_MEASURES),
    {"measure": "function_calls", "calls": ["book", {"name": "check", "times": "1+"}]},
    {"name": "polite", "criterion": "polite", "min_score": 1},
]
times = st.floats(0, 100, allow_nan=False)
kinds = [*get_args(ev.AgentEvent), *get_args(ev.OwnEvent)]
tools = {"id": st.sampled_from("12"), "name": st.sampled_from(["book", "check", None])}
spans = st.none() | st.lists(st.tuples(times, times), max_size=3)
any_event = st.one_of(
    *(st.builds(kind, at=times) for kind in kinds),
    st.builds(ev.FunctionCall, at=times, **tools),
    st.builds(ev.FunctionCallStopped, at=times, **tools),
    st.builds(ev.Soundtrack, at=times, caller=spans, agent=spans, threshold=st.just(220.0)),
    st.builds(ev.CallerSpoke, at=times, began=times, ended=times, turn=st.integers(1, 3)),
    st.builds(ev.LLMText, at=times, text=st.text(max_size=9)),
    st.builds(ev.CallerSaid, at=times, turn=st.integers(1, 9), text=st.text(max_size=9)),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(any_event, max_size=12))
def test_any_events_can_be_scored_shown_and_written(events: list[Event]):
    made: Record = record(*events, metrics=METRICS)
    result = make_result(made, score(made))
    assert result.passed is (result.status is Status.PASSED)
    assert result.passed or (result.kind is not None and result.reason)
    result.model_dump_json()
    transcript(made)
    list(turn_rows(made, 5000))
    trace = Trace()
    for event in events:
        trace.lines(event)
    report = TerminalReport(Output(io.StringIO()), verbose=True)
    report.scored(result)


def test_a_call_in_which_nothing_happened():
    made = record(ev.Closed(at=0.1, code=1006), metrics=METRICS)
    assert score(made).status is Status.INTERRUPTED
