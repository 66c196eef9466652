"""A Pipecat LLM service of the user's own, behind the same protocol as every other model.

The service runs in a small pipeline of its own, started with its first request, which tells what
the answer cost. Answers that must follow a schema go through the service's one-shot inference
instead if it can have the schema enforced; what they cost, Pipecat does not say. Neither way says
whether an answer was cut off. Pipecat is imported only where it is used.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from sparring.errors import ModelError
from sparring.models.chat import (
    Finished,
    ModelIdentity,
    Piece,
    Request,
    Text,
    Tool,
)
from sparring.models.factories import make_service
from sparring.models.pipecat_frames import collector, context_of, done_at_once, instruction_of
from sparring.models.wording import said

ANSWER_S = 120.0
"""For a one-shot answer, and for every piece of another."""


class PipecatChat:
    """A Pipecat LLM service as a chat model."""

    def __init__(
        self, service: Any, path: str, block: Mapping[str, Any], answer_s: float = ANSWER_S
    ):
        """Use a service.

        Args:
            service: The service, used by nobody else.
            path: Dotted path of the factory that made it.
            block: The block of the scenario file.
            answer_s: Its time for an answer or the next piece of one, in seconds.
        """
        self._service = service
        self._path = path
        self._answer_s = answer_s
        settings = getattr(service, "_settings", None)
        model = str(getattr(settings, "model", None) or block.get("model") or "unknown")
        params = {key: value for key, value in block.items() if key not in ("factory", "model")}
        self.identity = ModelIdentity(f"factory {path}", model, params)
        self._pieces: asyncio.Queue[Piece | ModelError] = asyncio.Queue()
        self._worker: Any = None
        self._running: asyncio.Task[None] | None = None
        self._instruction: str | None = None

    @classmethod
    async def make(cls, path: str, block: Mapping[str, Any]) -> "PipecatChat":
        """Have a factory make the service.

        Raises:
            ModelError: If it makes none.
        """
        return cls(await make_service(path, block), path, block)

    async def check(self) -> None:
        """Nothing to see before its first request."""

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """Answer a request."""
        if request.schema is not None and self._service.supports_response_schema:
            yield Text(await self._infer(request))
            yield Finished()
            return
        from pipecat.frames.frames import InterruptionFrame

        await self._start(request.tools)
        while not self._pieces.empty():  # What was left of a request that was given up.
            self._pieces.get_nowait()
        await self._ask(request)
        finished = False
        try:
            while not finished:
                piece = await self._next_piece()
                finished = isinstance(piece, Finished)
                yield piece
        finally:
            if not finished:  # Given up: nobody waits for the rest of the answer.
                await self._worker.queue_frame(InterruptionFrame())

    async def close(self) -> None:
        """End its pipeline."""
        if self._running is not None:
            await self._worker.cancel()
            await asyncio.wait({self._running}, timeout=5)

    async def _infer(self, request: Request) -> str:
        try:
            async with asyncio.timeout(self._answer_s):
                text = await self._service.run_inference(
                    context_of(request),
                    max_tokens=request.max_tokens,
                    system_instruction=instruction_of(request),
                    response_schema=dict(request.schema or {}),
                )
        except TimeoutError:
            raise self._no_answer() from None
        except Exception as error:
            raise self._failed(f"{type(error).__name__}: {error}") from error
        return text or ""

    async def _ask(self, request: Request) -> None:
        from pipecat.frames.frames import LLMContextFrame, LLMUpdateSettingsFrame
        from pipecat.services.settings import LLMSettings

        instruction = instruction_of(request)
        if instruction != self._instruction:
            delta = LLMSettings(system_instruction=instruction)
            await self._worker.queue_frame(LLMUpdateSettingsFrame(delta=delta))
            self._instruction = instruction
        await self._worker.queue_frame(LLMContextFrame(context_of(request)))

    async def _next_piece(self) -> Piece:
        assert self._running is not None
        getting = asyncio.ensure_future(self._pieces.get())
        try:
            await asyncio.wait(
                {getting, self._running},
                timeout=self._answer_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if getting.done():
                piece = getting.result()
            elif self._running.done():
                piece = self._failed("its pipeline has ended")
            else:
                piece = self._no_answer()
        finally:
            getting.cancel()
        if isinstance(piece, ModelError):
            raise piece
        return piece

    async def _start(self, tools: Sequence[Tool]) -> None:
        for tool in tools:
            self._service.register_function(tool.name, done_at_once)
        if self._running is not None:
            return
        from pipecat.pipeline.pipeline import Pipeline
        from pipecat.pipeline.worker import PipelineParams, PipelineWorker
        from pipecat.workers.runner import WorkerRunner

        self._worker = PipelineWorker(
            Pipeline([self._service, collector(self._pieces)]),
            params=PipelineParams(enable_metrics=True, enable_usage_metrics=True),
            enable_rtvi=False,
            enable_turn_tracking=False,
            cancel_on_idle_timeout=False,
            idle_timeout_secs=None,
        )

        async def on_error(worker: Any, frame: Any) -> None:
            self._pieces.put_nowait(self._failed(str(frame.error)))

        self._worker.add_event_handler("on_pipeline_error", on_error)
        runner = WorkerRunner(handle_sigint=False, handle_sigterm=False)
        await runner.add_workers(self._worker)
        self._running = asyncio.create_task(runner.run())

    def _failed(self, cause: str) -> ModelError:
        return ModelError(f"the service of factory {self._path} failed: {said(cause)}")

    def _no_answer(self) -> ModelError:
        return ModelError(
            f"the service of factory {self._path} gave no answer within {self._answer_s:g} s"
        )
