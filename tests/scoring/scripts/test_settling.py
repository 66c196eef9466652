"""What expectations come to, from events and their times alone."""

import math
from typing import Any

import pytest

from sparring.records import Ending, Event, ExpectationVerdict, Kind
from sparring.records import events as ev
from sparring.scenarios import Script
from sparring.scoring.scripts.settling import settle
from sparring.scoring.scripts.sightings import Sightings
from sparring.scoring.scripts.states import Standing, State
from sparring.scoring.scripts.turns import TurnState
from support.records import bot, tool, user

MET, FAILED, PENDING, ASKING = Standing.MET, Standing.FAILED, Standing.PENDING, Standing.ASKING
REPLY = {"event": "response"}
CALL = {"event": "function_call"}


def began(at: float, turn: int) -> ev.TurnBegan:
    return ev.TurnBegan(at=at, turn=turn)


def sent(at: float, turn: int = 1, text: str = "Hi.") -> list[Event]:
    """A turn that begins and goes out at that moment, and what the agent says to it at once."""
    return [began(at, turn), user(at, turn, text), ev.BotInterrupted(at=at + 0.001)]


class Judge(dict[str, ExpectationVerdict]):
    """Verdicts by reply: whatever the question, it is decided by what the reply says."""

    def __init__(self, **verdicts: str):
        super().__init__()
        self.verdicts = verdicts
        self.asked: list[str] = []

    def settle(self, script: Script, sightings: Sightings, now: float) -> list[TurnState]:
        """Settle, and answer what is asked, until nothing is asked any more."""
        while True:
            turns = settle(script, sightings, now, self)
            open = [q for turn in turns for state in turn.states for q in state.questions]
            known = [q for q in open if str(next(iter(q.subject.values()))) in self.verdicts]
            if not known:
                return turns
            for question in known:
                text = str(next(iter(question.subject.values())))
                self.asked.append(text)
                self[question.hash] = ExpectationVerdict(
                    criterion=question.criterion,
                    verdict=self.verdicts[text],  # type: ignore[arg-type]
                    reason="so",
                )


def states(
    *events: Event,
    expect: list[dict[str, Any]],
    now: float = math.inf,
    more: list[dict[str, Any]] | None = None,
    says: Judge | None = None,
    **keys: Any,
) -> list[State]:
    """The states of the first turn's expectations; it is sent at 0."""
    turns = [{"user": "Hi.", "expect": expect}, *(more or [])]
    script = Script.model_validate({"name": "s", "turns": turns, **keys})
    sightings = Sightings([ev.Ready(at=0), *sent(0), *events])
    return (Judge() if says is None else says).settle(script, sightings, now)[0].states


def state(*events: Event, expect: dict[str, Any], now: float = math.inf, **more: Any) -> State:
    (made,) = states(*events, expect=[expect], now=now, **more)
    return made


def outcome(state: State) -> tuple[Standing, Kind | None, float]:
    return state.standing, state.kind, round(state.at, 3)


# --- One deadline, by event time ----------------------------------------------------------------


def test_what_comes_in_time_is_met_at_its_time_however_late_one_looks():
    expect = {**REPLY, "within_ms": 2000}
    assert outcome(state(*bot(1, "Hello."), expect=expect)) == (MET, None, 1.1)
    assert outcome(state(*bot(1, "Hello."), expect=expect, now=99)) == (MET, None, 1.1)


def test_what_comes_late_has_not_come():
    expect = {**REPLY, "within_ms": 2000}
    made = state(*bot(2.5, "Hello."), expect=expect)
    assert outcome(made) == (FAILED, Kind.TIMEOUT, 2)
    assert made.reason == "no response within 2 s"


def test_until_its_time_is_up_it_is_pending():
    assert outcome(state(expect={**REPLY, "within_ms": 2000}, now=1.9)) == (PENDING, None, 2)
    assert outcome(state(expect={**REPLY, "within_ms": 2000}, now=2)) == (FAILED, Kind.TIMEOUT, 2)
    assert state(expect=REPLY, now=59.9).is_open


def test_every_expectation_has_its_own_time_from_the_send():
    first, second = states(expect=[{**CALL, "within_ms": 5000}, {**REPLY, "within_ms": 5000}])
    assert (first.at, second.at) == (5, 5)


