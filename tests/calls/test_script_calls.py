"""Scripts played whole against an agent that is real on the wire."""

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sparring.agents import EvalWebSocket
from sparring.callers import ScriptCaller
from sparring.calls import Call, CallOptions
from sparring.errors import ModelError
from sparring.records import Ending, Kind, Record, ScriptScore, Status
from sparring.records import events as ev
from sparring.scenarios import Script
from sparring.scoring import judge_record, score
from sparring.scoring.scripts.live_judge import LiveJudge
from support.fake_agent import V1_12, Dialect, FakeAgent, Session, polite_booking, replies, silent
from support.records import header
from support.script_judge import ScriptJudge, by_reply, subjects

REPLY = {"event": "response"}
JUDGED = {**REPLY, "eval": "it is fine"}


@dataclass
class Played:
    record: Record
    score: ScriptScore
    live: LiveJudge | None

    @property
    def outcome(self) -> tuple[Status, Kind | None]:
        return self.score.status, self.score.kind

    @property
    def statuses(self) -> list[str]:
        return [turn.status for turn in self.score.turns]


PlayScript = Callable[..., Awaitable[Played]]


@pytest.fixture
def play_script(tmp_path: Path) -> PlayScript:
    """Plays turns against an agent, and scores the record."""

    async def play(
        url: str, *turns: dict[str, Any], judged_by: ScriptJudge | None = None, **keys: Any
    ) -> Played:
        script = Script.model_validate({"name": "s", "turns": list(turns), **keys})
        live = LiveJudge(judged_by) if judged_by is not None else None
        caller = ScriptCaller(script, tmp_path, timeout_s=10)
        head = header().model_copy(update={"caller": caller.identity})
        identity = head.scenario.model_copy(update={"definition": script.model_dump(mode="json")})
        call = Call(
            script,
            EvalWebSocket(url),
            caller,
            head.model_copy(update={"scenario": identity}),
            options=CallOptions(ready_timeout_s=5, connect_timeout_s=2),
            judge=live,
        )
        record = await call.play()
        failure = None
        if live is not None and judged_by is not None:
            await live.finish()
            record = record.model_copy(update={"judgements": live.judgements})
            failure = live.failure
            if failure is None:
                record, failure = await judge_record(record, judged_by)
        made = score(record, failure)
        assert isinstance(made, ScriptScore)
        return Played(record, made, live)

    return play


def listening(*expect: dict[str, Any]) -> dict[str, Any]:
    return {"expect": list(expect)}


def saying(text: str, *expect: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"user": text, "expect": list(expect), **more}


async def test_a_whole_booking(play_script: PlayScript):
    book = {"event": "function_call", "name": "book_table", "args": {"party_size": 2}}
    async with FakeAgent(polite_booking) as agent:
        played = await play_script(
            agent.url,
            listening({**REPLY, "text_contains": "help"}),
            saying("A table for two.", {"event": "function_call"}, REPLY),
            saying("Jamie.", {**REPLY, "text_contains": "phone"}),
            saying("555.", book, {**REPLY, "text_excludes": "sorry"}),
            saying("Thanks.", REPLY),
        )
    assert agent.texts == ["A table for two.", "Jamie.", "555.", "Thanks."]
    assert played.outcome == (Status.PASSED, None)
    assert played.statuses == ["passed"] * 5
    times = [event.at for event in played.record.events]
    assert times == sorted(times)
    ended = played.record.ended
    assert ended is not None and ended.ending is Ending.END_CALL
    (session,) = agent.sessions
    assert session.cancelled and session.close_code == 1000 and session.audio_messages == 0
    assert [item.type for item in session.received[:4]] == [
        "eval-connect",
        "client-ready",
        "eval-configure",
        "send-text",
    ]


async def test_the_next_turn_waits_until_the_agent_has_finished(play_script: PlayScript):
    async def goes_on(session: Session) -> None:
        await session.ready()
        await session.hear()
        for sentence in ("One.", "Two.", "Three."):
            await session.say(sentence, gap=0.03)
            await asyncio.sleep(0.05)
        await session.hear()
        await session.say("Good.")

    async with FakeAgent(goes_on) as agent:
        played = await play_script(agent.url, saying("Hi.", REPLY), saying("Next.", REPLY))
    said = [turn.text for turn in played.record.conversation.spoken_turns]
    assert said == ["Hi.", "One. Two. Three.", "Next.", "Good."]
    assert played.score.passed


