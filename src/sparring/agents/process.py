"""An agent in a process of its own, started and ended by us."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from sparring.errors import ConnectionFailed
from sparring.records.redaction import redact

_POLL_S = 0.05
_STOP_S = 5.0
_GONE_S = 1.0
_LAST_LINES = 5


def free_port() -> int:
    """A TCP port that nothing listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class AgentProcess:
    """A spawned agent, in a process group of its own, so that nothing of it outlives the ``with``.

    POSIX only: process groups are what ends wrappers and their children together.
    """

    def __init__(
        self,
        command: Sequence[str],
        port: int,
        log: Path,
        env: Mapping[str, str] | None = None,
    ):
        """Prepare to spawn.

        Args:
            command: The program and its arguments, the port among them.
            port: The port it will listen on.
            log: Where its output goes.
            env: Environment variables on top of ours.
        """
        self.url = f"ws://127.0.0.1:{port}/ws"
        self._command = list(command)
        self._port = port
        self._log_path = log
        self._env = {**os.environ, **(env or {})}
        self._log: IO[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._log_path.parent.mkdir(parents=True, exist_ok=True)
        self._log = self._log_path.open("wb")
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=self._env,
            start_new_session=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._end(self._process)
        if self._log is not None:
            self._log.close()
            text = self._log_path.read_text("utf-8", errors="replace")
            self._log_path.write_text(redact(text), "utf-8")

    def wait_until_listening(self, timeout_s: float = 60.0) -> None:
        """Wait until it takes connections.

        Raises:
            ConnectionFailed: If it exits before, with its exit code and last lines, or takes longer
                than ``timeout_s`` seconds.
        """
        deadline = time.monotonic() + timeout_s
        while not self._listening():
            code = self.exit_code
            if code is not None:
                raise ConnectionFailed(
                    f"the agent exited with code {code} before it listened. "
                    f"Its last lines ({self._log_path}):\n{self.last_lines()}"
                )
            if time.monotonic() > deadline:
                raise ConnectionFailed(
                    f"the agent did not listen on port {self._port} within {timeout_s:g} s. "
                    f"Its last lines ({self._log_path}):\n{self.last_lines()}"
                )
            time.sleep(_POLL_S)

    @property
    def exit_code(self) -> int | None:
        """What it exited with; None while it runs."""
        return self._process.poll() if self._process else None

    def last_lines(self) -> str:
        """The last lines of its output, indented."""
        lines = self._log_path.read_text("utf-8", errors="replace").splitlines()
        last = "\n".join(f"  {line}" for line in lines[-_LAST_LINES:])
        return redact(last) or "  (it printed nothing)"

    def _listening(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1.0)
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                break
            try:
                process.wait(timeout=_STOP_S)
            except subprocess.TimeoutExpired:
                continue
        process.wait()
        _wait_until_gone(process.pid)


def _wait_until_gone(group: int) -> None:
    """Wait for what was killed with the process to be gone as well, a second at most."""
    deadline = time.monotonic() + _GONE_S
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(_POLL_S)
