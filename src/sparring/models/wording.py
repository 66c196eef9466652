"""How a server, and what it said, are put into one sentence.

Servers answer errors in many shapes, proxies before them with whole pages of HTML; a person at the
terminal gets a line of it at most, and never an address with a password in it.
"""

import json
import re
from collections.abc import Collection
from contextlib import suppress
from difflib import get_close_matches
from http import HTTPStatus
from typing import Any, cast

LONGEST = 200
"""Characters of a server's own words that are shown."""
_NAMES_SHOWN = 5

_WAYS_OUT = {
    400: "see `model` and `extra`",
    401: "give it the API key it takes (`service: openai` sends OPENAI_API_KEY)",
    403: "see what the API key may be used for",
    404: "see `model` and `endpoint`",
    429: "try again later, or play fewer calls at once",
}
_PAGE = re.compile(r"<\s*(!doctype|html|head|body|title)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_USERINFO = re.compile(r"^([a-z][a-z0-9+.-]*://)?[^/]*@", re.IGNORECASE)


def shown(url: str) -> str:
    """An address without what may be secret in it: userinfo, query and fragment."""
    return _USERINFO.sub(r"\1", re.split(r"[?#]", url.strip(), maxsplit=1)[0])


def said(body: Any) -> str:
    """What a server said of an error, on one line and without its last full stop.

    Args:
        body: The answer's body, as text or read as JSON.
    """
    if isinstance(body, str) and body.lstrip().startswith(("{", "[")):
        with suppress(ValueError):
            body = json.loads(body)
    if isinstance(body, dict):
        parts = cast(dict[str, Any], body)
        for key in ("message", "error", "detail"):
            if key in parts:
                return said(parts[key])
        return _line(json.dumps(parts))
    if isinstance(body, str):
        return _line(body)
    return "" if body is None else _line(json.dumps(body))


def refusal(server: str, status: int, cause: str) -> str:
    """A server's last word on a request.

    Args:
        server: How it is called.
        status: The HTTP status.
        cause: What it said, as ``said`` gives it; may be empty.
    """
    way_out = _WAYS_OUT.get(status, "see its log" if status >= 500 else "see `endpoint`")
    return f"{server} refused: {cause or _phrase(status)} (HTTP {status}): {way_out}"


def no_such_model(server: str, model: str, names: Collection[str], way_out: str) -> str:
    """That a server lacks a model, with the nearest name that it has."""
    near = get_close_matches(model, names, n=1) or get_close_matches(
        model.lower(), names, n=1, cutoff=0.5
    )
    if near:
        hint = f" (the nearest it has is {near[0]})"
    elif names:
        some = sorted(names)[:_NAMES_SHOWN]
        hint = f" (it has {', '.join(some)}{', …' if len(names) > len(some) else ''})"
    else:
        hint = " (it has none)"
    return f"{server} has no model {model}{hint}: {way_out}"


def _line(text: str) -> str:
    if _PAGE.search(text):
        title = _TITLE.search(text)
        text = title.group(1) if title else "a page of HTML"
    line = " ".join(text.split()).rstrip(".:")
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase.lower()
    except ValueError:
        return "no reason given"
