"""Whose move it is in a text call, as a function of what has happened and the time.

The agent's turn is over once it has said something and then neither writes, speaks nor runs a tool
for ``QUIET_S``. The caller starts to think as soon as the agent's response ends, and speaks when
the turn is over; whatever the agent adds meanwhile belongs to the same turn. A tool call, or a
response without a token, holds the caller back for ``HOLD_S`` at most, so that one which never ends
cannot mute it.
"""

from sparring.records import Conversation, Event, Side, ToolCall
from sparring.records import events as ev
from sparring.records.pauses import HOLD_S, QUIET_S

SPEECH_HOLD_S = 30.0
"""How long a spoken line that never ends holds the caller back."""

_AGENT_MOVES = (
    ev.LLMStarted,
    ev.LLMText,
    ev.LLMStopped,
    ev.TTSText,
    ev.TTSStopped,
    ev.BotStoppedSpeaking,
    ev.FunctionCallAnnounced,
    ev.FunctionCall,
    ev.FunctionCallStopped,
)
_CALLER_MOVES = (ev.CallerSaid, ev.CallerWaited, ev.CallerUnsent, ev.EndCall)
_BEGINNINGS = (
    ev.LLMStarted,
    ev.LLMText,
    ev.TTSText,
    ev.FunctionCallAnnounced,
    ev.FunctionCall,
)


class Floor:
    """Follows a call's events and tells who has the floor."""

    def __init__(self, conversation: Conversation, first_speaker: Side):
        """Follow a conversation.

        Args:
            conversation: The conversation, kept by the log; it takes in each event before us.
            first_speaker: Who owes the first words.
        """
        self._conversation = conversation
        self._first_speaker = first_speaker
        self._announced: list[float] = []
        self._last_move_at = 0.0
        self._waited = False
        self.begun = False
        """Whether the session is set up, so that the caller may speak."""
        self.cue: int | None = None
        """The number of the cue that the caller has been given and not acted upon."""
        self._cues = 0
        self._cued_at = 0.0

    def fold(self, event: Event) -> None:
        """Take in the next event."""
        if isinstance(event, _CALLER_MOVES):
            self.cue = None
            self._waited = isinstance(event, ev.CallerWaited)
        elif isinstance(event, _AGENT_MOVES):
            self._last_move_at = event.at
            if isinstance(event, ev.LLMText | ev.TTSText):
                self._waited = False
            elif isinstance(event, ev.FunctionCallAnnounced):
                self._announced.append(event.at)
            elif isinstance(event, ev.FunctionCall | ev.FunctionCallStopped):
                self._announced = self._announced[1:]

    def give_cue(self, now: float) -> int:
        """Ask the caller for its move; the number tells this cue from those taken back."""
        self._cues += 1
        self.cue, self._cued_at = self._cues, now
        return self._cues

    def takes_back(self, event: Event) -> bool:
        """Whether with this event the agent goes on with a turn that the caller was cued on.

        The cue is taken back then; a reply to it must not go out. So it is if what the caller was
        cued on turns out to have crossed its own last words.
        """
        if self.cue is None or event.at <= self._cued_at:
            return False
        crossed = isinstance(event, ev.BotInterrupted) and not self.unanswered
        if not (crossed or isinstance(event, _BEGINNINGS)):
            return False
        self.cue = None
        return True

    @property
    def unanswered(self) -> bool:
        """Whether the agent has said something that the caller has not reacted to."""
        turns = self._conversation.turns
        return bool(turns) and turns[-1].side is Side.AGENT and turns[-1].has_words

    @property
    def free_at(self) -> float:
        """When the agent stops being busy if nothing more happens."""
        holds = [call.started_at + HOLD_S for call in self._open_calls()]
        if self._conversation.responding:
            holds.append(self._last_move_at + HOLD_S)
        holds += [at + HOLD_S for at in self._announced]
        if self._conversation.speaking:
            holds.append(self._last_move_at + SPEECH_HOLD_S)
        return max(holds, default=0.0)

    @property
    def over_at(self) -> float:
        """When the agent's turn is over, if nothing more happens."""
        return max(self._last_move_at + QUIET_S, self.free_at)

    def owed_by(self, now: float) -> Side:
        """Who owes the next move."""
        if not self._conversation.turns:
            return self._first_speaker
        if self.unanswered and not self._waited and now >= self.over_at:
            return Side.CALLER
        return Side.AGENT

    def wants_caller(self, now: float) -> bool:
        """Whether the caller should be asked for its move."""
        if self.cue is not None or not self.begun or self._conversation.end_call is not None:
            return False
        if not self._conversation.turns:
            return self._first_speaker is Side.CALLER
        return self.unanswered and not self._waited and now >= self.free_at

    def keeps_waiting(self, now: float) -> bool:
        """Whether the caller would be asked, were the agent not busy still."""
        return self.cue is None and self.unanswered and not self._waited and now < self.free_at

    def _open_calls(self) -> list[ToolCall]:
        return [call for call in self._conversation.tool_calls if call.stopped_at is None]
