"""A model of an Ollama server, through its native chat.

Its OpenAI route cuts long prompts silently at a small default; the native one takes the size of the
context with the request, so a prompt that fits the model is read whole.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import ollama

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
from sparring.models.context import Need, need_of, see_that_all_was_read, size_context
from sparring.models.ollama_server import OllamaServer
from sparring.models.pulling import Progress
from sparring.models.retries import with_retries
from sparring.models.wording import no_such_model

_EFFORTS = {"none": False, "low": "low", "medium": "medium", "high": "high"}
_OPTIONS_BY_OPENAI_NAME = {"max_tokens": "num_predict", "max_completion_tokens": "num_predict"}


class OllamaChat:
    """A model served by Ollama."""

    def __init__(self, server: OllamaServer, model: str, extra: Mapping[str, Any]):
        """Use a model of a server.

        Args:
            server: The server.
            model: The model's name there.
            extra: Request parameters of the scenario file, in OpenAI's or Ollama's names.

        Raises:
            ModelError: If they make no sense.
        """
        self.identity = ModelIdentity("ollama", model, dict(extra))
        self._server = server
        self._model = model
        self._parameters, self._options = _translate(extra)
        self._context_length: int | None = None
        self._length_is_known = False

    async def check(self) -> None:
        """See that the server is there and has the model."""
        names = await self._server.models()
        wanted = self._model if ":" in self._model else f"{self._model}:latest"
        if wanted not in names:
            way_out = f"pull it with `ollama pull {self._model}`"
            raise ModelError(no_such_model(self._server.name, self._model, names, way_out))

    def pull(self) -> AsyncGenerator[Progress]:
        """Have the server fetch the model."""
        return self._server.pull(self._model)

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """Answer a request."""
        if not self._length_is_known:
            self._context_length = await self._server.context_length(self._model)
            self._length_is_known = True
        need = need_of(request, self._options.get("num_predict"))
        asked = self._options.get("num_ctx")
        context = size_context(need, self._model, self._context_length, asked)

        async def attempt() -> AsyncGenerator[Piece]:
            async with aclosing(self._server.chat(self._chat(request, context))) as parts:
                async for part in parts:
                    for piece in _pieces(part, need, context):
                        yield piece

        async with aclosing(with_retries(self._server.name, attempt, self._server.slots)) as pieces:
            async for piece in pieces:
                yield piece

    async def close(self) -> None:
        """Nothing of its own to close; the server is shared."""

    def _chat(self, request: Request, context: int) -> dict[str, Any]:
        """The client's parameters for a request."""
        options = {**self._options, "num_ctx": context}
        if request.max_tokens is not None:
            options.setdefault("num_predict", request.max_tokens)
        if request.seed is not None:
            options.setdefault("seed", request.seed)
        parameters: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            **self._parameters,
            "options": options,
        }
        if request.schema is not None:
            parameters["format"] = dict(request.schema)
        if request.tools:
            parameters["tools"] = [tool.as_function() for tool in request.tools]
        return parameters


def _translate(extra: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """An ``extra`` as the client's own parameters and as options of the model."""
    rest = {key: value for key, value in extra.items() if key != "extra_headers"}
    given: Any = rest.pop("options", None) or {}
    if not isinstance(given, dict):
        raise ModelError(f"`options` in `extra` must be a mapping of Ollama's options, not {given}")
    options: dict[str, Any] = {**given}
    parameters: dict[str, Any] = {}
    if "reasoning_effort" in rest:
        effort = rest.pop("reasoning_effort")
        parameters["think"] = _EFFORTS.get(effort, effort)
    for name in ("think", "keep_alive"):
        if name in rest:
            parameters[name] = rest.pop(name)
    for name, value in rest.items():
        options.setdefault(_OPTIONS_BY_OPENAI_NAME.get(name, name), value)
    for name, least in (("num_ctx", 1), ("num_predict", -2)):
        value = options.get(name, least)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ModelError(f"`{name}` in `extra` must be a whole number of tokens, not {value!r}")
    return parameters, options


def _pieces(part: ollama.ChatResponse, need: Need, context: int) -> Sequence[Piece]:
    pieces: list[Piece] = []
    if part.message.thinking:
        pieces.append(Thinking(part.message.thinking))
    if part.message.content:
        pieces.append(Text(part.message.content))
    for call in part.message.tool_calls or ():
        pieces.append(ToolUse(call.function.name, dict(call.function.arguments)))
    if part.done:
        see_that_all_was_read(need, context, part.prompt_eval_count)
        usage = Usage(part.prompt_eval_count, part.eval_count)
        total = (part.prompt_eval_count or 0) + (part.eval_count or 0)
        pieces.append(Finished(part.done_reason == "length" or total >= context, usage))
    return pieces
