"""An LLM service without a model: it decides by rules, and streams and calls tools like any other.

To the pipeline it is indistinguishable from a service with a model behind it: a response is a
start frame, one text frame per token, an end frame; tools run through ``run_function_calls``, and
their results come back as a new context to answer. All it knows is the context it is given.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, cast

from pipecat.adapters.llm.base_llm_adapter import BaseLLMAdapter
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    Frame,
    FunctionCallFromLLM,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import LLMService
from pipecat.services.settings import LLMSettings

from sparring.demo.rules import Call
from sparring.demo.variants import GOOD, Variant


class RuleAdapter(BaseLLMAdapter[dict[str, Any]]):
    """Translates a context for no provider at all; the default one would load the OpenAI SDK."""

    @property
    def id_for_llm_specific_messages(self) -> str:
        """The name under which a context may hold messages for this service alone."""
        return "sparring-rules"

    async def get_llm_invocation_params(self, context: LLMContext, **kwargs: Any) -> dict[str, Any]:
        """The context's messages, as they are."""
        return {"messages": self.get_messages(context)}

    def to_provider_tools_format(self, tools_schema: ToolsSchema) -> list[Any]:
        """No tools: the rules know them by heart."""
        return []

    def get_messages_for_logging(self, context: LLMContext) -> list[dict[str, Any]]:
        """The context's messages, for the log."""
        return [dict(message) for message in plain_messages(context)]


class RuleLLM(LLMService[RuleAdapter]):
    """Answers callers of a restaurant as one of the demo's variants would."""

    adapter_class = RuleAdapter

    def __init__(self, variant: Variant = GOOD) -> None:
        # Every setting must have a value; to rules, none of them means anything.
        settings = LLMSettings(
            model=None,
            system_instruction=None,
            temperature=None,
            max_tokens=None,
            top_p=None,
            top_k=None,
            frequency_penalty=None,
            presence_penalty=None,
            seed=None,
            filter_incomplete_user_turns=False,
            user_turn_completion_config=None,
        )
        super().__init__(settings=settings)  # pyright: ignore[reportUnknownMemberType] -- untyped **kwargs in pipecat
        self._variant = variant

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer a context; pass everything else on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            await self._answer(frame.context)
        else:
            await self.push_frame(frame, direction)

    async def _answer(self, context: LLMContext) -> None:
        messages = plain_messages(context)
        move = self._variant.decide(messages)
        if move is None:
            return
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            if isinstance(move, Call):
                await self._call(move, messages, context)
            else:
                await asyncio.sleep(self._variant.delay_s)
                for token in tokens(move.text):
                    await self._push_llm_text(token)
                    await asyncio.sleep(move.pace_s)
        finally:
            await self.push_frame(LLMFullResponseEndFrame())

    async def _call(
        self, call: Call, messages: list[Mapping[str, Any]], context: LLMContext
    ) -> None:
        # Counting the context's calls gives ids that are unique in it and the same in every run.
        number = 1 + sum(len(message.get("tool_calls") or ()) for message in messages)
        function_call = FunctionCallFromLLM(
            function_name=call.name,
            tool_call_id=f"call_{number}",
            arguments=call.arguments,
            context=context,
        )
        await self.run_function_calls([function_call])


def plain_messages(context: LLMContext) -> list[Mapping[str, Any]]:
    """The context's messages, without those meant for one provider only."""
    messages = cast(list[Any], context.get_messages())
    return [message for message in messages if isinstance(message, dict)]


def tokens(text: str) -> list[str]:
    """The text cut before each word; joined without a separator it is the text again."""
    return re.findall(r"\s*\S+", text)
