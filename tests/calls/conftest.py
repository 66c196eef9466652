from typing import Any

import pytest
from loguru import logger

from sparring.agents import EvalWebSocket
from sparring.callers import AgendaCaller, Caller
from sparring.calls import Call, CallOptions
from sparring.records import Record
from sparring.scenarios import Simulation
from support.play import BOOKING, Play
from support.records import header


@pytest.fixture(autouse=True)
def quiet():
    logger.remove()


@pytest.fixture
def play() -> Play:
    """Plays the booking, with these keys changed, against an agent."""

    async def play(
        url: str, caller: Caller | None = None, ready_timeout_s: float = 5, **keys: Any
    ) -> Record:
        simulation = Simulation.model_validate({**BOOKING, **keys})
        call = Call(
            simulation,
            EvalWebSocket(url),
            caller or AgendaCaller(simulation),
            header(**simulation.model_dump(mode="json", exclude_unset=True)),
            options=CallOptions(ready_timeout_s=ready_timeout_s, connect_timeout_s=2),
        )
        return await call.play()

    return play
