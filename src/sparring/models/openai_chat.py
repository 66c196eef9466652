"""OpenAI, and every server that speaks its chat completions, through OpenAI's own SDK.

The SDK takes most of a second to import, so this module is imported only when it is used.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

import openai

from sparring.errors import ModelError
from sparring.models.chat import (
    Finished,
    ModelIdentity,
    Piece,
    Request,
    Text,
    Thinking,
    ToolUse,
    Usage,
)
from sparring.models.retries import MAX_REQUESTS, Refused, retry_after, with_retries

_TIMEOUT_S = 120.0
"""For a server to say anything at all, and between two pieces of its answer."""
_OPENAI = "https://api.openai.com/v1"


class OpenAIServer:
    """One server, its client shared by all who use it."""

    def __init__(self, url: str | None, api_key: str):
        self.url = url or _OPENAI
        self.slots = asyncio.Semaphore(MAX_REQUESTS)
        self.client = openai.AsyncOpenAI(
            base_url=self.url, api_key=api_key, timeout=_TIMEOUT_S, max_retries=0
        )

    async def close(self) -> None:
        """Close its connections."""
        await self.client.close()


class OpenAIChat:
    """A model behind chat completions."""

    def __init__(
        self, server: OpenAIServer, model: str, extra: Mapping[str, Any], service: str = "openai"
    ):
        self.identity = ModelIdentity(service, model, dict(extra))
        self._server = server
        self._model = model
        self._extra = dict(extra)
        self._takes_schema = True

    async def check(self) -> None:
        """See that the server is there and takes the key."""
        try:
            await self._server.client.models.list()
        except openai.AuthenticationError:
            raise ModelError(f"{self._server.url} does not take the API key") from None
        except openai.APIConnectionError:
            raise ModelError(
                f"nothing answers at {self._server.url}: start the server, or name another "
                "`endpoint:`"
            ) from None
        except openai.APIStatusError:
            pass  # Not every server lists its models; the first request will tell.

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        """Answer a request."""

        def attempt() -> AsyncIterator[Piece]:
            return self._attempt(self._parameters(request))

        async for piece in with_retries(self._server.url, attempt, self._server.slots):
            yield piece

    async def close(self) -> None:
        """Nothing of its own to close; the server is shared."""

    async def _attempt(self, parameters: dict[str, Any]) -> AsyncIterator[Piece]:
        try:
            create: Any = self._server.client.chat.completions.create
            async for piece in _pieces(await create(**parameters)):
                yield piece
        except openai.BadRequestError as error:
            if "response_format" not in parameters:
                raise Refused(400, _said(error)) from None
            # It may be the schema that the server does not know; the prompt holds it as well.
            self._takes_schema = False
            plain = {key: value for key, value in parameters.items() if key != "response_format"}
            async for piece in self._attempt(plain):
                yield piece
        except openai.APIStatusError as error:
            wait = retry_after(error.response.headers.get("retry-after"))
            raise Refused(error.status_code, _said(error), wait) from None
        except openai.APITimeoutError:
            raise ModelError(f"{self._server.url} did not answer within {_TIMEOUT_S:g} s") from None
        except openai.APIConnectionError as error:
            raise ModelError(f"{self._server.url} cannot be reached: {error}") from None
        except (openai.APIError, ValueError) as error:
            raise ModelError(f"{self._server.url} broke off: {error}") from None

    def _parameters(self, request: Request) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            "extra_body": self._extra,
        }
        if request.max_tokens is not None:
            new = self._server.url == _OPENAI
            parameters["max_completion_tokens" if new else "max_tokens"] = request.max_tokens
        if request.seed is not None:
            parameters["seed"] = request.seed
        if request.schema is not None and self._takes_schema:
            parameters["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(request.schema)},
            }
        if request.tools:
            parameters["tools"] = [tool.as_function() for tool in request.tools]
        return {key: value for key, value in parameters.items() if key not in self._extra}


async def _pieces(chunks: AsyncIterator[Any]) -> AsyncIterator[Piece]:
    names: dict[int, str] = {}
    arguments: dict[int, str] = {}
    cut_off, usage = False, Usage()
    async for chunk in chunks:
        if chunk.usage is not None:
            spent = chunk.usage
            usage = Usage(spent.prompt_tokens, spent.completion_tokens, whole_prompt=True)
        for choice in chunk.choices:
            delta = choice.delta
            thinking = getattr(delta, "reasoning_content", None) or getattr(
                delta, "reasoning", None
            )
            if thinking:
                yield Thinking(thinking)
            if delta.content:
                yield Text(delta.content)
            for call in delta.tool_calls or ():
                names[call.index] = names.get(call.index, "") + (call.function.name or "")
                arguments[call.index] = arguments.get(call.index, "") + (
                    call.function.arguments or ""
                )
            cut_off = cut_off or choice.finish_reason == "length"
    for index, name in names.items():
        yield ToolUse(name, _arguments(arguments[index]))
    yield Finished(cut_off, usage)


def _arguments(text: str) -> Mapping[str, Any]:
    try:
        arguments: Any = json.loads(text or "{}")
    except ValueError:
        return {}
    return cast(dict[str, Any], arguments) if isinstance(arguments, dict) else {}


def _said(error: openai.APIStatusError) -> str:
    if isinstance(error.body, dict):
        body = cast(dict[str, Any], error.body)
        return str(body.get("message") or body)
    return str(error.body or error.message)
