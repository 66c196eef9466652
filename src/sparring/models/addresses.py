"""Where a server is: its address as users write it, and how to get there."""

import ipaddress
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from sparring.errors import ModelError
from sparring.models.wording import shown

OLLAMA_PORT = 11434
_PORTS = {"http": 80, "https": 443}
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses to listen on: Ollama's server takes them from the same variable."""


def endpoint(text: str, name: str = "endpoint") -> str:
    """A base URL as given, without a slash at its end.

    Args:
        text: What was given.
        name: The key or variable that it was given in.

    Raises:
        ModelError: If it is no URL of a server.
    """
    if _port(_split(text, text, name)) == 0:
        raise ModelError(f"`{name}: {shown(text)}` names no server: write `http://<host>:<port>`")
    return text.strip().rstrip("/")


def ollama_host(text: str) -> str:
    """The URL that an ``OLLAMA_HOST`` means, as the ``ollama`` client reads it.

    Scheme, host and port may each be missing: http, this machine, and 11434 (80 or 443 if there is
    a scheme). ``0.0.0.0`` is this machine.

    Raises:
        ModelError: If it means none.
    """
    has_scheme = "://" in text
    parts = _split(text if has_scheme else f"http://{text.strip()}", text, "OLLAMA_HOST")
    host = parts.hostname or "127.0.0.1"
    host = _ANYWHERE.get(host, host)
    port = _port(parts) if has_scheme else parts.port or OLLAMA_PORT
    userinfo, at, _ = parts.netloc.rpartition("@")
    shown_host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{userinfo}{at}{shown_host}:{port}{parts.path.rstrip('/')}"


def place(url: str) -> tuple[str, int]:
    """Host and port, the same for all names of this machine: two URLs of it are one server."""
    parts = urlsplit(url)
    return "localhost" if is_here(url) else parts.hostname or "", _port(parts)


def is_here(url: str) -> bool:
    """Whether a URL is of this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def client_options(url: str) -> dict[str, Any]:
    """What to make an ``httpx`` client for that server with.

    No proxy stands between us and this machine; credentials in the URL are sent.
    """
    parts = urlsplit(url)
    options: dict[str, Any] = {"trust_env": not is_here(url)}
    if parts.username or parts.password:
        options["auth"] = (unquote(parts.username or ""), unquote(parts.password or ""))
    return options


def _split(url: str, text: str, name: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        parts.port  # noqa: B018  # It is read from the text only now, and may be no number.
    except ValueError as error:
        raise ModelError(f"`{name}: {shown(text)}` is no URL: {error}") from None
    if parts.scheme not in _PORTS:
        raise ModelError(
            f"`{name}: {shown(text)}` has no http:// or https:// before it: try "
            f"`http://{shown(text).rpartition('://')[2]}`"
        )
    return parts


def _port(parts: SplitResult) -> int:
    """The port; 0 if there is not even a host."""
    return parts.port or _PORTS[parts.scheme] if parts.hostname else 0
