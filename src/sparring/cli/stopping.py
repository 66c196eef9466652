"""Ctrl-C and its like while something goes on that has to be ended in order."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any

from sparring.cli.process import signals


async def until_told_to_stop(work: Coroutine[Any, Any, None], told: Callable[[], None]) -> None:
    """Cancel what goes on when told to stop, so that it ends in order and is recorded.

    That takes seconds at most, so further signals change nothing.

    Args:
        work: What goes on.
        told: Called once, when the signal comes.

    Raises:
        CancelledError: If it was told to stop.
    """
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    stopped = False

    def stop() -> None:
        nonlocal stopped
        if not stopped:
            stopped = True
            told()
            task.cancel()

    def on_signal(number: int, frame: object) -> None:
        loop.call_soon_threadsafe(stop)

    before = {number: signal.signal(number, on_signal) for number in signals()}
    try:
        await task
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
