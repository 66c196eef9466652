"""Small agents to start, and ways to see whether a process is still there."""

import asyncio
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from sparring.agents.processes.spawn import Spawn

LISTENS = """
import os, socket, sys

def main():
    print(f"pid {os.getpid()} {os.environ.get('PLANTED_KEY')}", flush=True)
    server = socket.create_server(("127.0.0.1", int(sys.argv[-1])))
    held = []
    while True:
        held.append(server.accept())

if __name__ == "__main__":
    main()
"""
"""An agent, as far as starting and ending goes: it listens and prints who it is."""

DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + LISTENS
CRASHES_WHEN_CALLED = LISTENS.replace(
    "held.append(server.accept())", "server.accept(); print('boom', flush=True); os._exit(3)"
)
BEHIND = {
    "nothing": "{python} {bot} {port}",
    "a script that waits": "sh -c '{python} {bot} \"$0\"; exit $?' {port}",
    "a session of its own": "setsid {python} {bot} {port}",
    "a launcher that goes": "sh -c 'setsid {python} {bot} \"$0\" & exit 0' {port}",
    "an emptied environment": "env -i {python} {bot} {port}",
}
"""Commands that start an agent behind something."""


def spawn_of(tmp_path: Path, code: str, command: str = BEHIND["nothing"], **spawn: Any) -> Spawn:
    """What starts a script of this text."""
    bot = tmp_path / "bot.py"
    bot.write_text(code)
    # The shell of a command has its own idea of braces, so the names are put in here.
    return Spawn(bot, in_shell(command, bot), **spawn)


def in_shell(command: str, bot: Path) -> str:
    """The command, with paths that a quoted shell script can take."""
    if "sh -c" not in command:
        return command
    return command.replace("{python}", shlex.quote(sys.executable)).replace("{bot}", str(bot))


def printed_pid(log: Path) -> int:
    """The process that an agent said it is."""
    return next(int(line.split()[1]) for line in log.read_text().splitlines() if line[:4] == "pid ")


async def gone(pid: int) -> None:
    """Wait until a process has ended."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(watched, ended.set)
    try:
        async with asyncio.timeout(20):
            await ended.wait()
    finally:
        loop.remove_reader(watched)
        os.close(watched)
