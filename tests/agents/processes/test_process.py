"""Agents that we start: ready when they are ours, watched, ended with all that belongs to them."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sparring.agents.processes import ending, ports
from sparring.agents.processes.environment import AT_START
from sparring.agents.processes.guard import Guard
from sparring.agents.processes.process import AgentExit, AgentProcess, launch
from sparring.agents.processes.spawn import FreshStart, Spawn
from sparring.errors import AgentExited, ConnectionFailed
from support.spawned import (
    BEHIND,
    CRASHES_WHEN_CALLED,
    DEAF,
    LISTENS,
    gone,
    printed_pid,
    spawn_of,
)

PATIENT = f"""
import signal, socket, sys
try:
    socket.create_server(("127.0.0.1", int(sys.argv[-1]))).close()
except OSError:
    signal.pause()
{LISTENS}
"""
"""An agent that waits for ever where another would exit since its port is taken."""


@asynccontextmanager
async def started(
    spawn: Spawn, log: Path, guard: Guard, **options: Any
) -> AsyncIterator[AgentProcess]:
    agent = await launch(FreshStart(spawn, AT_START), log, guard, **options)
    try:
        yield agent
    finally:
        await agent.stop()


def port_of(agent: AgentProcess) -> int:
    return int(agent.url.rpartition(":")[2].partition("/")[0])


async def call(agent: AgentProcess) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port_of(agent))
    writer.close()


@pytest.mark.parametrize("behind", BEHIND)
async def test_it_is_ready_when_it_listens_and_gone_afterwards(
    tmp_path: Path, log: Path, guard: Guard, behind: str
):
    async with started(spawn_of(tmp_path, LISTENS, BEHIND[behind]), log, guard) as agent:
        await call(agent)
        assert agent.exit is None
        pid = printed_pid(log)
        assert ports.is_running(pid)
    assert not ports.is_running(pid)


@pytest.mark.parametrize("behind", BEHIND)
async def test_an_exit_during_a_call_is_known_with_its_last_lines(
    tmp_path: Path, log: Path, guard: Guard, behind: str
):
    spawn = spawn_of(tmp_path, CRASHES_WHEN_CALLED, BEHIND[behind])
    async with started(spawn, log, guard) as agent:
        assert await agent.exit_within(0) is None
        await call(agent)
        exited = await agent.exit_within(20)
        assert agent.last_lines().endswith("  boom")
        let_go = behind in ("a session of its own", "a launcher that goes")
        assert exited == AgentExit(None if let_go else 3)
        assert agent.exit == exited


async def test_an_agent_that_is_gone_while_its_launcher_stays(
    tmp_path: Path, log: Path, guard: Guard
):
    command = BEHIND["a script that waits"].replace("exit $?", "sleep 1000")
    async with started(spawn_of(tmp_path, CRASHES_WHEN_CALLED, command), log, guard) as agent:
        await call(agent)
        assert await agent.exit_within(20) == AgentExit(None)


async def test_many_may_wait_for_its_exit_and_stop_waiting(tmp_path: Path, log: Path, guard: Guard):
    async with started(spawn_of(tmp_path, CRASHES_WHEN_CALLED), log, guard) as agent:
        patient, hasty = (asyncio.create_task(agent.exited()) for _ in range(2))
        await asyncio.sleep(0)
        hasty.cancel()
        await call(agent)
        assert (await patient).code == 3


@pytest.mark.parametrize(
    ("last_act", "how"),
    [
        ("sys.exit(3)", "exited with code 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
        ("sys.exit(139)", r"exited with code 139 \(SIGSEGV\)"),
        ("pass", "exited with code 0"),
    ],
)
async def test_an_agent_that_exits_before_it_listens_says_why(
    tmp_path: Path, log: Path, guard: Guard, last_act: str, how: str
):
    code = f"import os, signal, sys; print('boom', flush=True); {last_act}"
    with pytest.raises(AgentExited, match=rf"the agent {how} before it listened.*\n  boom$"):
        await launch(FreshStart(spawn_of(tmp_path, code), AT_START), log, guard)


async def test_what_a_failed_launcher_leaves_behind_does_not_hide_its_exit(
    tmp_path: Path, log: Path, guard: Guard
):
    code = (
        "import subprocess, sys; print('pid', subprocess.Popen(['sleep', '1000']).pid); sys.exit(4)"
    )
    with pytest.raises(AgentExited, match="exited with code 4"):
        await launch(FreshStart(spawn_of(tmp_path, code), AT_START), log, guard)
    await gone(printed_pid(log))


async def test_an_agent_that_never_listens_is_not_waited_for_for_ever(
    tmp_path: Path, log: Path, guard: Guard
):
    spawn = spawn_of(
        tmp_path, "import os, signal; print('pid', os.getpid(), flush=True)\nsignal.pause()"
    )
    with pytest.raises(ConnectionFailed, match=r"did not listen on port \d+ within 1 s") as failed:
        await launch(FreshStart(spawn, AT_START), log, guard, ready_timeout_s=1)
    assert not isinstance(failed.value, AgentExited)
    await gone(printed_pid(log))


async def test_a_command_that_does_not_exist(tmp_path: Path, log: Path, guard: Guard):
    spawn = spawn_of(tmp_path, LISTENS, "no-such-program {port}")
    with pytest.raises(ConnectionFailed, match=r"cannot be started.*no-such-program"):
        await launch(FreshStart(spawn, AT_START), log, guard)


async def test_an_agent_that_ignores_sigterm_is_ended_all_the_same(
    tmp_path: Path, log: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        ending, "_STEPS", ((signal.SIGTERM, 0.2), (signal.SIGKILL, 20.0)), raising=True
    )
    async with started(spawn_of(tmp_path, DEAF), log, guard) as agent:
        pass
    assert agent.exit == AgentExit(-signal.SIGKILL)


async def test_cancelling_the_end_kills_at_once(
    tmp_path: Path, log: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ending, "_STEPS", ((signal.SIGTERM, 1000.0),))
    agent = await launch(FreshStart(spawn_of(tmp_path, DEAF), AT_START), log, guard)
    stopping = asyncio.create_task(agent.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    await gone(printed_pid(log))


async def test_cancelling_the_start_leaves_nothing(tmp_path: Path, log: Path, guard: Guard):
    started = tmp_path / "started"
    os.mkfifo(started)
    code = f"import os, signal; open({str(started)!r}, 'w').write(str(os.getpid()))\nsignal.pause()"
    launching = asyncio.create_task(
        launch(FreshStart(spawn_of(tmp_path, code), AT_START), log, guard)
    )
    pid = int(await asyncio.to_thread(started.read_text))
    launching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await launching
    assert not ports.is_running(pid)


async def test_somebody_elses_listener_on_our_port_is_not_ours(
    tmp_path: Path, log: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
):
    """The port is taken between our looking and the agent's listening: another one is tried."""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        numbers = iter([stranger.getsockname()[1], ports.free_port()])
        monkeypatch.setattr(ports, "free_port", lambda: next(numbers))
        async with started(spawn_of(tmp_path, PATIENT), log, guard) as agent:
            assert port_of(agent) != stranger.getsockname()[1]


