"""Whether a caller only says again what was said before: by itself, or by the agent."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from sparring.callers.conduct.sentences import is_question, length, sentences, words_of
from sparring.records import Side, Turn

_WORDS_THAT_COUNT = 5
"""Shorter replies ("Yes, please.") may be said again and may be the agent's own words."""
_SHORT_OPENING = 2
_SHARE = 0.8
_FILLER = re.compile(r"oh|so|well|u[hm]|h+m+|okay|ok|and")
_PERSON = re.compile(
    r"(?:i|me|my|mine|we|us|our|you|your|yours)(?:'\w+)?"  # English
    r"|yo|mi|tu|su|usted|le|ich|mir|mein|meine|wir|uns|sie|ihnen|ihr|ihre|du|dein|deine"  # es, de
    r"|je|mon|ma|nous|vous|votre|vos|j'\w+|io|mio|lei|suo|sua|eu|meu|você|seu"  # fr, it, pt
    r"|ik|mijn|uw|я|вы|вас|вам|ваш|我|您|你|私|나|저"  # nl, ru, zh, ja, ko
)
"""Words that change when the other side says the same: "your name" is answered with "my name"."""
_READ_BACK = re.compile(
    r"\b(?:repeat|after me|(?:please|must|to) say|read (?:it|that|them))\b", re.IGNORECASE
)
_SAY_AGAIN = re.compile(
    r"\b(?:say (?:that|it|this)|once more|come again|one more time|pardon|spell|what was that"
    r"|(?:confirm|verify) your|(?:(?:didn|couldn|can)'t|(?:did|could) not|cannot)(?: quite)?"
    r" (?:catch|hear|get|understand)|hear me|still there|repet\w+|repita|otra vez|wiederhol\w+"
    r"|noch ?(?:ein)?mal|répét\w+|ripet\w+|herhalen|повтор\w+)\b"
    r"|\b(?:sorry|again)(?:, please)?\?|もう一度|再说|再說|重复|重複|다시",
    re.IGNORECASE,
)


def repeats_itself(reply: str, turns: Sequence[Turn]) -> bool:
    """Whether the caller says a line again, word for word, that nobody asked it to say again.

    The same answer to the same question is right, whoever forgot it. Else what counts is the line
    it said just before, its opening, and any line for the third time; of short lines, only the
    opening, three times in a row.
    """
    mine = words_of(reply)
    said = [turn.text for turn in turns if turn.side is Side.CALLER]
    lines = [words_of(line) for line in said]
    if mine not in lines or _asked_again(mine, turns):
        return False
    if length(mine) < _WORDS_THAT_COUNT:
        is_opening = mine == lines[0] and length(mine) >= _SHORT_OPENING
        return is_opening and lines[-2:] == [mine, mine]
    return mine in (lines[0], lines[-1]) or lines.count(mine) > 1


def _asked_again(mine: Sequence[str], turns: Sequence[Turn]) -> bool:
    """Whether the agent asks again for a line: in so many words, or with its question of then."""
    now = _before(turns, len(turns))
    if _READ_BACK.search(now) or _SAY_AGAIN.search(now.replace("’", "'")):
        return True
    question = _last_words(now)
    return any(
        turn.side is Side.CALLER
        and words_of(turn.text) == mine
        and (then := _last_words(_before(turns, place)))
        and len(_shared(question, then)) >= _SHARE * min(len(question), len(then))
        for place, turn in enumerate(turns)
    )


def _before(turns: Sequence[Turn], place: int) -> str:
    """What the agent said just before a place in the conversation."""
    return turns[place - 1].text if place and turns[place - 1].side is Side.AGENT else ""


def _last_words(text: str) -> list[str]:
    return words_of(sentences(text)[-1]) if sentences(text) else []


def echoes(reply: str, heard: str) -> bool:
    """Whether the caller says the agent's words as if they were its own.

    Reading back what the agent said is no echo. What tells them apart: a caller answers a question
    and does not ask it back; it puts a word of its own to what it confirms ("yes", "that's right");
    and in its mouth "your" becomes "my". So an echo covers whole sentences of the agent's, and is

    - a question of the agent's, asked back with "you" and "I" as they were, or
    - a sentence about "you" or "I", as it was, with nothing added, or
    - all that the agent said, with nothing added, if that was no question.
    """
    mine = words_of(reply)
    if length(mine) < _WORDS_THAT_COUNT or _READ_BACK.search(heard):
        return False
    if mine[0] in {"thank", "thanks"}:  # Thanks are said by both.
        return False
    everything = words_of(heard)
    for passage, theirs in _passages(heard, len(mine) / _SHARE):
        enough = _SHARE * max(len(mine), len(theirs))
        if (Counter(mine) & Counter(theirs)).total() <= enough:  # Much quicker than their order.
            continue
        if len(shared := _shared(mine, theirs)) <= enough:
            continue
        own = [word for place, word in enumerate(mine) if place not in shared]
        if is_question(reply) and is_question(passage):
            if not any(map(_PERSON.fullmatch, own)):
                return True
        elif all(map(_FILLER.fullmatch, own)):
            personal = any(_PERSON.fullmatch(mine[place]) for place in shared)
            is_all = len(shared) > _SHARE * len(everything) and not is_question(passage)
            if personal or is_all:
                return True
    return False


def _passages(text: str, most: float) -> Iterator[tuple[str, list[str]]]:
    """Every run of whole sentences with its words, up to this number of words."""
    parts = [(sentence, words_of(sentence)) for sentence in sentences(text)]
    for first in range(len(parts)):
        words: list[str] = []
        for sentence, more in parts[first:]:
            words = words + more
            if len(words) > most:
                break
            yield sentence, words


def _shared(mine: Sequence[str], theirs: Sequence[str]) -> set[int]:
    """The places of my words that they said in the same order, two in a row at least."""
    blocks = SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()
    return {
        place
        for block in blocks
        if block.size > 1 or block.size in (len(mine), len(theirs))
        for place in range(block.a, block.a + block.size)
    }
