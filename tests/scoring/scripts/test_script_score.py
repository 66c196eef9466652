"""What the record of a script comes to."""

from typing import Any

import pytest

from sparring.records import (
    CallerIdentity,
    Ending,
    Event,
    Judgement,
    Kind,
    Record,
    ScriptScore,
    Status,
    make_result,
    read_result,
)
from sparring.records import events as ev
from sparring.records.json_text import json_of
from sparring.records.judgement import JudgeIdentity
from sparring.scoring import JudgeFailure, score
from sparring.scoring.judging import definition_of, is_decided, is_worth_judging
from sparring.scoring.scripts import TurnState
from sparring.scoring.scripts.judging import settled
from support.records import bot, header, user

REPLY = {"event": "response"}
JUDGED = {**REPLY, "eval": "it greets"}
TURNS: list[dict[str, Any]] = [{"expect": [REPLY]}, {"user": "Hi.", "expect": [REPLY]}]
GREETING: list[Event] = [ev.Ready(at=0.05), ev.TurnBegan(at=0.06, turn=1), *bot(0.1, "Hello.")]
SECOND: list[Event] = [ev.TurnBegan(at=0.4, turn=2), user(0.5, 1, "Hi."), *bot(1, "Yes.")]
OVER: list[Event] = [
    ev.EndCall(at=2, success=True, reason="played"),
    ev.Ended(at=2, ending=Ending.END_CALL),
]


def record(*events: Event, turns: list[dict[str, Any]] | None = None, **keys: Any) -> Record:
    definition = {"name": "s", "turns": turns or TURNS, **keys}
    head = header().model_copy(update={"caller": CallerIdentity(service="script")})
    identity = head.scenario.model_copy(update={"definition": definition})
    content = head.model_copy(update={"scenario": identity}).model_dump()
    return Record(**content, events=list(events))


def scored(record: Record, failure: JudgeFailure | None = None) -> ScriptScore:
    made = score(record, failure)
    assert isinstance(made, ScriptScore)
    return made


def outcome(record: Record, failure: JudgeFailure | None = None) -> tuple[Status, Kind | None]:
    made = scored(record, failure)
    return made.status, made.kind


def statuses(record: Record) -> list[str]:
    return [turn.status for turn in scored(record).turns]


def test_a_script_that_was_played_to_its_end_passes():
    made = record(*GREETING, *SECOND, *OVER)
    assert outcome(made) == (Status.PASSED, None)
    first, second = scored(made).turns
    assert (first.sent, second.sent, second.duration_ms) == ("", "Hi.", 600)
    (expectation,) = second.expectations
    assert (expectation.matched, expectation.at_ms) == ("Yes.", 600)


def test_the_first_failure_is_named():
    turns = [{"expect": [REPLY, {**REPLY, "within_ms": 500}]}, TURNS[1]]
    made = scored(record(*GREETING, *OVER, turns=turns))
    assert (made.status, made.kind) == (Status.FAILED, Kind.TIMEOUT)
    assert made.reason == "turn 1 llm_response: no response within 0.5 s"
    assert [turn.status for turn in made.turns] == ["failed", "not_run"]


def test_a_turn_that_was_begun_and_never_sent_was_not_run():
    made = record(*GREETING, ev.TurnBegan(at=0.4, turn=2), *OVER)
    assert statuses(made) == ["passed", "not_run"]
    assert outcome(made) == (Status.ERROR, Kind.UNPLAYED)


def test_turns_left_out_by_an_agent_that_hung_up_are_its_failure():
    end = ev.Ended(at=0.3, ending=Ending.BOT)
    assert outcome(record(*GREETING, end)) == (Status.FAILED, Kind.BOT_ENDED)
    made = scored(record(*GREETING, ev.TurnBegan(at=0.25, turn=2), end))
    assert made.reason == "turn 2 llm_response: the agent hung up, before the turn was sent"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Kind.CONNECT_FAILED, "<connect>"),
        (Kind.CLOSED_BEFORE_READY, "<bot-ready>"),
        (Kind.HANDSHAKE_TIMEOUT, "<bot-ready>"),
        (Kind.INTERNAL_ERROR, "<error>"),
    ],
)
def test_what_broke_before_any_turn(kind: Kind, name: str):
    made = scored(record(ev.Ended(at=1, ending=Ending.ERROR, kind=kind, reason="why")))
    assert (made.status, made.kind, made.reason) == (Status.ERROR, kind, "why")
    (failure,) = made.failures
    assert (failure.turn_index, failure.expectation_index, failure.event_name) == (-1, -1, name)


