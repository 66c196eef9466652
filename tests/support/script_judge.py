"""A judge of scripts that is told what to say of each reply, and when."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from sparring.errors import ModelError
from sparring.models import Finished, Request, Text
from sparring.models.chat import ModelIdentity, Piece

Decide = Callable[[dict[str, Any], str], str]
"""From a question's subject (``{"reply": …}``) and its criterion to a verdict."""


def subjects(request: Request) -> list[dict[str, Any]]:
    """What a request asks about, in order."""
    lines = request.messages[1].content.split("\n")
    found = [json.loads(line) for line in lines if line.startswith('{"question": ')]
    return [{key: value for key, value in one.items() if key != "question"} for one in found]


def answer(request: Request, decide: Decide) -> str:
    """A whole answer to a request."""
    prompt = request.messages[1].content
    schema = json.loads(prompt.rsplit("\n", 1)[1])
    criteria = dict(
        line.split(": ", 1) for line in prompt.split("\n") if line[:1] == "q" and ": " in line
    )
    verdicts: dict[str, Any] = {"id": schema["properties"]["id"]["enum"][0]}
    for number, subject in enumerate(subjects(request), 1):
        verdict = decide(subject, criteria[f"q{number}"])
        verdicts[f"q{number}"] = {"verdict": verdict, "reason": "so"}
    return json.dumps(verdicts)


class ScriptJudge:
    """A model in this process; ``gate``, if it is given, holds its answers back until it is set."""

    identity = ModelIdentity("test", "judge")

    def __init__(
        self, decide: Decide, gate: asyncio.Event | None = None, error: ModelError | None = None
    ):
        self.requests: list[Request] = []
        self.asked = asyncio.Event()
        self._decide = decide
        self._gate = gate
        self._error = error

    async def check(self) -> None:
        """It is always there."""

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        self.requests.append(request)
        self.asked.set()
        if self._gate is not None:
            await self._gate.wait()
        if self._error is not None:
            raise self._error
        yield Text(answer(request, self._decide))
        yield Finished()


def by_reply(**verdicts: str) -> Decide:
    """Decides by what was said, word for word; what is not listed is ``yes``."""
    return lambda subject, criterion: verdicts.get(str(subject.get("reply")), "yes")
