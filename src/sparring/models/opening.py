"""From a block of a scenario file to a model that can be asked, sharing what can be shared."""

import os
from typing import TYPE_CHECKING, TypeAlias

import httpx

from sparring.errors import ModelError
from sparring.models.chat import ChatModel
from sparring.models.ollama_chat import OllamaChat, OllamaServer, unreachable
from sparring.scenarios import (
    ExplainerModel,
    FactoryBlock,
    JudgeModel,
    SimulatorModel,
)

if TYPE_CHECKING:
    from sparring.models.openai_chat import OpenAIServer

OLLAMA_URL = "http://localhost:11434"
_PROBE_S = 5.0

Block: TypeAlias = SimulatorModel | JudgeModel | ExplainerModel | FactoryBlock


class Models:
    """Opens models; those of one server share its client and its cap on requests."""

    def __init__(self) -> None:
        self._ollama: dict[str, OllamaServer] = {}
        self._openai: dict[tuple[str | None, str], OpenAIServer] = {}
        self._is_ollama: dict[str, bool] = {}

    async def open(self, block: Block) -> ChatModel:
        """The model that a block names; whoever opens it closes it.

        Raises:
            ModelError: If it cannot be used; the text says the way out.
        """
        if isinstance(block, FactoryBlock):
            from sparring.models.pipecat_chat import PipecatChat

            return PipecatChat(block.factory, block.model_dump(exclude_unset=True))
        if block.service == "openai":
            key = os.environ.get("OPENAI_API_KEY", "")
            if not key and block.endpoint is None:
                raise ModelError(
                    "`service: openai` needs OPENAI_API_KEY: set it in the shell or in a .env file"
                )
            return self._openai_chat(block, block.endpoint, key or "none")
        endpoint = block.endpoint or os.environ.get("OLLAMA_HOST") or OLLAMA_URL
        root = endpoint.rstrip("/").removesuffix("/v1")
        if root not in self._is_ollama:
            self._is_ollama[root] = block.endpoint is None or await _is_ollama(root)
        if block.endpoint is not None and not self._is_ollama[root]:
            return self._openai_chat(block, block.endpoint, "ollama")
        server = self._ollama.get(root) or self._ollama.setdefault(root, OllamaServer(root))
        return OllamaChat(server, _name(block), block.extra or {})

    async def close(self) -> None:
        """Close the clients that models share."""
        for server in self._ollama.values():
            await server.close()
        for server in self._openai.values():
            await server.close()

    def _openai_chat(
        self, block: SimulatorModel | JudgeModel | ExplainerModel, url: str | None, key: str
    ) -> ChatModel:
        from sparring.models.openai_chat import OpenAIChat, OpenAIServer

        at = (url, key)
        server = self._openai.get(at) or self._openai.setdefault(at, OpenAIServer(url, key))
        return OpenAIChat(server, _name(block), block.extra or {}, block.service)


def _name(block: SimulatorModel | JudgeModel | ExplainerModel) -> str:
    """The model's name; blocks of services that need one have one."""
    assert block.model is not None
    return block.model


async def _is_ollama(root: str) -> bool:
    """Whether an Ollama answers there; another server that does may speak OpenAI's protocol."""
    try:
        async with httpx.AsyncClient(timeout=_PROBE_S) as client:
            answer = await client.get(f"{root}/api/version")
            return answer.status_code == 200 and "version" in answer.json()
    except (httpx.ConnectError, httpx.TimeoutException) as error:
        raise ModelError(unreachable(root)) from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError):
        return False
