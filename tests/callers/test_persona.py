from typing import Any

import pytest

from sparring.callers import Broke, HangUp, Mended, Move, PersonaCaller, Words
from sparring.models.opening import Models
from sparring.scenarios import Simulation, SimulatorModel
from support.fake_llm import FakeLLM, Reply, end_call
from support.records import SIMULATION, turns


async def moves(
    *replies: Reply | str, talk: tuple[str, ...] = ("Hello!",), **keys: Any
) -> tuple[list[Move], FakeLLM]:
    """What a persona whose model gives these replies does, with what the model was asked."""
    async with FakeLLM(lambda chat: replies[chat.number]) as llm:
        models = Models()
        try:
            model = await models.open(SimulatorModel(endpoint=llm.endpoint))
            caller = PersonaCaller(Simulation.model_validate({**SIMULATION, **keys}), model, 1)
            found = [
                move
                async for move in caller.answer(turns(*talk))
                if isinstance(move, Words | HangUp | Broke | Mended)
            ]
        finally:
            await models.close()
    return found, llm


async def test_words_and_a_hang_up():
    assert (await moves(end_call("Thank you!")))[0] == [Words("Thank you!"), HangUp(True, "done")]


@pytest.mark.parametrize(
    ("success", "claim"),
    [(True, True), ("true", True), (False, False), ("false", False), (1, False), (None, False)],
)
async def test_success_is_what_is_plainly_called_one(success: Any, claim: bool):
    reply = Reply(tools=[("end_call", {"success": success, "reason": "so"})])
    assert (await moves(reply))[0] == [HangUp(claim, "so")]


async def test_a_written_hang_up_is_mended():
    written = "Thanks! <tool_call>{'name': 'end_call', 'arguments': {'success': False}}</tool_call>"
    found, llm = await moves(written)
    assert found == [Mended("end_call_as_text"), Words("Thanks!"), HangUp(False, "not said")]
    assert len(llm.chats) == 1


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "no words"),
        (Reply("I would like", cut_off=True), "too long"),
        ("The user wants a table. I should respond.", "about what to say"),
        ("How can I help you?", "the assistant's part"),
        ("I'd like a table for two.", "said it before"),
        ("Who is the table for tonight?", "had just said"),
        ("I shall use the end_call tool soon.", "is a tool"),
        ("I'm [Name].", "placeholder"),
    ],
)
async def test_the_persona_is_told_what_was_wrong(reply: Reply | str, why: str):
    talk = ("Hello!", "I'd like a table for two.", "Who is the table for tonight?")
    found, llm = await moves(reply, "For Jamie.", talk=talk)
    assert found == [Words("For Jamie.")]
    first, second = llm.chats
    assert second.messages[:-1] == first.messages
    assert why in second.last
    assert first.body["options"]["seed"] != second.body["options"]["seed"]


async def test_hanging_up_before_the_agent_spoke_is_told_too():
    found, llm = await moves(end_call(), "Hello?", talk=())
    assert found == [Words("Hello?")]
    assert "before the assistant has said anything" in llm.chats[1].last


async def test_the_same_again_is_a_breach():
    assert (await moves("How can I help you?", "How may I help you?"))[0] == [
        Broke("spoke_as_agent", "How may I help you?")
    ]


async def test_a_caller_may_speak_of_what_its_brief_speaks_of():
    line = "The user wants me to reset the password."
    found, _ = await moves(line, persona="Sam, a help desk, calling for a user.")
    assert found == [Words(line)]
