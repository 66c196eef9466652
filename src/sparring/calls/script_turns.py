"""A script's place in the pipeline: looks at what has happened, and does what the script does next.

Whatever needs the judge is asked about as soon as it is due, in one request at a time; the call
does not wait for the answer.
"""

import asyncio

from pipecat.frames.frames import CancelFrame, EndFrame, Frame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from sparring.agents import SendDTMF, SendText, SetImage, ToAgent
from sparring.callers.script import (
    Act,
    Begin,
    Leave,
    Listen,
    Press,
    Say,
    ScriptCaller,
    Send,
    Show,
)
from sparring.calls.frames import AgentEventFrame, InputFrame
from sparring.calls.log import CallLog
from sparring.records import events as ev
from sparring.scoring.scripts.live_judge import LiveJudge
from sparring.scoring.scripts.questions import Question
from sparring.scoring.scripts.sightings import Sightings

_WORDS = (ev.LLMText, ev.TTSText, ev.BotOutput, ev.Metrics, ev.OtherMessage)
"""What changes nothing until what it belongs to is whole."""


class ScriptPlayer(FrameProcessor):
    """Plays a script."""

    def __init__(self, caller: ScriptCaller, log: CallLog, judge: LiveJudge | None):
        super().__init__()
        self._caller = caller
        self._log = log
        self._judge = judge
        self._sightings = Sightings()
        self._playing: asyncio.Task[None] | None = None
        log.listen(self._sightings.fold)

    async def begin(self) -> None:
        """Begin to play; the session is set up."""
        self._playing = self.create_task(self._play())

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Keep the agent's events, which the log has told of already; pass everything else on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, AgentEventFrame):
            return
        if isinstance(frame, EndFrame | CancelFrame) and self._playing is not None:
            playing, self._playing = self._playing, None
            await self.cancel_task(playing)
        await self.push_frame(frame, direction)

    async def _play(self) -> None:
        try:
            while await self._step():
                pass
        except Exception as error:  # Whatever it is, it is ours and not the agent's.
            fault = f"{type(error).__name__}: {error}"
            self._log.add(ev.CallerFailed(at=self._log.clock.now(), error=fault))

    async def _step(self) -> bool:
        """Do what is next; whether there is more to do."""
        now = self._log.clock.now()
        judge = self._judge if self._judge is not None and self._judge.failure is None else None
        verdicts = self._judge.verdicts if self._judge is not None else {}
        turns = self._caller.turns(self._sightings, now, verdicts, judge is not None)
        if judge is not None:
            judge.ask([question for turn in turns for question in turn.questions], self._judged)
        step = self._caller.next(turns, now, judge is not None)
        if turns and isinstance(step, Begin | Leave):
            for line in self._caller.told(turns[-1]):
                self._log.note(line)
        match step:
            case Begin(turn=turn, acts=acts):
                self._log.add(ev.TurnBegan(at=self._log.clock.now(), turn=turn + 1))
                if acts:
                    await self.push_frame(InputFrame(list(map(_message, acts))))
            case Send(acts=acts):
                await self.push_frame(InputFrame(list(map(_message, acts))))
                sent = len(self._sightings.sent)
                while len(self._sightings.sent) == sent:
                    await self._log.change()
            case Leave(success=success, reason=reason):
                at = self._log.clock.now()
                self._log.add(ev.EndCall(at=at, success=success, reason=reason))
                return False
            case Listen(until=until):
                await self._news(until)
        return True

    async def _news(self, until: float | None) -> None:
        """Wait until a time, or for something that may matter; a word of a reply does not."""
        while True:
            known = len(self._log.events)
            await self._log.change(until)
            came = self._log.events[known:]
            if not came or any(not isinstance(event, _WORDS) for event in came):
                return

    def _judged(self, question: Question | None, told: str) -> None:
        """The judge has said something: the script may go on."""
        if question is None:
            self._log.note(f"the judge is asked no more: {told}")
        else:
            about = ", ".join(question.subject)
            self._log.note(
                f"judge: turn {question.turn + 1}, {about}: {told} ({question.criterion})"
            )


def _message(act: Act) -> ToAgent:
    match act:
        case Say(text=text):
            return SendText(text)
        case Press(keys=keys):
            return SendDTMF(keys)
        case Show(name=name, data=data, format=format):
            return SetImage(name, data, format)
