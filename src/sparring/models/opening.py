"""From a block of a scenario file to a model that can be asked, sharing what can be shared."""

import asyncio
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import httpx

from sparring.errors import ModelError
from sparring.models.addresses import client_options, endpoint, ollama_host, place
from sparring.models.chat import ChatModel
from sparring.models.ollama_chat import OllamaChat
from sparring.models.ollama_server import OllamaServer, unreachable
from sparring.models.retries import MAX_REQUESTS
from sparring.models.wording import shown
from sparring.records.redaction import keep_secrets_of
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

Service: TypeAlias = SimulatorModel | JudgeModel | ExplainerModel
Block: TypeAlias = Service | FactoryBlock


class Models:
    """Opens models; those of one server share its client and its cap on requests."""

    def __init__(self, limits: Mapping[str, int] | None = None) -> None:
        """Open nothing yet.

        Args:
            limits: Requests at a time by service, ``ollama`` or ``openai``, to one server each.
        """
        self._limits = limits or {}
        self._ollama: dict[tuple[str, str], OllamaServer] = {}
        self._openai: dict[tuple[str, str], OpenAIServer] = {}
        self._slots: dict[tuple[str, int], asyncio.Semaphore] = {}
        self._is_ollama: dict[str, bool] = {}

    async def open(self, block: Block) -> ChatModel:
        """The model that a block names; whoever opens it closes it.

        Raises:
            ModelError: If it cannot be used; the text says the way out.
        """
        if isinstance(block, FactoryBlock):
            from sparring.models.pipecat_chat import PipecatChat

            return await PipecatChat.make(block.factory, block.model_dump(exclude_unset=True))
        headers = _headers(block)
        if block.service == "openai":
            return self._open_openai(block)
        if block.endpoint is None:
            host = _from_environment("OLLAMA_HOST")
            return self._open_ollama(block, ollama_host(host) if host else OLLAMA_URL, headers)
        url = endpoint(block.endpoint)
        root = url.removesuffix("/v1")
        if root not in self._is_ollama:
            self._is_ollama[root] = await _is_ollama(root, headers)
        if self._is_ollama[root]:
            return self._open_ollama(block, root, headers)
        return self._open_chat_completions(block, url, "ollama")

    async def close(self) -> None:
        """Close the clients that models share."""
        for server in self._ollama.values():
            await server.close()
        for server in self._openai.values():
            await server.close()

    def _open_ollama(self, block: Service, root: str, headers: Mapping[str, str]) -> ChatModel:
        key = (root, repr(headers))
        if key not in self._ollama:
            self._ollama[key] = OllamaServer(root, self._slots_of(root, "ollama"), headers)
        return OllamaChat(self._ollama[key], _name(block), block.extra or {})

    def _open_openai(self, block: Service) -> ChatModel:
        from sparring.models.openai_chat import OPENAI_URL

        key = os.environ.get("OPENAI_API_KEY", "")
        if block.endpoint is not None:
            return self._open_chat_completions(block, endpoint(block.endpoint), key or "none")
        url = _from_environment("OPENAI_BASE_URL")
        if url:
            url = endpoint(url, "OPENAI_BASE_URL")
        elif not key:
            raise ModelError(
                "`service: openai` needs OPENAI_API_KEY: set it in the shell or in a .env file"
            )
        return self._open_chat_completions(block, url or OPENAI_URL, key or "none")

    def _open_chat_completions(self, block: Service, url: str, api_key: str) -> ChatModel:
        from sparring.models.openai_chat import OpenAIChat, OpenAIServer

        key = (url, api_key)
        if key not in self._openai:
            self._openai[key] = OpenAIServer(url, api_key, self._slots_of(url, block.service))
        return OpenAIChat(self._openai[key], _name(block), block.extra or {}, block.service)

    def _slots_of(self, url: str, service: str) -> asyncio.Semaphore:
        limit = self._limits.get(service, MAX_REQUESTS)
        return self._slots.setdefault(place(url), asyncio.Semaphore(limit))


def _from_environment(name: str) -> str:
    """An address from the environment; what is secret in it, the variable's name does not tell."""
    value = os.environ.get(name, "").strip()
    keep_secrets_of(value if "://" in value else f"http://{value}")
    return value


def _name(block: Service) -> str:
    """The model's name; blocks of services that need one have one."""
    assert block.model is not None
    return block.model


def _headers(block: Service) -> dict[str, str]:
    """The headers that an ``extra`` adds to every request."""
    headers: Any = (block.extra or {}).get("extra_headers") or {}
    if not isinstance(headers, dict) or not all(
        isinstance(value, str) for value in cast(dict[str, Any], headers).values()
    ):
        raise ModelError("`extra_headers` in `extra` must be a mapping of names to texts")
    return cast(dict[str, str], headers)


async def _is_ollama(root: str, headers: Mapping[str, str]) -> bool:
    """Whether an Ollama answers there; another server that does may speak OpenAI's protocol."""
    try:
        async with httpx.AsyncClient(
            timeout=_PROBE_S, headers=headers, **client_options(root)
        ) as client:
            answer = await client.get(f"{root}/api/version")
            return answer.status_code == 200 and "version" in answer.json()
    except (httpx.ConnectError, httpx.TimeoutException):
        raise ModelError(unreachable(shown(root))) from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError):
        return False
