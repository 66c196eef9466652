"""One server that speaks OpenAI's chat completions, reached through OpenAI's own SDK.

The SDK takes most of a second to import, so this module is imported only when it is used. Its
answers are read as they come over the wire, since only there can the end of a stream be told from
a connection that was lost.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import httpx
import openai

from sparring.errors import ModelError
from sparring.models.addresses import client_options
from sparring.models.retries import Dropped, Refused, Silent, retry_after
from sparring.models.wording import refusal, said, shown

_TIMEOUT_S = 120.0
"""For a server to say anything at all, and between two pieces of its answer."""
_CHECK_S = 10.0
_DONE = "[DONE]"


class OpenAIServer:
    """One server, its client and its slots shared by all who use it."""

    def __init__(self, url: str, api_key: str, slots: asyncio.Semaphore):
        """Prepare to use a server; nothing is sent yet.

        Args:
            url: Its base URL.
            api_key: Sent with every request.
            slots: Bounds the requests under way there.
        """
        self.url = url
        self.name = shown(url)
        self.slots = slots
        self._http = httpx.AsyncClient(
            timeout=_TIMEOUT_S, follow_redirects=True, **client_options(url)
        )
        self._client = openai.AsyncOpenAI(
            base_url=url,
            api_key=api_key,
            timeout=_TIMEOUT_S,
            max_retries=0,
            http_client=cast(Any, self._http),  # The SDK's newer versions prefer httpx2.
        )

    async def models(self, options: Mapping[str, Any]) -> set[str]:
        """The names of its models; empty if it does not list them, as it need not.

        Args:
            options: Headers and query to send, in the SDK's words.

        Raises:
            ModelError: If nothing answers there, or the key is refused.
        """
        try:
            async with asyncio.timeout(_CHECK_S):
                page = await self._client.models.list(**options)
            return {model.id for model in page.data if model.id}
        except openai.AuthenticationError as error:
            raise ModelError(refusal(self.name, error.status_code, said(error.body))) from None
        except (TimeoutError, openai.APITimeoutError):
            raise ModelError(f"{self.name} did not answer within {_CHECK_S:g} s") from None
        except openai.APIConnectionError:
            raise ModelError(self._nothing_there()) from None
        except (openai.APIError, AttributeError, TypeError, ValueError):
            return set()

    async def lists_models_at(self, url: str, options: Mapping[str, Any]) -> bool:
        """Whether another base URL of the same server is one that lists models."""
        other = self._client.copy(base_url=url)  # It shares our connections, so it is not closed.
        try:
            async with asyncio.timeout(_CHECK_S):
                page = await other.models.list(**options)
            return bool(page.data)
        except (TimeoutError, openai.APIError, AttributeError, TypeError, ValueError):
            return False

    async def chat(self, parameters: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        """Stream the chunks of a chat completion to its very end.

        Raises:
            Failed: If it is refused, or breaks off.
            ModelError: If the server is not there.
        """
        create: Any = self._client.chat.completions.with_streaming_response.create
        with self._failures():
            async with create(stream=True, **parameters) as response:
                ended = begun = False
                other: list[str] = []
                async for line in response.iter_lines():
                    name, _, data = line.partition(":")
                    if name != "data":
                        other.append(line)
                    elif data.strip() == _DONE:
                        ended = True
                    else:
                        chunk = _chunk(data)
                        begun = True
                        ended = ended or _is_last(chunk)
                        yield chunk
        if not begun and not ended and "".join(other).strip():
            # Some servers answer any path at all: with an error, with their front page.
            raise Refused(200, said("\n".join(other)) or "no chat completion")
        if not ended:
            raise Dropped("ended its answer before it was done")

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()

    def _nothing_there(self) -> str:
        return f"nothing answers at {self.name}: start the server, or name another `endpoint:`"

    @contextmanager
    def _failures(self) -> Generator[None]:
        """Turn whatever SDK and connection raise into failures of ours."""
        try:
            yield
        except openai.APIStatusError as error:
            wait = retry_after(error.response.headers)
            raise Refused(error.status_code, said(error.body), wait) from None
        except (openai.APITimeoutError, httpx.TimeoutException):
            raise Silent(f"did not answer within {_TIMEOUT_S:g} s") from None
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, httpx.ConnectError):
                raise ModelError(self._nothing_there()) from None
            raise Dropped("dropped the connection") from None
        except httpx.HTTPError:
            raise Dropped("dropped the connection") from None
        except (openai.OpenAIError, TypeError) as error:  # The SDK refuses what it cannot send.
            raise ModelError(
                f"{self.name} was not asked: {said(str(error))}: see `extra`"
            ) from None


def _chunk(data: str) -> dict[str, Any]:
    try:
        chunk: Any = json.loads(data)
    except ValueError:
        raise Dropped("sent what is no JSON") from None
    if not isinstance(chunk, dict):
        raise Dropped("sent what is no chunk of a chat completion")
    parts = cast(dict[str, Any], chunk)
    if parts.get("error"):
        raise Dropped(f"reported an error: {said(parts['error'])}")
    return parts


def _is_last(chunk: Mapping[str, Any]) -> bool:
    """Whether the answer is whole with this chunk, even if the stream lacks its end mark."""
    choices: Any = chunk.get("choices") or []
    return any(choice.get("finish_reason") for choice in choices)
