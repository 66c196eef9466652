"""Factories as users write them, good and bad."""

import asyncio
import sys
import threading
from typing import Any

from pipecat.frames.frames import (
    Frame,
    FunctionCallFromLLM,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.metrics.metrics import LLMTokenUsage
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
        if heard == "what is your brief?":
            await self.push_frame(LLMTextFrame(f"{self._settings.system_instruction}"))
        elif heard == "bye":
            call = FunctionCallFromLLM(
                function_name="end_call",
                tool_call_id="1",
                arguments={"success": True, "reason": "bye"},
                context=frame.context,
            )
            await self.run_function_calls([call])
        else:
            await self.push_frame(LLMTextFrame(f"You said: {heard}"))
        usage = LLMTokenUsage(prompt_tokens=12, completion_tokens=3, total_tokens=15)
        await self.start_llm_usage_metrics(usage)
        await self.push_frame(LLMFullResponseEndFrame())

    def can_generate_metrics(self) -> bool:
        return True


class Enforcing(Echo):
    """A service that can have a schema enforced, in its one-shot inference."""

    supports_response_schema = True

    async def run_inference(self, context: LLMContext, *args: Any, **kwargs: Any) -> str | None:
        heard = context.get_messages()[-1]["content"]
        return f"judged {heard} by {kwargs['system_instruction']}"


class Mute(Echo):
    """A service that takes what it is asked and answers nothing."""

    supports_response_schema = True

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if not isinstance(frame, LLMContextFrame):
            await super().process_frame(frame, direction)

    async def run_inference(self, context: LLMContext, *args: Any, **kwargs: Any) -> str | None:
        await asyncio.Event().wait()


class Classifier:
    """What is no LLM service."""


def echo(block: dict[str, Any]) -> Echo:
    """A good factory."""
    return Echo()


async def later(block: dict[str, Any]) -> Echo:
    """A good factory that has to wait."""
    await asyncio.sleep(0)
    return Echo()


async def never(block: dict[str, Any]) -> None:
    """A factory that waits for good."""
    await asyncio.Event().wait()


def blocks(block: dict[str, Any]) -> None:
    """A factory that blocks for good, and its thread with it."""
    threading.Event().wait()


def exits(block: dict[str, Any]) -> None:
    """A factory that takes itself for a program."""
    sys.exit("no model on this machine")


def enforcing(block: dict[str, Any]) -> Enforcing:
    """A factory of a service that enforces schemas."""
    return Enforcing()


def mute(block: dict[str, Any]) -> Mute:
    """A factory of a service that never answers."""
    return Mute()


def classifier(block: dict[str, Any]) -> Classifier:
    """A factory of the wrong thing."""
    return Classifier()


def nothing(block: dict[str, Any]) -> None:
    """A factory that makes nothing."""


def broken(block: dict[str, Any]) -> None:
    """A factory that fails."""
    raise KeyError("no key")
