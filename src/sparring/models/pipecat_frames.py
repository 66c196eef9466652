"""What goes into a Pipecat LLM service and what comes out of it, in the words of the protocol."""

import asyncio
from typing import Any

from sparring.errors import ModelError
from sparring.models.chat import Finished, Piece, Request, Text, ToolUse, Usage


async def done_at_once(params: Any) -> None:
    """Let a tool be done at once; that it was called is known from the frame before."""
    from pipecat.frames.frames import FunctionCallResultProperties

    await params.result_callback(
        {"status": "ok"}, properties=FunctionCallResultProperties(run_llm=False)
    )


def collector(pieces: "asyncio.Queue[Piece | ModelError]") -> Any:
    """A processor that puts what the service answers into a queue, as pieces."""
    from pipecat.frames.frames import (
        Frame,
        FunctionCallsStartedFrame,
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
                case FunctionCallsStartedFrame(function_calls=calls):
                    # Its handler runs beside the answer, and may come after the end of it.
                    for call in calls:
                        pieces.put_nowait(ToolUse(call.function_name, dict(call.arguments)))
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


def instruction_of(request: Request) -> str | None:
    """The system messages, which Pipecat takes beside the context and not in it."""
    texts = [message.content for message in request.messages if message.role == "system"]
    return "\n\n".join(texts) or None


def context_of(request: Request) -> Any:
    """All messages but the system's, and the tools, as Pipecat's context."""
    from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
    from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
    from pipecat.processors.aggregators.llm_context import LLMContext

    messages: list[Any] = [
        {"role": m.role, "content": m.content} for m in request.messages if m.role != "system"
    ]
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
