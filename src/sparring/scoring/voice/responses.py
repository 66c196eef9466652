"""Was the caller answered, and how soon: every turn of the caller's is one opportunity.

RUN metrics contract 2.0. An opportunity is

- *excluded* if nothing is expected (a backchannel, a goodbye), or if the agent was speaking when
  the turn ended, so that no first sound after it can be told;
- *answered* if the agent's next segment begins by the deadline, and no later than the caller's next
  eligible turn;
- *missed* if instead the deadline passes, or the next eligible turn begins before it; a segment
  that comes after the deadline and still before that turn is *late*, and kept beside it;
- *censored* if observation ended before the deadline: nobody can say.

That somebody answered in time says nothing of what was answered.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sparring.scoring.voice.intervals import Track
from sparring.scoring.voice.speech import Speech, SpokenTurn

DEFAULT_DEADLINE_MS = 5000.0
"""How long an agent may take to begin an answer, if the scenario does not say."""


@dataclass(frozen=True)
class Opportunity:
    """A turn of the caller's, and what came of it."""

    turn: SpokenTurn
    status: Literal["answered", "missed", "censored", "excluded"]
    reason: str
    latency_ms: float | None = None
    """From the turn's last voiced instant to the agent's first; of answered and late ones."""

    @property
    def late(self) -> bool:
        """Whether an answer came, and too late."""
        return self.status == "missed" and self.latency_ms is not None


@dataclass(frozen=True)
class Responses:
    """All opportunities of a call."""

    opportunities: Sequence[Opportunity]

    @property
    def answered(self) -> list[Opportunity]:
        """Those that were answered in time."""
        return [one for one in self.opportunities if one.status == "answered"]

    @property
    def missed(self) -> list[Opportunity]:
        """Those that were not, late ones included."""
        return [one for one in self.opportunities if one.status == "missed"]

    @property
    def scored(self) -> int:
        """How many say something: the denominator of rates."""
        return len(self.answered) + len(self.missed)

    @property
    def rate(self) -> float | None:
        """The share that was answered; None if none says anything."""
        return round(len(self.answered) / self.scored, 4) if self.scored else None

    @property
    def latencies(self) -> list[float]:
        """Milliseconds, of those that were answered in time."""
        return [one.latency_ms for one in self.answered if one.latency_ms is not None]

    def counts(self) -> dict[str, int | dict[str, int]]:
        """How many there were of each sort, and why they were excluded."""
        sorts = Counter(one.status for one in self.opportunities)
        why = Counter(one.reason for one in self.opportunities if one.status == "excluded")
        return {
            "caller_turns": len(self.opportunities),
            **{sort: sorts[sort] for sort in ("answered", "missed", "censored", "excluded")},
            "late": sum(one.late for one in self.opportunities),
            "exclusion_reasons": dict(why),
        }


def responses(speech: Speech, deadline_ms: float = DEFAULT_DEADLINE_MS) -> Responses:
    """What came of the caller's turns.

    Args:
        speech: The call.
        deadline_ms: By when an answer must have begun; one exactly then is in time.
    """
    reasons = [_exclusion(turn, speech.segments) for turn in speech.turns]
    eligible = [turn for turn, why in zip(speech.turns, reasons, strict=True) if why is None]
    return Responses(
        [
            Opportunity(turn, "excluded", why)
            if why is not None
            else _opportunity(turn, _next(turn, eligible), speech, deadline_ms)
            for turn, why in zip(speech.turns, reasons, strict=True)
        ]
    )


def _exclusion(turn: SpokenTurn, segments: Track) -> str | None:
    if turn.action == "backchannel":
        return "backchannel"
    if turn.action == "close":
        return "caller_closing"
    if any(segment.start < turn.end <= segment.end for segment in segments):
        return "agent_active_at_request_end"
    return None


def _next(turn: SpokenTurn, eligible: Sequence[SpokenTurn]) -> SpokenTurn | None:
    later = (one for one in eligible if one.number > turn.number and one.start >= turn.end)
    return next(later, None)


def _opportunity(
    turn: SpokenTurn, following: SpokenTurn | None, speech: Speech, deadline_ms: float
) -> Opportunity:
    deadline = turn.end + deadline_ms
    answer = next(
        (
            segment
            for segment in speech.segments
            if segment.start >= turn.end and (following is None or segment.start <= following.start)
        ),
        None,
    )
    latency = None if answer is None else answer.start - turn.end
    if latency is not None and latency <= deadline_ms:
        return Opportunity(turn, "answered", "response_received", latency)
    if following is not None and following.start < deadline:
        return Opportunity(turn, "missed", "next_eligible_request", latency)
    if speech.end >= deadline:
        return Opportunity(turn, "missed", "deadline_expired", latency)
    return Opportunity(turn, "censored", "observation_ended_before_deadline")
