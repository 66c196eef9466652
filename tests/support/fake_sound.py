"""The sound of a fake agent: it answers in tones, and knows to the millisecond when.

It hears the caller's ``raw-audio`` and tells where speech ended: the last loud sample, counted back
from when its message came. It speaks in ``eval-bot-audio`` messages at the pace of time, each with
a deadline of its own, and remembers when the first and the last went out.
"""

import asyncio
import base64
import json
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from support.fake_session import Session
from support.fake_wire import LABEL, Message

_LOUD = 500
"""An amplitude that only speech has."""


@dataclass(frozen=True)
class Talk:
    """Something that was said, in monotonic seconds."""

    start: float
    end: float


class Ear:
    """Hears the caller: where its speech begins and ends."""

    def __init__(self, session: Session, hangover: float = 0.1):
        """Listen.

        Args:
            session: The session.
            hangover: Seconds of quiet that end speech.
        """
        self.turns: list[Talk] = []
        self._hangover = hangover
        self._start: float | None = None
        self._last = 0.0
        self._news = asyncio.Event()
        session.on_audio = self._took

    async def turn(self, count: int) -> Talk:
        """Wait until the caller has said so many things; the last of them."""
        while len(self.turns) < count:
            self._news.clear()
            await self._news.wait()
        return self.turns[count - 1]

    @property
    def speaking_for(self) -> float:
        """For how many seconds the caller has been speaking by now; 0 if it is not."""
        return 0.0 if self._start is None else time.monotonic() - self._start

    async def begins(self) -> float:
        """Wait until the caller is speaking; since when."""
        while self._start is None:
            self._news.clear()
            await self._news.wait()
        return self._start

    def _took(self, message: Message) -> None:
        data = message.payload
        samples = np.frombuffer(base64.b64decode(data["base64Audio"]), "<i2")
        rate = data["sampleRate"]
        loud = np.flatnonzero(np.abs(samples.astype(int)) > _LOUD)
        if len(loud):
            captured = message.at - len(samples) / rate  # When its first sample was.
            if self._start is None:
                self._start = captured + loud[0] / rate
                self._news.set()
            self._last = captured + (loud[-1] + 1) / rate
        elif self._start is not None and message.at - self._last >= self._hangover:
            self.turns.append(Talk(self._start, self._last))
            self._start = None
            self._news.set()


class Voice:
    """Speaks for an agent, in tones."""

    def __init__(self, session: Session, rate: int = 24000, message_ms: float = 40):
        """Take a voice.

        Args:
            session: The session.
            rate: Hertz.
            message_ms: How much sound is in a message.
        """
        self.said: list[Talk] = []
        self._session = session
        self._message_s = message_ms / 1000
        self._rate = rate
        count = round(rate * self._message_s)
        wave = 9000 * np.sin(2 * np.pi * 400 * np.arange(count) / rate)
        self._tone = self._body(wave.astype("<i2").tobytes())

    async def talk(
        self,
        seconds: float,
        at: float | None = None,
        *,
        report: bool = True,
        going_on: Callable[[], bool] = lambda: True,
    ) -> Talk:
        """Say a tone.

        Args:
            seconds: How long.
            at: When, in monotonic seconds; by default now.
            report: Whether the agent reports that it speaks.
            going_on: Asked before every message; the agent breaks off once it is false.
        """
        start = time.monotonic() if at is None else at
        await self._until(start)
        first = time.monotonic()
        if report:
            await self._session.send("bot-started-speaking")
            first = time.monotonic()
        sent = 0
        while sent < round(seconds / self._message_s) and going_on():
            await self._until(start + sent * self._message_s)
            await self._session.raw(self._tone)
            sent += 1
        await self._until(start + sent * self._message_s)
        talk = Talk(first, first + sent * self._message_s)
        self.said.append(talk)
        if report:
            await self._session.send("bot-stopped-speaking")
        return talk

    async def _until(self, at: float) -> None:
        await self._session.wait(at - time.monotonic())

    def _body(self, pcm: bytes) -> str:
        data = {"audio": base64.b64encode(pcm).decode("ascii"), "sampleRate": self._rate}
        return json.dumps({"label": LABEL, "type": "eval-bot-audio", "data": data})
