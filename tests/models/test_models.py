"""The services behind the protocol, each through its real client."""

import asyncio
from typing import Any

import pytest

from sparring.errors import ModelError
from sparring.models import Message, Request, Tool, ToolUse, complete
from sparring.models.chat import ContextOverflow
from sparring.models.opening import Models
from sparring.scenarios import FactoryBlock, JudgeModel, SimulatorModel
from support.fake_llm import Chat, FakeLLM, Reply

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
HELLO = Request([Message("system", "Be brief."), Message("user", "Hello?")])
TOOL = Tool("end_call", "Hang up.", {"type": "object", "properties": {}, "required": []})


async def ask(llm: FakeLLM, request: Request = HELLO, **block: Any):
    models = Models()
    try:
        model = await models.open(SimulatorModel(endpoint=llm.endpoint, **block))
        return await complete(model, request)
    finally:
        await models.close()


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


async def test_the_context_fits_the_prompt_or_it_is_said():
    request = Request([Message("user", "word " * 8000)])
    async with FakeLLM(lambda chat: "ok") as llm:
        await ask(llm, request)
        assert llm.chats[0].body["options"]["num_ctx"] >= 40000 / 2.5
        llm.context_length = 8192
        with pytest.raises(ContextOverflow, match="gemma4:12b has 8192"):
            await ask(llm, request)


async def test_what_another_server_is_asked():
    async with FakeLLM(lambda chat: "{}", ollama=False) as llm:
        request = Request(HELLO.messages, schema=SCHEMA, max_tokens=50, tools=(TOOL,))
        await ask(llm, request, model="m", extra={"temperature": 0.5})
    body = llm.chats[0].body
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.5, 50)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["tools"][0]["function"]["name"] == "end_call"


async def test_a_server_without_schemas_is_asked_again_without_one():
    def no_schema(chat: Chat) -> Reply | str:
        if "response_format" in chat.body:
            return Reply(status=400, error="response_format is not supported")
        return "{}"

    async with FakeLLM(no_schema, ollama=False) as llm:
        answer = await ask(llm, Request(HELLO.messages, schema=SCHEMA), model="m")
    assert answer.text == "{}" and len(llm.chats) == 2


@pytest.mark.parametrize("ollama", [True, False])
@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_passes_is_tried_again(ollama: bool, status: int):
    def busy(chat: Chat) -> Reply | str:
        headers = {"Retry-After": "0.01"}
        return Reply(status=status, error="busy", headers=headers) if chat.number < 2 else "ok"

    async with FakeLLM(busy, ollama=ollama) as llm:
        assert (await ask(llm, model="gemma4:12b")).text == "ok"
    assert len(llm.chats) == 3


@pytest.mark.parametrize("ollama", [True, False])
@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_what_is_final_is_not(ollama: bool, status: int):
    async with FakeLLM(lambda chat: Reply(status=status, error="no such"), ollama=ollama) as llm:
        with pytest.raises(ModelError, match=rf"no such.*HTTP {status}"):
            await ask(llm, model="gemma4:12b")
    assert len(llm.chats) == 1


async def test_it_gives_up_some_time():
    refusal = Reply(status=503, error="down", headers={"Retry-After": "0"})
    async with FakeLLM(lambda chat: refusal) as llm:
        with pytest.raises(ModelError, match="HTTP 503"):
            await ask(llm)
    assert len(llm.chats) == 5


async def test_requests_at_once_are_capped_per_server():
    async with FakeLLM(lambda chat: "ok") as llm:
        models = Models()
        caller = await models.open(SimulatorModel(endpoint=llm.endpoint))
        judge = await models.open(JudgeModel(endpoint=llm.endpoint))
        await asyncio.gather(*(complete(m, HELLO) for m in [caller, judge] * 10))
        await models.close()
    assert len(llm.chats) == 20 and llm.most_under_way <= 4


async def test_a_key_that_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="needs OPENAI_API_KEY"):
        await Models().open(SimulatorModel(service="openai", model="m"))


# --- Factories ---------------------------------------------------------------------------------


async def test_a_pipecat_service_plays_and_judges():
    models = Models()
    model = await models.open(FactoryBlock.model_validate({"factory": "support.factories.echo"}))
    request = Request(HELLO.messages, tools=(TOOL,))
    assert (await complete(model, request)).text == "You said: Hello?"
    goodbye = Request([Message("user", "bye")], tools=(TOOL,))
    answer = await complete(model, goodbye)
    assert answer.tool_uses == [ToolUse("end_call", {"success": True, "reason": "bye"})]
    assert (await complete(model, HELLO)).text == "judged: Hello?"
    await model.close()


@pytest.mark.parametrize(
    ("factory", "problem"),
    [
        ("support.factories.classifier", "returned a Classifier; it must return a Pipecat LLM"),
        ("support.factories.nothing", "returned a NoneType"),
        ("support.factories.broken", "failed: KeyError: 'no key'"),
        ("support.factories.absent", "cannot be found"),
        ("no_such_module.make", "cannot be found"),
    ],
)
async def test_a_factory_that_makes_no_service(factory: str, problem: str):
    with pytest.raises(ModelError, match=problem):
        await Models().open(FactoryBlock.model_validate({"factory": factory}))
