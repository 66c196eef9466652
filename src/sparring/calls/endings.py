"""How a call ends: one rule book, read by the time at which things happened."""

from dataclasses import dataclass

from sparring.calls.floor import Floor
from sparring.calls.log import CallLog
from sparring.records import Conversation, Ending, Event, Kind, Side
from sparring.records import events as ev

CLOSING_S = 15.0
"""How long the agent may take to answer the words that came with the caller's hang-up."""
_TOO_BIG = 1009
_NO_PROTOCOL = (1002, 1007)
_ACTIVITY = (
    ev.Ready,
    *(ev.LLMStarted, ev.LLMText, ev.LLMStopped, ev.LLMMarker),
    *(ev.TTSStarted, ev.TTSText, ev.TTSStopped),
    *(ev.BotStartedSpeaking, ev.BotStoppedSpeaking, ev.BotImage),
    *(ev.FunctionCallAnnounced, ev.FunctionCall, ev.FunctionCallStopped),
    *(ev.CallerSaid, ev.CallerWaited, ev.CallerDelayed, ev.EndCall),
)
"""What ends a lull: either side says or does something. Reports, heartbeats and errors do not."""


@dataclass(frozen=True)
class Limits:
    """What bounds a call, in seconds."""

    ready_s: float
    """For the agent to become ready."""
    duration_s: float
    """From there on, for the whole call."""
    silence_s: float
    """For a lull in which neither side does anything; a token from either ends it."""