def test_a_tool_only_response_is_no_reply():
    events = [ev.LLMStarted(at=0.1), ev.LLMStopped(at=0.2), *bot(1, "Hello.")]
    assert outcome(state(*events, expect=REPLY)) == (MET, None, 1.1)


def test_what_was_said_before_the_send_or_began_before_it_does_not_count():
    script = Script.model_validate(
        {"name": "s", "turns": [{"user": "Hi.", "expect": [{**REPLY, "within_ms": 3000}]}]}
    )
    events = [
        *bot(0.1, "Welcome."),
        ev.LLMStarted(at=0.9),
        ev.LLMText(at=0.95, text="As I was"),
        *sent(1),
        ev.LLMText(at=1.01, text=" saying"),
        *bot(2, "Hello."),
    ]
    (turn,) = settle(script, Sightings(events), math.inf, {})
    assert (turn.states[0].reason, turn.states[0].position) == ("Hello.", 2.1)


def test_a_response_that_was_interrupted_is_no_reply():
    events = [
        ev.LLMStarted(at=0.0005),
        ev.LLMText(at=0.0006, text="Your"),
        ev.BotInterrupted(at=0.002),
        ev.LLMText(at=0.003, text=" report"),
        *bot(1, "Hello."),
    ]
    assert state(*events, expect={**REPLY, "text_excludes": "report"}).reason == "Hello."


def test_a_line_that_only_the_tts_speaks_is_a_response_but_no_llm_response():
    spoken = [ev.TTSText(at=1, text="Are you there?"), ev.TTSStopped(at=1.2)]
    assert state(*spoken, expect=REPLY).reason == "Are you there?"
    assert state(*spoken, expect={"event": "llm_response"}).kind is Kind.TIMEOUT


# --- Order --------------------------------------------------------------------------------------


def heard(at: float, text: str) -> ev.UserInput:
    return ev.UserInput(at=at, text=text)


def test_an_event_a_little_before_the_one_above_it_is_in_order():
    events = [heard(0.49, "hi"), ev.UserStoppedSpeaking(at=0.5)]
    expect = [{"event": "user_stopped_speaking"}, {"event": "user_transcription"}]
    assert [s.standing for s in states(*events, expect=expect)] == [MET, MET]


def test_one_long_before_it_is_out_of_order_and_both_times_are_named():
    events = [heard(0.2, "hi"), ev.UserStoppedSpeaking(at=0.5)]
    expect = [{"event": "user_stopped_speaking"}, {"event": "user_transcription"}]
    _, second = states(*events, expect=expect)
    assert outcome(second) == (FAILED, Kind.OUT_OF_ORDER, 2.5)
    assert second.reason == (
        "user_transcription came at 0.20 s, before what should have come first at 0.50 s"
    )
    assert states(*events, expect=expect, now=2.4)[1].is_open
    anywhere = [expect[0], {**expect[1], "check_from": "turn_start"}]
    assert states(*events, expect=anywhere)[1].standing is MET


def test_a_later_event_is_taken_in_place_of_one_too_early():
    events = [heard(0.1, "um"), ev.UserStoppedSpeaking(at=0.5), heard(0.6, "hi")]
    expect = [{"event": "user_stopped_speaking"}, {"event": "user_transcription"}]
    assert states(*events, expect=expect)[1].position == 0.6


def test_no_event_is_taken_twice():
    events = [*bot(0.5, "One."), *bot(5, "Two.")]
    first, second = states(*events, expect=[REPLY, REPLY])
    assert (first.reason, second.reason) == ("One.", "Two.")
    assert states(*bot(0.5, "One."), expect=[REPLY, REPLY])[1].kind is Kind.TIMEOUT


def test_a_filler_before_the_call_does_not_spoil_the_answer_after_it():
    events = [*bot(0.1, "Let me see."), *tool(1, "f", {}, took=0.5), *bot(1.6, "It is 75.")]
    call, reply = states(*events, expect=[CALL, {**REPLY, "text_contains": "75"}])
    assert (call.standing, reply.standing, reply.position) == (MET, MET, pytest.approx(1.7))


def test_an_answer_before_the_call_is_out_of_order():
    events = [*bot(0.1, "Booked!"), *tool(1, "f", {}, took=0.5)]
    _, reply = states(*events, expect=[CALL, REPLY])
    assert outcome(reply) == (FAILED, Kind.OUT_OF_ORDER, 3.5)


