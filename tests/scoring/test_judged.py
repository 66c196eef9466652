import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ModelError
from sparring.models import Finished, ModelIdentity, Piece, Request, Text, Usage
from sparring.models.chat import ContextOverflow
from sparring.records import (
    Ending,
    Kind,
    Record,
    Status,
    TurnVerdict,
    load_record,
    make_result,
    save_record,
)
from sparring.records import events as ev
from sparring.records.redaction import keep_secret
from sparring.scenarios import JudgedMetric
from sparring.scoring import judge_record, known_verdicts, score
from sparring.scoring.judged import score_judged
from support.fake_llm import Chat, verdicts
from support.records import bot, record, user

POLITE = {"name": "polite", "criterion": "the reply is polite", "min_score": 1}
BRIEF = {"name": "brief", "criterion": "the reply is brief"}


class Model:
    """A model that answers in this process."""

    def __init__(
        self,
        answer: Callable[[Chat], str | ModelError] = verdicts,
        name: str = "m",
        usage: Usage = Usage(),  # noqa: B008 - it is frozen.
        **params: Any,
    ):
        self.identity = ModelIdentity("fake", name, params)
        self.answer = answer
        self.usage = usage
        self.asked: list[Request] = []

    async def check(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        self.asked.append(request)
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        body = {"messages": messages, "format": request.schema}
        answer = self.answer(Chat("ollama", body, {}, len(self.asked) - 1))
        if isinstance(answer, ModelError):
            raise answer
        yield Text(answer)
        yield Finished(usage=self.usage)


def call(*metrics: dict[str, Any], success: str = "booked") -> Record:
    return record(
        ev.Ready(at=0.05),
        *bot(0.1, "Hello."),
        user(1, 1),
        *bot(2, "All set."),
        ev.Ended(at=3, ending=Ending.END_CALL),
        metrics=list(metrics),
        success=success,
    )


async def test_one_request_decides_goal_and_all_criteria():
    model = Model(usage=Usage(900, 50))
    judged, failure = await judge_record(call(POLITE, BRIEF), model)
    assert failure is None and len(model.asked) == 1
    made = score(judged)
    assert (made.status, made.goal.verdict) == (Status.PASSED, "met")
    assert [metric.score for metric in made.metrics] == [1, 1]
    (judgement,) = judged.judgements
    assert (judgement.prompt_tokens, judgement.requests) == (900, 1)


async def test_what_is_known_is_not_asked_again():
    first, _ = await judge_record(call(POLITE), model := Model())
    again, _ = await judge_record(first, model)
    assert len(model.asked) == 1 and again == first
    await judge_record(first, model, fresh=True)
    assert len(model.asked) == 2


async def test_only_an_edited_criterion_is_asked_about():
    first, _ = await judge_record(call(POLITE, BRIEF), Model())
    edited = {**POLITE, "criterion": "the reply is very polite"}
    changed = call(edited, BRIEF).model_copy(update={"judgements": first.judgements})
    assert set(known_verdicts(changed).criteria) == {BRIEF["criterion"]}
    model = Model()
    judged, _ = await judge_record(changed, model)
    text = model.asked[0].messages[1].content
    assert "very polite" in text and BRIEF["criterion"] not in text
    assert "Success criterion" not in text
    assert score(judged).status is Status.PASSED


async def test_an_edited_criterion_that_gets_no_verdict_is_an_error():
    first, _ = await judge_record(call(POLITE), Model())
    edited = {**POLITE, "criterion": "the reply mentions the weather"}
    changed = call(edited).model_copy(update={"judgements": first.judgements})
    judged, failure = await judge_record(changed, Model(lambda chat: "It does."))
    assert (score(judged, failure).status, score(judged, failure).kind) == (
        Status.ERROR,
        Kind.JUDGE_NO_VERDICT,
    )
    assert score(judged).kind is Kind.JUDGE_NO_VERDICT  # Nor does it pass if nobody is asked.


def without(*keys: str) -> Callable[[Chat], str]:
    """A judge that leaves these keys out, the first in its first answer, and so on."""

    def answer(chat: Chat) -> str:
        whole = json.loads(verdicts(chat))
        if chat.number < len(keys):
            whole.pop(keys[chat.number], None)
        return json.dumps(whole)

    return answer


async def test_answers_that_leave_something_open_add_up():
    """What was decided stands; asked again is only about what is open."""
    model = Model(without("turn_1", "turn_2"), usage=Usage(900, 50))
    judged, failure = await judge_record(call(POLITE), model)
    assert failure is None and score(judged).status is Status.PASSED
    again = model.asked[1].messages[1].content
    assert len(model.asked) == 2 and len(again) < len(model.asked[0].messages[1].content)
    assert "Success criterion" not in again and POLITE["criterion"] in again
    (judgement,) = judged.judgements
    assert (judgement.requests, judgement.prompt_tokens, judgement.completion_tokens) == (
        2,
        1800,
        100,
    )


async def test_the_first_verdict_on_a_thing_counts():
    def wavers(chat: Chat) -> str:
        if chat.number == 0:
            return without("turn_2")(chat)
        return verdicts(chat, turn_1={"c1": "fails"})

    judged, failure = await judge_record(call(POLITE), Model(wavers))
    assert failure is None
    assert [v.verdict for v in judged.judgements[0].criteria[POLITE["criterion"]]] == ["meets"] * 2


async def test_a_goal_left_out_is_asked_about_alone():
    model = Model(without("goal"))
    judged, failure = await judge_record(call(POLITE), model)
    assert failure is None and score(judged).goal.verdict == "met"
    assert POLITE["criterion"] not in model.asked[1].messages[1].content


async def test_criteria_are_kept_when_the_goal_never_comes():
    model = Model(without("goal", "goal", "goal"))
    judged, failure = await judge_record(call(POLITE), model)
    assert failure is not None and failure.kind is Kind.JUDGE_NO_VERDICT
    assert "no verdict on the goal in 3 tries" in failure.reason
    made = score(judged, failure)
    assert (made.status, made.metrics[0].score) == (Status.ERROR, 1)
    then, failure = await judge_record(judged, model := Model())
    assert failure is None and score(then).status is Status.PASSED
    assert POLITE["criterion"] not in model.asked[0].messages[1].content


GONE = ModelError("the server is gone")


async def test_what_was_decided_before_the_server_went_is_kept():
    def goes(chat: Chat) -> str | ModelError:
        return without("turn_2")(chat) if chat.number == 0 else GONE

    judged, failure = await judge_record(call(POLITE), Model(goes, usage=Usage(900, 50)))
    assert failure is not None and failure.kind is Kind.JUDGE_UNAVAILABLE
    made = score(judged, failure)
    assert (made.status, made.kind, made.goal.verdict) == (
        Status.ERROR,
        Kind.JUDGE_UNAVAILABLE,
        "met",
    )
    (judgement,) = judged.judgements
    assert (judgement.requests, judgement.prompt_tokens) == (2, 900)
    assert judgement.goal is not None


async def test_what_is_missing_is_no_error_where_it_does_not_decide():
    def goes(chat: Chat) -> str | ModelError:
        return without("turn_2")(chat) if chat.number == 0 else GONE

    for metric in ({**POLITE, "min_score": 0.5}, BRIEF):
        judged, failure = await judge_record(call(metric), Model(goes))
        assert failure is not None
        assert score(judged, failure).status is Status.PASSED

    def says_no_and_goes(chat: Chat) -> str | ModelError:
        answer = goes(chat)
        return answer.replace('"yes"', '"no"') if isinstance(answer, str) else answer

    judged, failure = await judge_record(call(POLITE), Model(says_no_and_goes))
    assert failure is not None
    assert (score(judged, failure).status, score(judged, failure).kind) == (
        Status.FAILED,
        Kind.JUDGE_NO,
    )


async def test_a_measure_that_failed_has_failed_whatever_the_judge_would_say():
    judged, failure = await judge_record(
        call({"measure": "turns", "min_value": 9}), Model(lambda chat: GONE)
    )
    assert failure is not None
    assert score(judged, failure).kind is Kind.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("answer", "requests", "tokens"),
    [(lambda chat: "It passed.", 3, 2700), (lambda chat: GONE, 1, 0)],
    ids=["prose", "gone"],
)
async def test_who_failed_and_what_it_cost_is_in_the_result(
    answer: Callable[[Chat], str | ModelError], requests: int, tokens: int
):
    judged, failure = await judge_record(call(POLITE), Model(answer, usage=Usage(900, 50)))
    result = make_result(judged, score(judged, failure))
    assert result.judge is not None and result.judge.model == "m"
    assert (result.judge_requests, result.tokens["judge"]["prompt"]) == (requests, tokens)


