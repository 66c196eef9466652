"""A model behind OpenAI's chat completions, whoever serves them."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping
from contextlib import aclosing
from typing import Any, cast

from sparring.errors import ModelError
from sparring.models.chat import (
    Finished,
    Message,
    ModelIdentity,
    Piece,
    Request,
    Text,
    Thinking,
    ToolUse,
    Usage,
)
from sparring.models.context import overflows
from sparring.models.openai_server import OpenAIServer
from sparring.models.retries import Failed, Refused, with_retries
from sparring.models.wording import no_such_model, shown

OPENAI_URL = "https://api.openai.com/v1"
_TRY_OUT_S = 20.0
_TRY_OUT = Request([Message("user", "Say hello.")], max_tokens=16)
_NO_SUCH_PATH = (200, 404, 405)
_ANSWER_CAPS = ("max_tokens", "max_completion_tokens")
_OPTIONS = ("extra_headers", "extra_query", "extra_body", "timeout")
"""What an ``extra`` may hold that is the SDK's own and no part of the request."""


class OpenAIChat:
    """A model behind chat completions."""

    def __init__(
        self, server: OpenAIServer, model: str, extra: Mapping[str, Any], service: str = "openai"
    ):
        """Use a model of a server.

        Args:
            server: The server.
            model: The model's name there.
            extra: Request parameters of the scenario file.
            service: The service that the scenario file names.
        """
        self.identity = ModelIdentity(service, model, dict(extra))
        self._server = server
        self._model = model
        self._options = {key: value for key, value in extra.items() if key in _OPTIONS}
        self._extra = {key: value for key, value in extra.items() if key not in _OPTIONS}
        self._extra |= self._options.pop("extra_body", None) or {}
        self._takes_schema = True

    async def check(self) -> None:
        """See that the server is there, takes the key and has the model.

        A name that the server does not list may still be one that it serves, under a prefix or at
        a server of one model; it is tried out then, with a request of a few tokens.
        """
        listed = await self._server.models(self._options)
        if not {self._model, f"models/{self._model}", f"{self._model}:latest"} & listed:
            await self._try_out(listed)

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """Answer a request."""

        def attempt() -> AsyncGenerator[Piece]:
            return self._attempt(request)

        async with aclosing(with_retries(self._server.name, attempt, self._server.slots)) as pieces:
            async for piece in pieces:
                yield piece

    async def close(self) -> None:
        """Nothing of its own to close; the server is shared."""

    async def _try_out(self, listed: Collection[str]) -> None:
        parameters = self._parameters(_TRY_OUT)
        try:
            async with (
                asyncio.timeout(_TRY_OUT_S),
                self._server.slots,
                aclosing(self._server.chat(parameters)) as chunks,
            ):
                await anext(chunks, None)
        except Refused as refused:
            if refused.passes:
                return
            if refused.status in _NO_SUCH_PATH:
                await self._find_the_path()
                if listed:
                    text = no_such_model(self._server.name, self._model, listed, "see `model`")
                    raise ModelError(text) from None
            raise refused.error(self._server.name) from None
        except (Failed, TimeoutError):
            pass  # It is slow or busy; the first request will tell.

    async def _find_the_path(self) -> None:
        """Say so if another base URL of the same server is the right one."""
        url = self._server.url
        for other in (url.removesuffix("/chat/completions"), f"{url.removesuffix('/v1')}/v1"):
            if other != url and await self._server.lists_models_at(other, self._options):
                raise ModelError(
                    f"{self._server.name} is not where the server's API is: try "
                    f"`endpoint: {shown(other)}`"
                )

    async def _attempt(self, request: Request) -> AsyncGenerator[Piece]:
        parameters = self._parameters(request)
        try:
            async with aclosing(self._server.chat(parameters)) as chunks:
                async for piece in _pieces(chunks):
                    yield piece
        except Refused as refused:
            if "response_format" not in parameters or not _may_mean_the_schema(refused):
                raise
            # The prompt holds it as well.
            self._takes_schema = False
            async with aclosing(self._attempt(request)) as pieces:
                async for piece in pieces:
                    yield piece

    def _parameters(self, request: Request) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "stream_options": {"include_usage": True},
        }
        if request.max_tokens is not None and not any(cap in self._extra for cap in _ANSWER_CAPS):
            new = self._server.url == OPENAI_URL
            parameters[_ANSWER_CAPS[new]] = request.max_tokens
        if request.seed is not None:
            parameters["seed"] = request.seed
        if request.schema is not None and self._takes_schema:
            parameters["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(request.schema)},
            }
        if request.tools:
            parameters["tools"] = [tool.as_function() for tool in request.tools]
        ours = {key: value for key, value in parameters.items() if key not in self._extra}
        # Model and messages are the SDK's to demand, even where `extra` replaces them.
        required = {"model": parameters["model"], "messages": parameters["messages"]}
        return {**required, **ours, **self._options, "extra_body": self._extra}


def _may_mean_the_schema(refused: Refused) -> bool:
    return refused.status in (400, 422) and not overflows(str(refused))


async def _pieces(chunks: AsyncIterator[Mapping[str, Any]]) -> AsyncGenerator[Piece]:
    names: dict[int, str] = {}
    arguments: dict[int, str] = {}
    cut_off, usage = False, Usage()
    async for chunk in chunks:
        if tokens := chunk.get("usage"):
            counts = tokens.get("prompt_tokens"), tokens.get("completion_tokens")
            usage = Usage(*counts, whole_prompt=True)
        for choice in chunk.get("choices") or ():
            delta: Any = choice.get("delta") or {}
            if thinking := delta.get("reasoning_content") or delta.get("reasoning"):
                yield Thinking(thinking)
            if delta.get("content"):
                yield Text(delta["content"])
            for call in delta.get("tool_calls") or ():
                index: int = call.get("index") or 0
                function: Any = call.get("function") or {}
                names[index] = names.get(index, "") + (function.get("name") or "")
                arguments[index] = arguments.get(index, "") + (function.get("arguments") or "")
            cut_off = cut_off or choice.get("finish_reason") == "length"
    for index, name in names.items():
        yield ToolUse(name, _arguments(arguments[index]))
    yield Finished(cut_off, usage)


def _arguments(text: str) -> Mapping[str, Any]:
    try:
        arguments: Any = json.loads(text or "{}")
    except ValueError:
        return {}
    return cast(dict[str, Any], arguments) if isinstance(arguments, dict) else {}
