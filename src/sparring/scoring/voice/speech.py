"""A call as speech: who was heard when, and what the caller meant by it.

Times are milliseconds of the recording. The caller's turns are what it said aloud, each cut down to
where it was heard: words without a sound are no turn, and a sound that belongs to no words is none
either, unless nothing at all is known of words.

What a turn was meant as is taken from whoever spoke it. Where that is unknown it is inferred as RUN
does: what does not overlap with the agent is spoken in turn, an acknowledgement and nothing else
over the agent's speech is a backchannel, anything else over it an interruption. A turn that hangs
up expects no answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sparring.records import Record, SpokenAction
from sparring.records import events as ev
from sparring.scoring.voice.intervals import Interval, Track, clip, join, overlap

THRESHOLD_RMS = 220.0
"""The least RMS of a voiced frame, in 16-bit units, if the scenario does not say."""
VOICE_METRICS_VERSION = "2.0+join200"
"""RUN metrics contract 2.0, but that speech is joined over short gaps before it is counted."""
JOIN_GAP_MS = 200.0
"""Gaps that part no segments of speech: pauses within words are no turns. 0 is the contract."""

Action: TypeAlias = SpokenAction | Literal["close"]

_ACKNOWLEDGEMENTS = {"mm hmm", "mmhmm", "mhm", "uh huh", "right", "okay", "ok", "got it", "yeah"}


@dataclass(frozen=True)
class SpokenTurn:
    """Something that the caller said, from its first voiced instant to its last."""

    number: int
    """From 1, in the order of the recording."""
    start: float
    end: float
    action: Action
    text: str = ""
    turn: int | None = None
    """The conversation's caller turn that it is; None if it is none of them."""

    @property
    def expects_answer(self) -> bool:
        """Whether it is a request: neither an acknowledgement nor the caller's goodbye."""
        return self.action not in ("backchannel", "close")


@dataclass(frozen=True)
class Speech:
    """All that is heard in a recording, and when the agent was working."""

    caller: Track
    """Where the caller is voiced."""
    agent: Track
    turns: Sequence[SpokenTurn] = ()
    """The caller's, in order."""
    work: Track = ()
    """When at least one tool call of the agent's was running."""
    end: float = 0
    """When observation ended."""
    gap: float = JOIN_GAP_MS
    segments: Track = field(init=False, default=())
    """The agent's voiced intervals, joined over ``gap``."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", join(self.agent, self.gap))


def threshold_of(record: Record) -> float:
    """The RMS from which sound counts as speech, as the scenario has it."""
    return record.scenario.definition.get("speech_threshold_rms") or THRESHOLD_RMS


def speech_of(record: Record, gap: float = JOIN_GAP_MS) -> Speech | None:
    """The speech of a record.

    Args:
        record: The record.
        gap: Over what gaps speech is joined, in milliseconds.

    Returns:
        None if the record holds no sound.
    """
    sound = record.soundtrack
    if sound is None:
        return None

    def media(at: float) -> float:
        return round((at - sound.began) * 1000, 3)

    caller, agent = join(sound.caller or ()), join(sound.agent or ())
    closing = {turn.number for turn in record.conversation.caller_turns if turn.hanging_up}
    spoken = [event for event in record.events if isinstance(event, ev.CallerSpoke)]
    said = [
        _Said(
            media(event.began),
            media(event.ended),
            event.text,
            "close" if event.turn in closing else event.action,
            event.turn,
        )
        for event in spoken
    ]
    end = sound.duration_ms
    running = join(
        (media(call.started_at), end if call.stopped_at is None else media(call.stopped_at))
        for call in record.conversation.tool_calls
    )
    return Speech(
        caller=caller,
        agent=agent,
        turns=_turns(caller, agent, said, gap),
        work=clip(running, 0, end),
        end=end,
        gap=gap,
    )


@dataclass(frozen=True)
class _Said:
    start: float
    end: float
    text: str = ""
    action: Action | None = None
    turn: int | None = None


def _turns(caller: Track, agent: Track, said: Sequence[_Said], gap: float) -> list[SpokenTurn]:
    if not said:
        said = [_Said(*stretch) for stretch in join(caller, gap)]
    turns: list[SpokenTurn] = []
    for words in sorted(said, key=lambda words: (words.start, words.end)):
        heard = clip(caller, words.start, words.end)
        if heard:
            start, end = heard[0].start, heard[-1].end
            action = words.action or _inferred(Interval(start, end), words.text, agent)
            number = len(turns) + 1
            turns.append(SpokenTurn(number, start, end, action, words.text, words.turn))
    return turns


def _inferred(heard: Interval, text: str, agent: Track) -> Action:
    if not overlap([heard], agent):
        return "speak"
    plain = " ".join(re.findall(r"\w+", text.casefold()))
    return "backchannel" if plain in _ACKNOWLEDGEMENTS else "interrupt"