async def test_a_judge_that_failed_is_not_helped_out_by_another():
    first, _ = await judge_record(call(POLITE), Model())
    judged, failure = await judge_record(first, Model(lambda chat: GONE, name="other"))
    assert score(judged, failure).kind is Kind.JUDGE_UNAVAILABLE
    result = make_result(judged, score(judged, failure))
    assert result.judge is not None and result.judge.model == "other"
    assert score(judged).status is Status.PASSED  # The first one's verdicts are still there.


async def test_a_fresh_verdict_that_never_comes_is_not_taken_from_the_past():
    first, _ = await judge_record(call(POLITE), Model())
    judged, failure = await judge_record(first, Model(lambda chat: GONE), fresh=True)
    assert score(judged, failure).status is Status.ERROR


async def test_a_newer_judgement_without_verdicts_takes_none_away():
    first, _ = await judge_record(call(POLITE), Model())
    (judgement,) = first.judgements
    empty = judgement.model_copy(
        update={"goal": None, "criteria": {POLITE["criterion"]: turns("none", "fails")}}
    )
    both = first.model_copy(update={"judgements": [judgement, empty]})
    known = known_verdicts(both)
    assert known.goal == judgement.goal
    assert [v.verdict for v in known.criteria[POLITE["criterion"]]] == ["meets", "fails"]


