"""Who said what when: the words of a conversation brought together with its sound.

The agent's words are its LLM's and its TTS's, whose times say when they were written or sent. When
they were heard is told by the segments of its sound: those that begin between one turn of the
caller's and the next are what the agent said in its turn between the two. In a call without sound
the times are those of the words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring.records import Record, Side, ToolCall, Turn
from sparring.scoring.voice.intervals import Interval, overlap
from sparring.scoring.voice.speech import Speech, speech_of


@dataclass(frozen=True)
class Line:
    """Something said, in milliseconds: of the recording if there is one, else of the call."""

    side: Side
    start: float
    end: float
    text: str
    overlaps: bool = False
    """Whether the other side is heard at the same time."""
    turn: int | None = None
    """The caller's turn that it is, or that it comes after; 0 before the first."""


def lines_of(record: Record) -> list[Line]:
    """Everything that was said, in order of time."""
    speech = speech_of(record)
    lines = [*_written(record)] if speech is None else [*_spoken(record, speech)]
    return sorted(lines, key=lambda line: (line.start, line.end))


def call_times(record: Record, call: ToolCall) -> tuple[float, float | None]:
    """When a tool call began and ended (None: never), in milliseconds as a ``Line``'s are."""
    began = record.soundtrack.began if record.soundtrack else 0.0
    end = None if call.stopped_at is None else (call.stopped_at - began) * 1000
    return (call.started_at - began) * 1000, end


def _written(record: Record) -> Iterable[Line]:
    for turn, number in _numbered(record.conversation.turns):
        if turn.has_words:
            start, end = _told_at(turn)
            yield Line(turn.side, start * 1000, end * 1000, turn.text, turn=number)


def _spoken(record: Record, speech: Speech) -> Iterable[Line]:
    began = record.soundtrack.began if record.soundtrack else 0.0
    for said in speech.turns:
        heard = Interval(said.start, said.end)
        both = bool(overlap([heard], speech.agent))
        yield Line(Side.CALLER, said.start, said.end, said.text, both, said.turn)
    segments = _by_turn(speech)
    for turn, number in _numbered(record.conversation.turns):
        if turn.side is Side.AGENT and turn.has_words:
            heard = segments.pop(number, [])
            if heard:
                yield _heard(heard, turn.text, speech, number)
            else:  # Words that were never heard, or not yet when the call ended.
                start, end = ((at - began) * 1000 for at in _told_at(turn))
                yield Line(Side.AGENT, start, end, f"{turn.text} (not heard)", turn=number)
    for number, heard in segments.items():
        yield _heard(heard, "(no words)", speech, number)


def _heard(segments: Sequence[Interval], text: str, speech: Speech, number: int) -> Line:
    both = bool(overlap(segments, speech.caller))
    return Line(Side.AGENT, segments[0].start, segments[-1].end, text, both, number)


def _by_turn(speech: Speech) -> dict[int, list[Interval]]:
    """The agent's segments by the caller's turn that they come after."""
    starts = [(turn.start, turn.turn) for turn in speech.turns if turn.turn is not None]
    found: dict[int, list[Interval]] = {}
    for segment in speech.segments:
        before = [number for start, number in starts if start <= segment.start]
        found.setdefault(before[-1] if before else 0, []).append(segment)
    return found


def _numbered(turns: Sequence[Turn]) -> Iterable[tuple[Turn, int]]:
    """Each turn with the number of the caller's turn that it is, or comes after."""
    number = 0
    for turn in turns:
        number = turn.number if turn.side is Side.CALLER else number
        yield turn, number


def _told_at(turn: Turn) -> tuple[float, float]:
    if turn.side is Side.CALLER:
        return turn.started_at, turn.started_at
    start = turn.answered_at if turn.answered_at is not None else turn.started_at
    ends = [response.ended_at for response in turn.responses if response.ended_at is not None]
    return start, max([start, *ends])
