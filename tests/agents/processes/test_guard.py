"""When we are gone, however, so are our agents; and nothing else is."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparring.agents.processes.carriers import VARIABLE
from sparring.agents.processes.guard import Guard
from support.spawned import BEHIND, DEAF, LISTENS, gone, in_shell

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the full thing needs /proc")

PLAYS = """
import asyncio, sys
from pathlib import Path
from sparring.agents.processes.fleet import Fleet
from sparring.agents.processes.isolation import AgentEntry, Isolation
from sparring.agents.processes.spawn import Spawn

async def main(bot, command, isolation):
    entry = AgentEntry("agent", Spawn(Path(bot), command), Isolation(isolation))
    logs = Path(bot).parent
    async with Fleet(logs, notice=print) as fleet, fleet.agent(entry, logs / "agent.log") as agent:
        print(agent.last_lines().split()[1], flush=True)
        await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""
"""Ourselves, as a process that can be killed: it starts an agent and prints its process id."""


@contextmanager
def pausing(name: str = "MOOD", value: str = "calm") -> Iterator["subprocess.Popen[bytes]"]:
    """A process in a group of its own, that waits."""
    code = "import signal; signal.pause()"
    with subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, name: value}, start_new_session=True
    ) as process:
        yield process
        process.kill()


async def play(
    tmp_path: Path, code: str, behind: str = "nothing", isolation: str = "process"
) -> tuple[asyncio.subprocess.Process, int]:
    bot = tmp_path / "bot.py"
    bot.write_text(code)
    command = in_shell(BEHIND[behind], bot)
    playing = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PLAYS, bot, command, isolation),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert playing.stdout is not None
    async with asyncio.timeout(30):
        return playing, int(await playing.stdout.readline())


@pytest.mark.parametrize("behind", BEHIND)
async def test_killed_we_leave_no_agent(tmp_path: Path, behind: str):
    playing, agent = await play(tmp_path, LISTENS, behind)
    playing.kill()
    await playing.wait()
    await gone(agent)


@pytest.mark.parametrize("isolation", ["process", "fork", "session"])
@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT, signal.SIGKILL]
)
async def test_no_signal_to_us_leaves_an_agent(
    tmp_path: Path, number: signal.Signals, isolation: str
):
    playing, agent = await play(tmp_path, LISTENS, isolation=isolation)
    playing.send_signal(number)
    await playing.wait()
    await gone(agent)


async def test_a_signal_to_our_whole_group_leaves_no_agent(tmp_path: Path):
    playing, agent = await play(tmp_path, LISTENS)
    os.killpg(playing.pid, signal.SIGKILL)
    await playing.wait()
    await gone(agent)


async def test_an_agent_that_ignores_sigterm_is_killed(tmp_path: Path):
    playing, agent = await play(tmp_path, DEAF)
    playing.kill()
    await playing.wait()
    await gone(agent)


async def test_nothing_else_is_harmed(tmp_path: Path):
    with pausing() as bare, pausing(VARIABLE, "another-sparring's") as carrier:
        playing, agent = await play(tmp_path, LISTENS, "a session of its own")
        playing.kill()
        await playing.wait()
        await gone(agent)
        assert (bare.poll(), carrier.poll()) == (None, None)


def test_a_group_that_it_was_told_to_forget_lives_on():
    guard = Guard()
    with pausing() as kept, pausing() as ended, ThreadPoolExecutor() as pool:
        guard.watch(kept.pid)
        guard.watch(ended.pid)
        guard.forget(kept.pid)
        closing = pool.submit(guard.close)
        assert ended.wait(20) == -signal.SIGTERM
        closing.result()
        assert kept.poll() is None


def test_a_guard_that_was_killed_is_no_reason_to_break():
    guard = Guard()
    guard._process.kill()  # What an operator may do by mistake.
    guard._process.wait()
    guard.watch(1)
    guard.close()
