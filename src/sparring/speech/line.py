"""The line of a spoken call: both sides' sound, on the clock, between connection and pipeline.

With every frame of the clock the line takes what the caller says, sends it to the agent, reads what
the agent has said, hands it on to whoever listens, and gives both to the recorder. It stands
outside the Pipecat pipeline, so that nothing a pipeline does can hold it up. From its first moment
on the caller's microphone is open: where nothing is said, silence is sent.

Sending never waits for the agent: what it does not take in time is dropped, and counted.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from sparring.records import Soundtrack
from sparring.scoring.voice.voiced import FRAME_MS, THRESHOLD_RMS, Samples
from sparring.speech.frame_clock import FRAME_S, FrameClock
from sparring.speech.pcm import from_bytes, silence, to_bytes
from sparring.speech.playout import HOLD_MS, Playout
from sparring.speech.recorder import RECORDING_RATE, Recorder
from sparring.speech.utterances import Utterance, Utterances

LINE_RATE = RECORDING_RATE
"""Hertz, of the agent's sound as it is handed on and recorded."""
_FRAMES_A_MESSAGE = 2
_MOST_UNSENT = 50
"""Messages, 2 s of sound: an agent that is so far behind does not listen."""


@dataclass(frozen=True)
class LineOptions:
    """How a line is set up."""

    caller_rate: int = 16000
    """Hertz, of what is sent to the agent."""
    speaks: bool = True
    """Whether the caller has a voice; else nothing is ever sent."""
    hears: bool = True
    """Whether the agent's sound is taken."""
    recording: Path | None = None
    """Where the recording goes, in a folder of the run directory; None keeps none."""
    threshold: float = THRESHOLD_RMS
    """The RMS that counts as voiced."""


class AudioLine:
    """Carries the sound of one call.

    Attributes:
        options: How it is set up.
        clock: The clock it runs on, in call seconds.
    """

    def __init__(
        self,
        clock: FrameClock,
        send: Callable[[bytes], Awaitable[None]],
        hear: Callable[[Samples], None] = lambda _: None,
        spoke: Callable[[Utterance], None] = lambda _: None,
        options: LineOptions | None = None,
    ):
        """Set up a line; sound flows while ``run`` does.

        Args:
            clock: The clock it runs on, set to call seconds.
            send: Sends a message of the caller's sound (16-bit PCM at the caller's rate).
            hear: Given the agent's sound, without a gap and at the pace of time, at ``LINE_RATE``.
            spoke: Told of an utterance that is over.
            options: How the line is set up.
        """
        self.options = options or LineOptions()
        self.clock = clock
        self._send, self._hear, self._spoke = send, hear, spoke
        self._utterances = Utterances(self.options.caller_rate)
        self._playout = Playout(LINE_RATE)
        self._recorder = Recorder(
            self.options.caller_rate, LINE_RATE, self.options.recording, self.options.threshold
        )
        self._caller_frame = self.options.caller_rate * FRAME_MS // 1000
        self._agent_frame = LINE_RATE * FRAME_MS // 1000
        self._captured = 0
        """How many frames have been captured."""
        self._message: list[bytes] = []
        self._outbox: deque[bytes] = deque()
        self._unsent = 0
        self._to_send = asyncio.Event()

    async def run(self) -> None:
        """Carry sound until cancelled."""
        sending = asyncio.create_task(self._send_all())
        try:
            async for number in self.clock.frames():
                self._tick(number)
                if sending.done():
                    sending.result()  # Raises what went wrong.
        finally:
            sending.cancel()

    def say(self, samples: Samples) -> Utterance:
        """Say a whole sound, at the caller's rate."""
        utterance = self.begin()
        utterance.add(samples)
        utterance.complete()
        return utterance

    def begin(self) -> Utterance:
        """Begin to say something whose sound is still to come."""
        under_way = self.clock.frame_at(self.clock.now())
        utterance = Utterance(max(under_way + 1, self._captured), self._spoke)
        self._utterances.add(utterance)
        return utterance

    def heard(self, pcm: bytes, sample_rate: int, at: float) -> None:
        """Take in a piece of the agent's sound that arrived at that time (call seconds)."""
        if self.options.hears and sample_rate > 0:
            self._playout.add(from_bytes(pcm), sample_rate, self._position(at))

    def interrupted(self, at: float) -> None:
        """The agent dropped what it was saying at that time (call seconds)."""
        self._playout.drop(self._position(at))

    def close(self) -> Soundtrack:
        """End the recording; ``run`` must be over."""
        ahead = self._captured * self._agent_frame - self._playout.head
        if ahead > 0:
            self._recorder.write(silence(0), self._playout.read(ahead))
        self._recorder.close()
        caller, agent = self._recorder.caller.meter, self._recorder.agent.meter
        path = self.options.recording
        return Soundtrack(
            at=self.clock.now(),
            path=None if path is None or self._recorder.fault else "/".join(path.parts[-2:]),
            began=self.clock.began,
            duration_ms=caller.duration_ms,
            threshold=self.options.threshold,
            caller=[*caller.voiced] if self.options.speaks else None,
            agent=[*agent.voiced] if self.options.hears else None,
            caller_floor=round(caller.noise_floor, 1),
            agent_floor=round(agent.noise_floor, 1),
            lateness=self.clock.lateness(self._unsent),
        )

    @property
    def fault(self) -> str | None:
        """Why the recording is not what was asked for."""
        return self._recorder.fault

    def _position(self, at: float) -> int:
        return round((at - self.clock.began) * LINE_RATE)

    def _tick(self, number: int) -> None:
        """Frame ``number`` is over: it and those skipped before it have been captured."""
        skipped = number - self._captured
        said = self._utterances.frame(
            number, self.clock.began + number * FRAME_S, self._caller_frame
        )
        self._captured = number + 1
        due = self._captured * self._agent_frame - LINE_RATE * HOLD_MS // 1000
        heard = self._playout.read(max(0, due - self._playout.head))
        if len(heard):
            self._hear(heard)
        if skipped:
            self._recorder.write(silence(skipped * self._caller_frame), silence(0))
        self._recorder.write(said, heard)
        if self.options.speaks:
            self._post(to_bytes(said))

    def _post(self, frame: bytes) -> None:
        self._message.append(frame)
        if len(self._message) < _FRAMES_A_MESSAGE:
            return
        self._outbox.append(b"".join(self._message))
        self._message.clear()
        while len(self._outbox) > _MOST_UNSENT:
            self._outbox.popleft()
            self._unsent += 1
        self._to_send.set()

    async def _send_all(self) -> None:
        while True:
            await self._to_send.wait()
            self._to_send.clear()
            while self._outbox:
                await self._send(self._outbox.popleft())
