"""The ``sparring`` command, run as a user runs it, beside whatever the test serves."""

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


async def sparring(*args: str | Path, cwd: Path, module: str = "sparring") -> Ran:
    """Run the command and wait for it, a minute at most."""
    process = await start(*args, cwd=cwd, module=module)
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


async def start(
    *args: str | Path, cwd: Path, module: str = "sparring"
) -> asyncio.subprocess.Process:
    """Start the command."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", module),
        *map(str, args),
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
