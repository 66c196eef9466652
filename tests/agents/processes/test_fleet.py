"""A ready agent for each run, whatever its isolation."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sparring.agents.processes import ports
from sparring.agents.processes.fleet import Fleet
from sparring.agents.processes.isolation import AgentEntry, Isolation
from sparring.errors import AgentExited
from support.spawned import LISTENS, printed_pid, spawn_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the full thing needs /proc")

UNFORKABLE = "import asyncio, sys\nsys.kept = asyncio.new_event_loop()\n" + LISTENS
UNLIKE_FORKED = f"""
import sys
seen = sys.modules.setdefault("seen_before", [])
if seen:
    sys.exit(9)  # Imported a second time in one process, as a fork is.
seen.append(1)
{LISTENS}
"""
CRASHES_AT_ONCE = "import sys\nif __name__ == '__main__':\n    print('boom'); sys.exit(3)"


@pytest.fixture
def notices() -> list[str]:
    return []


@pytest.fixture
async def fleet(tmp_path: Path, notices: list[str]) -> AsyncIterator[Fleet]:
    async with Fleet(tmp_path, notices.append) as fleet:
        yield fleet


def entry(
    tmp_path: Path, isolation: str, code: str = LISTENS, recycle_after: int = 100
) -> AgentEntry:
    return AgentEntry("bot", spawn_of(tmp_path, code), Isolation(isolation), recycle_after)


def pid_of(line: str) -> int:
    return int(line.split()[1])


@pytest.mark.parametrize(("isolation", "processes"), [("process", 3), ("fork", 3), ("session", 1)])
async def test_every_run_has_an_agent_that_is_gone_with_the_fleet(
    tmp_path: Path, notices: list[str], isolation: str, processes: int
):
    bot = entry(tmp_path, isolation)
    async with Fleet(tmp_path, notices.append) as fleet:
        leases = [fleet.agent(bot, tmp_path / f"{number}.log") for number in range(3)]
        agents = [await lease.__aenter__() for lease in leases]
        pids = {pid_of(agent.last_lines()) for agent in agents}
        assert len(pids) == processes
        assert len({agent.url for agent in agents}) == processes
        assert all(map(ports.is_running, pids))
    assert not any(map(ports.is_running, pids))
    assert notices == []


async def test_agents_start_when_they_are_asked_for(tmp_path: Path, fleet: Fleet):
    bot = entry(tmp_path, "process")
    first = fleet.agent(bot, tmp_path / "first.log")
    second = fleet.agent(bot, tmp_path / "second.log")
    async with first:
        await second._obtaining  # It is ready while the first still talks.
        async with second as agent:
            assert agent.log == tmp_path / "second.log"


@pytest.mark.parametrize("isolation", ["process", "fork"])
async def test_leaving_a_lease_ends_its_agent(tmp_path: Path, fleet: Fleet, isolation: str):
    async with fleet.agent(entry(tmp_path, isolation), tmp_path / "a.log") as agent:
        pass
    assert agent.exit is not None
    assert not ports.is_running(printed_pid(tmp_path / "a.log"))


async def test_a_lease_that_is_given_up_while_it_starts(tmp_path: Path, fleet: Fleet):
    never = entry(tmp_path, "process", "import signal; signal.pause()")
    entering = asyncio.create_task(fleet.agent(never, tmp_path / "a.log").__aenter__())
    await asyncio.sleep(0)
    entering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await entering


@pytest.mark.parametrize("isolation", ["process", "fork", "session"])
async def test_a_fleet_that_is_left_while_agents_start(tmp_path: Path, isolation: str):
    never = "import signal\nif __name__ == '__main__':\n    signal.pause()"
    async with Fleet(tmp_path, print) as fleet:
        for number in range(3):
            fleet.agent(entry(tmp_path, isolation, never), tmp_path / f"{number}.log")
        await asyncio.sleep(0)
    assert all(not lease.is_open for lease in fleet._leases)


@pytest.mark.parametrize("isolation", ["process", "fork", "session"])
async def test_an_agent_that_cannot_start_is_said_to_every_run(
    tmp_path: Path, fleet: Fleet, notices: list[str], isolation: str
):
    bot = entry(tmp_path, isolation, CRASHES_AT_ONCE)
    for number in range(2):
        with pytest.raises(AgentExited, match=r"exited with code 3 before it listened.*\n  boom$"):
            async with fleet.agent(bot, tmp_path / f"{number}.log"):
                pass
    assert notices == []


@pytest.mark.parametrize("isolation", ["process", "fork", "session"])
async def test_an_agent_that_exits_while_it_waits(tmp_path: Path, fleet: Fleet, isolation: str):
    lease = fleet.agent(entry(tmp_path, isolation), tmp_path / "a.log")
    agent = await lease._obtaining
    os.kill(pid_of(agent.last_lines()), signal.SIGKILL)
    await agent.exited()
    async with lease as second:  # Not the run's fault: it gets another.
        assert second is not agent and second.exit is None
        assert pid_of(second.last_lines()) != pid_of(agent.last_lines())


@pytest.mark.parametrize("isolation", ["process", "fork", "session"])
async def test_entries_of_one_name_are_two_agents(tmp_path: Path, fleet: Fleet, isolation: str):
    entries = [
        AgentEntry(
            "bot", spawn_of(tmp_path, LISTENS, env={"PLANTED_KEY": key}), Isolation(isolation)
        )
        for key in ("a", "b")
    ]
    for one, key in zip(entries, "ab", strict=True):
        async with fleet.agent(one, tmp_path / f"{key}.log") as agent:
            assert agent.last_lines().split()[-1] == key


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (UNFORKABLE, "bot is not forked but started anew for each run: its imports open a socket"),
        (UNLIKE_FORKED, "a fork of it did not become ready (the agent exited with code 9"),
    ],
)
async def test_what_cannot_be_forked_is_started_anew_with_one_notice(
    tmp_path: Path, fleet: Fleet, notices: list[str], code: str, why: str
):
    bot = entry(tmp_path, "fork", code)
    for number in range(2):
        async with fleet.agent(bot, tmp_path / f"{number}.log") as agent:
            assert agent.exit is None
    (notice,) = notices
    assert why in notice


async def test_a_session_process_is_followed_by_another_after_its_calls(
    tmp_path: Path, fleet: Fleet
):
    bot = entry(tmp_path, "session", recycle_after=2)
    leases = [fleet.agent(bot, tmp_path / "unused.log") for _ in range(3)]
    first, second, third = [await lease.__aenter__() for lease in leases]
    assert first is second
    assert third is not first
    assert third.log != first.log
    await leases[0].close()
    assert first.exit is None  # The second still talks to it.
    await leases[1].close()
    assert first.exit is not None
    await leases[2].close()
    assert third.exit is None  # It has a call to take yet.


async def test_a_session_process_that_crashed_is_replaced(tmp_path: Path, fleet: Fleet):
    bot = entry(tmp_path, "session")
    async with fleet.agent(bot, tmp_path / "unused.log") as first:
        os.kill(pid_of(first.last_lines()), signal.SIGKILL)
        assert (await first.exited()).code == -signal.SIGKILL
        async with fleet.agent(bot, tmp_path / "unused.log") as second:
            assert second is not first
            assert second.exit is None


async def test_one_run_that_gives_up_does_not_stop_a_shared_start(tmp_path: Path, fleet: Fleet):
    bot = entry(tmp_path, "session")
    hasty, patient = (fleet.agent(bot, tmp_path / "unused.log") for _ in range(2))
    await asyncio.sleep(0)
    await hasty.close()
    async with patient as agent:
        assert agent.exit is None
