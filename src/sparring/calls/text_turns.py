"""Turn taking in text: the ear that cues the caller, the caller's place, the mouth that speaks.

The ear watches the agent's turn and cues the caller as soon as the agent's response ends. The
mouth holds the finished reply back until the agent's turn is over (``Floor``). If the agent goes on
before that, the ear interrupts the pipeline below it, which drops the thought or the held reply,
and the caller is asked again about all that was said.
"""

import asyncio

from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from sparring.callers import (
    Broke,
    Caller,
    Delayed,
    HangUp,
    Mended,
    Spent,
    Thought,
    Wait,
    Words,
    Writing,
)
from sparring.calls.floor import Floor
from sparring.calls.frames import AgentEventFrame, CallerMoveFrame, CueFrame, ReplyFrame
from sparring.calls.log import CallLog
from sparring.errors import CallerError
from sparring.records import AgentEvent
from sparring.records import events as ev


class Ear(FrameProcessor):
    """Takes in the agent's events and cues the caller."""

    def __init__(self, floor: Floor, log: CallLog):
        super().__init__()
        self._floor = floor
        self._log = log
        self._later: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Keep the agent's events; pass everything else on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, AgentEventFrame):
            await self._hear(frame.event)
            return
        if isinstance(frame, EndFrame | CancelFrame):
            await self._forget_later()
        await self.push_frame(frame, direction)

    async def _hear(self, event: AgentEvent) -> None:
        if self._floor.takes_back(event):
            self._log.note("the agent goes on: the caller thinks again")
            await self.push_frame(InterruptionFrame())
        await self.cue_when_due()

    async def cue_when_due(self) -> None:
        """Cue the caller if it is its move, or look again when it will be."""
        now = self._log.clock.now()
        if self._floor.wants_caller(now):
            turns = self._log.conversation.spoken_turns
            await self.push_frame(CueFrame(self._floor.give_cue(now), turns))
        elif self._later is None and self._floor.keeps_waiting(now):
            self._later = self.create_task(self._cue_later(self._floor.free_at - now))

    async def _cue_later(self, delay: float) -> None:
        await asyncio.sleep(delay)
        self._later = None
        if self._floor.wants_caller(self._log.clock.now()):
            self._log.note("the agent has been busy for long: the caller goes on without it")
        await self.cue_when_due()  # Or later still, if the agent has moved meanwhile.

    async def _forget_later(self) -> None:
        later, self._later = self._later, None
        if later is not None and not later.done():
            await self.cancel_task(later)


class CallerProcessor(FrameProcessor):
    """The caller's place in the pipeline: a cue comes in, its reply goes out."""

    def __init__(self, caller: Caller, log: CallLog, opening: str | None = None):
        """Seat a caller.

        Args:
            caller: Who answers.
            log: The call's log.
            opening: The caller's exact first line, whoever it is; None leaves it to the caller.
        """
        super().__init__()
        self._caller = caller
        self._log = log
        self._opening = opening

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer cues; pass everything else on."""
        await super().process_frame(frame, direction)
        if not isinstance(frame, CueFrame):
            await self.push_frame(frame, direction)
            return
        await self.push_frame(frame)
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            await self._answer(frame)
        except CallerError as error:
            self._fail(str(error))
        except Exception as error:  # Whatever it is, it is ours and not the agent's.
            self._fail(f"{type(error).__name__}: {error}")
        else:
            await self.push_frame(LLMFullResponseEndFrame())

    async def _answer(self, cue: CueFrame) -> None:
        if self._opening is not None and not self._log.conversation.caller_turns:
            await self.push_frame(LLMTextFrame(self._opening))
            return
        now = self._log.clock.now
        async for move in self._caller.answer(cue.turns):
            match move:
                case Words(text=text):
                    await self.push_frame(LLMTextFrame(text))
                case HangUp() | Wait():
                    await self.push_frame(CallerMoveFrame(move))
                case Thought(text=text):
                    self._log.note(f"caller: {text}")
                case Delayed(why=why):
                    self._log.add(ev.CallerDelayed(at=now(), why=why))
                case Writing():
                    self._log.touch()
                case Spent(prompt_tokens=prompt, completion_tokens=completion):
                    self._log.add(
                        ev.CallerSpent(at=now(), prompt_tokens=prompt, completion_tokens=completion)
                    )
                case Mended(fault=fault):
                    self._log.add(ev.CallerFault(at=now(), fault=fault, mended=True))
                case Broke(fault=fault, text=text):
                    self._log.add(ev.CallerFault(at=now(), fault=fault, mended=False, text=text))

    def _fail(self, error: str) -> None:
        self._log.add(ev.CallerFailed(at=self._log.clock.now(), error=error))


class Mouth(FrameProcessor):
    """Collects the caller's reply and lets it go once the agent's turn is over."""

    def __init__(self, floor: Floor, log: CallLog, max_turns: int):
        super().__init__()
        self._floor = floor
        self._log = log
        self._max_turns = max_turns
        self._cue = 0
        self._words: list[str] = []
        self._move: HangUp | Wait | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Collect a reply's parts; pass everything else on."""
        await super().process_frame(frame, direction)
        match frame:
            case CueFrame(number=number):
                self._cue = number
            case LLMFullResponseStartFrame():
                self._words, self._move = [], None
            case LLMTextFrame(text=text):
                self._words.append(text)
            case CallerMoveFrame(move=move):
                self._move = move
            case LLMFullResponseEndFrame():
                await self._reply("".join(self._words).strip(), self._move)
            case _:
                await self.push_frame(frame, direction)

    async def _reply(self, text: str, move: HangUp | Wait | None) -> None:
        now = self._log.clock.now
        while (quiet := self._floor.over_at - now()) > 0:
            if self._floor.cue != self._cue:
                return
            await asyncio.sleep(quiet)
        if self._floor.cue != self._cue:
            return
        used_up = len(self._log.conversation.caller_turns) >= self._max_turns
        match move:
            case HangUp():
                await self.push_frame(ReplyFrame(self._cue, text, move, unsent=used_up))
            case _ if text:
                await self.push_frame(ReplyFrame(self._cue, text, unsent=used_up))
            case Wait(reason=reason):
                self._log.add(ev.CallerWaited(at=now(), reason=reason))
            case _:
                self._log.add(ev.CallerFailed(at=now(), error="the caller's reply was empty"))
