"""The fake agent, seen from a plain WebSocket client."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, ConnectionClosedError, InvalidStatus

import support
from support.fake_agent import (
    V1_12,
    Dialect,
    FakeAgent,
    Script,
    Session,
    crashing,
    full,
    never_ready,
    polite_booking,
    replies,
    silent,
)

EARLY_S = 0.005
LATE_S = 0.3
"""A loaded machine is late, but never early."""


class Client:
    """The harness's side, with no cleverness at all."""

    def __init__(self, socket: ClientConnection):
        self.socket = socket

    async def send(self, type: str, data: Any = None, id: str = "1", **more: Any) -> None:
        body = {"label": "rtvi-ai", "type": type, "id": id, "data": data or {}, **more}
        await self.socket.send(json.dumps(body))

    async def tell(self, t: str, **d: Any) -> None:
        await self.send("client-message", {"t": t, "d": d}, id=t)

    async def begin(self) -> dict[str, Any]:
        await self.tell("eval-connect", skip_tts=True)
        await self.send("client-ready", {"version": "2.2.0"}, id="client-ready")
        return await self.take("bot-ready")

    async def text(self, text: str, id: str = "2") -> None:
        await self.send("send-text", {"content": text, "options": {}}, id=id)

    async def next(self) -> dict[str, Any]:
        return json.loads(await self.socket.recv())

    async def take(self, type: str) -> dict[str, Any]:
        """The next message, which has to be of this type."""
        message = await self.next()
        assert message["label"] == "rtvi-ai"
        assert message["type"] == type
        return message

    async def until(self, type: str) -> list[dict[str, Any]]:
        """All messages up to the first of this type."""
        messages = [await self.next()]
        while messages[-1]["type"] != type:
            messages.append(await self.next())
        return messages

    async def reply(self) -> str:
        """The words of the next response that has any."""
        words = ""
        while not words:
            messages = await self.until("bot-llm-stopped")
            words = "".join(m["data"]["text"] for m in messages if m["type"] == "bot-llm-text")
        return words

    async def closed(self) -> ConnectionClosed:
        """How the agent ended the session."""
        with pytest.raises(ConnectionClosed) as caught:
            while True:
                await self.socket.recv()
        return caught.value


@asynccontextmanager
async def client(url: str) -> AsyncIterator[Client]:
    async with asyncio.timeout(5), connect(url, ping_interval=None) as socket:
        yield Client(socket)


@asynccontextmanager
async def call(script: Script, **options: Any) -> AsyncIterator[tuple[FakeAgent, Client]]:
    """An agent with this script, and a client whose session has begun."""
    async with FakeAgent(script, **options) as agent, client(agent.url) as caller:
        await caller.begin()
        yield agent, caller


def types(messages: list[dict[str, Any]]) -> list[str]:
    return [message["type"] for message in messages]


def test_it_stands_alone():
    """Neither pipecat nor sparring is loaded with it, so that it shares no fault of theirs."""
    code = (
        "import sys, support.fake_agent; "
        "print([m for m in sys.modules if m.split('.')[0] in ('pipecat', 'sparring')])"
    )
    tests = Path(support.__file__).parent.parent
    ran = subprocess.run([sys.executable, "-c", code], cwd=tests, capture_output=True, text=True)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


# --- A session -----------------------------------------------------------------------------------


async def test_ready_answers_the_clients_opening():
    async with FakeAgent(silent) as agent, client(agent.url + "?skip_tts=true") as caller:
        ready = await caller.begin()
    assert ready["id"] == "client-ready"
    assert ready["data"]["version"] == "2.2.0"
    assert ready["data"]["capabilities"]["audio_in"] is True
    (session,) = agent.sessions
    assert session.query == {"skip_tts": "true"}
    assert [message.type for message in session.received] == ["eval-connect", "client-ready"]
    assert session.received[0].payload == {"skip_tts": True}


