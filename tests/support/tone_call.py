"""A spoken call between a caller that says tones and a fake agent, with no model in between."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring.agents import EvalWebSocket, SessionOptions
from sparring.calls.log import CallLog
from sparring.calls.sound import Sound
from sparring.records import CallClock, Ending, Record
from sparring.records import events as ev
from sparring.speech.line import LineOptions
from support.records import header
from support.sound import tone

AUDIO: dict[str, Any] = {
    "user": {"modality": "audio", "speech": {"service": "piper", "voice": "x"}},
    "judge": {"modality": "audio", "transcription": {"service": "whisper"}, "eval": False},
}


@dataclass(frozen=True)
class Say:
    """A turn of the caller's: a tone of so many seconds, once the agent has spoken."""

    seconds: float = 0.4
    after: int = 0
    """After how many reports of the agent's that it has stopped speaking."""
    patience: float = 10.0
    """After so many seconds without them it speaks all the same."""
    pause: float = 0.2
    """How long it waits then."""


@dataclass
class ToneCall:
    """Plays turns against an agent, on our real connection and line."""

    turns: Sequence[Say]
    linger: float = 0.5
    """Seconds of listening after the last turn, once the agent has answered it."""
    recording: Path | None = None
    definition: dict[str, Any] = field(default_factory=dict[str, Any])

    async def play(self, url: str) -> Record:
        """Make the call."""
        log = CallLog(CallClock())
        connection = EvalWebSocket(url)
        options = LineOptions(recording=self.recording)
        await connection.open(log.clock, SessionOptions(skip_tts=False, capture_bot_audio=True))
        try:
            async with Sound(connection, log, options=options) as sound:
                listening = asyncio.create_task(self._listen(connection, log, sound))
                for number, say in enumerate(self.turns, 1):
                    await self._agent_has_stopped(log, say.after, say.patience)
                    await asyncio.sleep(say.pause)
                    text = f"Turn {number}."
                    log.add(ev.CallerSaid(at=log.clock.now(), turn=number, text=text))
                    await sound.say(tone(say.seconds * 1000, 16000), text, number).over()
                await asyncio.sleep(self.linger)
                listening.cancel()
        finally:
            await connection.close()
        log.add(ev.Ended(at=log.clock.now(), ending=Ending.END_CALL))
        return log.record(header(**{**AUDIO, **self.definition}))

    async def _listen(self, connection: EvalWebSocket, log: CallLog, sound: Sound) -> None:
        async for event in connection.events():
            if not sound.takes(event):
                log.add(event)

    async def _agent_has_stopped(self, log: CallLog, times: int, patience: float) -> None:
        until = log.clock.now() + patience
        while log.clock.now() < until:
            if sum(isinstance(e, ev.BotStoppedSpeaking) for e in log.events) >= times:
                return
            await log.change(until=until)