class Endings:
    """Follows a call's events and tells when it is over, and how."""

    def __init__(self, conversation: Conversation, floor: Floor, limits: Limits):
        self._conversation = conversation
        self._floor = floor
        self._limits = limits
        self._ready_at: float | None = None
        self._last_activity_at = 0.0
        self._last_error = ""
        self._final: ev.Ended | None = None

    async def wait(self, log: CallLog) -> ev.Ended:
        """Wait until the call is over."""
        while True:
            now = log.clock.now()
            self._last_activity_at = max(self._last_activity_at, log.touched_at)
            ended = self.ended(now)
            if ended is not None:
                return ended
            await log.change(until=self.next_deadline(now))

    def fold(self, event: Event) -> None:
        """Take in the next event. What ends a call first has ended it."""
        if isinstance(event, _ACTIVITY):
            self._last_activity_at = event.at
        if self._final is not None:
            return
        match event:
            case ev.Ready(at=at):
                self._ready_at = at if self._ready_at is None else self._ready_at
            case ev.AgentError(fatal=False, error=error):
                self._last_error = error
            case ev.AgentError(error=error):
                self._fault(event, Kind.AGENT_ERROR, f"the agent stopped with an error: {error}")
            case ev.Unreadable(problem=problem, excerpt=excerpt):
                self._fault(
                    event,
                    Kind.PROTOCOL_ERROR,
                    f"the agent sent something that is no RTVI message: {problem}: {excerpt!r}",
                )
            case ev.CallerFailed(error=error):
                self._fault(event, Kind.CALLER_ERROR, f"our caller could not go on: {error}")
            case ev.CallerFault(mended=False, fault=fault, text=text):
                self._fault(
                    event,
                    Kind.CALLER_CONDUCT,
                    f"our caller broke its brief: {fault}" + (f" ({text!r})" if text else ""),
                )
            case ev.CallerUnsent():
                if self._conversation.end_call is None:
                    turns = len(self._conversation.caller_turns)
                    self._final = ev.Ended(
                        at=event.at,
                        ending=Ending.MAX_TURNS,
                        kind=Kind.MAX_TURNS,
                        reason=f"the caller used up its {turns} turn(s) and was not done",
                    )
            case ev.Closed():
                self._final = self._closed(event)
            case _:
                pass

    def ended(self, now: float) -> ev.Ended | None:
        """How the call ended, if by now it has."""
        if self._final is not None:
            return self._final
        if self._ready_at is None:
            return self._not_ready(now) if now >= self._limits.ready_s else None
        end_call = self._conversation.end_call
        if end_call is not None:
            over = now >= self._closing_at(end_call)
            return ev.Ended(at=now, ending=Ending.END_CALL) if over else None
        if now >= self._silence_at:
            reason = f"nothing happened for {self._limits.silence_s:.12g} s"
            return self._out_of_time(now, Ending.SILENCE, Kind.SILENCE, reason)
        if now >= self._duration_at:
            reason = f"the call was not over after {self._limits.duration_s:.12g} s"
            return self._out_of_time(now, Ending.MAX_DURATION, Kind.MAX_DURATION, reason)
        return None

    def next_deadline(self, now: float) -> float:
        """When to ask again, if nothing happens until then."""
        if self._ready_at is None:
            return self._limits.ready_s
        end_call = self._conversation.end_call
        if end_call is not None:
            return self._closing_at(end_call)
        return min(self._silence_at, self._duration_at)

    @property
    def _silence_at(self) -> float:
        return self._last_activity_at + self._limits.silence_s

    @property
    def _duration_at(self) -> float:
        return (self._ready_at or 0.0) + self._limits.duration_s

    def _closing_at(self, end_call: ev.EndCall) -> float:
        last = self._conversation.caller_turns[-1:]
        if not (last and last[0].hanging_up):
            return end_call.at  # No words went with it, so nothing is left to answer.
        patience = end_call.at + CLOSING_S
        return min(self._floor.over_at, patience) if self._floor.unanswered else patience

    def _closed(self, event: ev.Closed) -> ev.Ended:
        how = f"code {event.code}" + (f", {event.reason!r}" if event.reason else "")
        if event.code == 1006:
            how = "without a close frame (1006)"
        if self._ready_at is None and event.process is not None:
            return self._fault(
                event,
                Kind.AGENT_EXITED,
                f"before it was ready, the agent {event.process}{self._reported}",
            )
        if self._ready_at is None:
            return self._fault(
                event,
                Kind.CLOSED_BEFORE_READY,
                f"the agent closed the connection before it was ready ({how}){self._reported}",
            )
        if self._conversation.end_call is not None:
            return ev.Ended(at=event.at, ending=Ending.END_CALL)
        if event.clean:
            return ev.Ended(at=event.at, ending=Ending.BOT)
        if event.code in _NO_PROTOCOL:
            return self._fault(
                event, Kind.PROTOCOL_ERROR, f"the agent sent what is no WebSocket text ({how})"
            )
        if event.code == _TOO_BIG:
            return self._fault(
                event, Kind.PROTOCOL_ERROR, f"the agent sent too large a message ({event.reason})"
            )
        if event.process is not None:
            return self._fault(
                event,
                Kind.AGENT_CRASHED,
                f"during the call the agent {event.process}{self._reported}",
            )
        return self._fault(
            event,
            Kind.AGENT_CRASHED,
            f"the agent's connection broke during the call ({how}){self._reported}",
        )

    def _fault(self, event: Event, kind: Kind, reason: str) -> ev.Ended:
        self._final = ev.Ended(at=event.at, ending=Ending.ERROR, kind=kind, reason=reason)
        return self._final

    def _not_ready(self, now: float) -> ev.Ended:
        return ev.Ended(
            at=now,
            ending=Ending.ERROR,
            kind=Kind.HANDSHAKE_TIMEOUT,
            reason=f"the agent was not ready within {self._limits.ready_s:.12g} s: "
            f"does its pipeline have RTVI?{self._reported}",
        )

    def _out_of_time(self, now: float, ending: Ending, kind: Kind, reason: str) -> ev.Ended:
        owed_by = self._floor.owed_by(now)
        if owed_by is Side.CALLER:
            return ev.Ended(
                at=now,
                ending=ending,
                kind=Kind.CALLER_STALLED,
                reason=f"{reason}, and it was our caller's move",
                owed_by=owed_by,
            )
        running = [
            call.name or "a tool"
            for call in self._conversation.tool_calls
            if call.state == "running"
        ]
        tools = f", {', '.join(running)} still running" if running else ""
        return ev.Ended(
            at=now,
            ending=ending,
            kind=kind,
            reason=f"{reason}, and it was the agent's move{tools}{self._reported}",
            owed_by=owed_by,
        )

    @property
    def _reported(self) -> str:
        """What the agent said of its own trouble."""
        return f"; the agent had reported: {self._last_error}" if self._last_error else ""
