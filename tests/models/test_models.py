"""The services behind the protocol, each through its real client."""

from typing import Any

import pytest

from sparring.errors import ModelError
from sparring.models import Message, Request, ToolUse
from sparring.models.opening import Models
from sparring.scenarios import SimulatorModel
from support.fake_llm import Chat, FakeLLM, Reply
from support.models import HELLO, SCHEMA, TOOL, ask


@pytest.mark.parametrize("ollama", [True, False])
async def test_an_answer_with_words_thoughts_a_tool_and_tokens(ollama: bool):
    reply = Reply("Good evening!", thinking="hm", tools=[("end_call", {"success": True})])
    async with FakeLLM(lambda chat: reply, ollama=ollama) as llm:
        answer = await ask(llm)
    assert (answer.text, answer.thinking, answer.cut_off) == ("Good evening!", "hm", False)
    assert answer.tool_uses == [ToolUse("end_call", {"success": True})]
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (3, 20)


@pytest.mark.parametrize("ollama", [True, False])
async def test_an_answer_cut_off(ollama: bool):
    async with FakeLLM(lambda chat: Reply("Good", cut_off=True), ollama=ollama) as llm:
        assert (await ask(llm)).cut_off


async def test_what_ollama_is_asked():
    async with FakeLLM(lambda chat: "{}", models=("m:1b",)) as llm:
        request = Request(HELLO.messages, schema=SCHEMA, max_tokens=50, seed=7)
        extra = {"temperature": 0.5, "reasoning_effort": "low", "keep_alive": "5m"}
        await ask(llm, request, model="m:1b", extra=extra)
        await ask(llm)
    first, second = [chat.body for chat in llm.chats]
    assert first["format"] == SCHEMA
    assert (first["think"], first["keep_alive"]) == ("low", "5m")
    assert first["options"] == {"temperature": 0.5, "num_predict": 50, "seed": 7, "num_ctx": 2048}
    assert (second["model"], second["think"]) == ("gemma4:12b", False)


async def test_what_another_server_is_asked():
    async with FakeLLM(lambda chat: "{}", ollama=False, models=("m",)) as llm:
        request = Request(HELLO.messages, schema=SCHEMA, max_tokens=50, tools=(TOOL,))
        await ask(llm, request, model="m", extra={"temperature": 0.5})
        await ask(llm, request, model="m", extra={"max_completion_tokens": 70})
    body, capped = (chat.body for chat in llm.chats)
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.5, 50)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["tools"][0]["function"]["name"] == "end_call"
    assert capped["max_completion_tokens"] == 70 and "max_tokens" not in capped


@pytest.mark.parametrize("ollama", [True, False])
async def test_headers_of_an_extra_are_sent_as_headers(ollama: bool):
    extra = {"extra_headers": {"Authorization": "Bearer from-the-extra"}}
    async with FakeLLM(lambda chat: "ok", ollama=ollama) as llm:
        await ask(llm, extra=extra)
        await ask(llm)
    first, second = llm.chats
    assert first.headers["Authorization"] == "Bearer from-the-extra"
    assert "extra_headers" not in str(first.body)
    assert second.headers.get("Authorization") != "Bearer from-the-extra"


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ({"options": {"num_ctx": "4k"}}, "`num_ctx` in `extra` must be a whole number of tokens"),
        ({"max_tokens": 0.5}, "`num_predict` in `extra` must be a whole number of tokens"),
        ({"options": [1]}, "`options` in `extra` must be a mapping"),
        ({"extra_headers": ["a"]}, "`extra_headers` in `extra` must be a mapping"),
        ({"extra_headers": {"a": 1}}, "`extra_headers` in `extra` must be a mapping"),
    ],
)
async def test_an_extra_that_makes_no_sense(extra: dict[str, Any], problem: str):
    with pytest.raises(ModelError, match=problem):
        await Models().open(SimulatorModel(extra=extra))


@pytest.mark.parametrize("status", [400, 422])
async def test_a_server_without_schemas_is_asked_again_without_one(status: int):
    def no_schema(chat: Chat) -> Reply | str:
        if "response_format" in chat.body:
            return Reply(status=status, error="response_format is not supported")
        return "{}"

    async with FakeLLM(no_schema, ollama=False) as llm:
        answer = await ask(llm, Request(HELLO.messages, schema=SCHEMA))
    assert answer.text == "{}" and len(llm.chats) == 2


async def test_a_whole_answer_may_lack_the_mark_of_its_end_or_the_reason_for_it():
    """Servers differ in what they close an answer with; either will do."""
    async with FakeLLM(lambda chat: "Good evening!", ollama=False) as llm:
        llm.end_marks = ("finish_reason",)
        assert (await ask(llm)).text == "Good evening!"
        llm.end_marks = ("[DONE]",)
        assert (await ask(llm)).text == "Good evening!"


async def test_words_of_the_user_are_sent_as_they_are():
    said = "Grüße, 日本 \N{PARTY POPPER} </s> <|im_end|>"
    async with FakeLLM(lambda chat: chat.last) as llm:
        assert (await ask(llm, Request([Message("user", said)]))).text == said
