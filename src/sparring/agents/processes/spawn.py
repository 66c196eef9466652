"""How an agent is started: the command of a manifest's entry, its directory and environment."""

import asyncio
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparring.agents.processes.carriers import VARIABLE
from sparring.agents.processes.process import Child
from sparring.errors import ConnectionFailed, UsageError
from sparring.records.redaction import keep_secrets_of, redact

DEFAULT_COMMAND = "{python} {bot} --port {port}"
_NAMES = re.compile(r"\{(python|bot|port)\}")


@dataclass(frozen=True)
class Spawn:
    """What starts one agent process.

    Raises:
        UsageError: If the command cannot be taken apart, is empty or does not say where ``{port}``
            goes.
    """

    bot: Path
    """The agent's script, as the command's ``{bot}``."""
    command: str = DEFAULT_COMMAND
    """A command line without a shell: taken apart as a shell would, then ``{python}``, ``{bot}``
    and ``{port}`` are put in, token by token. Other braces stay as they are."""
    python: str = sys.executable
    arguments: tuple[str, ...] = ()
    """Put after the command, as they are."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """On top of the environment that sparring was started with."""
    cwd: Path | None = None
    """By default ours."""
    ready_timeout_s: float = 60.0
    """How long it may take until it listens."""
    path: str = "/ws"
    """The path of its URL."""

    def __post_init__(self) -> None:
        """Check the command, and keep its secrets."""
        if not any("{port}" in token for token in self.tokens()):
            raise UsageError(
                f"the spawn command {self.command!r} must say where the port goes, with {{port}}"
            )
        keep_secrets_of(dict(self.env))

    def tokens(self) -> list[str]:
        """The command taken apart, with nothing put in yet."""
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise UsageError(
                f"the spawn command {self.command!r} cannot be read: {str(error).lower()}"
            ) from error

    def put_in(self, token: str, port: int) -> str:
        """One token of the command, with its names replaced."""
        values = {"python": self.python, "bot": str(self.bot), "port": str(port)}
        return _NAMES.sub(lambda match: values[match[1]], token)

    def argv(self, port: int) -> list[str]:
        """The program and its arguments."""
        return [*(self.put_in(token, port) for token in self.tokens()), *self.arguments]


def agent_environment(
    base: Mapping[str, str], own: Mapping[str, str], token: str
) -> dict[str, str]:
    """The environment of one process: the base, its own variables on top, and its token."""
    return {**base, **own, VARIABLE: token}


class FreshStart:
    """Starts an agent as a new process: the plain way, on every platform."""

    def __init__(self, spawn: Spawn, environment: Mapping[str, str]):
        """Prepare to start.

        Args:
            spawn: The command.
            environment: What its own variables are put on top of.
        """
        self._spawn = spawn
        self._environment = environment

    async def start(self, port: int, token: str, output: int) -> Child:
        """Start it as the leader of a session of its own.

        Args:
            port: The port it shall listen on.
            token: What it carries in its environment.
            output: The file descriptor it prints to.

        Raises:
            ConnectionFailed: If there is no such program or directory.
        """
        argv = self._spawn.argv(port)
        try:
            return await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._spawn.cwd,
                env=agent_environment(self._environment, self._spawn.env, token),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # ValueError: a null byte in an argument.
            raise ConnectionFailed(redact(f"the agent cannot be started: {error}")) from error
