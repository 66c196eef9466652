"""Scripts for fake agents that many tests want."""

from collections.abc import Awaitable, Callable

from support.fake_session import Session

Script = Callable[[Session], Awaitable[None]]


def replies(*texts: str) -> Script:
    """A script that greets with the first text and answers each caller turn with the next."""

    async def script(session: Session) -> None:
        await session.ready()
        for text in texts:
            await session.say(text)
            await session.hear()
        await session.hang()

    return script


async def silent(session: Session) -> None:
    """A script that gets ready and never says a word."""
    await session.ready()
    await session.hang()


async def never_ready(session: Session) -> None:
    """A script that accepts the connection and never says anything, not even that it is ready."""
    await session.hang()


async def full(session: Session) -> None:
    """A script that turns the client away as a host at its limit does."""
    await session.close(1011, "Concurrency limit reached")


async def crashing(session: Session) -> None:
    """A script that breaks the connection as soon as it is there (1006)."""
    await session.abort()


async def polite_booking(session: Session) -> None:
    """A script for a good booking of four caller turns."""
    await session.ready()
    await session.say("Hello, how can I help?")
    await session.hear()
    await session.tool("check_availability", {"time": "18:00"}, result={"available": True})
    await session.say("Could I get a name?")
    await session.hear()
    await session.say("And a phone number?")
    await session.hear()
    await session.tool("book_table", {"party_size": 2, "time": "18:00"}, result={"ref": "R-1"})
    await session.say("You're all set: a table for two at 6 PM.")
    await session.hear()
    await session.say("Goodbye!")
