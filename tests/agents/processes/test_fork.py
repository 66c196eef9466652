"""Agents forked from a process that has imported their modules, and what speaks against it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sparring.agents.processes import fork, ports
from sparring.agents.processes.environment import AT_START
from sparring.agents.processes.fork import ForkUnavailable, Template
from sparring.agents.processes.guard import Guard
from sparring.agents.processes.process import AgentExit, AgentProcess, launch
from sparring.agents.processes.spawn import Spawn
from sparring.errors import AgentExited, ConnectionFailed
from support.spawned import CRASHES_WHEN_CALLED, LISTENS, gone, printed_pid, spawn_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forking needs Linux")

TELLS = f"""
import os, random, sys
import heavy
print("heavy", heavy.IMPORTED_BY == os.getpid(), heavy.IMPORTED_BY, flush=True)
print("argv", sys.argv[1:-1], __name__, os.path.basename(__file__), flush=True)
print("blas", os.environ.get("OPENBLAS_NUM_THREADS"), flush=True)
print("telemetry", os.environ.get("ORT_DISABLE_TELEMETRY"), flush=True)
print("random", random.random(), flush=True)
print("leads", os.getsid(0) == os.getpgid(0) == os.getpid(), flush=True)
environment = open("/proc/self/environ", "rb").read()
print("token", os.environ["SPARRING_AGENT_TOKEN"].encode() in environment)
sys.modules["heavy"].IMPORTED_BY = "somebody"
{LISTENS}
"""
"""An agent that tells how it finds the world."""


IMPORTS = f"import heavy\n{LISTENS}"


def spawn(
    tmp_path: Path, code: str, command: str = "{python} {bot} {port}", **more: object
) -> Spawn:
    (tmp_path / "heavy.py").write_text("import os\nIMPORTED_BY = os.getpid()\n")
    return spawn_of(tmp_path, code, command, **more)


@asynccontextmanager
async def template_of(spawn: Spawn, guard: Guard) -> AsyncIterator[Template]:
    template = await Template.open(spawn, AT_START, guard, spawn.bot.parent / "template.log")
    try:
        yield template
    finally:
        await template.close()


@asynccontextmanager
async def forked(template: Template, log: Path, guard: Guard) -> AsyncIterator[AgentProcess]:
    agent = await launch(template, log, guard)
    try:
        yield agent
    finally:
        await agent.stop()


def told(log: Path) -> dict[str, str]:
    lines = [line for line in log.read_text().splitlines() if " " in line]
    return dict(line.split(" ", 1) for line in lines)


@pytest.mark.parametrize("command", ["{python} {bot} {x} {port}", "{python} -u -m bot {x} {port}"])
async def test_a_fork_is_as_a_process_of_its_own(tmp_path: Path, guard: Guard, command: str):
    env = {"OPENBLAS_NUM_THREADS": "5"}
    wanted = spawn(tmp_path, TELLS, command, env=env, cwd=tmp_path)
    logs = [tmp_path / "first.log", tmp_path / "second.log"]
    async with (
        template_of(wanted, guard) as template,
        forked(template, logs[0], guard) as first,
        forked(template, logs[1], guard) as second,
    ):
        assert first.url != second.url
    first_says, second_says = map(told, logs)
    # It was imported once, before there was a fork; what one fork did to it no other sees.
    assert first_says["heavy"] == second_says["heavy"]
    assert first_says["heavy"].startswith("False")
    assert first_says["argv"] == "['{x}'] __main__ bot.py"
    assert (first_says["blas"], first_says["telemetry"]) == ("5", "None")
    assert first_says["random"] != second_says["random"]
    assert (first_says["leads"], first_says["token"]) == ("True", "True")
    assert printed_pid(logs[0]) != printed_pid(logs[1])


async def test_stopping_one_fork_leaves_the_others(tmp_path: Path, guard: Guard):
    async with (
        template_of(spawn(tmp_path, LISTENS), guard) as template,
        forked(template, tmp_path / "a.log", guard) as stays,
    ):
        async with forked(template, tmp_path / "b.log", guard) as goes:
            pass
        assert goes.exit == AgentExit(-signal.SIGTERM)
        assert not ports.is_running(printed_pid(tmp_path / "b.log"))
        assert stays.exit is None
        assert ports.is_running(printed_pid(tmp_path / "a.log"))


async def test_a_crash_is_known_with_its_code(tmp_path: Path, log: Path, guard: Guard):
    async with (
        template_of(spawn(tmp_path, CRASHES_WHEN_CALLED), guard) as template,
        forked(template, log, guard) as agent,
    ):
        port = int(agent.url.rpartition(":")[2].partition("/")[0])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        assert await agent.exit_within(20) == AgentExit(3)
        assert agent.last_lines().endswith("boom")


@pytest.mark.parametrize(
    ("end", "code", "says"),
    [
        ("sys.exit(4)", 4, ""),
        ("sys.exit('no good')", 1, "no good"),
        ("raise KeyError('lost')", 1, "KeyError: 'lost'"),
        ("import atexit; atexit.register(print, 'bye')", 0, "bye"),
    ],
)
async def test_it_ends_as_python_ends(
    tmp_path: Path, log: Path, guard: Guard, end: str, code: int, says: str
):
    source = f"import sys\nif __name__ == '__main__':\n    {end}\n"
    async with template_of(spawn(tmp_path, source), guard) as template:
        with pytest.raises(AgentExited, match=f"exited with code {code}") as failed:
            await launch(template, log, guard)
    assert str(failed.value).endswith(says)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
         r"its imports start threads \(1\)"),
        ("import socket\nopened = socket.socket()", "open a socket or an event loop"),
        ("import asyncio\nloop = asyncio.new_event_loop()", "open a socket or an event loop"),
        ("import no_such_module", "cannot be imported .ModuleNotFoundError: No module named 'no_"),
        ("this is no Python", "cannot be imported .SyntaxError"),
        ("import sys; sys.exit(0)", "ends while it is imported .is `if __name__"),
        ("import os; print('poof', flush=True); os._exit(1)", r"end the process:\n  poof"),
        ("import os; os.kill(os.getpid(), 9)", "imports end the process"),
        (LISTENS.replace("__main__", "heavy"), "listens while it is imported"),
    ],
    ids=lambda value: None,
)  # fmt: skip
async def test_what_must_not_be_forked(tmp_path: Path, guard: Guard, code: str, why: str):
    wanted = spawn(tmp_path, IMPORTS)
    (tmp_path / "heavy.py").write_text(code)
    with pytest.raises(ForkUnavailable, match=why):
        await Template.open(wanted, AT_START, guard, tmp_path / "template.log")


async def test_what_only_the_script_opens_is_opened_anew(tmp_path: Path, log: Path, guard: Guard):
    code = f"import asyncio\nloop = asyncio.new_event_loop()\n{LISTENS}"
    async with (
        template_of(spawn(tmp_path, code), guard) as template,
        forked(template, log, guard) as agent,
    ):
        assert agent.exit is None


async def test_imports_that_never_end(tmp_path: Path, guard: Guard):
    log = tmp_path / "template.log"
    code = "import os, signal; print('pid', os.getpid(), flush=True); signal.pause()"
    wanted = spawn(tmp_path, code, ready_timeout_s=1.0)
    with pytest.raises(ForkUnavailable, match="do not end within 1 s"):
        await Template.open(wanted, AT_START, guard, log)
    await gone(printed_pid(log))


@pytest.mark.parametrize(
    "command",
    [
        "uv run {bot} {port}",
        "env {python} {bot} {port}",
        "{python} -O {bot} {port}",
        "{python} {port}",
    ],
)
async def test_a_command_that_is_not_plainly_python(tmp_path: Path, guard: Guard, command: str):
    wanted = spawn(tmp_path, LISTENS, command)
    with pytest.raises(ForkUnavailable, match=r"neither \{python\} \{bot\}"):
        await Template.open(wanted, AT_START, guard, tmp_path / "template.log")


async def test_a_python_that_is_not_there(tmp_path: Path, guard: Guard):
    wanted = spawn(tmp_path, LISTENS, python="/no/such/python")
    with pytest.raises(ForkUnavailable, match="cannot be started"):
        await Template.open(wanted, AT_START, guard, tmp_path / "template.log")


async def test_not_on_other_systems(tmp_path: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fork.sys, "platform", "darwin")
    with pytest.raises(ForkUnavailable, match="needs Linux"):
        await Template.open(spawn(tmp_path, LISTENS), AT_START, guard, tmp_path / "template.log")


async def test_a_template_that_was_killed(tmp_path: Path, log: Path, guard: Guard):
    async with (
        template_of(spawn(tmp_path, LISTENS), guard) as template,
        forked(template, log, guard) as agent,
    ):
        assert template._process is not None
        template._process.kill()
        await template._process.wait()
        with pytest.raises(ConnectionFailed, match="forked from is gone"):
            await launch(template, tmp_path / "other.log", guard)
        assert agent.exit is None  # The agent itself goes on.
        os.kill(printed_pid(log), signal.SIGKILL)
        assert await agent.exit_within(20) == AgentExit(None)
