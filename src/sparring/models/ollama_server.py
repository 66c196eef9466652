"""One Ollama server, reached through Ollama's own client."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any

import httpx
import ollama

from sparring.errors import ModelError
from sparring.models.addresses import client_options
from sparring.models.pulling import Progress
from sparring.models.retries import Dropped, Failed, Refused, Silent, retry_after
from sparring.models.wording import said, shown

_TIMEOUT_S = 120.0
"""For a server to say anything at all, and between two pieces of its answer."""
_CHECK_S = 10.0
_REPORTED = "reported an error: "


class OllamaServer:
    """One server, its client and its slots shared by all who use it."""

    def __init__(self, url: str, slots: asyncio.Semaphore, headers: Mapping[str, str]):
        """Prepare to use a server; nothing is sent yet.

        Args:
            url: Its base URL.
            slots: Bounds the requests under way there.
            headers: Sent with every request.
        """
        self.name = shown(url)
        self.slots = slots
        self._client = ollama.AsyncClient(
            host=url, headers=headers, timeout=_TIMEOUT_S, **client_options(url)
        )

    async def models(self) -> set[str]:
        """The names of its models.

        Raises:
            ModelError: If it does not say.
        """
        try:
            with self._failures():
                async with asyncio.timeout(_CHECK_S):
                    listed = await self._client.list()
        except TimeoutError:
            raise Silent(_not_within(_CHECK_S)).error(self.name) from None
        except Failed as failure:
            raise failure.error(self.name) from None
        return {model.model for model in listed.models if model.model}

    async def pull(self, model: str) -> AsyncGenerator[Progress]:
        """Fetch a model, and say how far that is.

        Raises:
            ModelError: If it cannot be had.
        """
        try:
            with self._failures():
                async for part in await self._client.pull(model, stream=True):
                    yield Progress(part.status or "", part.digest or "", part.completed, part.total)
        except Failed as failure:
            cause = str(failure).removeprefix(_REPORTED)
            raise ModelError(f"{self.name} could not pull {model}: {cause}") from None

    async def context_length(self, model: str) -> int | None:
        """How many tokens a model can take; None if the server does not say."""
        try:
            with self._failures():
                shown = await self._client.show(model)
        except (Failed, ModelError):
            return None  # The request itself will tell.
        lengths = [
            value
            for key, value in (shown.modelinfo or {}).items()
            if key.endswith(".context_length") and isinstance(value, int)
        ]
        return lengths[0] if lengths else None

    async def chat(self, parameters: Mapping[str, Any]) -> AsyncGenerator[ollama.ChatResponse]:
        """Stream a chat to its very end.

        Raises:
            Failed: If it is refused, or breaks off.
            ModelError: If the server is not there.
        """
        done = False
        with self._failures():
            parts: Any = await self._client.chat(stream=True, **parameters)
            async with aclosing(parts):
                async for part in parts:
                    done = done or bool(part.done)
                    yield part
        if not done:
            raise Dropped("ended its answer before it was done")

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()

    @contextmanager
    def _failures(self) -> Generator[None]:
        """Turn whatever the client raises into failures of ours."""
        try:
            yield
        except ollama.ResponseError as error:
            if error.status_code < 0:  # It was reported in the midst of an answer.
                raise Dropped(f"{_REPORTED}{said(error.error)}") from None
            answer = _answer_of(error)
            wait = None if answer is None else retry_after(answer.headers)
            raise Refused(error.status_code, said(error.error), wait) from None
        except (ConnectionError, httpx.ConnectError):
            raise ModelError(unreachable(self.name)) from None
        except httpx.TimeoutException:
            raise Silent(_not_within(_TIMEOUT_S)) from None
        except httpx.HTTPError:
            raise Dropped("dropped the connection") from None
        except (ValueError, TypeError, AttributeError) as error:
            # The client takes all that it gets for JSON objects, errors included.
            answer = _answer_of(error)
            if answer is not None:
                wait = retry_after(answer.headers)
                raise Refused(answer.status_code, said(answer.text), wait) from None
            raise ModelError(
                f"{self.name} answers, but not as Ollama does: see `endpoint`"
            ) from None


def unreachable(name: str) -> str:
    """What to say of an Ollama server that is not there."""
    return f"no Ollama at {name}: start it with `ollama serve`, or name another `endpoint:`"


def _not_within(seconds: float) -> str:
    return f"did not answer within {seconds:g} s"


def _answer_of(error: Exception) -> httpx.Response | None:
    """The server's refusal, which the client made an error of and kept as the error's context."""
    cause = error.__context__
    return cause.response if isinstance(cause, httpx.HTTPStatusError) else None
