"""Pipecat services of the user's own, as caller and judge."""

import warnings
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio

from sparring.errors import ModelError
from sparring.models import ChatModel, Message, Request, ToolUse, complete
from sparring.models.factories import make_service
from sparring.models.opening import Models
from sparring.models.pipecat_chat import PipecatChat
from sparring.scenarios import FactoryBlock
from support.models import HELLO, SCHEMA, TOOL


async def open_factory(name: str) -> ChatModel:
    block = FactoryBlock.model_validate({"factory": f"support.factories.{name}"})
    return await Models().open(block)


@pytest_asyncio.fixture
async def echo() -> AsyncGenerator[ChatModel]:
    model = await open_factory("echo")
    yield model
    await model.close()


def heard(text: str, **keys: Any) -> Request:
    return Request([Message("system", "Be brief."), Message("user", text)], **keys)


async def test_it_plays_with_tools(echo: ChatModel):
    assert (await complete(echo, heard("Hello?", tools=(TOOL,)))).text == "You said: Hello?"
    answer = await complete(echo, heard("bye", tools=(TOOL,)))
    assert answer.tool_uses == [ToolUse("end_call", {"success": True, "reason": "bye"})]


async def test_what_it_cost_is_counted_as_caller_and_as_judge(echo: ChatModel):
    for request in (heard("Hello?", tools=(TOOL,)), heard("Hello?", schema=SCHEMA)):
        usage = (await complete(echo, request)).usage
        assert (usage.prompt_tokens, usage.completion_tokens) == (12, 3)


async def test_its_instructions_come_as_pipecat_wants_them(echo: ChatModel):
    question = "what is your brief?"
    assert (await complete(echo, heard(question))).text == "Be brief."
    other = Request([Message("system", "Be long."), Message("user", question)])
    assert (await complete(echo, other)).text == "Be long."


async def test_schemas_are_enforced_where_they_can_be():
    model = await open_factory("enforcing")
    assert (await complete(model, heard("this", schema=SCHEMA))).text == "judged this by Be brief."
    await model.close()


async def test_a_real_service_is_not_told_its_instructions_in_a_way_that_pipecat_deprecates():
    """OpenAI's service, before a server that is not there: what it warns of, it warns of before."""
    from pipecat.services.openai.llm import OpenAILLMService

    service = OpenAILLMService(api_key="none", base_url="http://127.0.0.1:9")
    model = PipecatChat(service, "x.y", {})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for request in (heard("Hello?", schema=SCHEMA), heard("Hello?", tools=(TOOL,))):
            with pytest.raises(ModelError, match=r"the service of factory x\.y failed"):
                await complete(model, request)
    await model.close()
    assert [str(w.message) for w in caught if "system" in str(w.message)] == []


async def test_an_async_factory_is_awaited():
    model = await open_factory("later")
    assert (await complete(model, HELLO)).text == "You said: Hello?"
    await model.close()


@pytest.mark.parametrize("name", ["blocks", "never"])
async def test_a_factory_that_never_returns(name: str):
    with pytest.raises(ModelError, match=rf"{name} made no service within 0\.05 s"):
        await make_service(f"support.factories.{name}", {}, within_s=0.05)


@pytest.mark.parametrize("request_", [heard("a", schema=SCHEMA), heard("a", tools=(TOOL,))])
async def test_a_service_that_never_answers(request_: Request):
    service = await make_service("support.factories.mute", {})
    model = PipecatChat(service, "support.factories.mute", {}, answer_s=0.2)
    with pytest.raises(ModelError, match=r"mute gave no answer within 0\.2 s"):
        await complete(model, request_)
    await model.close()


@pytest.mark.parametrize(
    ("factory", "problem"),
    [
        ("support.factories.classifier", "returned a Classifier; it must return a Pipecat LLM"),
        ("support.factories.nothing", "returned a NoneType"),
        ("support.factories.broken", "failed: KeyError: 'no key'"),
        ("support.factories.exits", "failed: SystemExit: no model on this machine"),
        ("support.factories.absent", "cannot be found"),
        ("support.factories.HELLO", "cannot be found"),
        ("no_such_module.make", "cannot be found"),
    ],
)
async def test_a_factory_that_makes_no_service(factory: str, problem: str):
    with pytest.raises(ModelError, match=problem):
        await Models().open(FactoryBlock.model_validate({"factory": factory}))


async def test_a_module_that_cannot_be_read(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "torn_module.py").write_text("def make(block:\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=r"torn_module\.make cannot be imported: SyntaxError"):
        await make_service("torn_module.make", {})
