"""What a call holds that a script can wait for, and how busy the agent was when.

``Sightings`` folds a call's events, live or from a record, into the events that scripts name. A
reply is whatever the agent said in one go (a response of its LLM, or a line its TTS spoke by
itself); one that only called a tool says nothing, and one that was interrupted is none.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparring.records import Conversation, Event, Response, Side, ToolCall
from sparring.records import events as ev
from sparring.records.pauses import HOLD_S, QUIET_S

_PLAIN = (
    *("bot_started_speaking", "bot_stopped_speaking", "bot_interrupted", "image"),
    *("user_started_speaking", "user_stopped_speaking"),
    *("vad_user_started_speaking", "vad_user_stopped_speaking"),
)
"""Events that go by the same name in records."""


@dataclass(frozen=True)
class Sighting:
    """Something that a script can wait for."""

    source: Event | Response | ToolCall
    """What it is made of; the same object every time, so that it can be claimed."""
    began: float
    """Which turn it belongs to is decided by this."""
    at: float
    """When it was whole; infinite while it is not."""
    text: str = ""


class Sightings:
    """Folds events, one at a time and in order."""

    def __init__(self, events: Iterable[Event] = ()):
        self.events: list[Event] = []
        self.conversation = Conversation()
        self.shown: dict[float, str] = {}
        """The conversation up to some moments, as judges were shown it."""
        self._seen: dict[str, list[Sighting]] = {}
        self.began: list[float] = []
        """When each turn of the script began."""
        self.sent: dict[int, float] = {}
        """When the input of each turn went out, by the turn's place from 0."""
        self.hung_up: ev.EndCall | None = None
        self.ended: ev.Ended | None = None
        self._announced: list[tuple[float, float]] = []
        self._worded_at = 0.0
        for event in events:
            self.fold(event)

    def fold(self, event: Event) -> None:
        """Take in the next event."""
        self.events.append(event)
        self.conversation.fold(event)
        match event:
            case ev.UserInput(final=True, input_type="transcription"):
                self._saw("user_transcription", event, event.text)
            case ev.UserInput(input_type="backchannel"):
                self._saw("user_backchannel", event, event.text)
            case ev.BotOutput(output_type="backchannel", spoken_status="completed"):
                self._saw("bot_backchannel", event, event.text)
            case ev.FunctionCallAnnounced(at=at):
                self._announced.append((at, at + HOLD_S))
            case ev.FunctionCall(at=at) if self._announced and self._announced[-1][1] > at:
                self._announced[-1] = (self._announced[-1][0], at)
            case ev.LLMStarted(at=at) | ev.LLMText(at=at) | ev.TTSText(at=at):
                self._worded_at = at
                if isinstance(event, ev.LLMStarted):
                    self._saw("llm_started", event)
            case ev.LLMMarker():
                self._saw("llm_marker", event, event.text)
            case ev.TurnBegan(at=at):
                self.began.append(at)
            case ev.CallerSaid(at=at) | ev.CallerPressed(at=at):
                self.sent[len(self.began) - 1] = at
            case ev.EndCall():
                self.hung_up = event
            case ev.Ended():
                self.ended = event
            case ev.Closed(clean=True):
                self._saw("bot_ended", event)
            case _ if event.type in _PLAIN:
                self._saw(event.type, event)
            case _:
                pass

    def of(self, name: str) -> list[Sighting]:
        """All sightings of an event so far, in order."""
        match name:
            case "response":
                return list(self._replies(spoken=None))
            case "llm_response":
                return list(self._replies(spoken=False))
            case "tts_response":
                return list(self._replies(spoken=True))
            case "function_call":
                calls = self.conversation.tool_calls
                return [Sighting(call, call.started_at, call.started_at) for call in calls]
            case "function_call_stopped":
                return sorted(
                    (
                        Sighting(call, call.stopped_at, call.stopped_at)
                        for call in self.conversation.tool_calls
                        if call.stopped_at is not None
                    ),
                    key=lambda stopped: stopped.at,
                )
            case _:
                return self._seen.get(name, [])

    def over_after(self, at: float, since: float, quiet: float = QUIET_S) -> float:
        """When the agent has been quiet, after something it did; infinite while it is at work.

        Args:
            at: When that was.
            since: Only what it began from then on counts.
            quiet: For how long, in seconds.
        """
        busy = sorted(span for span in self._spans() if span[0] >= since)
        end = at
        for began, ended in busy:
            if began <= end + quiet:
                end = max(end, ended)
        return end + quiet

    def quiet_at(self, since: float, hold: float) -> float:
        """When the agent will have been quiet if it does nothing more.

        Args:
            since: Only what it began from then on counts.
            hold: Seconds after which something that does not end counts as over.
        """
        ends = [end for began, end in self._spans(hold) if began >= since]
        return max(ends, default=-math.inf) + QUIET_S

    def _saw(self, name: str, event: Event, text: str = "") -> None:
        self._seen.setdefault(name, []).append(Sighting(event, event.at, event.at, text))

    def _replies(self, spoken: bool | None) -> Iterator[Sighting]:
        for turn in self.conversation.turns:
            if turn.side is Side.CALLER:
                continue
            said = turn.utterances if spoken is not False else turn.responses
            for response in said:
                wanted = response.has_words and spoken in (None, response.spoken)
                if wanted and not response.interrupted:
                    ended = math.inf if response.ended_at is None else response.ended_at
                    yield Sighting(response, response.started_at, ended, response.text)

    def _spans(self, hold: float = math.inf) -> Iterator[tuple[float, float]]:
        """From when to when the agent was at work: writing, speaking, or running a tool."""
        yield from self._announced
        words: list[float] = []
        for turn in self.conversation.turns:
            for response in turn.responses:
                ended = response.ended_at
                yield response.started_at, self._worded_at + hold if ended is None else ended
                if response.has_words:
                    words.append(response.started_at)
        for call in self.conversation.tool_calls:
            ended = math.inf if call.stopped_at is None else call.stopped_at
            # An agent that speaks while a call runs does not wait for it, and nor does the caller.
            spoke = min((at for at in words if at > call.started_at), default=math.inf)
            yield call.started_at, min(ended, spoke, call.started_at + hold)
