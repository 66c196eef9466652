"""The demo agent over the wire, as its own process on pipecat's stock dev runner."""

import asyncio
import re
import subprocess
import sys

import pytest
from websockets.exceptions import ConnectionClosed

TABLE = {"date": "tonight", "time": "18:00", "party_size": 2}
LINES = (
    "Hi, I'd like to book a table for two tonight at 6 PM.",
    "It's Jamie Lee.",
    "555-0142.",
    "Perfect, thank you!",
)


async def test_it_books_a_table(good_agent, call):
    async with call(good_agent) as client:
        first, name, phone, thanks = [await client.say(line) for line in LINES]

    assert client.greeting == "Hello, this is the Corner Table. How can I help you?"
    assert first.calls == [
        {
            "tool_call_id": "call_1",
            "function_name": "check_availability",
            "arguments": TABLE,
            "cancelled": False,
            "result": {"available": True},
        }
    ]
    assert first.text.endswith("Could I get a name for the reservation?")
    assert name.text == "Thank you, Jamie. What phone number can we reach you on?"
    assert name.calls == []
    assert phone.calls == [
        {
            "tool_call_id": "call_2",
            "function_name": "book_table",
            "arguments": TABLE | {"name": "Jamie Lee", "phone": "555-0142"},
            "cancelled": False,
            "result": {"ref": "R-1"},
        }
    ]
    assert phone.text == (
        "You're all set: a table for two tonight at 6 PM under Jamie Lee. Your reference is R-1."
    )
    assert thanks.text == "You're welcome, Jamie. See you tonight. Goodbye!"


async def test_a_reply_arrives_token_by_token_inside_a_response(good_agent, call):
    async with call(good_agent) as client:
        reply = await client.say("I'd like a table")

    kinds = [message["type"] for _, message in reply.events if "-llm-" in message["type"]]
    tokens = reply.text.split()
    assert kinds == [
        "user-llm-text",
        "bot-llm-started",
        *["bot-llm-text"] * len(tokens),
        "bot-llm-stopped",
    ]


async def test_a_tool_call_ends_its_own_response_and_its_result_begins_another(good_agent, call):
    async with call(good_agent) as client:
        reply = await client.say(LINES[0])

    kinds = [message["type"] for _, message in reply.events if "llm" in message["type"]]
    assert [kind for kind in kinds if kind != "bot-llm-text"] == [
        "user-llm-text",
        "bot-llm-started",
        "llm-function-call-started",
        "bot-llm-stopped",
        "llm-function-call-in-progress",
        "llm-function-call-stopped",
        "bot-llm-started",
        "bot-llm-stopped",
    ]


async def test_two_calls_at_once_share_nothing(good_agent, call):
    async with call(good_agent) as jamie, call(good_agent) as maya:
        await asyncio.gather(
            jamie.say("A table for two tonight at 6 PM."),
            maya.say("A table for five tomorrow at 9 PM."),
        )
        await asyncio.gather(jamie.say("Jamie Lee"), maya.say("Maya Patel"))
        to_jamie, to_maya = await asyncio.gather(jamie.say("555-0142"), maya.say("555-0199"))

    assert "two tonight at 6 PM under Jamie Lee" in to_jamie.text
    assert "five tomorrow at 9 PM under Maya Patel" in to_maya.text
    # Both are the first booking of their own evening.
    assert [reply.calls[-1]["result"] for reply in (to_jamie, to_maya)] == [{"ref": "R-1"}] * 2


async def test_a_context_given_by_the_eval_counts_as_said(good_agent, call):
    async with call(good_agent) as client:
        await client.set_context(
            {"role": "user", "content": "A table for three at 9 PM, please."},
            {"role": "assistant", "content": "Gladly. What is your name?"},
        )
        reply = await client.say("Maya")

    assert reply.calls[0]["arguments"] == {"date": "tonight", "time": "21:00", "party_size": 3}
    assert "phone number" in reply.text


async def test_it_uses_nothing_that_is_deprecated(good_agent, call):
    async with call(good_agent) as client:
        for line in LINES:
            await client.say(line)

    warnings = re.findall(r".*DeprecationWarning.*", good_agent.output)
    assert warnings, "the agent was not asked to print them"
    assert [line for line in warnings if "src/sparring/" in line] == []
    assert "Traceback" not in good_agent.output


async def test_forgetful_books_for_four(agent_of, call):
    async with call(agent_of("forgetful")) as client:
        for line in LINES[:2]:
            await client.say(line)
        reply = await client.say(LINES[2])

    assert reply.calls[0]["arguments"]["party_size"] == 4
    assert "a table for four" in reply.text


async def test_all_talk_never_books(agent_of, call):
    async with call(agent_of("all_talk")) as client:
        replies = [await client.say(line) for line in LINES]

    assert "You're all set" in replies[2].text
    assert "Goodbye" in replies[3].text
    assert [call["function_name"] for reply in replies for call in reply.calls] == [
        "check_availability"
    ]


async def test_crashing_dies_with_a_last_word(agent_of, call):
    agent = agent_of("crashing")
    with pytest.raises(ConnectionClosed):
        async with call(agent) as client:
            for line in LINES:
                await client.say(line)

    assert await asyncio.to_thread(agent.wait) == 3
    assert agent.lines[-1] == "demo agent: lost the booking system, giving up\n"


async def test_mute_says_nothing_after_its_greeting(agent_of, call):
    async with call(agent_of("mute")) as client:
        kinds = []
        for line in LINES[:2]:
            await client.speak(line)
            while not kinds or kinds[-1] != "user-llm-text":
                kinds.append((await client.receive())["type"])
            kinds.append("the next line")

    assert client.greeting
    # An answer to the first line would have come before the agent took in the second.
    assert not [kind for kind in kinds if kind.startswith("bot-llm")]


async def test_slow_thinks_before_it_answers(agent_of, call):
    async with call(agent_of("slow")) as client:
        await client.speak("A table for two, please")
        while (await client.receive())["type"] != "bot-llm-started":
            pass  # It begins to think, and is cut off by the next line.
        reply = await client.say("At 6 PM")

    assert reply.calls[0]["arguments"] == TABLE
    times = {message["type"]: at for at, message in reply.events}
    first_token = next(at for at, message in reply.events if message["type"] == "bot-llm-text")
    assert first_token - times["bot-llm-started"] >= 1.4


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_an_unknown_variant_is_refused_with_the_list(how, monkeypatch):
    command = [sys.executable, "-m", "sparring.demo.agent"]
    if how == "argument":
        command += ["--agent", "godo"]
    else:
        monkeypatch.setenv("SPARRING_DEMO_AGENT", "godo")
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert ended.returncode == 2
    assert "there is no demo agent 'godo'; choose one of good, forgetful, all_talk" in ended.stderr
    assert "Traceback" not in ended.stderr