def test_an_agent_that_broke_while_nothing_was_waited_for_has_failed():
    end = ev.Ended(at=0.3, ending=Ending.ERROR, kind=Kind.AGENT_CRASHED, reason="it broke")
    made = scored(record(*GREETING, end))
    assert (made.status, made.kind) == (Status.FAILED, Kind.AGENT_CRASHED)
    assert made.failures[0].event_name == "<agent>"


def test_a_record_that_stops_in_the_middle():
    made = record(*GREETING, *SECOND[:2])
    assert outcome(made) == (Status.INTERRUPTED, Kind.INTERRUPTED)
    assert statuses(made) == ["passed", "undecided"]
    stopped = ev.Ended(at=0.6, ending=Ending.INTERRUPTED, kind=Kind.INTERRUPTED, reason="stopped")
    assert statuses(record(*GREETING, *SECOND[:2], stopped)) == ["passed", "undecided"]
    assert statuses(record()) == ["not_run", "not_run"]


def judgement(made: Record, verdict: str) -> Judgement:
    turns: list[TurnState] = settled(made, definition_of(made), {})  # type: ignore[arg-type]
    (question,) = [question for turn in turns for question in turn.questions]
    answer = {"criterion": question.criterion, "verdict": verdict, "reason": "so"}
    return Judgement.model_validate(
        {
            "call": "x",
            "judge": {"service": "t", "model": "m", "prompt_version": "1"},
            "expectations": {question.hash: answer},
        }
    )


def test_verdicts_decide_and_are_shown_with_who_gave_them():
    made = record(*GREETING, *SECOND, *OVER, turns=[{"expect": [JUDGED]}, TURNS[1]])
    assert is_worth_judging(made) and not is_decided(made)
    assert outcome(made) == (Status.PASSED, None)  # Nobody judged; the rest held.
    for verdict, status, kind in (
        ("yes", Status.PASSED, None),
        ("no", Status.FAILED, Kind.JUDGE_NO),
        ("not_yet", Status.ERROR, Kind.JUDGE_LATE),
    ):
        judged = made.model_copy(update={"judgements": [judgement(made, verdict)]})
        assert is_decided(judged)
        assert outcome(judged) == (status, kind)
        assert scored(judged).judges == [JudgeIdentity(service="t", model="m", prompt_version="1")]
        assert scored(judged).turns[0].expectations[0].verdict is not None


def test_a_judge_in_trouble_is_an_error_unless_the_agent_has_failed_anyway():
    failure = JudgeFailure(Kind.JUDGE_UNAVAILABLE, "HTTP 401")
    made = record(*GREETING, *SECOND, *OVER, turns=[{"expect": [JUDGED]}, TURNS[1]])
    assert outcome(made, failure) == (Status.ERROR, Kind.JUDGE_UNAVAILABLE)
    lost = [{"expect": [JUDGED]}, {"user": "Hi.", "expect": [{**REPLY, "text_contains": "x"}]}]
    made = record(*GREETING, *SECOND, *OVER, turns=lost)
    assert outcome(made, failure) == (Status.FAILED, Kind.TEXT_MISMATCH)


def test_nothing_but_what_nobody_judged_is_no_pass():
    made = record(*GREETING, *OVER, turns=[{"expect": [JUDGED]}])
    assert outcome(made) == (Status.ERROR, Kind.NOTHING_CHECKED)


def test_the_default_time_is_the_runs():
    made = record(*GREETING, *SECOND[:2], *OVER)
    caller = CallerIdentity(service="script", params={"timeout_s": 1})
    told = scored(made.model_copy(update={"caller": caller})).reason
    assert told == "turn 2 llm_response: no response within 1 s"


def test_a_result_survives_the_way_through_a_file():
    made = record(*GREETING, *SECOND, *OVER)
    result = make_result(made, score(made), {"record": "records/s.json"})
    assert read_result(json_of(result)) == result
    assert result.type == "script" and result.events_seen is None
