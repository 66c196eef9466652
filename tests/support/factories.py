"""Factories as users write them, good and bad."""

from typing import Any

from pipecat.frames.frames import (
    Frame,
    FunctionCallFromLLM,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection

from sparring.demo.llm import RuleLLM


class Echo(RuleLLM):
    """A Pipecat LLM service that says again what it hears, and hangs up on a bye."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if not isinstance(frame, LLMContextFrame):
            await super().process_frame(frame, direction)
            return
        heard = frame.context.get_messages()[-1]["content"]
        await self.push_frame(LLMFullResponseStartFrame())
        if heard == "bye":
            call = FunctionCallFromLLM(
                function_name="end_call",
                tool_call_id="1",
                arguments={"success": True, "reason": "bye"},
                context=frame.context,
            )
            await self.run_function_calls([call])
        else:
            await self.push_frame(LLMTextFrame(f"You said: {heard}"))
        await self.push_frame(LLMFullResponseEndFrame())

    async def run_inference(self, context: LLMContext, *args: Any, **kwargs: Any) -> str | None:
        return f"judged: {context.get_messages()[-1]['content']}"


class Classifier:
    """What is no LLM service."""


def echo(block: dict[str, Any]) -> Echo:
    """A good factory."""
    return Echo()


def classifier(block: dict[str, Any]) -> Classifier:
    """A factory of the wrong thing."""
    return Classifier()


def nothing(block: dict[str, Any]) -> None:
    """A factory that makes nothing."""


def broken(block: dict[str, Any]) -> None:
    """A factory that fails."""
    raise KeyError("no key")
