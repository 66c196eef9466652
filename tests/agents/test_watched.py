"""A session with an agent that we started says what became of its process."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sparring.agents import EvalWebSocket, SessionOptions
from sparring.agents.processes.ports import free_port
from sparring.agents.watched import WatchedConnection
from sparring.errors import AgentExited, ConnectionFailed
from sparring.records import AgentEvent, CallClock
from sparring.records import events as ev
from support.fake_agent import FakeAgent, Session, replies, silent


@dataclass
class Process:
    """A process that exits when it is told to."""

    log: Path = Path("logs/a.log")
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def exited(self) -> str:
        await self.gone.wait()
        return "exited with code 3"

    async def exit_within(self, seconds: float) -> str | None:
        return "exited with code 3" if self.gone.is_set() else None

    def last_lines(self) -> str:
        return "  boom"


async def heard(url: str, process: Process) -> list[AgentEvent]:
    connection = WatchedConnection(EvalWebSocket(url), process)
    await connection.open(CallClock(), SessionOptions())
    try:
        async with asyncio.timeout(20):
            return [event async for event in connection.events()]
    finally:
        await connection.close()


async def test_a_connection_that_breaks_names_the_exit_and_the_last_lines():
    process = Process()

    async def dies(session: Session) -> None:
        await session.ready()
        process.gone.set()
        await session.abort()

    async with FakeAgent(dies) as agent:
        *_, last = await heard(agent.url, process)
    assert isinstance(last, ev.Closed) and last.code == 1006
    assert last.process == "exited with code 3. Its last lines (logs/a.log):\n  boom"


async def test_an_exit_ends_the_session_though_something_holds_its_connection():
    process = Process()

    async def lingers(session: Session) -> None:
        await session.ready()
        process.gone.set()
        await session.hang()

    async with FakeAgent(lingers) as agent:
        *_, last = await heard(agent.url, process)
    assert isinstance(last, ev.Closed) and last.process is not None


async def test_an_agent_that_hangs_up_in_good_order_lives_on():
    async def hangs_up(session: Session) -> None:
        await session.ready()
        await session.close()

    async with FakeAgent(hangs_up) as agent:
        *_, last = await heard(agent.url, Process())
    assert isinstance(last, ev.Closed) and last.clean and last.process is None


async def test_what_the_agent_says_passes_through():
    async with FakeAgent(replies("Hello.")) as agent:
        connection = WatchedConnection(EvalWebSocket(agent.url), Process())
        await connection.open(CallClock(), SessionOptions())
        async for event in connection.events():
            if isinstance(event, ev.LLMText):
                assert event.text == "Hello."
                break
        await connection.close()


@pytest.mark.parametrize(("is_gone", "error"), [(True, AgentExited), (False, ConnectionFailed)])
async def test_an_agent_that_cannot_be_reached(is_gone: bool, error: type[Exception]):
    process = Process()
    if is_gone:
        process.gone.set()
    with pytest.raises(error) as raised:
        await heard(f"ws://127.0.0.1:{free_port()}/ws", process)
    assert type(raised.value) is error
    assert ("code 3" in str(raised.value)) is is_gone


async def test_a_closed_session_leaves_nobody_waiting_for_the_exit():
    process = Process()
    async with FakeAgent(silent) as agent:
        connection = WatchedConnection(EvalWebSocket(agent.url), process)
        await connection.open(CallClock(), SessionOptions())
        events = connection.events()
        assert isinstance(await anext(events), ev.Ready)
        await events.aclose()
        await connection.close()
    waiting = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not [task for task in waiting if "exited" in repr(task.get_coro())]
