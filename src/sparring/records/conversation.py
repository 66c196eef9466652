"""The conversation of a call, folded from its events: turns, responses, tool calls.

Rules of attribution:

- An agent turn is all that the agent said between two caller turns, however many responses and
  tool calls it took.
- An utterance belongs to the turn in which it *began*. Words that trickle in after the caller has
  spoken, of a response begun before, stay with the earlier turn, and that response is marked as
  interrupted. They never answer the later turn.
- What the agent begins after the caller spoke and before it interrupts itself for that, a greeting
  that crosses the caller's first words say, goes before the caller's turn.
- Words outside any response that the agent announced belong to the last one of its turn.
- In text the agent's words are its LLM's. A line that its TTS spoke without the LLM (a canned
  prompt) counts as well, unless it only repeats what the LLM wrote.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from sparring.records import events as ev
from sparring.records.kinds import Side


@dataclass
class ToolCall:
    """One tool call of the agent, as it reported it. Times are call seconds."""

    id: str
    name: str | None
    args: dict[str, Any] | None
    started_at: float
    stopped_at: float | None = None
    cancelled: bool = False
    result: Any = None

    @property
    def state(self) -> Literal["running", "completed", "cancelled"]:
        """Where the call stands; one that never stopped is still running."""
        if self.stopped_at is None:
            return "running"
        return "cancelled" if self.cancelled else "completed"


@dataclass
class Response:
    """One response of the agent: what its LLM wrote, or a line its TTS spoke by itself."""

    started_at: float
    spoken: bool = False
    """Spoken by the TTS without the LLM."""
    pieces: list[str] = field(default_factory=list[str])
    first_word_at: float | None = None
    ended_at: float | None = None
    interrupted: bool = False

    @property
    def has_words(self) -> bool:
        """Whether it says anything; without putting its text together."""
        return self.first_word_at is not None

    @property
    def text(self) -> str:
        """The response's words; empty for a response that only called a tool."""
        return (" " if self.spoken else "").join(self.pieces).strip()


@dataclass
class Turn:
    """All that one side said before the other side spoke."""

    side: Side
    started_at: float
    responses: list[Response] = field(default_factory=list[Response])
    tool_calls: list[ToolCall] = field(default_factory=list[ToolCall])
    said: str = ""
    """A caller's words, as sent."""
    hanging_up: bool = False
    """A caller's turn that carried ``end_call``."""
    number: int = 0
    """A caller's turn number, from 1; 0 for the agent's."""

    @property
    def text(self) -> str:
        """The turn's words."""
        if self.side is Side.CALLER:
            return self.said
        return " ".join(response.text for response in self.utterances)

    @property
    def has_words(self) -> bool:
        """Whether anything is said in it; without putting its text together."""
        return bool(self.said) or any(response.has_words for response in self.responses)

    @property
    def utterances(self) -> list[Response]:
        """The responses that hold words, without spoken lines that repeat what the LLM wrote."""
        written = ""
        if any(response.spoken for response in self.responses):
            written = _plain(" ".join(r.text for r in self.responses if not r.spoken))
        return [
            response
            for response in self.responses
            if response.text and not (response.spoken and _plain(response.text) in written)
        ]

    @property
    def answered_at(self) -> float | None:
        """When the agent's first word of this turn came; None if it has no words."""
        return min(
            (r.first_word_at for r in self.responses if r.first_word_at is not None),
            default=None,
        )

    @property
    def interrupted(self) -> bool:
        """Whether something said in this turn was cut off."""
        return any(r.interrupted for r in self.responses)


