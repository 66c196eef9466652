import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from sparring.errors import ModelError
from sparring.models import Finished, ModelIdentity, Piece, Request, Text, Usage
from sparring.models.chat import ContextOverflow
from sparring.records import Ending, Kind, Record, Status, TurnVerdict
from sparring.records import events as ev
from sparring.scenarios import JudgedMetric
from sparring.scoring import judge_record, known_verdicts, score
from sparring.scoring.judged import score_judged
from support.fake_llm import Chat, verdicts
from support.records import bot, record, user

POLITE = {"name": "polite", "criterion": "the reply is polite", "min_score": 1}
BRIEF = {"name": "brief", "criterion": "the reply is brief"}


class Model:
    """A model that answers in this process."""

    def __init__(self, answer: Callable[[Chat], str] = verdicts, name: str = "m", **usage: int):
        self.identity = ModelIdentity("fake", name)
        self.answer = answer
        self.usage = Usage(**usage)
        self.asked: list[Request] = []

    async def check(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        self.asked.append(request)
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        body = {"messages": messages, "format": request.schema}
        yield Text(self.answer(Chat("ollama", body, {}, len(self.asked) - 1)))
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
    model = Model(prompt_tokens=900, completion_tokens=50)
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
    assert set(known_verdicts(changed).criteria) == {POLITE["criterion"], BRIEF["criterion"]}
    model = Model()
    judged, _ = await judge_record(changed, model)
    text = model.asked[0].messages[1].content
    assert "very polite" in text and BRIEF["criterion"] not in text
    assert "Success criterion" not in text
    assert score(judged).status is Status.PASSED


async def test_an_edited_criterion_that_gets_no_verdict_is_an_error_and_nothing_is_stored():
    first, _ = await judge_record(call(POLITE), Model())
    edited = {**POLITE, "criterion": "the reply mentions the weather"}
    changed = call(edited).model_copy(update={"judgements": first.judgements})
    judged, failure = await judge_record(changed, Model(lambda chat: "It does."))
    assert judged.judgements == first.judgements
    assert (score(judged, failure).status, score(judged, failure).kind) == (
        Status.ERROR,
        Kind.JUDGE_NO_VERDICT,
    )
    assert score(judged).kind is Kind.JUDGE_NO_VERDICT  # Nor does it pass if nobody is asked.


async def test_the_fullest_of_incomplete_answers_counts():
    def worse_and_worse(chat: Chat) -> str:
        answer = json.loads(verdicts(chat))
        for turn in ("turn_1", "turn_2")[: chat.number + 1]:
            del answer[turn]
        return json.dumps(answer)

    judged, failure = await judge_record(call({**POLITE, "min_score": 0.5}), Model(worse_and_worse))
    assert failure is None and score(judged).status is Status.PASSED


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


async def test_a_judge_that_cannot_be_asked():
    class Gone(Model):
        async def stream(self, request: Request) -> AsyncIterator[Piece]:
            raise self.error
            yield Text("")

    for error, kind in (
        (ModelError("gone"), Kind.JUDGE_UNAVAILABLE),
        (ContextOverflow("too long"), Kind.JUDGE_CONTEXT),
    ):
        model = Gone()
        model.error = error  # type: ignore[attr-defined]
        _, failure = await judge_record(call(POLITE), model)
        assert failure is not None and failure.kind is kind


async def test_a_prompt_that_was_cut_is_noticed():
    _, failure = await judge_record(call(POLITE), Model(prompt_tokens=100))
    assert failure is not None and failure.kind is Kind.JUDGE_CONTEXT


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
