"""Trying again what is worth trying again, and no more often than the server bears.

Waited out are 429, 408 and 5xx, as long as the server says or longer each time, and connections
that were lost; a server that stays silent gets one more chance. Everything else that a server
refuses (a bad key, a bad request) is final at once.

All that only as long as nothing of the answer has come. What breaks off after its first piece is
not asked for again, be it the caller's or the judge's: it is an error, and never half an answer.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from sparring.errors import ModelError
from sparring.models.chat import ContextOverflow, Piece, Waiting
from sparring.models.context import overflows
from sparring.models.wording import refusal

MAX_TRIES = 5
FIRST_WAIT_S = 0.5
MAX_WAIT_S = 30.0
"""No single wait is longer, whatever a server asks for."""
PIECE_S = 150.0
"""For the next piece of an answer, however alive the connection is kept."""
MAX_REQUESTS = 4
"""Requests under way at once, per server."""


class Failed(Exception):
    """An attempt that failed, as the services' adapters report it; the text is the cause."""

    tries = MAX_TRIES
    """How often such a request is tried altogether."""
    retry_after_s: float | None = None
    """What the server asks to wait."""

    @property
    def event(self) -> str:
        """What the server did, to follow its name."""
        return str(self)

    def error(self, server: str) -> ModelError:
        """What to raise when there is no further try."""
        return ModelError(f"{server} {self.event}: see its log, or name another `endpoint:`")


class Refused(Failed):
    """A server's refusal."""

    def __init__(self, status: int, cause: str, retry_after_s: float | None = None):
        super().__init__(cause)
        self.status = status
        self.retry_after_s = retry_after_s
        self.passes = status in (408, 429) or status >= 500
        self.tries = MAX_TRIES if self.passes else 1

    @property
    def event(self) -> str:
        """What the server did, without its reasons."""
        return f"answered HTTP {self.status}"

    def error(self, server: str) -> ModelError:
        """What to raise, with the way out."""
        kind = ContextOverflow if self.status < 500 and overflows(str(self)) else ModelError
        return kind(refusal(server, self.status, str(self)))


class Dropped(Failed):
    """A connection that was lost, or an answer that stopped before its end."""


class Silent(Failed):
    """A server that did not answer in time."""

    tries = 2


Attempt = Callable[[], AsyncGenerator[Piece]]


async def with_retries(
    server: str, attempt: Attempt, slots: asyncio.Semaphore
) -> AsyncGenerator[Piece]:
    """Stream an answer, trying again as long as nothing of it has come.

    Args:
        server: How the server is called in messages.
        attempt: Begins the request anew; raises ``Failed``.
        slots: Bounds the requests under way at that server. None is held while waiting.

    Raises:
        ModelError: If there is no answer to be had.
    """
    number = 0
    while True:
        number += 1
        begun = False
        try:
            async with slots, aclosing(attempt()) as pieces:
                while (piece := await _next(pieces)) is not None:
                    begun = True
                    yield piece
            return
        except Failed as failure:
            if begun:
                raise ModelError(
                    f"{server} broke off in the middle of its answer: it {failure.event}"
                ) from None
            if number >= failure.tries:
                raise failure.error(server) from None
            wait, words = _wait(number, failure.retry_after_s)
            yield Waiting(f"{server} {failure.event}: waiting {words}, try {number + 1}")
            await asyncio.sleep(wait)


async def _next(pieces: AsyncGenerator[Piece]) -> Piece | None:
    """The next piece; a server that only keeps the connection alive has not answered."""
    try:
        async with asyncio.timeout(PIECE_S):
            return await anext(pieces, None)
    except TimeoutError:
        raise Silent(f"sent nothing of an answer within {PIECE_S:g} s") from None


def _wait(number: int, asked_s: float | None) -> tuple[float, str]:
    """Seconds to wait after a failed try, and the same in words."""
    wanted = FIRST_WAIT_S * 2 ** (number - 1) if asked_s is None else asked_s
    wait = min(wanted, MAX_WAIT_S)
    more = f" of the {wanted:g} s it asks for" if wanted > wait else ""
    return wait, f"{wait:g} s{more}"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, 0 or more, that a ``Retry-After`` asks for; None if none can be read.

    It holds seconds or a date (RFC 9110, 10.2.3). A date is taken against the server's own clock
    where it tells the time.
    """
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        until, now = _date(value), _date(headers.get("date")) or datetime.now(UTC)
        if until is None:
            return None
        seconds = (until - now).total_seconds()
    return None if math.isnan(seconds) else max(0.0, seconds)


def _date(value: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(value or "")
    except ValueError:
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