async def test_the_judges_whose_verdicts_count_are_named():
    first, _ = await judge_record(call(POLITE), Model(name="first"))
    result = make_result(first, score(first))
    assert [judge.model for judge in result.judges] == ["first"]
    edited = call(POLITE, BRIEF).model_copy(update={"judgements": first.judgements})
    (second,) = (await judge_record(call(BRIEF), Model(name="second")))[0].judgements
    second = second.model_copy(update={"goal": None})
    stale = second.model_copy(
        update={"criteria": {}, "judge": second.judge.model_copy(update={"model": "third"})}
    )
    mixed = edited.model_copy(update={"judgements": [*first.judgements, second, stale]})
    result = make_result(mixed, score(mixed))
    assert result.judge is not None and result.judge.model == "second"
    assert [judge.model for judge in result.judges] == ["second", "first"]


async def test_secrets_do_not_hide_that_judge_call_and_criteria_are_the_same(tmp_path: Path):
    keep_secret("sk-planted-12345")
    model = Model(extra_headers={"x-key": "sk-planted-12345"})
    talk = [*bot(0.1, "Your code is sk-planted-12345."), ev.Ended(at=3, ending=Ending.BOT)]
    metric = {**POLITE, "criterion": "it says sk-planted-12345"}
    said = record(ev.Ready(at=0), *talk, metrics=[metric], success="it said sk-planted-12345")
    judged, _ = await judge_record(said, model)
    assert "sk-planted" not in str(model.asked)
    save_record(judged, tmp_path / "a.json")
    assert "sk-planted" not in (tmp_path / "a.json").read_text()
    loaded = load_record(tmp_path / "a.json")
    await judge_record(loaded, model)
    await judge_record(loaded.model_copy(update={"scenario": said.scenario}), model)
    assert len(model.asked) == 1
    assert score(loaded).status is score(judged).status is Status.PASSED


async def test_another_judge_is_asked_and_the_call_must_be_the_same():
    first, _ = await judge_record(call(POLITE), Model())
    other = Model(name="other")
    await judge_record(first, other)
    assert len(other.asked) == 1
    elsewhere = record(
        *first.events[:-1], *bot(2.5, "More."), first.events[-1], metrics=[POLITE], success="booked"
    ).model_copy(update={"judgements": first.judgements})
    assert known_verdicts(elsewhere).goal is None


async def test_an_answer_that_cannot_be_read_is_asked_for_again():
    notes: list[str] = []
    model = Model(lambda chat: "well" if chat.number < 2 else verdicts(chat))
    judged, failure = await judge_record(call(POLITE), model, note=notes.append)
    assert failure is None and len(notes) == 2
    assert judged.judgements[0].requests == 3


async def test_no_verdict_is_an_error_and_never_a_pass():
    judged, failure = await judge_record(call(POLITE), Model(lambda chat: "It passed."))
    made = score(judged, failure)
    assert (made.status, made.kind) == (Status.ERROR, Kind.JUDGE_NO_VERDICT)
    assert "3 tries" in made.reason


@pytest.mark.parametrize(
    ("error", "kind"),
    [(GONE, Kind.JUDGE_UNAVAILABLE), (ContextOverflow("too long"), Kind.JUDGE_CONTEXT)],
)
async def test_a_judge_that_cannot_be_asked(error: ModelError, kind: Kind):
    _, failure = await judge_record(call(POLITE), Model(lambda chat: error))
    assert failure is not None and failure.kind is kind


