"""Ollama, through its own client and its native chat.

Its OpenAI route cuts long prompts silently at a small default; the native one takes the size of the
context with the request, so a prompt that fits the model is read whole.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Any

import httpx
import ollama

from sparring.errors import ModelError
from sparring.models.chat import (
    ContextOverflow,
    Finished,
    ModelIdentity,
    Piece,
    Request,
    Text,
    Thinking,
    ToolUse,
    Usage,
)
from sparring.models.pulling import Progress
from sparring.models.retries import MAX_REQUESTS, Refused, retry_after, with_retries

CONTEXT_STEP = 2048
DEFAULT_ANSWER_TOKENS = 1024
_PROMPT_CHARACTERS_PER_TOKEN = 2.5
"""Fewer than any prompt of words has on average, so that the context is rather too large."""
_TIMEOUT_S = 120.0
"""For a server to say anything at all, and between two pieces of its answer."""
_EFFORTS = {"none": False, "low": "low", "medium": "medium", "high": "high"}
_OPTIONS_BY_OPENAI_NAME = {"max_tokens": "num_predict", "max_completion_tokens": "num_predict"}


class OllamaChat:
    """A model served by Ollama."""

    def __init__(self, client: "OllamaServer", model: str, extra: Mapping[str, Any]):
        """Use a model of a server.

        Args:
            client: The server.
            model: The model's name there.
            extra: Request parameters of the scenario file, in OpenAI's or Ollama's names.
        """
        self.identity = ModelIdentity("ollama", model, dict(extra))
        self._server = client
        self._model = model
        self._extra = dict(extra)
        self._context_length: int | None = None

    async def check(self) -> None:
        """See that the server is there and has the model."""
        names = await self._server.models()
        wanted = self._model if ":" in self._model else f"{self._model}:latest"
        if wanted not in names:
            raise ModelError(
                f"{self._server.url} has no model {self._model}: pull it with "
                f"`ollama pull {self._model}`"
            )

    def pull(self) -> AsyncGenerator[Progress]:
        """Have the server fetch the model."""
        return self._server.pull(self._model)

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        """Answer a request."""
        parameters = self._parameters(request)
        context: int = parameters["options"]["num_ctx"]
        if self._context_length is None:
            self._context_length = await self._server.context_length(self._model)
        if self._context_length and context > self._context_length + CONTEXT_STEP:
            raise ContextOverflow(
                f"the request needs a context of {context} tokens, and {self._model} has "
                f"{self._context_length}"
            )

        async def attempt() -> AsyncIterator[Piece]:
            async for part in self._server.chat(parameters):
                for piece in _pieces(part, context):
                    yield piece

        async for piece in with_retries(self._server.url, attempt, self._server.slots):
            yield piece

    async def close(self) -> None:
        """Nothing of its own to close; the server is shared."""

    def _parameters(self, request: Request) -> dict[str, Any]:
        extra = dict(self._extra)
        options: dict[str, Any] = dict(extra.pop("options", None) or {})
        parameters: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        }
        if "reasoning_effort" in extra:
            effort = extra.pop("reasoning_effort")
            parameters["think"] = _EFFORTS.get(effort, effort)
        for name in ("think", "keep_alive"):
            if name in extra:
                parameters[name] = extra.pop(name)
        for name, value in extra.items():
            options.setdefault(_OPTIONS_BY_OPENAI_NAME.get(name, name), value)
        if request.max_tokens is not None:
            options.setdefault("num_predict", request.max_tokens)
        if request.seed is not None:
            options.setdefault("seed", request.seed)
        options.setdefault("num_ctx", context_size(request))
        if request.schema is not None:
            parameters["format"] = dict(request.schema)
        if request.tools:
            parameters["tools"] = [tool.as_function() for tool in request.tools]
        return {**parameters, "options": options}


class OllamaServer:
    """One Ollama server, its client shared by all who use it."""

    def __init__(self, url: str):
        self.url = url
        self.slots = asyncio.Semaphore(MAX_REQUESTS)
        self._retry_after: float | None = None
        self._client = ollama.AsyncClient(
            host=url, timeout=_TIMEOUT_S, event_hooks={"response": [self._keep_retry_after]}
        )

    async def models(self) -> set[str]:
        """The names of its models.

        Raises:
            ModelError: If it cannot be reached.
        """
        try:
            listed = await self._client.list()
        except (ConnectionError, httpx.HTTPError) as error:
            raise ModelError(unreachable(self.url)) from error
        except ollama.ResponseError as error:
            raise ModelError(f"{self.url} refused to list its models: {error.error}") from None
        return {model.model for model in listed.models if model.model}

    async def pull(self, model: str) -> AsyncGenerator[Progress]:
        """Fetch a model, and say how far that is.

        Raises:
            ModelError: If it cannot be had.
        """
        try:
            async for part in await self._client.pull(model, stream=True):
                yield Progress(part.status or "", part.digest or "", part.completed, part.total)
        except (ConnectionError, httpx.HTTPError) as error:
            raise ModelError(unreachable(self.url)) from error
        except ollama.ResponseError as error:
            raise ModelError(f"{self.url} could not pull {model}: {error.error}") from None

    async def context_length(self, model: str) -> int:
        """How many tokens a model can take; 0 if the server does not say."""
        try:
            shown = await self._client.show(model)
        except (ConnectionError, httpx.HTTPError, ollama.ResponseError, ValueError):
            return 0
        lengths = [
            value
            for key, value in (shown.modelinfo or {}).items()
            if key.endswith(".context_length") and isinstance(value, int)
        ]
        return lengths[0] if lengths else 0

    async def chat(self, parameters: Mapping[str, Any]) -> AsyncIterator[ollama.ChatResponse]:
        """Stream a chat.

        Raises:
            Refused: If the server refuses.
            ModelError: If it cannot be reached, or breaks off.
        """
        self._retry_after = None
        try:
            parts = await self._client.chat(stream=True, **parameters)
            async for part in parts:
                yield part
        except ollama.ResponseError as error:
            raise Refused(error.status_code, error.error, self._retry_after) from None
        except (ConnectionError, httpx.ConnectError) as error:
            raise ModelError(unreachable(self.url)) from error
        except httpx.TimeoutException as error:
            raise ModelError(f"{self.url} did not answer within {_TIMEOUT_S:g} s") from error
        except (httpx.HTTPError, ValueError) as error:
            raise ModelError(f"{self.url} broke off: {error}") from error

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()

    async def _keep_retry_after(self, response: httpx.Response) -> None:
        self._retry_after = retry_after(response.headers.get("retry-after"))


def unreachable(url: str) -> str:
    """What to say of an Ollama server that is not there."""
    return f"no Ollama at {url}: start it with `ollama serve`, or name another `endpoint:`"


def context_size(request: Request) -> int:
    """The context a request needs, in tokens: its prompt with room to spare, and the answer."""
    prompt = request.characters / _PROMPT_CHARACTERS_PER_TOKEN
    extra = len(str(request.schema or "")) + len(str(request.tools or ""))
    needed = prompt + extra / _PROMPT_CHARACTERS_PER_TOKEN
    needed += request.max_tokens or DEFAULT_ANSWER_TOKENS
    return CONTEXT_STEP * (int(needed) // CONTEXT_STEP + 1)


def _pieces(part: ollama.ChatResponse, context: int) -> Sequence[Piece]:
    pieces: list[Piece] = []
    if part.message.thinking:
        pieces.append(Thinking(part.message.thinking))
    if part.message.content:
        pieces.append(Text(part.message.content))
    for call in part.message.tool_calls or ():
        pieces.append(ToolUse(call.function.name, dict(call.function.arguments)))
    if part.done:
        usage = Usage(part.prompt_eval_count, part.eval_count)
        total = (part.prompt_eval_count or 0) + (part.eval_count or 0)
        cut_off = part.done_reason == "length" or total >= context
        pieces.append(Finished(cut_off, usage))
    return pieces
