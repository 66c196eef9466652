"""Secrets never reach a file or a terminal.

Redacted are the values, of eight characters or more, of environment variables named like a key,
token, secret or password, and credentials that were handed to a service (``keep_secret``): what
stands under such a name or a header's (``Authorization``, ``Cookie``), after ``Bearer``, and in
URLs. Ordinary words are not: a name must have one of those words as a part of its own (``API_KEY``,
not ``KEYBOARD``), so what is hidden is hidden because of its name.
"""

import json
import os
import re
from functools import lru_cache
from typing import Any, cast
from urllib.parse import unquote, unquote_plus

_NAMES = re.compile(r"(^|_)(API)?(KEY|TOKEN|SECRET|PASSWORD|PASSWD)S?($|_)", re.IGNORECASE)
_NAMES_IN_BLOCKS = re.compile(
    r"(^|[-_])(API)?(KEY|TOKEN|SECRET|PASSWORD|PASSWD|AUTHORIZATION|COOKIE|CREDENTIAL)S?($|[-_])"
    r"|(?-i:[a-z](Key|Token|Secret|Password|Credential)s?($|[A-Z]))",
    re.IGNORECASE,
)
_BEARER = re.compile(r"Bearer\s+(\S+)", re.IGNORECASE)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_SHORTEST = 8
MASK = "[redacted]"
_CUT = "…"
"""What stands where we cut a long text."""

_kept: set[str] = set()


def keep_secret(value: str) -> None:
    """Redact this credential from now on, wherever it would be written."""
    if len(value) >= _SHORTEST:
        _kept.add(value)


def keep_secrets_of(block: Any) -> None:
    """Redact what is secret in a service's block, at any depth.

    That is a text under a key named like a secret, and wherever they stand: ``Bearer …``, a URL's
    userinfo, and what its query names like a secret.
    """
    if isinstance(block, dict):
        for name, value in cast(dict[str, Any], block).items():
            if isinstance(value, str) and _NAMES_IN_BLOCKS.search(name):
                keep_secret(value)
                keep_secret(value.rpartition(" ")[2])  # Without the scheme before it.
            keep_secrets_of(value)
    elif isinstance(block, list):
        for value in cast(list[Any], block):
            keep_secrets_of(value)
    elif isinstance(block, str):
        if bearer := _BEARER.fullmatch(block):
            keep_secret(bearer.group(1))
        for url in _URL.findall(block):
            _keep_secrets_of_url(url)


def _keep_secrets_of_url(url: str) -> None:
    netloc, _, query = url.partition("://")[2].partition("?")
    userinfo, at, _ = netloc.partition("/")[0].rpartition("@")
    password = userinfo.partition(":")[2] or userinfo  # A token may stand there alone.
    # The shortest passwords look like words, but not with what stands around them in the URL.
    for secret in (userinfo + at, password, unquote(password)):
        keep_secret(secret)
    for pair in query.partition("#")[0].split("&"):
        name, _, value = pair.partition("=")
        if _NAMES_IN_BLOCKS.search(name):
            keep_secret(value)
            keep_secret(unquote_plus(value))


def redact(text: str) -> str:
    """A text without secrets, plain or as they stand in JSON.

    For prose; JSON that is still to be written goes through ``json_text``, so that it stays JSON.
    """
    for secret in _secrets():
        if secret in text:
            text = text.replace(secret, MASK)
    return _without_beginnings(text) if _CUT in text else text


def _without_beginnings(text: str) -> str:
    """A text without beginnings of secrets where it was cut: what is left of one is one still."""
    parts = text.split(_CUT)
    for index, part in enumerate(parts[:-1]):
        length = unfinished(part)
        if length >= _SHORTEST:
            parts[index] = part[:-length] + MASK
    return _CUT.join(parts)


def unfinished(text: str) -> int:
    """How many characters at the end of a text may be the beginning of a secret.

    Text that arrives in pieces is redacted and written without them; they wait for the next piece.
    """
    return max((_overlap(text, secret) for secret in _secrets()), default=0)


def _overlap(text: str, secret: str) -> int:
    longest = min(len(secret) - 1, len(text))
    return next((n for n in range(longest, 0, -1) if text.endswith(secret[:n])), 0)


def _secrets() -> tuple[str, ...]:
    """Secrets as they are now, the longest first; asked for with every line that is written."""
    values = {
        value
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and _names_a_secret(name)
    }
    return _as_written(frozenset(values | _kept))


@lru_cache(4096)
def _names_a_secret(name: str) -> bool:
    return _NAMES.search(name) is not None


@lru_cache(8)
def _as_written(plain: frozenset[str]) -> tuple[str, ...]:
    """Secrets, plain and as they stand in JSON."""
    escaped = {json.dumps(value)[1:-1] for value in plain}
    escaped |= {json.dumps(value, ensure_ascii=False)[1:-1] for value in plain}
    return tuple(sorted(plain | escaped, key=len, reverse=True))
