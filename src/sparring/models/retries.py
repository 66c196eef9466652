"""Trying again what is worth trying again, and no more often than the server bears.

429 and 5xx are waited out, as long as the server says or longer each time; everything else the
server refuses (a bad key, a bad request) is final at once.
"""

import asyncio
from collections.abc import AsyncIterator, Callable

from sparring.errors import ModelError
from sparring.models.chat import Piece, Waiting

MAX_TRIES = 5
FIRST_WAIT_S = 0.5
MAX_WAIT_S = 30.0
MAX_REQUESTS = 4
"""Requests under way at once, per server."""


class Refused(Exception):
    """A server's refusal, as the services' adapters report it."""

    def __init__(self, status: int, text: str, retry_after_s: float | None = None):
        super().__init__(text)
        self.status = status
        self.retry_after_s = retry_after_s

    @property
    def passes(self) -> bool:
        """Whether it may be different the next time."""
        return self.status == 429 or self.status >= 500


Attempt = Callable[[], AsyncIterator[Piece]]


async def with_retries(
    server: str, attempt: Attempt, slots: asyncio.Semaphore
) -> AsyncIterator[Piece]:
    """Stream an answer, trying again as long as nothing of it has come.

    Args:
        server: How the server is called in messages.
        attempt: Begins the request anew.
        slots: Bounds the requests under way at that server.

    Raises:
        ModelError: If the server refuses for good.
    """
    for number in range(1, MAX_TRIES + 1):
        begun = False
        try:
            async with slots:
                async for piece in attempt():
                    begun = True
                    yield piece
            return
        except Refused as refusal:
            if begun or not refusal.passes or number == MAX_TRIES:
                raise ModelError(f"{server} refused: {refusal} (HTTP {refusal.status})") from None
            wait = refusal.retry_after_s
            if wait is None:
                wait = FIRST_WAIT_S * 2 ** (number - 1)
            wait = min(wait, MAX_WAIT_S)
            yield Waiting(
                f"{server} answered HTTP {refusal.status}: waiting {wait:g} s, try {number + 1}"
            )
            await asyncio.sleep(wait)


def retry_after(value: str | None) -> float | None:
    """Seconds of a ``Retry-After`` header; None if it has none that can be read."""
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None
