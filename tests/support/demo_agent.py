"""The demo agent as a process of its own, behind pipecat's stock dev runner."""

import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

REPO = Path(__file__).parents[2]
PATIENCE_S = 30
"""How long to wait for an event before calling it lost; no test depends on the number."""


@dataclass
class AgentProcess:
    """A running demo agent: its process, its address, and all it has printed."""

    process: subprocess.Popen[str]
    port: int
    lines: list[str] = field(default_factory=list)
    _ready: threading.Event = field(default_factory=threading.Event)
    _reader: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"ws://localhost:{self.port}/ws"

    @property
    def output(self) -> str:
        return "".join(self.lines)

    def wait_until_ready(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._ready.wait(PATIENCE_S), self.output
        assert self.process.poll() is None, self.output

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if "Uvicorn running on" in line:
                self._ready.set()
        self._ready.set()  # The output has ended: there is nothing more to wait for.

    def wait(self) -> int:
        """Wait for the process to exit and for the last of its output."""
        code = self.process.wait(PATIENCE_S)
        if self._reader is not None:
            self._reader.join(PATIENCE_S)
        return code

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def start_agent(
    variant: str | None = None, *python_options: str, module: str = "sparring.demo.agent"
) -> AgentProcess:
    """Start a demo agent, or another module, on a free port and in a process group of its own."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, *python_options, "-m", module, "--port", str(port)]
    if variant:
        command += ["--agent", variant]
    agent = AgentProcess(
        subprocess.Popen(
            command,
            cwd=REPO,
            env=os.environ | {"PYTHONPATH": f"{REPO / 'src'}{os.pathsep}{REPO / 'tests'}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ),
        port,
    )
    try:
        agent.wait_until_ready()
    except BaseException:
        agent.stop()
        raise
    return agent
