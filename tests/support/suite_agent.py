"""A fake agent as a program of its own, for suites: ``suite_agent.py KIND --port PORT``."""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.fake_agent import FakeAgent, Session, polite_booking, replies, silent


async def dies(session: Session) -> None:
    """Answers once, and is gone."""
    await session.ready()
    await session.say("Hello.")
    await session.hear()
    print("boom", flush=True)
    os._exit(3)


async def talks_on(session: Session) -> None:
    """Says hello, hears the caller, and then nothing for ever."""
    await session.ready()
    await session.say("Hello.")
    await session.hear()
    await session.hang()


def _flaky(marker: Path) -> FakeAgent:
    """Turns the first caller away there ever was."""
    first = not marker.exists()
    marker.touch()

    async def closes(session: Session) -> None:
        await session.close(1011, "not yet")

    return FakeAgent(closes if first else polite_booking, port=_port())


def _port() -> int:
    return int(sys.argv[sys.argv.index("--port") + 1])


async def main() -> None:
    """Serve until ended."""
    kind = sys.argv[1]
    print(f"pid {os.getpid()}", flush=True)
    if kind == "exits":
        print("no database", flush=True)
        sys.exit(7)
    if kind == "never-listens":
        await asyncio.Event().wait()
    scripts = {
        "good": polite_booking,
        "bad": replies("Hello.", "Name?", "Phone?", "You're all set.", "Bye."),
        "mute": silent,
        "dies": dies,
        "talks-on": talks_on,
    }
    flaky = kind == "flaky"
    agent = _flaky(Path("flaky.marker")) if flaky else FakeAgent(scripts[kind], port=_port())
    async with agent:
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