async def test_an_answer_that_breaks_off_is_none():
    class Dropped(Model):
        async def stream(self, request: Request) -> AsyncIterator[Piece]:
            async for piece in super().stream(request):
                if not isinstance(piece, Finished):
                    yield piece

    judged, failure = await judge_record(call(POLITE), Dropped())
    assert failure is not None and failure.kind is Kind.JUDGE_UNAVAILABLE
    assert judged.judgements[0].goal is None


async def test_a_prompt_that_was_cut_is_noticed():
    """A third of it may not go unseen."""
    talk = [
        event
        for number in range(1, 30)
        for event in (*bot(number, "For how many guests, and at what time?"), user(number, number))
    ]
    long = record(*talk, ev.Ended(at=99, ending=Ending.BOT), metrics=[POLITE])
    whole = Model()
    await judge_record(long, whole)
    characters = sum(len(message.content) for message in whole.asked[0].messages)
    for share, kind in ((1, None), (0.67, Kind.JUDGE_CONTEXT)):
        tokens = round(characters * share / 4)  # What an English text comes to.
        model = Model(usage=Usage(tokens, 9, whole_prompt=True))
        judged, failure = await judge_record(long, model)
        assert (failure.kind if failure else None) is kind
        assert (judged.judgements[0].goal is None) is (kind is not None)


@pytest.mark.parametrize("usage", [Usage(), Usage(0, 9, whole_prompt=True), Usage(3, 9)])
async def test_a_count_that_leaves_out_what_was_cached_is_no_sign_of_a_cut(usage: Usage):
    _, failure = await judge_record(call(POLITE), Model(usage=usage))
    assert failure is None


async def test_goal_and_failed_turns_decide():
    judged, _ = await judge_record(call(POLITE), Model(lambda chat: verdicts(chat, goal="no")))
    assert (score(judged).kind, score(judged).reason) == (
        Kind.JUDGE_NO,
        "goal not met: it was not done",
    )
    judged, _ = await judge_record(
        call(POLITE), Model(lambda chat: verdicts(chat, turn_2={"c1": "fails"}))
    )
    assert score(judged).reason == "polite: 0.50 below 1.00: turn 2: so"


async def test_the_verdict_stands_whatever_its_reason_says():
    def contradicts(chat: Chat) -> str:
        return verdicts(chat).replace('"reason": ""', '"reason": "the agent refused"')

    judged, _ = await judge_record(call(), Model(contradicts))
    made = score(judged)
    assert (made.goal.verdict, made.goal.reason) == ("met", "the agent refused")


def turns(*verdicts: str) -> list[TurnVerdict]:
    return [
        TurnVerdict.model_validate({"turn": number, "verdict": verdict, "reason": ""})
        for number, verdict in enumerate(verdicts, 1)
    ]


@pytest.mark.parametrize(
    ("min_score", "given", "score", "passed", "kind"),
    [
        (1, ["meets", "meets"], 1, True, None),
        (1, ["meets", "fails"], 0.5, False, Kind.JUDGE_NO),
        (0.5, ["meets", "fails"], 0.5, True, None),
        (1, ["meets", "not_applicable"], 1, True, None),
        (1, ["not_applicable", "not_applicable"], None, True, None),
        (0.5, ["meets", "none"], 0.5, True, None),
        (1, ["fails", "none"], 0, False, Kind.JUDGE_NO),
        (1, ["meets", "none"], 0.5, None, Kind.JUDGE_NO_VERDICT),
        (None, ["fails", "fails"], 0, True, None),
        (1, [], None, None, None),
    ],
)
def test_from_verdicts_to_a_score(
    min_score: float | None, given: list[str], score: float | None, passed: bool | None, kind: Kind
):
    metric = JudgedMetric(name="a", criterion="b", min_score=min_score)
    made = score_judged(metric, turns(*given))
    assert (made.score, made.passed, made.failure_kind) == (score, passed, kind)


def test_how_often_a_criterion_applied_is_said():
    metric = JudgedMetric(name="a", criterion="b", min_score=1)
    assert score_judged(metric, turns("meets", "not_applicable")).reason == (
        "2/2 turns, applied to 1"
    )
    assert score_judged(metric, turns("not_applicable")).reason == "not exercised in 1 turns"
