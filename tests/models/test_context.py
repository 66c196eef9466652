"""Prompts are read whole, or it is said."""

from typing import Any

import pytest

from sparring.models import Message, Request
from sparring.models.chat import ContextOverflow
from sparring.models.context import need_of
from support.fake_llm import Chat, FakeLLM, Reply
from support.models import HELLO, SCHEMA, TOOL, ask

LONG = Request([Message("user", "word " * 8000)])


async def test_the_context_fits_the_prompt_or_it_is_said():
    async with FakeLLM(lambda chat: "ok") as llm:
        await ask(llm, LONG)
        assert llm.chats[0].body["options"]["num_ctx"] >= 40000 / 2.5
        llm.context_length = 8192
        with pytest.raises(ContextOverflow, match=r"context of 9024 .*gemma4:12b has 8192"):
            await ask(llm, LONG)
    assert len(llm.chats) == 1


async def test_never_more_is_asked_for_than_the_model_has():
    async with FakeLLM(lambda chat: Reply("ok", prompt_tokens=8003)) as llm:
        llm.context_length = 9100
        await ask(llm, LONG)
        await ask(llm, HELLO, extra={"num_ctx": 32768})
    assert [chat.body["options"]["num_ctx"] for chat in llm.chats] == [9100, 9100]


@pytest.mark.parametrize("extra", [{"options": {"num_ctx": 4096}}, {"num_ctx": 4096}])
async def test_a_num_ctx_that_is_too_small_is_said(extra: dict[str, Any]):
    async with FakeLLM(lambda chat: "ok") as llm:
        with pytest.raises(ContextOverflow, match=r"context of 9024 .*`num_ctx` is 4096: raise it"):
            await ask(llm, LONG, extra=extra)
        await ask(llm, HELLO, extra=extra)
    assert [chat.body["options"]["num_ctx"] for chat in llm.chats] == [4096]


@pytest.mark.parametrize("read", [5000, 9100])
async def test_a_prompt_that_was_cut_is_no_answer(read: int):
    """Fewer tokens than it has words, or exactly as many as there is room for."""
    async with FakeLLM(lambda chat: Reply("ok", prompt_tokens=read)) as llm:
        llm.context_length = 9100
        with pytest.raises(ContextOverflow, match=f"was cut: {read} tokens of it were read"):
            await ask(llm, LONG)


async def test_a_server_that_counts_only_what_is_new_to_it_did_not_cut():
    async with FakeLLM(lambda chat: Reply("ok", prompt_tokens=1)) as llm:
        assert (await ask(llm, LONG)).text == "ok"


async def test_a_short_cap_on_the_answer_needs_less_room():
    async with FakeLLM(lambda chat: Reply("ok", prompt_tokens=8003)) as llm:
        llm.context_length = 8192
        await ask(llm, Request(LONG.messages, max_tokens=100))
        await ask(llm, LONG, extra={"max_tokens": 150})
    assert len(llm.chats) == 2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Good evening, I would like a table for two at 6 PM today, please.", 17),
        ("ご予約ありがとうございます。お名前をお願いします。", 20),
        ("Добрый вечер, я хотел бы заказать столик на двоих.", 19),
        ('{"verdict":"meets","reason":"it was said"}', 14),
    ],
)
def test_the_estimates_hold_what_tokenizers_make_of_a_text(text: str, tokens: int):
    need = need_of(Request([Message("user", text * 100)]))
    assert need.least_prompt <= tokens * 100 <= need.roomy_prompt


def test_schema_and_tools_are_given_room():
    plain, both = need_of(HELLO), need_of(Request(HELLO.messages, (TOOL,), SCHEMA))
    assert both.roomy_prompt > plain.roomy_prompt and both.least == plain.least


@pytest.mark.parametrize("ollama", [True, False])
async def test_a_server_that_says_it_does_not_fit(ollama: bool):
    said = "This model's maximum context length is 4096 tokens"

    def refuses(chat: Chat) -> Reply:
        return Reply(status=400, error=said)

    async with FakeLLM(refuses, ollama=ollama) as llm:
        with pytest.raises(ContextOverflow, match=said):
            await ask(llm, Request(HELLO.messages, schema=SCHEMA))
    assert len(llm.chats) == 1
