"""The commands, run as a user runs them, beside whatever the test serves."""

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


async def sparring(
    *args: str | Path, cwd: Path, module: str = "sparring", env: dict[str, str] | None = None
) -> Ran:
    """Run the command and wait for it, a minute at most."""
    return await _ran(await start(*args, cwd=cwd, module=module, env=env))


async def pipecat(*args: str | Path, cwd: Path, env: dict[str, str] | None = None) -> Ran:
    """Run pipecat's own command, as its package installs it."""
    program = Path(sys.executable).parent / "pipecat"
    return await _ran(await _start(program, *args, cwd=cwd, env=env))


async def start(
    *args: str | Path, cwd: Path, module: str = "sparring", env: dict[str, str] | None = None
) -> asyncio.subprocess.Process:
    """Start the command."""
    return await _start(sys.executable, "-m", module, *args, cwd=cwd, env=env)


async def _start(
    *command: str | Path, cwd: Path, env: dict[str, str] | None
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *map(str, command),
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **(env or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def _ran(process: asyncio.subprocess.Process) -> Ran:
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())
