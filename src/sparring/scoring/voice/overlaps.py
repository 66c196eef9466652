"""When both speak: did the agent cut in, did it give way, did it talk on over an ``mm-hmm``.

RUN metrics contract 2.0, on segments joined over short gaps, so that the pauses within words are
neither interruptions nor yields.

- An *interruption* is a segment of the agent's that begins while the caller is speaking a turn that
  expects an answer.
- The agent *yields* if it was speaking before the caller came in, and stops within two seconds.
  Sound that ended the very instant a deliberate interruption began counts as well. Speech that
  begins together is no case of it.
- Over a *backchannel* the agent should talk on: past its end, or for a second at least, after which
  it may have said all it wanted.
"""

from dataclasses import dataclass
from typing import Literal

from sparring.scoring.voice.intervals import Interval, clip, join
from sparring.scoring.voice.speech import Speech, SpokenTurn

YIELD_WINDOW_MS = 2000.0
BACKCHANNEL_WINDOW_MS = 1000.0


@dataclass(frozen=True)
class Yield:
    """The caller came in while the agent was speaking."""

    turn: SpokenTurn
    latency_ms: float
    """From the caller's first sound to the agent's last."""

    @property
    def yielded(self) -> bool:
        """Whether the agent gave way in time."""
        return self.latency_ms <= YIELD_WINDOW_MS


@dataclass(frozen=True)
class Backchannel:
    """The caller acknowledged while the agent was speaking."""

    turn: SpokenTurn
    outcome: Literal["continued", "false_yield"]


def interruptions(speech: Speech) -> list[float]:
    """When the agent began to speak over the caller, in milliseconds."""
    heard = join(speech.caller, speech.gap)
    spoken = join(
        part
        for turn in speech.turns
        if turn.expects_answer
        for part in clip(heard, turn.start, turn.end)
    )
    return [
        segment.start
        for segment in speech.segments
        if any(part.start <= segment.start < part.end for part in spoken)
    ]


def yields(speech: Speech) -> list[Yield]:
    """How the agent reacted when the caller came in."""
    found: list[Yield] = []
    for turn in speech.turns:
        if turn.expects_answer:
            segment = _running(speech, turn)
            if segment is not None:
                found.append(Yield(turn, segment.end - turn.start))
    return found


def backchannels(speech: Speech) -> list[Backchannel]:
    """How the agent reacted to acknowledgements."""
    found: list[Backchannel] = []
    for turn in speech.turns:
        segment = _running(speech, turn) if turn.action == "backchannel" else None
        if segment is not None:
            went_on = segment.end > turn.end or segment.end - turn.start >= BACKCHANNEL_WINDOW_MS
            found.append(Backchannel(turn, "continued" if went_on else "false_yield"))
    return found


def _running(speech: Speech, turn: SpokenTurn) -> Interval | None:
    """The agent's segment that was under way as a turn began."""
    deliberate = turn.action == "interrupt"
    for segment in speech.segments:
        if segment.start < turn.start and (
            turn.start < segment.end or (deliberate and turn.start == segment.end)
        ):
            return segment
    return None
