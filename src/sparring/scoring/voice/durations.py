"""How long: speech, overlap, silence, and silence while the agent works.

All of it on voiced intervals as they are, joined over nothing. (RUN metrics contract 2.0; overlap,
share and longest silence are ours.)
"""

from sparring.scoring.voice.intervals import (
    Interval,
    clip,
    gaps,
    join,
    longest,
    overlap,
    subtract,
    total,
)
from sparring.scoring.voice.speech import Speech


def agent_turns(speech: Speech) -> list[list[Interval]]:
    """The agent's voiced intervals, parted where the caller takes its turns.

    A turn of the agent's is all it says from one turn of the caller's that expects an answer to the
    next; a segment that runs into the next one belongs to the turn in which it began.
    """
    starts = [turn.start for turn in speech.turns if turn.action != "backchannel"]
    turns: dict[int, list[Interval]] = {}
    for segment in speech.segments:
        place = sum(start <= segment.start for start in starts)
        turns.setdefault(place, []).extend(clip(speech.agent, *segment))
    return [turns[place] for place in sorted(turns)]


def speaking_ms(speech: Speech) -> float:
    """How long the agent is voiced."""
    return total(speech.agent)


def longest_turn_ms(speech: Speech) -> float:
    """How long the agent is voiced in the turn in which it speaks longest."""
    return max(map(total, agent_turns(speech)), default=0.0)


def overlap_ms(speech: Speech) -> float:
    """How long both are voiced at once."""
    return total(overlap(speech.caller, speech.agent))


def talk_ratio(speech: Speech) -> float | None:
    """The agent's share of all that is voiced; None if nobody is."""
    both = total(speech.caller) + total(speech.agent)
    return round(total(speech.agent) / both, 4) if both else None


def longest_silence_ms(speech: Speech) -> float | None:
    """The longest stretch between the first sound and the last in which nobody is voiced.

    None if nobody ever is.
    """
    heard = join([*speech.caller, *speech.agent])
    return longest(gaps(heard, heard[0].start, heard[-1].end)) if heard else None


def floor_hold_silences(speech: Speech) -> list[Interval]:
    """The stretches in which the agent works (a tool call is running) and nobody is voiced."""
    return subtract(speech.work, join([*speech.caller, *speech.agent]))