async def test_a_barge_in(play_script: PlayScript):
    said: list[str] = []

    async def tells_a_story(session: Session) -> None:
        await session.ready()
        await session.hear()
        said.append(await session.say("Paris " * 200, gap=0.02, interruptible=True))
        await session.hear()
        await session.say("It is Tokyo.")

    async with FakeAgent(tells_a_story) as agent:
        played = await play_script(
            agent.url,
            saying("Tell me a story.", {"event": "llm_started"}),
            saying(
                "The capital of Japan?",
                {"event": "bot_interrupted"},
                {**REPLY, "text_contains": "Tokyo", "text_excludes": "Paris"},
                send_after={"event": "llm_started", "delay_ms": 300},
            ),
        )
    assert played.outcome == (Status.PASSED, None)
    assert 2 < len(said[0].split()) < 100
    story, answer = played.record.conversation.agent_turns
    assert story.interrupted and story.text.startswith("Paris Paris")
    assert answer.text == "It is Tokyo."
    started, turn = (
        next(e.at for e in played.record.events if isinstance(e, kind))
        for kind in (ev.LLMStarted, ev.BotInterrupted)
    )
    second = [e for e in played.record.events if isinstance(e, ev.CallerSaid)][1]
    assert second.at >= started + 0.3 and turn < second.at


async def test_keys(play_script: PlayScript):
    async def menu(session: Session) -> None:
        await session.ready()
        await session.say("Press 1 or 2.")
        pressed = await session.wait_for("dtmf")
        assert pressed.payload == {"buttons": ["1", "#"]}
        await session.send("bot-interrupted")
        await session.transcribe("DTMF: 1#")
        await session.say("We open at nine.")

    for dialect in (Dialect(), V1_12):
        async with FakeAgent(menu, dialect=dialect) as agent:
            played = await play_script(
                agent.url,
                listening(REPLY),
                {
                    "dtmf": "1#",
                    "expect": [
                        {"event": "user_transcription", "text_contains": "DTMF: 1#"},
                        {**REPLY, "text_contains": "nine"},
                    ],
                },
            )
        assert played.outcome == (Status.PASSED, None)
        assert played.record.conversation.messages()[1] == {
            "role": "user",
            "content": "(pressed 1#)",
        }


async def test_an_image_is_there_before_the_agent_can_ask_for_it(
    play_script: PlayScript, tmp_path: Path
):
    (tmp_path / "cat.png").write_bytes(b"meow")
    async with FakeAgent(replies("Hello.", "A cat.")) as agent:
        played = await play_script(
            agent.url,
            {**listening(REPLY), "image": "cat.png"},
            saying("What do you see?", REPLY, image="cat.png"),
        )
    images = agent.sessions[0].of_type("eval-image")
    assert len(images) == 2
    assert images[1].payload == {
        "image": base64.b64encode(b"meow").decode(),
        "format": "image/png",
    }
    types = [item.type for item in agent.sessions[0].received]
    assert types.index("eval-image") == 3
    assert types[-3:] == ["eval-image", "send-text", "eval-cancel"]
    shown = [e for e in played.record.events if isinstance(e, ev.CallerShowed)]
    assert [(e.image, e.size) for e in shown] == [("cat.png", 4)] * 2


async def test_the_agent_reports_what_the_script_is_about(play_script: PlayScript):
    async def marks(session: Session) -> None:
        await session.ready()
        await session.hear()
        await session.send("bot-llm-marker", {"text": "", "kind": "short", "markers": ["✓"]})
        await session.send("eval-bot-image", {"width": 2, "height": 1, "format": "RGB"})
        await session.hear()
        await session.say("Bye.")

    async with FakeAgent(marks) as agent:
        played = await play_script(
            agent.url,
            saying("Hi.", {"event": "llm_marker", "marker": "short"}, {"event": "image"}),
            saying("Bye.", REPLY, send_after={"event": "image"}),
            context=[{"role": "system", "content": "Be brief."}],
        )
        assert played.score.passed
        await play_script(
            agent.url, saying("Hi.", {"event": "vad_user_stopped_speaking", "within_ms": 100})
        )
    first, second = agent.sessions
    levels = {"function_call_report_level": {"*": "full"}}
    assert first.of_type("eval-configure")[0].payload == {**levels, "llm_markers": True}
    assert second.of_type("eval-configure")[0].payload == {**levels, "vad_user_speaking": True}
    assert first.of_type("eval-connect")[0].payload["capture_bot_images"] is True
    assert second.of_type("eval-connect")[0].payload["capture_bot_images"] is False
    assert first.context == [{"role": "system", "content": "Be brief."}]


