"""What is tried again, how long it is waited for, and how many requests are under way."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from sparring.errors import ModelError
from sparring.models import Piece, Text, complete
from sparring.models.opening import Models
from sparring.models.retries import MAX_REQUESTS, retry_after, with_retries
from sparring.scenarios import JudgeModel, SimulatorModel
from support.fake_llm import Chat, FakeLLM, Reply
from support.models import HELLO, ask

both = pytest.mark.parametrize("ollama", [True, False])
SOON = {"Retry-After": "0.01"}


@both
@pytest.mark.parametrize("status", [408, 429, 500, 503])
async def test_what_passes_is_tried_again_and_seen(ollama: bool, status: int):
    def busy(chat: Chat) -> Reply | str:
        return Reply(status=status, error="busy", headers=SOON) if chat.number < 2 else "ok"

    notes: list[str] = []
    async with FakeLLM(busy, ollama=ollama) as llm:
        assert (await ask(llm, notes=notes)).text == "ok"
    assert len(llm.chats) == 3
    assert [note.partition(" ")[2] for note in notes] == [
        f"answered HTTP {status}: waiting 0.01 s, try 2",
        f"answered HTTP {status}: waiting 0.01 s, try 3",
    ]


@both
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
async def test_what_is_final_is_not(ollama: bool, status: int):
    async with FakeLLM(lambda chat: Reply(status=status, error="no such"), ollama=ollama) as llm:
        with pytest.raises(ModelError, match=rf"no such.*HTTP {status}"):
            await ask(llm)
    assert len(llm.chats) == 1


async def test_it_gives_up_some_time():
    refusal = Reply(status=503, error="down", headers={"Retry-After": "0"})
    async with FakeLLM(lambda chat: refusal) as llm:
        with pytest.raises(ModelError, match="HTTP 503"):
            await ask(llm)
    assert len(llm.chats) == 5


@both
async def test_a_connection_lost_before_the_answer_is_tried_again(ollama: bool):
    def loses(chat: Chat) -> Reply | str:
        return Reply(drops=True) if chat.number == 0 else "ok"

    notes: list[str] = []
    async with FakeLLM(loses, ollama=ollama) as llm:
        assert (await ask(llm, notes=notes)).text == "ok"
    assert "dropped the connection: waiting 0.5 s, try 2" in notes[0]


@both
async def test_an_answer_of_nothing_at_all_is_tried_again(ollama: bool):
    def empty(chat: Chat) -> Reply | str:
        return Reply(breaks_off=True) if chat.number == 0 else "ok"

    async with FakeLLM(empty, ollama=ollama) as llm:
        assert (await ask(llm)).text == "ok"
    assert len(llm.chats) == 2


@both
async def test_half_an_answer_is_an_error_and_not_asked_for_again(ollama: bool):
    reply = Reply("I would like a table for", breaks_off=True)
    async with FakeLLM(lambda chat: reply, ollama=ollama) as llm:
        with pytest.raises(ModelError, match="broke off in the middle of its answer"):
            await ask(llm)
    assert len(llm.chats) == 1


@both
async def test_a_silent_server_gets_one_more_chance(ollama: bool, monkeypatch: pytest.MonkeyPatch):
    import sparring.models.ollama_server
    import sparring.models.openai_server

    for module in (sparring.models.ollama_server, sparring.models.openai_server):
        monkeypatch.setattr(module, "_TIMEOUT_S", 0.05)
    async with FakeLLM(lambda chat: Reply(hangs=True), ollama=ollama) as llm:
        with pytest.raises(ModelError, match=r"did not answer within 0\.05 s"):
            await ask(llm)
    assert len(llm.chats) == 2


@both
async def test_a_server_that_is_gone_is_not_waited_for(ollama: bool):
    models = Models()
    async with FakeLLM(lambda chat: "ok", ollama=ollama) as llm:
        model = await models.open(SimulatorModel(endpoint=llm.endpoint))
        await complete(model, HELLO)
    notes: list[str] = []
    with pytest.raises(ModelError, match=r"no Ollama at|nothing answers at"):
        await complete(model, HELLO, notes.append)
    await models.close()
    assert notes == []


@both
async def test_every_request_waits_as_its_own_answer_says(ollama: bool):
    """Two at once are told different times, one of them none."""
    both_there = asyncio.Event()

    def busy(chat: Chat) -> Reply | str:
        if chat.number > 1:
            return "ok"
        if chat.number == 1:
            both_there.set()
        headers = {"Retry-After": "0.02"} if chat.number == 0 else {}
        return Reply(status=429, error="busy", headers=headers, until=both_there)

    notes: list[str] = []
    async with FakeLLM(busy, ollama=ollama) as llm:
        models = Models()
        model = await models.open(SimulatorModel(endpoint=llm.endpoint))
        await asyncio.gather(*(complete(model, HELLO, notes.append) for _ in range(2)))
        await models.close()
    waits = sorted(note.partition("waiting ")[2] for note in notes)
    assert waits == ["0.02 s, try 2", "0.5 s, try 2"]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-5"}, 0),
        ({"retry-after": "86400"}, 86400),
        ({"retry-after": "inf"}, float("inf")),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        (
            {
                "retry-after": "Wed, 21 Oct 2015 07:28:10 GMT",
                "date": "Wed, 21 Oct 2015 07:28:00 GMT",
            },
            10,
        ),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "Wed, 99 Oct 2015 07:28:00 GMT"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None):
    assert retry_after(headers) == seconds


@both
async def test_a_wait_is_bounded_whatever_is_asked_and_holds_no_slot(ollama: bool):
    """As many as may be under way are told to wait a day; another one gets through."""

    def busy(chat: Chat) -> Reply | str:
        headers = {"Retry-After": "86400"}
        return Reply(status=429, headers=headers) if chat.number < MAX_REQUESTS else "ok"

    notes: list[str] = []
    all_wait = asyncio.Event()

    def note(text: str) -> None:
        notes.append(text)
        if len(notes) == MAX_REQUESTS:
            all_wait.set()

    async with FakeLLM(busy, ollama=ollama) as llm:
        models = Models()
        model = await models.open(SimulatorModel(endpoint=llm.endpoint))
        waiting = [asyncio.create_task(complete(model, HELLO, note)) for _ in range(MAX_REQUESTS)]
        async with asyncio.timeout(20):
            await all_wait.wait()
            assert (await complete(model, HELLO)).text == "ok"
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)
        await models.close()
    assert all("waiting 30 s of the 86400 s it asks for, try 2" in text for text in notes)


@both
async def test_requests_at_once_are_capped_per_server_for_caller_and_judge_together(ollama: bool):
    full, go = asyncio.Event(), asyncio.Event()

    def answer(chat: Chat) -> Reply:
        if chat.number + 1 == MAX_REQUESTS:
            full.set()
        return Reply("ok", until=go)

    async with FakeLLM(answer, ollama=ollama) as llm:
        models, others = Models(), Models()
        caller = await models.open(SimulatorModel(endpoint=llm.endpoint))
        judge = await models.open(
            JudgeModel(endpoint=llm.endpoint.replace("127.0.0.1", "localhost"))
        )
        asked = [asyncio.create_task(complete(m, HELLO)) for m in [caller, judge] * MAX_REQUESTS]
        async with asyncio.timeout(20):
            await full.wait()
            # Another client's request is answered in the meantime, so ours had time to get there.
            await (await others.open(SimulatorModel(endpoint=llm.endpoint))).check()
            assert len(llm.chats) == MAX_REQUESTS
            go.set()
            await asyncio.gather(*asked)
        await models.close()
        await others.close()
    assert (len(llm.chats), llm.most_under_way) == (2 * MAX_REQUESTS, MAX_REQUESTS)


@both
async def test_a_request_given_up_frees_its_slot(ollama: bool):
    full = asyncio.Event()

    def answer(chat: Chat) -> Reply | str:
        if chat.number + 1 == MAX_REQUESTS:
            full.set()
        return Reply(hangs=True) if chat.number < MAX_REQUESTS else "ok"

    async with FakeLLM(answer, ollama=ollama) as llm, asyncio.timeout(20):
        models = Models()
        model = await models.open(SimulatorModel(endpoint=llm.endpoint))
        hanging = [asyncio.create_task(complete(model, HELLO)) for _ in range(MAX_REQUESTS)]
        await full.wait()
        next_one = asyncio.create_task(complete(model, HELLO))
        for task in hanging:
            task.cancel()
        assert (await next_one).text == "ok"
        await asyncio.wait(hanging)
        await models.close()


async def test_a_server_that_only_keeps_the_connection_alive_has_not_answered(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("sparring.models.retries.PIECE_S", 0.05)
    tries = 0

    async def never_says_a_word() -> AsyncGenerator[Piece]:
        nonlocal tries
        tries += 1
        await asyncio.Event().wait()
        yield Text("")

    with pytest.raises(ModelError, match=r"server.* sent nothing of an answer within 0.05 s"):
        async for _ in with_retries("server", never_says_a_word, asyncio.Semaphore(1)):
            pass
    assert tries == 2