async def test_ports_that_are_always_taken_are_an_error_that_names_who_has_them(
    tmp_path: Path, log: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
):
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        monkeypatch.setattr(ports, "free_port", lambda: port)
        spawn = spawn_of(tmp_path, "import signal; signal.pause()")
        me = rf"python\S* \(pid {os.getpid()}\)"
        with pytest.raises(
            ConnectionFailed, match=rf"no port was left.*{me} listens on port {port}"
        ):
            await launch(FreshStart(spawn, AT_START), log, guard)


async def test_an_agent_that_dies_of_a_taken_port_gets_another(
    tmp_path: Path, log: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
):
    with socket.socket() as bound:  # Not listening: nobody can be seen there.
        bound.bind(("127.0.0.1", 0))
        numbers = iter([bound.getsockname()[1], ports.free_port()])
        monkeypatch.setattr(ports, "free_port", lambda: next(numbers))
        async with started(spawn_of(tmp_path, LISTENS), log, guard) as agent:
            assert port_of(agent) != bound.getsockname()[1]
            assert "Address already in use" in agent.last_lines()


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
async def test_an_agent_on_ipv6_only_is_reached_there(tmp_path: Path, log: Path, guard: Guard):
    code = LISTENS.replace('("127.0.0.1",', '("::1",').replace(
        "])))", "])), family=socket.AF_INET6)"
    )
    async with started(spawn_of(tmp_path, code), log, guard) as agent:
        assert agent.url.startswith("ws://[::1]:")


async def test_its_directory_arguments_and_environment(tmp_path: Path, log: Path, guard: Guard):
    code = (
        "import os, sys; print(os.getcwd(), sys.argv[1], os.environ['MOOD'], flush=True)\n"
        + LISTENS
    )
    spawn = spawn_of(
        tmp_path,
        code,
        '{python} {bot} {"a":1} {port}',
        env={"MOOD": "sunny"},
        cwd=tmp_path,
    )
    async with started(spawn, log, guard) as agent:
        assert f"{tmp_path} {{a:1}} sunny" in agent.last_lines()


async def test_our_own_settings_do_not_reach_it(
    tmp_path: Path, log: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "1")
    names = ("OMP_NUM_THREADS", "ORT_DISABLE_TELEMETRY")
    code = f"import os; print(*map(os.environ.get, {names}), flush=True)\n{LISTENS}"
    async with started(spawn_of(tmp_path, code), log, guard) as agent:
        assert "  None None\n" in agent.last_lines()


async def test_secrets_never_reach_its_log(tmp_path: Path, log: Path, guard: Guard):
    spawn = spawn_of(tmp_path, LISTENS, env={"PLANTED_KEY": "planted-in-a-log-1"})
    async with started(spawn, log, guard) as agent:
        assert "[redacted]" in agent.last_lines()
    text = await asyncio.to_thread(log.read_text)
    assert "[redacted]" in text and "planted" not in text


if sys.platform != "linux":
    pytestmark = pytest.mark.skip("the full thing needs /proc")
