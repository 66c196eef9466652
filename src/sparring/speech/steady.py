"""Keeping a process steady enough for sound."""

import atexit
import gc
from functools import cache


@cache
def keep_steady() -> None:
    """Spare further garbage collections all that the process holds by now; does it once.

    A full collection of what importing pipecat leaves behind stops everything for 60 to 70 ms,
    which is three frames. Call it before the first call's clock is set.
    """
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # At its end a process should clean up after all.