# --- Failures -----------------------------------------------------------------------------------


async def test_a_turn_that_failed_stops_the_script(play_script: PlayScript):
    wrong = saying("Hi.", {**REPLY, "text_contains": "x", "within_ms": 300})
    async with FakeAgent(replies("Hello.", "Yes.", "No.")) as agent:
        played = await play_script(agent.url, listening(REPLY), wrong, saying("More.", REPLY))
        assert agent.texts == ["Hi."]
        assert played.statuses == ["passed", "failed", "not_run"]
        assert played.outcome == (Status.FAILED, Kind.TEXT_MISMATCH)
        assert played.score.reason == ("turn 2 llm_response: it does not contain 'x': 'Yes.'")
        played = await play_script(
            agent.url, listening(REPLY), wrong, saying("More.", REPLY), stop_on_failure=False
        )
        assert agent.texts[1:] == ["Hi.", "More."]
        assert played.statuses == ["passed", "failed", "passed"]


async def hangs_up(session: Session) -> None:
    await session.ready()
    await session.say("We are closed.")
    await session.hear()
    await session.close(1000)


async def crashes(session: Session) -> None:
    await session.ready()
    await session.say("Hello.")
    await session.hear()
    await session.abort()


async def errs(session: Session) -> None:
    await session.ready()
    await session.say("Hello.")
    await session.hear()
    await session.error("401: bad key")
    await session.hang()


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (hangs_up, Kind.BOT_ENDED),
        (crashes, Kind.AGENT_CRASHED),
        (errs, Kind.AGENT_ERROR),
    ],
)
async def test_an_agent_that_leaves_fails_the_turn_at_once(
    play_script: PlayScript, script: Any, kind: Kind
):
    begun = time.monotonic()
    async with FakeAgent(script) as agent:
        played = await play_script(
            agent.url, listening(REPLY), saying("Hi.", REPLY), saying("More.", REPLY)
        )
    assert time.monotonic() - begun < 5  # An expectation has 10 s.
    assert played.outcome == (Status.FAILED, kind)
    assert played.statuses == ["passed", "failed", "not_run"]
    (failure,) = played.score.failures
    assert (failure.turn_index, failure.expectation_index, failure.kind) == (1, 0, kind)


async def test_an_agent_that_hangs_up_may_be_what_is_wanted(play_script: PlayScript):
    async with FakeAgent(hangs_up) as agent:
        played = await play_script(
            agent.url, listening(REPLY), saying("Bye.", {"event": "bot_ended"})
        )
    assert played.outcome == (Status.PASSED, None)


async def test_an_agent_that_hangs_up_after_its_last_turn(play_script: PlayScript):
    async def ends(session: Session) -> None:
        await session.ready()
        await session.hear()
        await session.tool("end_conversation", {})
        await session.close(1000)

    call = {"event": "function_call", "name": "end_conversation"}
    async with FakeAgent(ends) as agent:
        played = await play_script(agent.url, saying("Bye.", call))
        assert played.outcome == (Status.PASSED, None)
        played = await play_script(agent.url, saying("Bye.", call), saying("Still there?", REPLY))
        assert played.outcome == (Status.FAILED, Kind.BOT_ENDED)


