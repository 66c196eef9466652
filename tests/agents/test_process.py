"""Spawned agents: started, watched, and ended with all that belongs to them."""

import os
import sys
from pathlib import Path

import pytest

from sparring.agents.process import AgentProcess, free_port
from sparring.errors import ConnectionFailed

LISTENS = """
import os, socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listening, pid", os.getpid(), os.environ.get("PLANTED_KEY"), flush=True)
while True:
    server.accept()
"""
WRAPPED = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {LISTENS!r}, sys.argv[1]])
"""


def agent(tmp_path: Path, code: str, **env: str) -> AgentProcess:
    port = free_port()
    command = [sys.executable, "-c", code, str(port)]
    return AgentProcess(command, port, tmp_path / "agent.log", env)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().split()[2] != "Z"


@pytest.mark.parametrize("code", [LISTENS, WRAPPED], ids=["itself", "wrapped"])
def test_it_listens_and_is_gone_afterwards(tmp_path: Path, code: str):
    with agent(tmp_path, code) as process:
        process.wait_until_listening()
        assert process.exit_code is None
    pid = int((tmp_path / "agent.log").read_text().split()[2])
    assert not is_running(pid)


def test_an_agent_that_exits_says_why(tmp_path: Path):
    code = "import sys; print('boom'); sys.exit(3)"
    with (
        agent(tmp_path, code) as process,
        pytest.raises(ConnectionFailed, match=r"exited with code 3 .*\n  boom$"),
    ):
        process.wait_until_listening()


def test_an_agent_that_never_listens_is_not_waited_for_for_ever(tmp_path: Path):
    with (
        agent(tmp_path, "import signal; signal.pause()") as process,
        pytest.raises(ConnectionFailed, match=r"did not listen on port \d+ within 0.3 s"),
    ):
        process.wait_until_listening(timeout_s=0.3)


def test_an_agent_that_ignores_sigterm_is_ended_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sparring.agents.process._STOP_S", 0.3)
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + LISTENS
    with agent(tmp_path, deaf) as process:
        process.wait_until_listening()
    assert not is_running(int((tmp_path / "agent.log").read_text().split()[2]))


def test_secrets_do_not_stay_in_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PLANTED_KEY", "planted-in-a-log-1")
    with agent(tmp_path, LISTENS) as process:
        process.wait_until_listening()
        assert "planted-in-a-log-1" not in process.last_lines()
    assert "[redacted]" in (tmp_path / "agent.log").read_text()