async def test_the_token_of_a_url():
    async with FakeAgent(silent, query="token=x") as agent, client(agent.url) as caller:
        await caller.begin()
    assert agent.url.endswith("/ws?token=x")
    assert agent.sessions[0].query == {"token": "x"}


async def test_ready_with_other_data():
    async def other(session: Session) -> None:
        await session.ready(version="9.0.0", extra=1)

    async with FakeAgent(other) as agent, client(agent.url) as caller:
        data = (await caller.begin())["data"]
    assert (data["version"], data["extra"]) == ("9.0.0", 1)


@pytest.mark.parametrize("text", ["Hello, how can I help?", "  two  spaces \n", "一句話", " "])
async def test_tokens_join_back_to_the_text(text: str):
    async def script(session: Session) -> None:
        await session.ready()
        await session.say(text)
        await session.say(text, tokens=False)

    async with call(script) as (_, caller):
        messages = await caller.until("bot-llm-stopped")
        whole = await caller.until("bot-llm-stopped")
    assert messages[0]["type"] == "bot-llm-started"
    assert "".join(m["data"]["text"] for m in messages[1:-1]) == text
    assert whole[1]["data"] == {"text": text} and len(whole) == 3


async def test_words_have_exact_times():
    async def script(session: Session) -> None:
        await session.ready()
        await session.say("one two three", delay=0.1, gap=0.05)

    async with call(script) as (agent, caller):
        await caller.reply()
    _, started, *words, stopped = agent.sessions[0].sent
    assert [word.payload["text"] for word in words] == ["one", " two", " three"]
    times = [message.at - started.at for message in (*words, stopped)]
    assert times == sorted(times)
    for took, asked in zip(times, [0.1, 0.15, 0.2, 0.25], strict=True):
        assert asked - EARLY_S <= took <= asked + LATE_S


async def test_what_is_heard_is_echoed_as_the_real_agent_does():
    heard = []

    async def script(session: Session) -> None:
        await session.ready()
        heard.append(await session.hear())
        await session.start()

    async with call(script) as (agent, caller):
        await caller.text("A table, please.", id="7")
        messages = await caller.until("bot-llm-started")
    assert types(messages) == ["bot-interrupted", "user-input", "user-llm-text", "bot-llm-started"]
    echo = messages[1]["data"]
    assert (echo["text"], echo["input_type"], echo["msg_id"]) == ("A table, please.", "chat", "7")
    assert heard == agent.texts == ["A table, please."]


async def test_a_say_can_be_interrupted():
    async def script(session: Session) -> None:
        await session.ready()
        said = await session.say("one two three", gap=0.02, interruptible=True)
        await session.hear()
        await session.server_message({"said": said})

    async with call(script) as (_, caller):
        await caller.take("bot-llm-started")
        await caller.take("bot-llm-text")
        await caller.text("Stop!")
        messages = await caller.until("server-message")
    assert "bot-llm-stopped" not in types(messages)
    assert messages[-1]["data"]["said"] in ("one", "one two")


async def test_a_tool_call_is_in_the_real_agents_order():
    async def script(session: Session) -> None:
        await session.ready()
        await session.tool("book_table", {"party_size": 2}, result={"ref": "R-1"}, took=0.05)

    async with call(script) as (agent, caller):
        messages = await caller.until("llm-function-call-stopped")
    assert types(messages) == [
        "bot-llm-started",
        "llm-function-call-started",
        "bot-llm-stopped",
        "llm-function-call-in-progress",
        "llm-function-call-stopped",
    ]
    call_data = {"tool_call_id": "call_1", "function_name": "book_table"}
    assert messages[1]["data"] == {"function_name": "book_table"}
    assert messages[3]["data"] == {**call_data, "arguments": {"party_size": 2}}
    assert messages[4]["data"] == {**call_data, "cancelled": False, "result": {"ref": "R-1"}}
    opened, stopped = agent.sessions[0].sent[-2:]
    assert 0.05 - EARLY_S <= stopped.at - opened.at <= 0.05 + LATE_S


