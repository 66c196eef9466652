"""What every run needs, whatever it plays: versions, the environment, the agent, the disk."""

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from dotenv import find_dotenv

from sparring.agents import check_url
from sparring.cli.doctor.finding import Finding, Level
from sparring.cli.options import USUAL_AGENT
from sparring.errors import UsageError

_PATIENCE_S = 10.0


def versions() -> Iterator[Finding]:
    """Python, sparring, pipecat, and who answers ``pipecat eval``."""
    python = ".".join(map(str, sys.version_info[:3]))
    fits = (3, 11) <= sys.version_info < (3, 14)
    way_out = "" if fits else "sparring is made for Python 3.11 to 3.13"
    yield Finding(Level.OK if fits else Level.BAD, "Python", python, way_out)
    for package in ("sparring", "pipecat-ai"):
        yield Finding(Level.OK, package, version(package))
    if find_spec("questionary") is None:  # All else that pipecat's command needs, we need too.
        state = "not installed, and not needed; `pip install 'sparring[cli]'` brings it"
    elif os.environ.get("SPARRING_PIPECAT_EVAL") == "0":
        state = "pipecat's own answers, since SPARRING_PIPECAT_EVAL is 0"
    else:
        state = "sparring answers"
    yield Finding(Level.OK, "`pipecat eval`", state)


def environment() -> Finding:
    """Where variables come from, besides the shell."""
    return Finding(Level.OK, ".env", find_dotenv(usecwd=True) or "none, and none is needed")


def openai_key() -> Finding:
    """Whether it is set; never what it is."""
    state = "set" if os.environ.get("OPENAI_API_KEY") else "not set; `service: openai` needs it"
    return Finding(Level.OK, "OPENAI_API_KEY", state)


async def agent(url: str | None) -> Finding:
    """Whether something listens where the agent should be.

    It is only knocked at, since each WebSocket would be a session of its own.

    Args:
        url: Where the agent was said to be; None for the usual place, where it may be absent.
    """
    try:
        parts = urlsplit(check_url(url or USUAL_AGENT))
    except UsageError as error:
        return Finding(Level.BAD, "agent", str(error))
    port = parts.port or {"ws": 80, "wss": 443}[parts.scheme]
    what = f"agent at {parts.hostname}, port {port}"
    try:
        async with asyncio.timeout(_PATIENCE_S):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError:  # Of which a timeout is one, and an unknown host.
        return Finding(
            Level.WARN if url is None else Level.BAD,
            what,
            "nothing listens",
            f"start it (`python my_agent.py --port {port}`), or say where it is with --agent",
        )
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return Finding(Level.OK, what, "something listens")


def runs_dir(path: Path) -> Finding:
    """Whether run directories can be made there; nothing is left behind."""
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    try:
        with tempfile.TemporaryDirectory(dir=there):
            return Finding(Level.OK, "run directories", f"{path} can be written")
    except OSError as error:
        state = f"{path} cannot be written: {error.strerror}"
        return Finding(Level.BAD, "run directories", state, "choose another place: --runs-dir DIR")
