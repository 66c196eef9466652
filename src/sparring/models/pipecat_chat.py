"""A Pipecat LLM service of the user's own, behind the same protocol as every other model.

The service runs in a small pipeline of its own, started with its first request; requests that use
no tools go through its one-shot inference instead. Pipecat is imported only here.
"""

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, cast

from sparring.errors import ModelError
from sparring.models.chat import (
    Finished,
    ModelIdentity,
    Piece,
    Request,
    Text,
    Tool,
    ToolUse,
    Usage,
)

_ANSWER_S = 120.0


def make_service(path: str, block: Mapping[str, Any]) -> Any:
    """What a factory makes of its block.

    Args:
        path: Dotted path of the factory; modules in the working directory are found.
        block: The block of the scenario file, handed over whole.

    Raises:
        ModelError: If there is no such factory, if it fails, or makes no LLM service.
    """
    from pipecat.services.llm_service import LLMService

    module_name, _, name = path.rpartition(".")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        factory = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        raise ModelError(f"factory {path} cannot be found: {error}") from error
    try:
        service = factory(dict(block))
    except Exception as error:
        raise ModelError(f"factory {path} failed: {type(error).__name__}: {error}") from error
    if not isinstance(service, LLMService):
        raise ModelError(
            f"factory {path} returned a {type(service).__name__}; it must return a Pipecat LLM "
            "service (a subclass of pipecat.services.llm_service.LLMService)"
        )
    return cast(Any, service)


class PipecatChat:
    """A Pipecat LLM service as a chat model."""

    def __init__(self, path: str, block: Mapping[str, Any]):
        """Make the service.

        Raises:
            ModelError: If the factory makes none.
        """
        self._service: Any = make_service(path, block)
        self._path = path
        settings = getattr(self._service, "_settings", None)
        model = str(getattr(settings, "model", None) or block.get("model") or "unknown")
        params = {key: value for key, value in block.items() if key not in ("factory", "model")}
        self.identity = ModelIdentity(f"factory {path}", model, params)
        self._pieces: asyncio.Queue[Piece | ModelError] = asyncio.Queue()
        self._worker: Any = None
        self._running: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Nothing to see before its first request."""

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        """Answer a request."""
        context = _context(request)
        if not request.tools:
            yield Text(await self._infer(request, context))
            yield Finished()
            return
        await self._start(request.tools)
        from pipecat.frames.frames import InterruptionFrame, LLMContextFrame

        while not self._pieces.empty():  # What was left of a request that was given up.
            self._pieces.get_nowait()
        await self._worker.queue_frame(LLMContextFrame(context))
        finished = False
        try:
            while not finished:
                piece = await self._next_piece()
                finished = isinstance(piece, Finished)
                yield piece
        finally:
            if not finished:  # Given up: nobody waits for the rest of the answer.
                await self._worker.queue_frame(InterruptionFrame())

    async def _next_piece(self) -> Piece:
        try:
            async with asyncio.timeout(_ANSWER_S):
                piece = await self._pieces.get()
        except TimeoutError:
            raise ModelError(f"factory {self._path}: no answer in {_ANSWER_S:g} s") from None
        if isinstance(piece, ModelError):
            raise piece
        return piece

    async def close(self) -> None:
        """End its pipeline."""
        if self._running is not None:
            await self._worker.cancel()
            await asyncio.wait({self._running}, timeout=5)

    async def _infer(self, request: Request, context: Any) -> str:
        try:
            text = await self._service.run_inference(
                context,
                max_tokens=request.max_tokens,
                response_schema=dict(request.schema) if request.schema else None,
            )
        except Exception as error:
            raise ModelError(f"factory {self._path}: {type(error).__name__}: {error}") from error
        return text or ""

    async def _start(self, tools: Any) -> None:
        if self._running is not None:
            return
        from pipecat.pipeline.pipeline import Pipeline
        from pipecat.pipeline.worker import PipelineParams, PipelineWorker
        from pipecat.workers.runner import WorkerRunner

        for tool in cast(list[Tool], tools):
            self._service.register_function(tool.name, self._called)
        self._worker = PipelineWorker(
            Pipeline([self._service, _collector(self._pieces)]),
            params=PipelineParams(enable_metrics=True, enable_usage_metrics=True),
            enable_rtvi=False,
            enable_turn_tracking=False,
            cancel_on_idle_timeout=False,
            idle_timeout_secs=None,
        )

        async def on_error(worker: Any, frame: Any) -> None:
            self._pieces.put_nowait(ModelError(f"factory {self._path}: {frame.error}"))

        self._worker.add_event_handler("on_pipeline_error", on_error)
        runner = WorkerRunner(handle_sigint=False, handle_sigterm=False)
        await runner.add_workers(self._worker)
        self._running = asyncio.create_task(runner.run())

    async def _called(self, params: Any) -> None:
        from pipecat.frames.frames import FunctionCallResultProperties

        self._pieces.put_nowait(ToolUse(params.function_name, dict(params.arguments)))
        await params.result_callback(
            {"status": "ok"}, properties=FunctionCallResultProperties(run_llm=False)
        )


def _collector(pieces: "asyncio.Queue[Piece | ModelError]") -> Any:
    from pipecat.frames.frames import (
        Frame,
        LLMFullResponseEndFrame,
        LLMTextFrame,
        MetricsFrame,
    )
    from pipecat.metrics.metrics import LLMUsageMetricsData
    from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

    class Collector(FrameProcessor):
        """Turns the service's frames into pieces."""

        usage = Usage()

        async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
            await super().process_frame(frame, direction)
            match frame:
                case LLMTextFrame(text=text):
                    pieces.put_nowait(Text(text))
                case MetricsFrame(data=data):
                    for item in data:
                        if isinstance(item, LLMUsageMetricsData):
                            tokens = item.value
                            self.usage = Usage(tokens.prompt_tokens, tokens.completion_tokens)
                case LLMFullResponseEndFrame():
                    pieces.put_nowait(Finished(usage=self.usage))
                    self.usage = Usage()
                case _:
                    await self.push_frame(frame, direction)

    return Collector()


def _context(request: Request) -> Any:
    from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
    from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
    from pipecat.processors.aggregators.llm_context import LLMContext

    messages: list[Any] = [{"role": m.role, "content": m.content} for m in request.messages]
    if not request.tools:
        return LLMContext(messages)
    schemas: list[Any] = [
        FunctionSchema(
            tool.name,
            tool.description,
            dict(tool.parameters["properties"]),
            list(tool.parameters["required"]),
        )
        for tool in request.tools
    ]
    return LLMContext(messages, tools=ToolsSchema(schemas))