# --- Replies ------------------------------------------------------------------------------------


def test_text_is_put_together_over_responses_and_spaces():
    events = [*bot(0.1, "Order four\n"), *bot(0.5, "two   seven.")]
    assert state(*events, expect={**REPLY, "text_contains": "four two seven"}).position == 0.6


def test_text_that_never_comes_is_told_with_what_came():
    made = state(*bot(0.1, "Hello."), expect={**REPLY, "text_contains": "Bye"})
    assert outcome(made) == (FAILED, Kind.TEXT_MISMATCH, 60)
    assert made.reason == "it does not contain 'Bye': 'Hello.'"


def test_text_excludes_looks_at_the_whole_reply():
    expect = {**REPLY, "text_contains": "Hello", "text_excludes": "sorry"}
    assert state(*bot(0.1, "Hello."), expect=expect, now=0.3).is_open
    assert outcome(state(*bot(0.1, "Hello."), expect=expect, now=0.4)) == (MET, None, 0.35)
    both = [*bot(0.1, "Hello."), *bot(0.3, "I am sorry.")]
    assert outcome(state(*both, expect=expect)) == (FAILED, Kind.TEXT_PRESENT, 0.55)


def test_a_reply_is_not_over_while_a_tool_it_called_runs():
    expect = {**REPLY, "text_excludes": "no"}
    filler = [*bot(0.1, "Let me check."), ev.FunctionCall(at=0.25, id="1", name="f", args={})]
    assert state(*filler, expect=expect, now=30).is_open
    whole = [*filler, ev.FunctionCallStopped(at=40, id="1"), *bot(40.1, "Yes.")]
    assert state(*whole, expect=expect).reason == "Let me check. Yes."


def test_an_agent_that_speaks_while_a_tool_runs_does_not_wait_for_it():
    call = ev.FunctionCall(at=0.1, id="1", name="write", args={})
    made = state(call, *bot(0.2, "I am on it."), expect={**REPLY, "text_excludes": "no"}, now=1)
    assert outcome(made) == (MET, None, 0.45)


JUDGED = {**REPLY, "eval": "says the temperature"}


def test_the_judge_is_asked_once_about_the_reply_when_it_is_over():
    events = [*bot(0.1, "It is"), *bot(0.3, "75.")]
    assert state(*events, expect=JUDGED, now=0.5).is_open
    made = state(*events, expect=JUDGED, now=0.6)
    assert outcome(made) == (ASKING, None, 0.55)
    (question,) = made.questions
    assert (question.subject, question.criterion) == (
        {"reply": "It is 75."},
        "says the temperature",
    )
    judge = Judge(**{"It is 75.": "yes"})
    assert outcome(state(*events, expect=JUDGED, says=judge)) == (MET, None, 0.55)
    assert judge.asked == ["It is 75."]


def test_a_no_counts_once_nothing_more_came_for_a_while():
    events = bot(0.1, "I won't say.")
    judge = Judge(**{"I won't say.": "no"})
    assert state(*events, expect=JUDGED, says=judge, now=2).is_open
    made = state(*events, expect=JUDGED, says=judge)
    assert outcome(made) == (FAILED, Kind.JUDGE_NO, 2.2)
    assert made.reason == 'so: "I won\'t say."'


def test_more_of_the_reply_may_mend_a_no_if_it_comes_soon():
    half = bot(0.1, "Why don't skeletons fight?")
    rest = "They don't have the guts. It is sunny."
    judge = Judge(
        **{"Why don't skeletons fight?": "no", f"Why don't skeletons fight? {rest}": "yes"}
    )
    made = state(*half, *bot(1.5, rest), expect=JUDGED, says=judge)
    assert outcome(made) == (MET, None, 1.75)
    made = state(*half, *bot(9, rest), expect=JUDGED, says=judge)
    assert outcome(made) == (FAILED, Kind.JUDGE_NO, 2.2)