async def test_tool_calls_that_stay_open_overlap_or_are_cancelled():
    async def script(session: Session) -> None:
        await session.ready()
        first = await session.tool_open("check", {})
        await session.tool_open("check", {}, id="mine")
        await session.tool_stop(first, "check", result=1)
        await session.tool("check", {}, cancelled=True)

    async with call(script) as (_, caller):
        messages = await caller.until("llm-function-call-stopped")
        messages += await caller.until("llm-function-call-stopped")
    calls = [
        (m["type"].removeprefix("llm-function-call-"), m["data"]["tool_call_id"])
        for m in messages
        if "tool_call_id" in m.get("data", {})
    ]
    assert calls == [
        ("in-progress", "call_1"),
        ("in-progress", "mine"),
        ("stopped", "call_1"),
        ("in-progress", "call_3"),
        ("stopped", "call_3"),
    ]
    assert messages[-1]["data"]["cancelled"] is True


@pytest.mark.parametrize(
    ("level", "keys"),
    [
        ("none", [[], ["tool_call_id"], ["cancelled", "tool_call_id"]]),
        (
            "arguments",
            [
                ["function_name"],
                ["arguments", "function_name", "tool_call_id"],
                ["cancelled", "function_name", "tool_call_id"],
            ],
        ),
        ("disabled", []),
    ],
)
async def test_a_dialect_that_obeys_the_report_level(level: str, keys: list[list[str]]):
    async def script(session: Session) -> None:
        await session.ready()
        await session.wait_for("eval-configure")
        await session.tool("book", {"a": 1}, result="R")
        await session.say("Done.")

    async with call(script, dialect=Dialect(report_level=None)) as (_, caller):
        await caller.tell("eval-configure", function_call_report_level={"*": level})
        messages = await caller.until("bot-llm-text")
    seen = [sorted(m.get("data", {})) for m in messages if "function-call" in m["type"]]
    assert seen == keys


async def test_a_line_of_the_tts_alone():
    async def script(session: Session) -> None:
        await session.ready()
        await session.speak("Are you still there?", took=0.05)

    async with call(script) as (_, caller):
        messages = await caller.until("bot-stopped-speaking")
    assert types(messages) == [
        "bot-tts-started",
        "bot-started-speaking",
        "bot-output",
        "bot-tts-stopped",
        "bot-output",
        "bot-tts-text",
        "bot-stopped-speaking",
    ]
    assert [m["data"]["spoken_status"] for m in messages if m["type"] == "bot-output"] == [
        "new",
        "completed",
    ]


async def test_errors_metrics_messages_and_garbage():
    async def script(session: Session) -> None:
        await session.ready()
        await session.error("slow down", fatal=False)
        await session.metrics(0.25, characters=[])
        await session.server_message({"type": "eval-state", "state": {}})
        await session.send("bot-novelty", [1], id="9", label="other")
        await session.raw("{")
        await session.raw(b"\x00\xff")

    async with call(script) as (_, caller):
        assert (await caller.take("error"))["data"] == {"error": "slow down", "fatal": False}
        metrics = (await caller.take("metrics"))["data"]
        assert metrics["ttfb"][0]["value"] == 0.25 and metrics["characters"] == []
        assert (await caller.take("server-message"))["data"]["type"] == "eval-state"
        assert await caller.next() == {
            **{"label": "other", "type": "bot-novelty"},
            **{"id": "9", "data": [1]},
        }
        assert await caller.socket.recv() == "{"
        assert await caller.socket.recv() == b"\x00\xff"


async def test_a_spoken_turn_of_the_caller():
    async def script(session: Session) -> None:
        await session.ready()
        await session.overhear("Hi.")

    async with call(script) as (_, caller):
        messages = await caller.until("user-llm-text")
    assert types(messages) == [
        *["vad-user-started-speaking"] * 2,
        "user-started-speaking",
        "bot-interrupted",
        *["vad-user-stopped-speaking"] * 2,
        "user-input",
        "user-transcription",
        "user-stopped-speaking",
        "user-llm-text",
    ]
    assert messages[6]["data"]["input_type"] == "transcription"


