"""Ending what was begun: a process with all that belongs to it, in bounded time; a task."""

import asyncio
import signal
import time
from collections.abc import Collection
from typing import TypeVar

from sparring.agents.processes.carriers import living, send

_STEPS = ((signal.SIGTERM, 5.0), (signal.SIGKILL, 2.0))
_POLL_S = 0.03
_T = TypeVar("_T")


async def end(token: str, groups: Collection[int]) -> None:
    """End these process groups and whatever carries the token: asked first, then killed.

    SIGTERM is sent once to each, since many programs take a second one for impatience. Seven
    seconds at most; cancelled, it kills what is left at once.

    Args:
        token: What the processes carry in their environment (found on Linux only).
        groups: Process groups that are ours for certain; may shrink meanwhile.
    """
    try:
        for number, patience_s in _STEPS:
            if await _gone(token, groups, number, patience_s):
                return
    except asyncio.CancelledError:
        for target in living(token, groups):
            send(signal.SIGKILL, target)
        raise


async def call_off(task: "asyncio.Task[_T] | None") -> _T | None:
    """Cancel a task unless it is done.

    Returns:
        What it came to if it was done; None if it failed or there was none.
    """
    if task is None:
        return None
    task.cancel()
    await asyncio.wait({task})
    return None if task.cancelled() or task.exception() else task.result()


async def _gone(token: str, groups: Collection[int], number: int, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    told: set[int] = set()
    left = await asyncio.to_thread(living, token, tuple(groups))
    while left:
        for target in left:
            if target not in told or number == signal.SIGKILL:
                send(number, target)
        told.update(left)
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(_POLL_S)
        # Groups are cheap to ask after; looking at every process there is waits for them.
        left = [-group for group in groups if send(0, -group)]
        left = left or await asyncio.to_thread(living, token, tuple(groups))
    return True