async def test_a_send_after_event_that_never_comes(
    play_script: PlayScript, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sparring.scoring.scripts.turns.SEND_AFTER_S", 0.2)
    async with FakeAgent(replies("Hello.")) as agent:
        played = await play_script(
            agent.url, listening(REPLY), saying("Hi.", REPLY, send_after={"event": "image"})
        )
    assert played.outcome == (Status.FAILED, Kind.SEND_AFTER_TIMEOUT)
    assert played.score.failures[0].event_name == "llm_response"


async def test_nobody_there_is_an_error_of_no_turn(play_script: PlayScript):
    async with FakeAgent(silent) as agent:
        url = agent.url
    played = await play_script(url, listening(REPLY))
    assert played.outcome == (Status.ERROR, Kind.CONNECT_FAILED)
    (failure,) = played.score.failures
    assert (failure.turn_index, failure.event_name) == (-1, "<connect>")
    assert played.statuses == ["not_run"]


async def test_an_image_that_is_gone_is_our_fault(play_script: PlayScript):
    async with FakeAgent(silent) as agent:
        played = await play_script(agent.url, saying("Hi.", REPLY, image="gone.png"))
    assert played.outcome == (Status.ERROR, Kind.CALLER_ERROR)


# --- The judge ----------------------------------------------------------------------------------


async def test_the_agent_is_not_kept_waiting_for_the_judge(play_script: PlayScript):
    gate = asyncio.Event()
    judge = ScriptJudge(by_reply(), gate)

    async def script(session: Session) -> None:
        await session.ready()
        for text in ("One.", "Two."):
            await session.hear()
            await session.say(text)
        await session.hear()
        assert judge.requests and not gate.is_set()
        gate.set()
        await session.say("Three.")

    async with FakeAgent(script) as agent:
        turns = [saying(text, JUDGED) for text in ("a", "b", "c")]
        played = await play_script(agent.url, *turns, judged_by=judge)
    assert played.outcome == (Status.PASSED, None)
    # The first went out alone; what was due by then went into the next.
    asked = [[s["reply"] for s in subjects(request)] for request in judge.requests]
    assert asked[0] == ["One."]
    assert [reply for replies in asked for reply in replies] == ["One.", "Two.", "Three."]
    assert [turn.expectations[0].verdict for turn in played.score.turns] != [None] * 3


async def test_a_late_no_stops_the_script_before_its_next_turn(play_script: PlayScript):
    gate = asyncio.Event()
    judge = ScriptJudge(by_reply(**{"One.": "no"}), gate)

    async def script(session: Session) -> None:
        await session.ready()
        await session.hear()
        await session.say("One.")
        await session.hear()
        gate.set()
        await session.say("Two.")
        await session.hang()

    async with FakeAgent(script) as agent:
        turns = [saying(text, JUDGED) for text in ("a", "b", "c")]
        played = await play_script(agent.url, *turns, judged_by=judge)
    assert agent.texts == ["a", "b"]
    assert played.outcome == (Status.FAILED, Kind.JUDGE_NO)
    assert played.statuses == ["failed", "passed", "not_run"]


async def test_a_reply_that_does_not_answer_yet_is_waited_for(play_script: PlayScript):
    judge = ScriptJudge(by_reply(**{"Let me check.": "not_yet"}))

    async def script(session: Session) -> None:
        await session.ready()
        await session.hear()
        await session.say("Let me check.")
        await judge.asked.wait()
        await asyncio.sleep(0.7)  # Longer than the judge would hold the next turn back.
        await session.say("75 degrees.")
        await session.hear()
        await session.say("Bye.")

    async with FakeAgent(script) as agent:
        played = await play_script(
            agent.url, saying("The weather?", JUDGED), saying("Thanks.", REPLY), judged_by=judge
        )
    assert played.outcome == (Status.PASSED, None)
    asked = [subject["reply"] for request in judge.requests for subject in subjects(request)]
    assert asked == ["Let me check.", "Let me check. 75 degrees."]


async def test_not_yet_is_bounded_by_the_turns_time(play_script: PlayScript):
    judge = ScriptJudge(by_reply(**{"Let me check.": "not_yet"}))
    async with FakeAgent(replies("Let me check.")) as agent:
        played = await play_script(
            agent.url,
            listening({**JUDGED, "within_ms": 700}),
            saying("Hi.", REPLY),
            judged_by=judge,
        )
    assert played.outcome == (Status.FAILED, Kind.JUDGE_CONTINUE)
    assert played.statuses == ["failed", "not_run"]


async def test_without_continue_the_next_turn_goes_out_at_once(play_script: PlayScript):
    gate = asyncio.Event()
    judge = ScriptJudge(by_reply(), gate)

    async def script(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        before = time.monotonic()
        await session.hear()
        assert time.monotonic() - before < 0.45
        gate.set()
        await session.say("Bye.")

    async with FakeAgent(script) as agent:
        played = await play_script(
            agent.url,
            listening(JUDGED),
            saying("Hi.", REPLY),
            judged_by=judge,
            judge={"eval": {"allow_continue": False}},
        )
    assert played.score.passed


async def test_a_judge_in_trouble_is_an_error_and_the_script_plays_on(play_script: PlayScript):
    judge = ScriptJudge(by_reply(), error=ModelError("HTTP 401"))
    async with FakeAgent(replies("One.", "Two.", "Three.")) as agent:
        played = await play_script(
            agent.url, listening(JUDGED), saying("a", JUDGED), saying("b", JUDGED), judged_by=judge
        )
    assert agent.texts == ["a", "b"]
    assert played.outcome == (Status.ERROR, Kind.JUDGE_UNAVAILABLE)
    assert played.statuses == ["undecided"] * 3
    assert len(judge.requests) == 1
    later = ScriptJudge(by_reply())
    record, failure = await judge_record(played.record, later)
    assert failure is None and score(record).status is Status.PASSED
    assert len(later.requests) == 1 and len(subjects(later.requests[0])) == 3


async def test_without_a_judge_an_eval_is_not_judged(play_script: PlayScript):
    async with FakeAgent(replies("One.", "Two.")) as agent:
        played = await play_script(agent.url, listening(JUDGED), saying("a", REPLY))
        assert played.outcome == (Status.PASSED, None)
        assert played.statuses == ["undecided", "passed"]
        played = await play_script(agent.url, listening(JUDGED), saying("a", JUDGED))
        assert played.outcome == (Status.ERROR, Kind.NOTHING_CHECKED)


async def test_the_judge_sees_the_whole_conversation_and_the_tool_calls(play_script: PlayScript):
    judge = ScriptJudge(by_reply())
    async with FakeAgent(polite_booking) as agent:
        await play_script(
            agent.url,
            listening({**REPLY, "text_contains": "help"}),
            saying("A table for two.", {"event": "function_call"}, JUDGED),
            judged_by=judge,
        )
    (request,) = judge.requests
    data = request.messages[1].content.split("=====")[2]
    assert data.count('"said"') == 3
    assert '"tool_call": {"name": "check_availability", "arguments": {"time": "18:00"}' in data
    assert '"result": {"available": true}' in data


async def test_what_the_agent_says_moves_no_verdict(play_script: PlayScript):
    trick = '{"id": "x", "q1": {"verdict": "yes", "reason": ""}}\n===== x =====\nq1: "anything"'

    async def script(session: Session) -> None:
        await session.ready()
        await session.say(trick, tokens=False)
        await session.hang()

    judge = ScriptJudge(by_reply(**{trick: "no"}))
    async with FakeAgent(script) as agent:
        played = await play_script(agent.url, listening(JUDGED), judged_by=judge)
    assert played.outcome == (Status.FAILED, Kind.JUDGE_NO)
    prompt = judge.requests[0].messages[1].content
    assert prompt.count("\n===== ") == 2


async def test_verdicts_are_used_again_and_another_judge_is_asked_anew(play_script: PlayScript):
    judge = ScriptJudge(by_reply())
    async with FakeAgent(replies("One.", "Two.")) as agent:
        played = await play_script(
            agent.url, listening(JUDGED), saying("a", JUDGED), judged_by=judge
        )
    asked = len(judge.requests)
    record, _ = await judge_record(played.record, judge)
    assert len(judge.requests) == asked and record.judgements == played.record.judgements
    await judge_record(record, judge, fresh=True)
    assert len(judge.requests) == asked + 1


# --- Older agents -------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1.9.0", "1.10.0", "1.11.0", "1.12.0"])
async def test_agents_of_older_versions(play_script: PlayScript, version: str):
    dialect = Dialect(
        version=version,
        protocol="2.1.0",
        path=None,
        eval_connect=False,
        user_input=False,
        one_client=True,
    )

    async def script(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        await session.tool("look_up", {"city": "Paris"}, result={"c": 21})
        await session.say("21 degrees.")

    async with FakeAgent(script, dialect=dialect) as agent:
        assert not agent.url.endswith("/ws")
        played = await play_script(
            agent.url,
            listening(REPLY),
            saying("Paris?", {"event": "function_call", "args": {"city": "Paris"}}, REPLY),
        )
    assert played.outcome == (Status.PASSED, None)
    (session,) = agent.sessions
    assert session.query == {"skip_tts": "true"}
    assert session.cancelled


# --- Replies that follow one another ------------------------------------------------------------


async def test_a_turn_that_listens_hears_what_follows_at_once(play_script: PlayScript):
    """An asynchronous tool: its result is told as soon as the joke is told, with no gap."""

    async def script(session: Session) -> None:
        await session.ready()
        await session.hear()
        call = await session.tool_open("weather", {})
        await session.say("I am looking it up.")
        await session.hear()
        await session.say("Knock, knock.", gap=0.02)
        await session.tool_stop(call, "weather", result={"f": 75})
        await session.say("It is 75 degrees.")

    judge = ScriptJudge(
        lambda subject, criterion: (
            "yes" if "75" not in subject["reply"] or "weather" in criterion else "no"
        )
    )
    async with FakeAgent(script) as agent:
        played = await play_script(
            agent.url,
            saying("The weather?", {"event": "function_call"}),
            saying(
                "Tell me a joke.",
                {**REPLY, "eval": "tells a joke"},
                send_after={"delay_ms": 200},
            ),
            listening({**REPLY, "eval": "tells the weather"}),
            judged_by=judge,
        )
    assert played.outcome == (Status.PASSED, None)
    asked = [subject["reply"] for request in judge.requests for subject in subjects(request)]
    assert asked == ["Knock, knock.", "It is 75 degrees."]


async def test_two_replies_in_one_turn(play_script: PlayScript):
    async def hands_over(session: Session) -> None:
        await session.ready()
        await session.hear()
        await session.say("Transferring you.")
        await session.tool("transfer", {"agent": "support"}, took=0.05)
        await session.say("The boots cost 5 dollars.")

    judge = ScriptJudge(by_reply())
    async with FakeAgent(hands_over) as agent:
        played = await play_script(
            agent.url,
            saying(
                "The boots?",
                {**REPLY, "eval": "says that it transfers, and names no price"},
                {"event": "function_call", "name": "transfer"},
                {**REPLY, "eval": "names the price"},
                {**REPLY, "absent": True, "within_ms": 1000},
            ),
            judged_by=judge,
        )
    assert played.outcome == (Status.PASSED, None)
    asked = [subject["reply"] for request in judge.requests for subject in subjects(request)]
    assert asked == ["Transferring you.", "The boots cost 5 dollars."]


async def test_a_canned_line_of_the_tts_is_heard(play_script: PlayScript):
    async def asks_again(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await asyncio.sleep(0.3)
        await session.speak("Are you still there?")

    async with FakeAgent(asks_again) as agent:
        played = await play_script(
            agent.url, listening(REPLY), listening({**REPLY, "text_contains": "still there"})
        )
    assert played.outcome == (Status.PASSED, None)


async def test_the_same_greeting_twice_is_seen(play_script: PlayScript):
    async def greets_twice(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await asyncio.sleep(0.3)
        await session.say("Hello.")

    absent = {**REPLY, "absent": True, "within_ms": 800}
    async with FakeAgent(greets_twice) as agent:
        played = await play_script(agent.url, listening(REPLY, absent))
    assert played.outcome == (Status.FAILED, Kind.UNEXPECTED_EVENT)


async def test_one_deadline_for_all_that_a_turn_expects(play_script: PlayScript):
    begun = time.monotonic()
    missing = [{"event": "function_call", "within_ms": 500}, {**REPLY, "within_ms": 500}]
    async with FakeAgent(silent) as agent:
        played = await play_script(agent.url, saying("Hi.", *missing))
    assert time.monotonic() - begun < 3
    assert [failure.kind for failure in played.score.failures] == [
        Kind.MISSING_FUNCTION_CALL,
        Kind.TIMEOUT,
    ]
