"""Whole calls: our pipeline against an agent that is real on the wire."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from sparring.agents import EvalWebSocket
from sparring.agents.processes.ports import free_port
from sparring.callers import AgendaCaller, HangUp, Move, Words
from sparring.calls import Call
from sparring.errors import CallerError
from sparring.records import CallerIdentity, Ending, Event, Kind, Record, Side, Turn
from sparring.records import events as ev
from sparring.scenarios import Simulation
from support.fake_agent import FakeAgent, Session, polite_booking, replies, silent
from support.play import BOOKING, Play
from support.records import header


def said(record: Record) -> list[str]:
    return [turn.text for turn in record.conversation.spoken_turns]


def ended(record: Record) -> ev.Ended:
    assert record.ended is not None
    return record.ended


class Talker:
    """A caller that always says the same."""

    identity = CallerIdentity(service="talker")

    def __init__(self, *moves: Move):
        self.moves = moves
        self.asked = 0

    async def answer(self, turns: Sequence[Turn]) -> AsyncIterator[Move]:
        self.asked += 1
        for move in self.moves:
            yield move


async def test_a_whole_booking(play: Play):
    async with FakeAgent(polite_booking) as agent:
        record = await play(agent.url)
    assert agent.texts == [
        "A table for two at 6 PM, please.",
        "It's Jamie.",
        "555-0142.",
        "Thank you!",
    ]
    assert said(record)[-1] == "Goodbye!"
    assert ended(record).ending is Ending.END_CALL
    assert [(c.name, c.args, c.result) for c in record.conversation.tool_calls] == [
        ("check_availability", {"time": "18:00"}, {"available": True}),
        ("book_table", {"party_size": 2, "time": "18:00"}, {"ref": "R-1"}),
    ]
    (session,) = agent.sessions
    assert session.query == {"skip_tts": "true"}
    assert session.cancelled and session.close_code == 1000
    assert session.audio_messages == 0
    assert [item.type for item in session.received[:3]] == [
        "eval-connect",
        "client-ready",
        "eval-configure",
    ]


async def test_events_are_in_order_on_one_clock(play: Play):
    async with FakeAgent(polite_booking) as agent:
        record = await play(agent.url)
    times = [event.at for event in record.events]
    assert times == sorted(times) and times[0] >= 0


async def test_the_context_is_sent_before_anything_is_said(play: Play):
    messages = [{"role": "system", "content": "Be brief."}]
    async with FakeAgent(replies("Hello!", "Yes.")) as agent:
        await play(agent.url, context=messages, first_speaker="caller", agenda=[])
    (session,) = agent.sessions
    types = [item.type for item in session.received]
    assert session.context == messages
    assert types.index("eval-context") < types.index("send-text")


async def test_the_caller_may_speak_first(play: Play):
    async def listens(session: Session) -> None:
        await session.ready()
        await session.hear()
        await session.say("All right.")

    async with FakeAgent(listens) as agent:
        record = await play(agent.url, first_speaker="caller", agenda=[])
    assert said(record) == ["A table for two at 6 PM, please.", "All right."]
    assert ended(record).ending is Ending.END_CALL


async def test_what_the_agent_adds_in_time_belongs_to_its_turn(play: Play):
    async def two_responses(session: Session) -> None:
        await session.ready()
        await session.say("One moment.")
        await asyncio.sleep(0.05)
        await session.say("Now: your name?")
        await session.hear()
        await session.say("Thanks.")

    async with FakeAgent(two_responses) as agent:
        record = await play(agent.url, opening=None, agenda=BOOKING["agenda"][:1])
    assert agent.texts == ["It's Jamie."]
    assert said(record)[0] == "One moment. Now: your name?"


async def test_a_filler_before_a_slow_tool_is_not_answered(play: Play):
    async def checks(session: Session) -> None:
        await session.ready()
        await session.say("Let me check.")
        await session.tool("check", {}, took=0.5)
        await session.say("Your name?")
        await session.hear()
        await session.say("Thanks.")

    async with FakeAgent(checks) as agent:
        record = await play(agent.url, opening=None, agenda=BOOKING["agenda"][:1])
    assert said(record) == ["Let me check. Your name?", "It's Jamie.", "Thanks."]


async def test_a_late_token_never_answers_the_next_turn(play: Play):
    async def straggler(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        await session.token(" you")
        await session.say("Your name?")
        await session.hear()
        await session.say("Thanks.")

    async with FakeAgent(straggler) as agent:
        record = await play(agent.url, agenda=BOOKING["agenda"][:1])
    assert "Your name?" in said(record)[2]


async def test_the_agent_hangs_up(play: Play):
    async def hangs_up(session: Session) -> None:
        await session.ready()
        await session.say("We are closed.")
        await session.close(1000, "bye")

    async with FakeAgent(hangs_up) as agent:
        record = await play(agent.url)
    assert (ended(record).ending, ended(record).kind) == (Ending.BOT, None)


async def test_the_reply_to_the_last_turn_is_awaited_and_the_caller_asked_once_more(play: Play):
    async with FakeAgent(replies("Hello.", "Your name?", "Your phone?")) as agent:
        record = await play(agent.url, max_turns=2)
    assert ended(record).ending is Ending.MAX_TURNS
    assert said(record)[-1] == "Your phone?"
    assert agent.texts == ["A table for two at 6 PM, please.", "It's Jamie."]
    assert record.conversation.unsent == ["555-0142."]


async def test_a_hang_up_after_the_last_turn_ends_normally(play: Play):
    async with FakeAgent(replies("Hello.", "Name?", "Phone?", "You're all set.")) as agent:
        record = await play(agent.url, max_turns=3)
    assert ended(record).ending is Ending.END_CALL
    assert record.conversation.unsent == ["Thank you!"]
    assert "Thank you!" not in agent.texts


async def test_silence_is_the_agents_if_it_owed_the_move(play: Play):
    async with FakeAgent(replies("Hello.")) as agent:
        record = await play(agent.url, max_silence_s=0.5)
    end = ended(record)
    assert (end.ending, end.kind, end.owed_by) == (Ending.SILENCE, Kind.SILENCE, Side.AGENT)


async def test_an_agent_that_never_says_a_word(play: Play):
    async with FakeAgent(silent) as agent:
        record = await play(agent.url, max_silence_s=0.3)
    assert ended(record).kind is Kind.SILENCE


async def test_silence_is_ours_if_the_caller_never_answers(play: Play):
    class Stuck(Talker):
        async def answer(self, turns: Sequence[Turn]) -> AsyncIterator[Move]:
            await asyncio.Event().wait()
            yield Words("never")

    async with FakeAgent(replies("Hello.")) as agent:
        record = await play(agent.url, Stuck(), opening=None, max_silence_s=0.5)
    assert (ended(record).kind, ended(record).owed_by) == (Kind.CALLER_STALLED, Side.CALLER)


async def test_a_call_that_takes_too_long(play: Play):
    async def chatter(session: Session) -> None:
        await session.ready()
        while True:
            await session.say("And another thing.")
            await session.hear()

    async with FakeAgent(chatter) as agent:
        record = await play(agent.url, Talker(Words("Go on.")), max_duration_s=1)
    assert ended(record).ending is Ending.MAX_DURATION


async def test_a_tool_call_that_never_stops_does_not_mute_the_caller(
    play: Play, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sparring.calls.floor.HOLD_S", 0.3)

    async def stuck_tool(session: Session) -> None:
        await session.ready()
        await session.tool_open("check", {})
        await session.say("Hello?")
        await session.hear()
        await session.say("All right.")

    async with FakeAgent(stuck_tool) as agent:
        record = await play(agent.url, agenda=[], max_silence_s=5)
    assert agent.texts == ["A table for two at 6 PM, please."]
    assert ended(record).ending is Ending.END_CALL


async def test_a_response_that_never_stops_does_not_mute_the_caller(
    play: Play, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sparring.calls.floor.HOLD_S", 0.3)

    async def never_stops(session: Session) -> None:
        await session.ready()
        await session.start()
        await session.token("Hello, how can I help?")
        await session.hear()
        await session.say("All right.")

    async with FakeAgent(never_stops) as agent:
        record = await play(agent.url, agenda=[], max_silence_s=5)
    assert agent.texts == ["A table for two at 6 PM, please."]
    assert said(record)[-1] == "All right."
    assert ended(record).ending is Ending.END_CALL


async def test_heartbeats_do_not_keep_a_silent_agent_alive(play: Play):
    async def beats(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        while True:
            await session.server_message({"alive": True})
            await asyncio.sleep(0.05)

    async with FakeAgent(beats) as agent:
        record = await play(agent.url, max_silence_s=0.6, max_duration_s=10)
    assert (ended(record).kind, ended(record).owed_by) == (Kind.SILENCE, Side.AGENT)


async def test_words_go_out_with_the_hang_up_and_are_answered(play: Play):
    async def closes_with_a_call(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        await session.say("Goodbye!")
        await session.tool("end_conversation", {}, result="ok", took=0.05)

    caller = Talker(Words("Never mind, "), Words("bye."), HangUp(False, "changed my mind"))
    async with FakeAgent(closes_with_a_call) as agent:
        record = await play(agent.url, caller, opening=None)
    assert agent.texts == ["Never mind, bye."]
    assert caller.asked == 1
    assert said(record)[-1] == "Goodbye!"
    assert [call.state for call in record.conversation.tool_calls] == ["completed"]
    assert ended(record).ending is Ending.END_CALL


async def test_a_line_the_agent_speaks_without_its_llm_is_answered(play: Play):
    async def canned(session: Session) -> None:
        await session.ready()
        await session.speak("Your name?")
        await session.hear()
        await session.say("Thanks.")

    async with FakeAgent(canned) as agent:
        record = await play(agent.url, opening=None, agenda=BOOKING["agenda"][:1])
    assert said(record) == ["Your name?", "It's Jamie.", "Thanks."]


# --- What breaks -----------------------------------------------------------------------------


async def test_nothing_listens(play: Play):
    record = await play(f"ws://127.0.0.1:{free_port()}/ws")
    assert ended(record).kind is Kind.CONNECT_FAILED
    assert "is the agent running?" in ended(record).reason


async def test_a_refusal(play: Play):
    async with FakeAgent(silent) as agent:
        record = await play(agent.url.replace("/ws", "/elsewhere"))
    assert ended(record).kind is Kind.CONNECT_FAILED
    assert "HTTP 403" in ended(record).reason and "/ws" in ended(record).reason


async def test_something_that_speaks_no_websocket(play: Play):
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        record = await play(f"ws://127.0.0.1:{port}/ws")
    assert ended(record).kind is Kind.CONNECT_FAILED


async def test_an_agent_without_tls(play: Play):
    async with FakeAgent(silent) as agent:
        record = await play(agent.url.replace("ws://", "wss://"))
    assert ended(record).kind is Kind.CONNECT_FAILED
    assert "does not speak TLS" in ended(record).reason and "ws://" in ended(record).reason


async def test_a_proxy_of_the_environment_is_not_for_agents_here(
    play: Play, monkeypatch: pytest.MonkeyPatch
):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with FakeAgent(replies("Hello.", "Bye.")) as agent:
        record = await play(agent.url)
    assert said(record)[0] == "Hello."


async def test_something_that_never_answers_the_handshake(play: Play):
    gone = asyncio.Event()

    async def ignore(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await gone.wait()
        writer.close()

    server = await asyncio.start_server(ignore, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        record = await play(f"ws://127.0.0.1:{port}/ws")
        gone.set()
    assert ended(record).kind is Kind.CONNECT_FAILED
    assert "handshake" in ended(record).reason


async def test_an_agent_that_is_full(play: Play):
    async def full(session: Session) -> None:
        await session.close(1011, "Concurrency limit reached")

    async with FakeAgent(full) as agent:
        record = await play(agent.url)
    assert ended(record).kind is Kind.CLOSED_BEFORE_READY
    assert "1011, 'Concurrency limit reached'" in ended(record).reason


async def test_an_agent_that_is_never_ready(play: Play):
    async with FakeAgent(Session.hang) as agent:
        record = await play(agent.url, ready_timeout_s=0.3)
    assert ended(record).kind is Kind.HANDSHAKE_TIMEOUT
    assert agent.sessions[0].cancelled


async def test_a_fatal_error(play: Play):
    async def fails(session: Session) -> None:
        await session.ready()
        await session.error("slow down", fatal=False)
        await session.say("Hello.")
        await session.hear()
        await session.error("LLM: 401 invalid key")

    async with FakeAgent(fails) as agent:
        record = await play(agent.url)
    assert ended(record).kind is Kind.AGENT_ERROR
    assert "LLM: 401 invalid key" in ended(record).reason
    assert next(e.error for e in record.events if isinstance(e, ev.AgentError)) == "slow down"


async def test_an_agent_that_dies(play: Play):
    async def dies(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        await session.abort()

    async with FakeAgent(dies) as agent:
        record = await play(agent.url)
    assert ended(record).kind is Kind.AGENT_CRASHED
    assert said(record) == ["Hello.", "A table for two at 6 PM, please."]


async def test_a_very_large_tool_result(play: Play):
    async def dumps(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        await session.tool("dump", {}, result="x" * 5 * 2**20)
        await session.say("There.")

    async with FakeAgent(dumps) as agent:
        record = await play(agent.url, agenda=[])
    assert ended(record).ending is Ending.END_CALL
    assert len(record.conversation.tool_calls[0].result) == 5 * 2**20


@pytest.mark.parametrize("garbage", ["hello", b"\x08\x00\xff", "[1, 2]", '{"label": "rtvi-ai"}'])
@pytest.mark.parametrize("is_ready", [True, False])
async def test_garbage(play: Play, garbage: str | bytes, is_ready: bool):
    async def babbles(session: Session) -> None:
        if is_ready:
            await session.ready()
        await session.raw(garbage)

    async with FakeAgent(babbles) as agent:
        record = await play(agent.url)
    assert ended(record).kind is Kind.PROTOCOL_ERROR
    assert any(isinstance(event, ev.Ready) for event in record.events) is is_ready


async def test_a_caller_that_fails(play: Play):
    class Failing(Talker):
        def __init__(self, error: Exception):
            super().__init__()
            self.error = error

        async def answer(self, turns: Sequence[Turn]) -> AsyncIterator[Move]:
            raise self.error
            yield Words("never")

    for error, text in ((CallerError("no model"), "no model"), (ValueError("x"), "ValueError: x")):
        async with FakeAgent(replies("Hello.")) as agent:
            record = await play(agent.url, Failing(error), opening=None)
        assert ended(record).kind is Kind.CALLER_ERROR
        assert text in ended(record).reason


async def test_a_caller_that_says_nothing(play: Play):
    async with FakeAgent(replies("Hello.")) as agent:
        record = await play(agent.url, Talker(Words("  ")), opening=None)
    assert ended(record).kind is Kind.CALLER_ERROR


async def test_the_agents_own_handler_runs_when_asked_to(play: Play):
    async with FakeAgent(polite_booking) as agent:
        await play(agent.url, trigger_disconnect=True)
    (session,) = agent.sessions
    assert not session.cancelled
    assert session.query["trigger_disconnect"] == "true"
    assert session.close_code == 1000


async def test_an_interrupted_call_says_so():
    simulation = Simulation.model_validate(BOOKING)
    spoke = asyncio.Event()

    def listen(event: Event) -> None:
        if isinstance(event, ev.CallerSaid):
            spoke.set()

    async with FakeAgent(replies("Hello.")) as agent:
        connection = EvalWebSocket(agent.url)
        call = Call(simulation, connection, AgendaCaller(simulation), header(), [listen])
        playing = asyncio.create_task(call.play())
        await spoke.wait()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
    assert ended(call.record).ending is Ending.INTERRUPTED
    assert agent.sessions[0].cancelled


async def test_many_calls_at_once_in_one_process(play: Play):
    async with FakeAgent(polite_booking) as agent:
        records = await asyncio.gather(*(play(agent.url) for _ in range(20)))
    assert [ended(record).ending for record in records] == [Ending.END_CALL] * 20
    assert all(len(record.conversation.caller_turns) == 4 for record in records)
