from typing import Any

import pytest

from sparring.records import Ending, Event, Kind, Record, Side, Status
from sparring.records import events as ev
from sparring.scoring import score
from support.records import bot, record, tool, user

READY = ev.Ready(at=0.05)
WORDS = {"measure": "words", "max_value": 60}


def talk(*metrics: dict[str, Any], end: ev.Ended | None = None, more: list[Event] | None = None):
    return record(
        READY,
        *bot(0.1, "Hello."),
        user(1, 1),
        *bot(1.1, "All set."),
        *(more or []),
        end or ev.Ended(at=2, ending=Ending.END_CALL),
        metrics=list(metrics),
    )


def outcome(record: Record) -> tuple[Status, Kind | None]:
    made = score(record)
    return made.status, made.kind


def test_a_call_passes_when_its_gates_hold():
    made = score(talk(WORDS))
    assert (made.status, made.kind, made.reason, made.passed) == (Status.PASSED, None, "", True)
    assert made.goal.verdict == "not_judged"
    assert made.metrics[0].reason == "longest reply 2 words, at most 60"


def test_without_any_gate_nothing_was_checked():
    judged = {"name": "polite", "criterion": "the reply is polite", "min_score": 1}
    for metrics in ([], [{"measure": "turns"}], [judged]):
        assert outcome(talk(*metrics)) == (Status.ERROR, Kind.NOTHING_CHECKED)


def test_a_metric_out_of_its_bounds_fails_and_the_first_one_is_named():
    made = score(
        talk(
            WORDS,
            {"measure": "turns", "min_value": 3},
            {"measure": "function_calls", "calls": ["book"]},
        )
    )
    assert (made.status, made.kind) == (Status.FAILED, Kind.OUT_OF_RANGE)
    assert made.reason == "turns: 1 caller turn(s), at least 3"


def test_function_calls_decide():
    calls = {"measure": "function_calls", "calls": [{"name": "book", "args": {"n": 2}}]}
    assert outcome(talk(calls, more=tool(1.5, "book", {"n": 2})))[0] is Status.PASSED
    assert outcome(talk(calls)) == (Status.FAILED, Kind.FUNCTION_CALLS)


def test_a_bound_with_nothing_to_measure_has_not_passed():
    silent = record(
        READY, *bot(0.1, "Hello."), ev.EndCall(at=1, success=True, reason=""),
        ev.Ended(at=1, ending=Ending.END_CALL), metrics=[{"measure": "latency", "max_value": 5}],
    )  # fmt: skip
    assert outcome(silent) == (Status.FAILED, Kind.UNMEASURED)


def test_an_unanswered_turn_fails_the_bound_and_says_what_was_timed():
    made = score(
        talk(
            {"measure": "latency", "max_value": 1},
            more=[user(2, 2)],
            end=ev.Ended(at=9, ending=Ending.BOT),
        )
    )
    assert (made.status, made.kind) == (Status.FAILED, Kind.OUT_OF_RANGE)
    assert "to the first token, caller turn 2 was never answered, at most 1" in made.reason


@pytest.mark.parametrize("ending", [Ending.MAX_TURNS, Ending.MAX_DURATION, Ending.SILENCE])
def test_a_call_cut_short_has_not_passed(ending: Ending):
    end = ev.Ended(at=2, ending=ending, kind=Kind(ending), reason="why", owed_by=Side.AGENT)
    assert outcome(talk(WORDS, end=end)) == (Status.FAILED, Kind(ending))


def test_if_we_owed_the_move_the_agent_has_not_failed():
    end = ev.Ended(at=2, ending=Ending.SILENCE, kind=Kind.CALLER_STALLED, owed_by=Side.CALLER)
    assert outcome(talk(WORDS, end=end)) == (Status.ERROR, Kind.CALLER_STALLED)


@pytest.mark.parametrize("kind", [Kind.AGENT_CRASHED, Kind.AGENT_ERROR, Kind.PROTOCOL_ERROR])
def test_what_breaks_the_agent_is_its_own_fault_once_it_was_ready(kind: Kind):
    end = ev.Ended(at=2, ending=Ending.ERROR, kind=kind, reason="why")
    assert outcome(talk(WORDS, end=end)) == (Status.FAILED, kind)
    assert outcome(record(end)) == (Status.ERROR, kind)


@pytest.mark.parametrize(
    "kind",
    [Kind.CONNECT_FAILED, Kind.CLOSED_BEFORE_READY, Kind.HANDSHAKE_TIMEOUT, Kind.CALLER_ERROR,
     Kind.INTERNAL_ERROR],
)  # fmt: skip
def test_what_is_not_the_agents_fault_is_an_error(kind: Kind):
    end = ev.Ended(at=2, ending=Ending.ERROR, kind=kind, reason="why")
    made = score(talk(WORDS, end=end))
    assert (made.status, made.kind, made.reason) == (Status.ERROR, kind, "why")


def test_an_agent_that_said_nothing_has_failed():
    mute = record(READY, user(1, 1), ev.Ended(at=2, ending=Ending.BOT), metrics=[WORDS])
    assert outcome(mute) == (Status.FAILED, Kind.AGENT_SILENT)


def test_an_interrupted_call_is_neither():
    end = ev.Ended(at=2, ending=Ending.INTERRUPTED, kind=Kind.INTERRUPTED)
    assert outcome(talk(WORDS, end=end))[0] is Status.INTERRUPTED
    assert outcome(record(READY, *bot(0.1, "Hel"), metrics=[WORDS]))[0] is Status.INTERRUPTED


def test_metrics_are_scored_even_if_the_call_broke():
    end = ev.Ended(at=2, ending=Ending.ERROR, kind=Kind.AGENT_CRASHED, reason="why")
    assert score(talk(WORDS, end=end)).metrics[0].value == 2