async def test_what_the_client_sends_is_kept():
    async def script(session: Session) -> None:
        await session.ready()
        keys = await session.wait_for("dtmf", count=2)
        await session.server_message([keys.payload, session.context])

    async with call(script) as (agent, caller):
        await caller.tell("eval-context", messages=[{"role": "system", "content": "Be brief."}])
        for _ in range(3):
            await caller.send("raw-audio", {"base64Audio": "", "sampleRate": 16000})
        await caller.send("dtmf", {"buttons": ["1"]})
        await caller.socket.send("not json")
        await caller.send("dtmf", {"buttons": ["#"]}, label="other")
        await caller.send("dtmf", {"buttons": ["2"]})
        message = await caller.take("server-message")
    assert message["data"] == [
        {"buttons": ["2"]},
        [{"role": "system", "content": "Be brief."}],
    ]
    (session,) = agent.sessions
    assert session.audio_messages == 3
    assert len(session.garbage) == 2
    assert agent.received == session.received
    times = [item.at for item in agent.received]
    assert times == sorted(times)
    assert [item.type for item in agent.received[2:]] == ["eval-context", "dtmf", "dtmf"]


async def test_a_message_the_agent_does_not_know_is_refused():
    async with call(silent) as (_, caller):
        await caller.send("eval-reset", id="4")
        refusal = await caller.take("error-response")
    assert (refusal["id"], refusal["data"]) == ("4", {"error": "Unsupported type eval-reset"})


# --- How it ends ---------------------------------------------------------------------------------


async def test_a_cancel_ends_the_script_and_the_close_is_recorded():
    ended = asyncio.Event()

    async def chatter(session: Session) -> None:
        await session.ready()
        try:
            await session.wait(60)
        finally:
            ended.set()

    async with FakeAgent(chatter) as agent:
        async with client(agent.url) as caller:
            await caller.begin()
            await caller.tell("eval-cancel")
            await ended.wait()
        session = await agent.session()
        await session.left()
        assert session.cancelled
        assert (session.close_code, session.close_reason) == (1000, "")


async def test_a_client_that_vanishes():
    async with FakeAgent(silent) as agent:
        async with client(agent.url) as caller:
            await caller.begin()
            caller.socket.transport.abort()
        session = await agent.session()
        await session.left()
    assert (session.cancelled, session.close_code) == (False, 1006)


async def test_the_agent_closes():
    async def script(session: Session) -> None:
        await session.ready()
        await session.close(4000, "bye")
        raise AssertionError("the script goes on after the end")

    async with call(script) as (_, caller):
        closed = await caller.closed()
    assert closed.rcvd is not None
    assert (closed.rcvd.code, closed.rcvd.reason) == (4000, "bye")