def test_a_reply_that_does_not_answer_yet_is_waited_for():
    filler, answer = bot(0.1, "Let me check."), bot(9, "75 degrees.")
    judge = Judge(**{"Let me check.": "not_yet", "Let me check. 75 degrees.": "yes"})
    assert outcome(state(*filler, *answer, expect=JUDGED, says=judge)) == (MET, None, 9.25)
    made = state(*filler, expect={**JUDGED, "within_ms": 5000}, says=judge)
    assert outcome(made) == (FAILED, Kind.JUDGE_CONTINUE, 5)
    assert "Let me check." in made.reason


def test_not_yet_after_the_next_turn_has_gone_out_is_nobodys_failure():
    judge = Judge(**{"Let me check.": "not_yet"})
    more = [{"user": "And?", "expect": [REPLY]}]
    made = state(*bot(0.1, "Let me check."), *sent(1, 2), expect=JUDGED, more=more, says=judge)
    assert outcome(made) == (FAILED, Kind.JUDGE_LATE, 1)


def test_when_the_time_is_up_what_has_been_said_is_judged():
    busy = [*bot(0.1, "It is 75."), ev.FunctionCall(at=0.3, id="1", name="f", args={})]
    made = state(*busy, expect={**JUDGED, "within_ms": 3000})
    assert outcome(made) == (ASKING, None, 3)


def test_not_yet_can_be_ruled_out():
    for keys, may in (({}, True), ({"judge": {"eval": {"allow_continue": False}}}, False)):
        made = state(*bot(0.1, "Hm."), expect=JUDGED, now=1, **keys)
        assert made.questions[0].may_continue is may


def test_each_of_two_replies_takes_as_little_as_satisfies_it():
    events = [*bot(0.1, "Transferring you."), *bot(0.25, "The boots cost $5."), *bot(9, "Bye.")]
    first = {**REPLY, "eval": "says it transfers"}
    second = {**REPLY, "eval": "says the price"}
    judge = Judge(**{"Transferring you.": "yes", "The boots cost $5.": "yes"})
    absent = {**REPLY, "absent": True, "within_ms": 5000}
    made = states(*events, expect=[first, second, absent], says=judge)
    assert [s.standing for s in made] == [MET, MET, MET]
    assert judge.asked == ["Transferring you.", "The boots cost $5."]


def test_a_filler_is_not_all_that_the_first_of_two_replies_takes():
    events = [*bot(0.1, "Hm."), *bot(0.25, "Transferring."), *bot(0.5, "Five dollars.")]
    judge = Judge(**{"Hm.": "not_yet", "Hm. Transferring.": "yes", "Five dollars.": "yes"})
    expect = [{**REPLY, "eval": "transfers"}, {**REPLY, "eval": "price"}]
    assert [s.standing for s in states(*events, expect=expect, says=judge)] == [MET, MET]


def test_the_question_is_about_the_conversation_so_far_and_holds_for_no_other():
    one = state(*bot(0.1, "75."), expect=JUDGED, now=1).questions[0]
    same = state(*bot(0.1, "75."), *bot(9, "More."), expect=JUDGED, now=99)
    other = state(*tool(0.01, "f", {}), *bot(0.1, "75."), expect=JUDGED, now=1).questions[0]
    assert '{"caller": {"said": "Hi."}}' in one.conversation
    assert same.questions[0].hash == one.hash != other.hash


# --- Tool calls ---------------------------------------------------------------------------------


def test_every_listed_call_needs_one_of_its_own_in_any_order():
    events = [*tool(1, "b", {}, "1"), *tool(1.2, "a", {"n": 2}, "2")]
    expect = {**CALL, "calls": ["a", "b"]}
    assert outcome(state(*events, expect=expect)) == (MET, None, 1.2)
    twice = state(*events, expect={**CALL, "calls": ["a", "a"]})
    assert outcome(twice) == (FAILED, Kind.MISSING_FUNCTION_CALL, 60)


def test_a_wrong_call_may_be_followed_by_the_right_one():
    wrong, right = tool(1, "book", {"n": 3}), tool(2, "book", {"n": 2}, "2")
    expect = {**CALL, "name": "book", "args": {"n": 2}}
    assert outcome(state(*wrong, *right, expect=expect)) == (MET, None, 2)
    made = state(*wrong, expect=expect)
    assert outcome(made) == (FAILED, Kind.FUNCTION_ARGS_MISMATCH, 60)
    assert made.reason == "wanted book(n=2); called: book(n=3) (n=3, wanted 2)"