class Conversation:
    """Folds events, one at a time and in order, into turns and tool calls.

    The same fold serves a call that is going on and a record read back from disk.
    """

    def __init__(self, events: Iterable[ev.Event] = ()):
        self.turns: list[Turn] = []
        self.tool_calls: list[ToolCall] = []
        self.unsent: list[str] = []
        self.end_call: ev.EndCall | None = None
        self._heard = True
        """Whether the agent has shown that it heard the caller's last turn."""
        self._response: Response | None = None
        self._speech: Response | None = None
        for event in events:
            self.fold(event)

    def fold(self, event: ev.Event) -> None:
        """Take in the next event."""
        match event:
            case ev.LLMStarted(at=at):
                self._close_response(at)
                self._response = self._begin(Response(at))
            case ev.LLMText(at=at, text=text):
                self._add_words(at, text)
            case ev.LLMStopped(at=at):
                self._close_response(at)
            case ev.TTSText(at=at, text=text):
                if self._speech is None:
                    self._speech = self._begin(Response(at, spoken=True))
                self._append(self._speech, at, text)
            case ev.TTSStopped(at=at) | ev.BotStoppedSpeaking(at=at):
                self._close_speech(at)
            case ev.BotInterrupted(at=at):
                self._interrupt(at)
            case ev.FunctionCall(at=at, id=id, name=name, args=args):
                call = ToolCall(id, name, args, started_at=at)
                self.tool_calls.append(call)
                self._agent_turn(at).tool_calls.append(call)
            case ev.FunctionCallStopped():
                self._stop_call(event)
            case ev.CallerSaid(at=at, text=text, turn=number, hanging_up=hanging_up):
                self._heard = False
                self.turns.append(
                    Turn(Side.CALLER, at, said=text, number=number, hanging_up=hanging_up)
                )
            case ev.CallerPressed(at=at, keys=keys, turn=number):
                self._heard = True  # Keys need not interrupt the agent, so nothing follows of that.
                self.turns.append(Turn(Side.CALLER, at, said=f"(pressed {keys})", number=number))
            case ev.CallerUnsent(text=text):
                self.unsent.append(text)
            case ev.EndCall():
                self.end_call = event
            case _:
                pass

    @property
    def responding(self) -> bool:
        """Whether a response that the agent's LLM announced is under way."""
        return self._response is not None

    @property
    def speaking(self) -> bool:
        """Whether the agent's TTS is saying a line of its own."""
        return self._speech is not None

    @property
    def spoken_turns(self) -> list[Turn]:
        """The turns that hold words, in order."""
        return [turn for turn in self.turns if turn.has_words]

    @property
    def caller_turns(self) -> list[Turn]:
        """The caller's turns, in order."""
        return [turn for turn in self.turns if turn.side is Side.CALLER]

    @property
    def agent_turns(self) -> list[Turn]:
        """The agent's turns that hold words, in order."""
        return [turn for turn in self.turns if turn.side is Side.AGENT and turn.has_words]

    def messages(self) -> list[dict[str, str]]:
        """The conversation as ``{role: user|assistant, content}``; the caller is the user."""
        return [{"role": _role(turn.side), "content": turn.text} for turn in self.spoken_turns]

    def transcript(self) -> list[dict[str, Any]]:
        """The messages with the tool calls in place, each before the words of its turn."""
        entries: list[dict[str, Any]] = []
        for turn in self.turns:
            entries += [
                {
                    "role": "tool_call",
                    "name": call.name,
                    "arguments": call.args or {},
                    "cancelled": call.cancelled,
                }
                for call in turn.tool_calls
            ]
            if turn.text:
                entries.append({"role": _role(turn.side), "content": turn.text})
        return entries

    def _agent_turn(self, at: float) -> Turn:
        if not self.turns or self.turns[-1].side is Side.CALLER:
            self.turns.append(Turn(Side.AGENT, at))
        return self.turns[-1]

    def _begin(self, response: Response) -> Response:
        self._agent_turn(response.started_at).responses.append(response)
        return response

    def _add_words(self, at: float, text: str) -> None:
        if self._response is not None:
            self._append(self._response, at, text)
            return
        last = self._last_response()
        # A straggler of a response that was cut off stays with it; other words that no response
        # was announced for go with what the agent is saying in this turn, and end as they come.
        if last is None or not (last.interrupted or self._is_of_this_turn(last)):
            last = self._begin(Response(at))
        self._append(last, at, text)
        if not last.interrupted:
            last.ended_at = at

    def _is_of_this_turn(self, response: Response) -> bool:
        return any(response is one for one in self.turns[-1].responses)

    @staticmethod
    def _append(response: Response, at: float, text: str) -> None:
        response.pieces.append(text)
        if response.first_word_at is None and text.strip():
            response.first_word_at = at

    def _last_response(self) -> Response | None:
        for turn in reversed(self.turns):
            for response in reversed(turn.responses):
                if not response.spoken:
                    return response
        return None

    def _close_response(self, at: float) -> None:
        if self._response is not None:
            self._response.ended_at = at
            self._response = None

    def _close_speech(self, at: float) -> None:
        if self._speech is not None:
            self._speech.ended_at = at
            self._speech = None

    def _interrupt(self, at: float) -> None:
        for response in (self._response, self._speech):
            if response is not None:
                response.interrupted = True
        self._close_response(at)
        self._close_speech(at)
        self._take_back_strays()

    def _take_back_strays(self) -> None:
        """What the agent began after the caller spoke and before it heard that is no answer to it.

        That it heard shows by its interruption, which every caller turn brings about: so a greeting
        that crosses the caller's first words goes before them.
        """
        heard, self._heard = self._heard, True
        if heard or len(self.turns) < 2 or self.turns[-1].side is Side.CALLER:
            return
        *earlier, caller, stray = self.turns
        if not earlier or earlier[-1].side is Side.CALLER:
            earlier.append(Turn(Side.AGENT, stray.started_at))
        before = earlier[-1]
        before.responses += stray.responses
        before.tool_calls += stray.tool_calls
        self.turns = [*earlier, caller]

    def _stop_call(self, event: ev.FunctionCallStopped) -> None:
        for call in reversed(self.tool_calls):
            if call.id == event.id and call.stopped_at is None:
                break
        else:  # Some agents report only the end of a call; a second end changes nothing.
            if any(call.id == event.id for call in self.tool_calls):
                return
            call = ToolCall(event.id, event.name, None, started_at=event.at)
            self.tool_calls.append(call)
            self._agent_turn(event.at).tool_calls.append(call)
        if call.stopped_at is None:
            call.name = call.name or event.name
            call.stopped_at, call.cancelled, call.result = event.at, event.cancelled, event.result


def _role(side: Side) -> str:
    return "user" if side is Side.CALLER else "assistant"


def _plain(text: str) -> str:
    """Letters and digits only, in one case: for telling whether two texts say the same."""
    return re.sub(r"[\W_]+", "", text).casefold()