async def test_the_agent_breaks_off():
    async def script(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.abort()

    async with call(script) as (_, caller):
        assert await caller.reply() == "Hello."
        closed = await caller.closed()
    assert isinstance(closed, ConnectionClosedError) and closed.rcvd is None
    assert isinstance(closed.__cause__, ConnectionResetError)


async def test_an_agent_that_is_stuck_takes_nothing_more():
    async def script(session: Session) -> None:
        await session.ready()
        await session.freeze()

    async with FakeAgent(script) as agent:
        async with connect(agent.url, close_timeout=0.1) as socket:
            caller = Client(socket)
            await caller.begin()
            pong = await socket.ping()
            await caller.text("Anybody there?")
        assert not pong.done() or pong.exception() is not None
        assert agent.texts == []
        assert not agent.sessions[0].gone


async def test_an_agent_without_a_word_to_say():
    async with FakeAgent(silent) as agent, client(agent.url) as caller:
        await caller.begin()
        await caller.text("Hello?")
        await caller.tell("eval-cancel")
        await (await agent.session()).wait_for("eval-cancel")
        assert [message.type for message in agent.sessions[0].sent] == ["bot-ready"]


# --- Scripts that break --------------------------------------------------------------------------


async def test_what_a_script_raises_is_raised_at_the_end():
    async def broken(session: Session) -> None:
        await session.ready()
        assert await session.hear() == "something else"

    with pytest.raises(AssertionError, match="something else"):
        async with call(broken) as (_, caller):
            await caller.text("Hi.")
            closed = await caller.closed()
            assert closed.rcvd is not None and closed.rcvd.code == 1011


async def test_a_script_that_breaks_over_the_last_words_of_a_client_that_has_gone():
    async def broken(session: Session) -> None:
        await session.ready()
        assert await session.hear() == "something else"

    with pytest.raises(AssertionError, match="something else"):
        async with FakeAgent(broken) as agent, client(agent.url) as caller:
            await caller.begin()
            await caller.text("Bye.")
            await caller.tell("eval-cancel")


async def test_a_failed_test_keeps_its_own_failure_and_is_told_of_the_scripts():
    async def broken(session: Session) -> None:
        await session.ready()
        pytest.fail("the script's")

    with pytest.raises(ValueError, match="the test's") as caught:
        async with call(broken) as (_, caller):
            await caller.closed()
            raise ValueError("the test's")
    assert "the script's" in caught.value.__notes__[0]


async def test_several_broken_scripts():
    async def broken(session: Session) -> None:
        async with asyncio.TaskGroup() as group:  # One breaks, the other ends with the client.
            group.create_task(session.hang())
            group.create_task(session.wait_for("client-ready"))
            await session.ready()
            raise LookupError("gone wrong")

    with pytest.raises(BaseExceptionGroup) as caught:
        async with FakeAgent(broken) as agent:
            for _ in range(2):
                async with client(agent.url) as caller:
                    await caller.begin()
                    await caller.closed()
    assert caught.group_contains(LookupError)
    assert len(caught.value.exceptions) == 2


async def test_a_script_that_never_ends_is_ended():
    async def endless(session: Session) -> None:
        await session.ready()
        await asyncio.Event().wait()

    async with call(endless):
        pass
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not others


async def test_a_script_of_parallel_parts_ends_with_the_client():
    async def parallel(session: Session) -> None:
        await session.ready()
        async with asyncio.TaskGroup() as group:
            group.create_task(session.hear())
            group.create_task(session.hang())

    async with call(parallel):
        pass


# --- Servers that misbehave ----------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403, 503])
async def test_a_refusal(status: int):
    async with FakeAgent(status=status) as agent:
        with pytest.raises(InvalidStatus) as caught:
            await connect(agent.url)
    assert caught.value.response.status_code == status
    assert (agent.refused, agent.sessions) == (1, [])


async def test_a_wrong_path_is_refused_as_by_the_runner():
    async with FakeAgent() as agent:
        with pytest.raises(InvalidStatus) as caught:
            await connect(agent.url.replace("/ws", "/elsewhere"))
    assert caught.value.response.status_code == 403


async def test_an_agent_that_never_answers_the_handshake():
    async with FakeAgent(deaf=True) as agent:
        with pytest.raises(TimeoutError):
            await connect(agent.url, open_timeout=0.1)


async def test_an_agent_that_is_full():
    async with FakeAgent(full) as agent, client(agent.url) as caller:
        closed = await caller.closed()
    assert closed.rcvd is not None
    assert (closed.rcvd.code, closed.rcvd.reason) == (1011, "Concurrency limit reached")


async def test_an_agent_that_crashes_at_once():
    async with FakeAgent(crashing) as agent, client(agent.url) as caller:
        closed = await caller.closed()
    assert closed.rcvd is None


async def test_an_agent_that_is_never_ready():
    async with FakeAgent(never_ready) as agent:
        async with client(agent.url) as caller:
            await caller.tell("eval-connect")
            await caller.send("client-ready", id="client-ready")
            await (await agent.session()).wait_for("client-ready")
        assert agent.sessions[0].sent == []


@pytest.mark.parametrize("first", ["client-ready first", "binary", "garbage"])
async def test_who_does_not_begin_with_an_eval_connect_is_dropped(first: str):
    eval_connect = {"label": "rtvi-ai", "type": "client-message", "data": {"t": "eval-connect"}}
    async with FakeAgent(silent) as agent, client(agent.url) as caller:
        match first:
            case "binary":
                await caller.socket.send(json.dumps(eval_connect).encode())
            case "garbage":
                await caller.socket.send("{}")
            case _:
                await caller.send("client-ready", id="client-ready")
        closed = await caller.closed()
    assert closed.rcvd is None


async def test_a_bare_tcp_probe_is_no_session():
    async with FakeAgent(silent) as agent:
        port = int(re.findall(r":(\d+)/", agent.url)[0])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        await writer.wait_closed()
        async with client(agent.url) as caller:
            await caller.begin()
    assert len(agent.sessions) == 1


# --- Older agents, and many at once --------------------------------------------------------------


async def test_an_agent_of_pipecat_1_12():
    async def script(session: Session) -> None:
        await session.ready()
        await session.hear()
        await session.overhear("Hi.")

    async with FakeAgent(script, dialect=V1_12) as agent, client(agent.url) as caller:
        await caller.send("client-ready", id="client-ready")  # No eval-connect: it knows none.
        ready = await caller.take("bot-ready")
        await caller.text("Hello.")
        messages = await caller.until("user-transcription")
        async with client(agent.url) as second:
            closed = await second.closed()
    assert re.fullmatch(r"ws://127\.0\.0\.1:\d+", agent.url)
    assert ready["data"]["about"]["library_version"] == "1.12.0"
    assert "user-input" not in types(messages)
    assert closed.rcvd is not None and closed.rcvd.code == 1013
    assert (agent.refused, len(agent.sessions)) == (1, 1)


async def test_a_dialect_with_ids():
    dialect = Dialect(ids=True)
    async with FakeAgent(replies("Hi"), dialect=dialect) as agent, client(agent.url) as caller:
        ready = await caller.begin()
        messages = await caller.until("bot-llm-stopped")
    assert ready["id"] == "client-ready"
    assert [m["id"] for m in messages] == ["agent-2", "agent-3", "agent-4"]


async def test_a_polite_booking():
    async with call(polite_booking) as (agent, caller):
        turns = [await caller.reply()]
        for text in ("A table for two at 6 PM.", "Jamie.", "555-0142.", "Thanks!"):
            await caller.text(text)
            turns.append(await caller.reply())
    assert turns[0] == "Hello, how can I help?" and turns[-1] == "Goodbye!"
    calls = [m for m in agent.sessions[0].sent if m.type == "llm-function-call-stopped"]
    names = [m.payload["function_name"] for m in calls]
    assert names == ["check_availability", "book_table"]


async def test_replies_run_out():
    async with call(replies("Hello.", "And?")) as (agent, caller):
        assert await caller.reply() == "Hello."
        await caller.text("One.")
        assert await caller.reply() == "And?"
        await caller.text("Two.")
        await caller.until("user-llm-text")
    assert agent.texts == ["One.", "Two."]


async def test_many_sessions_at_once_are_kept_apart():
    async def one(agent: FakeAgent, text: str) -> None:
        async with client(agent.url) as caller:
            await caller.begin()
            await caller.reply()
            await caller.text(text)
            assert await caller.reply() == "You too."

    async with FakeAgent(replies("Hello.", "You too.")) as agent:
        await asyncio.gather(*(one(agent, f"I am {number}.") for number in range(20)))
    assert sorted(agent.texts) == sorted(f"I am {number}." for number in range(20))
    assert all(len(session.of_type("send-text")) == 1 for session in agent.sessions)


async def test_sessions_back_to_back():
    async with FakeAgent(silent) as agent:
        for _ in range(5):
            async with client(agent.url) as caller:
                await caller.begin()
    assert [session.close_code for session in agent.sessions] == [1000] * 5