def test_a_missing_call_is_told_beside_those_that_were_made():
    made = state(*tool(1, "check", {"time": "18:00"}), expect={**CALL, "name": "book"})
    assert made.kind is Kind.MISSING_FUNCTION_CALL
    assert made.reason == 'wanted book(); called: check(time="18:00")'


def test_the_best_assignment_is_found():
    events = [*tool(1, "f", {"x": 1}, "1"), *tool(1.1, "f", {"x": 2}, "2")]
    expect = {**CALL, "calls": ["f", {"name": "f", "args": {"x": 1}}]}
    assert state(*events, expect=expect).standing is MET


def test_a_call_cancelled_in_its_own_turn_was_not_made():
    events = tool(1, "f", {}, cancelled=True)
    assert state(*events, expect=CALL).kind is Kind.MISSING_FUNCTION_CALL
    later = [ev.FunctionCall(at=1, id="1", name="f", args={}), *sent(2, 2)]
    later += [ev.FunctionCallStopped(at=2.5, id="1", cancelled=True)]
    assert state(*later, expect=CALL, more=[{"user": "Stop."}]).standing is MET


def test_how_a_call_ended():
    events = tool(1, "f", {}, cancelled=True)
    expect = {"event": "function_call_stopped", "name": "f", "args": {"cancelled": True}}
    assert outcome(state(*events, expect=expect)) == (MET, None, 1.1)
    assert state(*tool(1, "f", {}), expect=expect).kind is Kind.FUNCTION_ARGS_MISMATCH
    both = states(*tool(1, "f", {}), expect=[CALL, {"event": "function_call_stopped"}])
    assert [s.standing for s in both] == [MET, MET]


def test_calls_are_judged_each():
    expect = {**CALL, "name": "suggest", "eval": "about tracing"}
    events = tool(1, "suggest", {"topic": "OpenTelemetry"})
    subject = str({"name": "suggest", "arguments": {"topic": "OpenTelemetry"}})
    assert outcome(state(*events, expect=expect, now=2)) == (ASKING, None, 1)
    assert state(*events, expect=expect, says=Judge(**{subject: "yes"})).standing is MET
    no = Judge(**{subject: "no"})
    assert outcome(state(*events, expect=expect, says=no)) == (FAILED, Kind.JUDGE_NO, 3.1)
    assert state(*events, expect=expect, says=no, now=2).is_open


# --- What must not come -------------------------------------------------------------------------

ABSENT = {**REPLY, "absent": True, "within_ms": 2000}


def test_absent_looks_at_the_whole_of_its_time():
    assert outcome(state(expect=ABSENT)) == (MET, None, 2)
    assert state(expect=ABSENT, now=1.9).is_open
    made = state(*bot(1.8, "Hello."), expect=ABSENT)
    assert outcome(made) == (FAILED, Kind.UNEXPECTED_EVENT, 1.8)
    assert made.reason == "response came at 1.80 s: 'Hello.'"
    assert state(*bot(2.2, "Hello."), expect=ABSENT).standing is MET


def test_absent_replies_are_those_after_what_was_taken():
    one = bot(0.1, "Hello.")
    expect = [REPLY, ABSENT]
    assert [s.standing for s in states(*one, expect=expect)] == [MET, MET]
    assert states(*one, *bot(0.4, "Hello."), expect=expect)[1].kind is Kind.UNEXPECTED_EVENT


def test_absent_waits_for_what_may_take_it():
    asked = states(*bot(0.1, "Hello."), expect=[JUDGED, ABSENT], now=3)
    assert [s.standing for s in asked] == [ASKING, PENDING]


def test_a_reply_after_a_silence():
    late = {**REPLY, "within_ms": 9000}
    made = states(*bot(5, "Still there?"), expect=[ABSENT, late])
    assert [s.standing for s in made] == [MET, MET]
    made = states(*bot(1, "Still there?"), expect=[ABSENT, late])
    assert [s.standing for s in made] == [FAILED, MET]


