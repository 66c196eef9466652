"""Asking a model as caller and judge do, in one line."""

from typing import Any

from sparring.models import Answer, Message, Request, Tool, complete
from sparring.models.opening import Models
from sparring.scenarios import SimulatorModel
from support.fake_llm import FakeLLM

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
HELLO = Request([Message("system", "Be brief."), Message("user", "Hello?")])
TOOL = Tool("end_call", "Hang up.", {"type": "object", "properties": {}, "required": []})


async def ask(
    llm: FakeLLM, request: Request = HELLO, notes: list[str] | None = None, **block: Any
) -> Answer:
    """The answer of the model that a block names; the server's own by default."""
    models = Models()
    try:
        model = await models.open(SimulatorModel(**{"endpoint": llm.endpoint, **block}))
        return await complete(model, request, (lambda _: None) if notes is None else notes.append)
    finally:
        await models.close()


async def check(**block: Any) -> None:
    """See whether the model that a block names can be used."""
    models = Models()
    try:
        await (await models.open(SimulatorModel(**block))).check()
    finally:
        await models.close()
