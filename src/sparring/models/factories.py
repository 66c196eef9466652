"""Factories: functions of the user's own that make a Pipecat LLM service.

A factory is foreign code, and may load a model for a while or hang for good. A plain one runs in a
thread of its own, an ``async def`` on the event loop; neither may take longer than ``MAKING_S``.
"""

import asyncio
import importlib
import inspect
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from pathlib import Path
from typing import Any, cast

from sparring.errors import ModelError
from sparring.models.wording import said

MAKING_S = 60.0


async def make_service(path: str, block: Mapping[str, Any], within_s: float = MAKING_S) -> Any:
    """What a factory makes of its block.

    Args:
        path: Dotted path of the factory; modules in the working directory are found.
        block: The block of the scenario file, handed over whole.
        within_s: The time it has, in seconds.

    Raises:
        ModelError: If there is no such factory, if it fails, or makes no LLM service.
    """
    from pipecat.services.llm_service import LLMService

    try:
        async with asyncio.timeout(within_s):
            service = await _in_a_thread(lambda: _find(path)(dict(block)))
            if inspect.isawaitable(service):
                service = await cast(Any, service)
    except TimeoutError:
        raise ModelError(
            f"factory {path} made no service within {within_s:g} s: see what it waits for"
        ) from None
    except ModelError:
        raise
    except (Exception, SystemExit) as error:
        raise ModelError(f"factory {path} failed: {_named(error)}") from error
    if not isinstance(service, LLMService):
        raise ModelError(
            f"factory {path} returned a {type(service).__name__}; it must return a Pipecat LLM "
            "service (a subclass of pipecat.services.llm_service.LLMService)"
        )
    return cast(Any, service)


def _find(path: str) -> Callable[[dict[str, Any]], Any]:
    module_name, _, name = path.rpartition(".")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        raise ModelError(f"factory {path} cannot be found: {said(str(error))}") from error
    except (Exception, SystemExit) as error:
        raise ModelError(f"factory {path} cannot be imported: {_named(error)}") from error


def _named(error: BaseException) -> str:
    text = said(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


async def _in_a_thread(call: Callable[[], Any]) -> Any:
    """The outcome of a call, in a thread that nobody waits for once it is given up.

    The threads of asyncio's own pool would keep the process from ending.
    """
    outcome: Future[Any] = Future()
    outcome.set_running_or_notify_cancel()
    context = copy_context()

    def run() -> None:
        try:
            outcome.set_result(context.run(call))
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, name="factory", daemon=True).start()
    return await asyncio.wrap_future(outcome)
