"""The one transport: the two ends of the pipeline over any ``AgentConnection``."""

import asyncio

from pipecat.frames.frames import CancelFrame, EndFrame, Frame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from sparring.agents import AgentConnection, SendDTMF, SendText, SetImage, ToAgent
from sparring.calls.floor import Floor
from sparring.calls.frames import AgentEventFrame, InputFrame, ReplyFrame
from sparring.calls.log import CallLog
from sparring.records import events as ev


class ConnectionInput(FrameProcessor):
    """Logs what the agent says as it arrives, and sends it down the pipeline."""

    def __init__(self, connection: AgentConnection, log: CallLog):
        super().__init__()
        self._connection = connection
        self._log = log
        self._listening: asyncio.Task[None] | None = None

    def listen(self) -> None:
        """Begin to take events; the connection is open and the pipeline has started."""
        self._listening = self.create_task(self._listen())

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass everything on; stop listening with the pipeline."""
        await super().process_frame(frame, direction)
        if isinstance(frame, EndFrame | CancelFrame) and self._listening is not None:
            listening, self._listening = self._listening, None
            await self.cancel_task(listening)
        await self.push_frame(frame, direction)

    async def _listen(self) -> None:
        try:
            async for event in self._connection.events():
                self._log.add(event)
                await self.push_frame(AgentEventFrame(event))
        except Exception as error:  # Ours: a connection tells of the agent's faults by events.
            fault = f"the connection failed: {type(error).__name__}: {error}"
            self._log.add(ev.CallerFailed(at=self._log.clock.now(), error=fault))


class ConnectionOutput(FrameProcessor):
    """Sends the caller's replies and turns to the agent, and logs them as they leave."""

    def __init__(self, connection: AgentConnection, floor: Floor, log: CallLog):
        super().__init__()
        self._connection = connection
        self._floor = floor
        self._log = log

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Send replies and turns; pass everything else on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, ReplyFrame):
            if frame.cue == self._floor.cue:
                await self._say(frame)
        elif isinstance(frame, InputFrame):
            for message in frame.messages:
                self._log_input(message)
                await self._connection.send(message)
        else:
            await self.push_frame(frame, direction)

    def _log_input(self, message: ToAgent) -> None:
        now, turn = self._log.clock.now(), len(self._log.conversation.caller_turns) + 1
        match message:
            case SendText(text=text):
                self._log.add(ev.CallerSaid(at=now, turn=turn, text=text))
            case SendDTMF(keys=keys):
                self._log.add(ev.CallerPressed(at=now, turn=turn, keys=keys))
            case SetImage(name=name, data=data):
                self._log.add(ev.CallerShowed(at=now, image=name, size=len(data)))
            case _:
                pass

    async def _say(self, reply: ReplyFrame) -> None:
        now, hang_up = self._log.clock.now, reply.hang_up
        if reply.text and not reply.unsent:
            turn = len(self._log.conversation.caller_turns) + 1
            hanging_up = hang_up is not None
            self._log.add(
                ev.CallerSaid(at=now(), turn=turn, text=reply.text, hanging_up=hanging_up)
            )
            await self._connection.send(SendText(reply.text))
        if hang_up is not None:
            self._log.add(ev.EndCall(at=now(), success=hang_up.success, reason=hang_up.reason))
        if reply.text and reply.unsent:
            self._log.add(ev.CallerUnsent(at=now(), text=reply.text))