# --- Other events -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("llm_started", ev.LLMStarted(at=1)),
        ("bot_started_speaking", ev.BotStartedSpeaking(at=1)),
        ("bot_stopped_speaking", ev.BotStoppedSpeaking(at=1)),
        ("bot_interrupted", ev.BotInterrupted(at=1)),
        ("user_started_speaking", ev.UserStartedSpeaking(at=1)),
        ("user_stopped_speaking", ev.UserStoppedSpeaking(at=1)),
        ("vad_user_started_speaking", ev.VADUserStartedSpeaking(at=1)),
        ("vad_user_stopped_speaking", ev.VADUserStoppedSpeaking(at=1)),
        ("user_transcription", heard(1, "hi")),
        ("user_backchannel", ev.UserInput(at=1, text="hm", input_type="backchannel")),
        ("image", ev.BotImage(at=1)),
        ("llm_marker", ev.LLMMarker(at=1)),
        ("bot_ended", ev.Closed(at=1, code=1000)),
        (
            "bot_backchannel",
            ev.BotOutput(at=1, output_type="backchannel", spoken_status="completed"),
        ),
    ],
)
def test_every_event(name: str, event: Event):
    assert state(event, expect={"event": name}).position in (1, 0.001)
    assert state(expect={"event": name}, now=0).is_open or name == "bot_interrupted"


def test_input_that_is_no_transcription_is_none():
    chat = ev.UserInput(at=1, text="Hi.", input_type="chat")
    partial = ev.UserInput(at=1, text="H", final=False)
    assert state(chat, partial, expect={"event": "user_transcription"}).kind is Kind.TIMEOUT


def test_transcriptions_are_put_together():
    events = [heard(1, "DTMF:"), heard(2, "1#")]
    expect = {"event": "user_transcription", "text_contains": "DTMF: 1#"}
    assert state(*events, expect=expect).position == 2


MARKER = ev.LLMMarker(at=1, text="Go on.", kind="short", raw="✓ Go on.", markers=["✓"])


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [
        ({"marker": "short"}, None),
        ({"marker": "long"}, Kind.MARKER_MISMATCH),
        ({"marker_first": True, "markers": 1, "text_after": True}, None),
        ({"marker_first": False}, Kind.MARKER_FORMAT),
        ({"markers": 2}, Kind.MARKER_FORMAT),
        ({"text_after": False}, Kind.MARKER_FORMAT),
        ({"text_contains": "Go"}, None),
        ({"text_contains": "Stop"}, Kind.TEXT_MISMATCH),
    ],
)
def test_markers(wanted: dict[str, Any], kind: Kind | None):
    assert state(MARKER, expect={"event": "llm_marker", **wanted}).kind is kind


# --- The end of the call ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        (ev.Ended(at=1, ending=Ending.BOT), Kind.BOT_ENDED),
        (ev.Ended(at=1, ending=Ending.ERROR, kind=Kind.AGENT_CRASHED, reason="broke"),
         Kind.AGENT_CRASHED),
        (ev.Ended(at=1, ending=Ending.ERROR, kind=Kind.AGENT_ERROR, reason="no key"),
         Kind.AGENT_ERROR),
    ],
)  # fmt: skip
def test_what_is_waited_for_fails_with_the_cause_and_what_is_absent_holds(
    end: ev.Ended, kind: Kind
):
    expect = [CALL, {**REPLY, "text_contains": "Bye"}, {"event": "image", "absent": True}]
    call, reply, image = states(*bot(0.2, "Hm."), end, expect=expect)
    assert outcome(call) == (FAILED, kind, 1)
    assert outcome(reply) == (FAILED, kind, 1)
    assert "it does not contain 'Bye'" in reply.reason
    assert image.standing is MET


def test_a_reply_before_the_hang_up_counts():
    end = [ev.Closed(at=0.35, code=1000), ev.Ended(at=0.35, ending=Ending.BOT)]
    made = state(*bot(0.2, "Bye."), *end, expect={**REPLY, "text_excludes": "no"})
    assert outcome(made) == (MET, None, 0.35)


def test_what_mends_a_reply_counts_also_when_all_is_over():
    judge = Judge(**{"Hm.": "not_yet", "Hm. 75.": "yes"})
    events = [*bot(0.1, "Hm."), *bot(1, "75."), *sent(2, 2)]
    more = [{"user": "And?"}]
    assert state(*events, expect=JUDGED, more=more, says=judge).standing is MET
    end = ev.Ended(at=3, ending=Ending.BOT)
    contains = {**REPLY, "text_contains": "75"}
    assert state(*events[:-3], end, expect=contains).standing is MET
