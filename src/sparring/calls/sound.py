"""The sound of a call that is spoken: the line between a connection and whoever speaks and listens.

Inside its ``with`` the caller's microphone is open. What the agent says is fed in event by event;
what the caller says is logged as it ends, and at the end the soundtrack is. A call in text never
comes near this module.
"""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from sparring.agents import AgentConnection, SendAudio
from sparring.calls.log import CallLog
from sparring.records import AgentEvent, SpokenAction
from sparring.records import events as ev
from sparring.scoring.voice.voiced import Samples
from sparring.speech.frame_clock import FrameClock
from sparring.speech.line import AudioLine, LineOptions
from sparring.speech.steady import keep_steady
from sparring.speech.utterances import Utterance


class Sound:
    """A call's sound, for as long as the connection is open.

    Leave it before the call's ``Ended`` is logged: nothing belongs to a call after that.
    """

    def __init__(
        self,
        connection: AgentConnection,
        log: CallLog,
        hear: Callable[[Samples], None] = lambda _: None,
        options: LineOptions | None = None,
    ):
        """Prepare; the line is opened with the ``with``.

        Args:
            connection: The agent, open.
            log: The call's log.
            hear: Given the agent's sound, without a gap and at the pace of time, as 16-bit samples
                at ``LINE_RATE``.
            options: How the line is set up.
        """
        self._connection = connection
        self._log = log
        self._hear = hear
        self._options = options or LineOptions()
        self._words: dict[Utterance, tuple[str, int | None, SpokenAction | None]] = {}
        self._line: AudioLine | None = None
        self._running: asyncio.Task[None] | None = None

    def takes(self, event: AgentEvent) -> bool:
        """Take in an event of the agent's.

        Returns:
            Whether it was sound and nothing else, which the recording keeps and the log need not.
        """
        if self._line is not None:
            if isinstance(event, ev.BotAudio):
                self._line.heard(event.audio, event.sample_rate, event.at)
            elif isinstance(event, ev.BotInterrupted):
                self._line.interrupted(event.at)
        return isinstance(event, ev.BotAudio)

    def say(
        self,
        samples: Samples,
        text: str,
        turn: int | None = None,
        action: SpokenAction | None = None,
    ) -> Utterance:
        """Say something whose sound is there, at the caller's rate.

        Args:
            samples: The sound.
            text: The words.
            turn: The caller's turn, as in ``CallerSaid``; None for what is no turn.
            action: What it is meant as, if that is known.
        """
        utterance = self.begin(text, turn, action)
        utterance.add(samples)
        utterance.complete()
        return utterance

    def begin(
        self, text: str, turn: int | None = None, action: SpokenAction | None = None
    ) -> Utterance:
        """Begin to say something whose sound is still being made; as ``say``."""
        if self._line is None:
            raise RuntimeError("the line is not open")
        utterance = self._line.begin()
        self._words[utterance] = (text, turn, action)
        return utterance

    async def __aenter__(self) -> Self:
        keep_steady()
        self._line = AudioLine(
            FrameClock(self._log.clock.now), self._send, self._hear, self._spoke, self._options
        )
        self._running = asyncio.create_task(self._run(self._line))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        line, self._line = self._line, None
        if line is None or self._running is None:
            return
        self._running.cancel()
        await asyncio.wait({self._running})
        for utterance in list(self._words):
            utterance.abandon(self._log.clock.now())
        self._log.add(line.close())
        if line.fault is not None:
            self._log.note(line.fault)

    async def _run(self, line: AudioLine) -> None:
        try:
            await line.run()
        except Exception as error:  # Ours, and the call cannot go on without its sound.
            told = f"the sound failed: {type(error).__name__}: {error}"
            self._log.add(ev.CallerFailed(at=self._log.clock.now(), error=told))

    async def _send(self, pcm: bytes) -> None:
        await self._connection.send(SendAudio(pcm, self._options.caller_rate))

    def _spoke(self, utterance: Utterance) -> None:
        text, turn, action = self._words.pop(utterance)
        if utterance.began is None or utterance.ended is None:
            return  # Stopped before a sample of it was said.
        self._log.add(
            ev.CallerSpoke(
                at=self._log.clock.now(),
                text=text,
                turn=turn,
                began=utterance.began,
                ended=utterance.ended,
                action=action,
                stopped=utterance.stopped,
            )
        )
