"""The small protocol through which caller and judge reach an LLM, whoever serves it."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from sparring.errors import ModelError


class ContextOverflow(ModelError):
    """A request that does not fit the model's context."""


@dataclass(frozen=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Tool:
    """A tool the model may call."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of its arguments."""

    def as_function(self) -> dict[str, Any]:
        """The tool as OpenAI's and Ollama's requests write it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}


@dataclass(frozen=True)
class Request:
    """What is asked of a model."""

    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    schema: Mapping[str, Any] | None = None
    """JSON Schema that the answer must follow, where the service can enforce one."""
    max_tokens: int | None = None
    """Cap on the answer."""
    seed: int | None = None


@dataclass(frozen=True)
class Usage:
    """Tokens of one request; None where the service does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    whole_prompt: bool = False
    """Whether ``prompt_tokens`` is known to be of all that was read, also of what the server had
    in a cache; then a prompt that was cut shows in it."""


@dataclass(frozen=True)
class Text:
    """A piece of the answer; pieces join without a separator."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """A piece of the model's reasoning, which is no part of its answer."""

    text: str


@dataclass(frozen=True)
class ToolUse:
    """A call of one of the tools."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Finished:
    """The answer is over."""

    cut_off: bool = False
    """It hit the cap on tokens, or the end of the context."""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Waiting:
    """The server asked for patience: the request will be tried again."""

    text: str
    """Why, and for how long, in words."""


Piece: TypeAlias = Text | Thinking | ToolUse | Waiting | Finished


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    text: str
    tool_uses: Sequence[ToolUse]
    thinking: str
    cut_off: bool
    usage: Usage


@dataclass(frozen=True)
class ModelIdentity:
    """Which model answers, with all that changes its answers."""

    service: str
    model: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])


class ChatModel(Protocol):
    """An LLM that answers chats."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is, for results."""
        ...

    async def check(self) -> None:
        """See that it can be used, before anything depends on it.

        Raises:
            ModelError: If not; the text says the way out.
        """
        ...

    def stream(self, request: Request) -> AsyncIterator[Piece]:
        """Answer a request, piece by piece; the last piece is a ``Finished``.

        Raises:
            ModelError: If there is no answer to be had.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds."""
        ...


async def complete(
    model: ChatModel, request: Request, note: Callable[[str], None] = lambda _: None
) -> Answer:
    """A model's whole answer.

    Args:
        model: Who answers.
        request: What is asked.
        note: Told, in words, of every wait.

    Raises:
        ModelError: If there is no answer to be had, or it broke off.
    """
    text: list[str] = []
    thinking: list[str] = []
    uses: list[ToolUse] = []
    finished: Finished | None = None
    async for piece in model.stream(request):
        match piece:
            case Text():
                text.append(piece.text)
            case Thinking():
                thinking.append(piece.text)
            case ToolUse():
                uses.append(piece)
            case Waiting():
                note(piece.text)
            case Finished():
                finished = piece
    if finished is None:
        raise ModelError(f"the answer of {model.identity.model} broke off")
    return Answer("".join(text), uses, "".join(thinking), finished.cut_off, finished.usage)
