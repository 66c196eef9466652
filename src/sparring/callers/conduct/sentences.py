"""The words and sentences of a text, in scripts with spaces and without."""

import re
import unicodedata
from collections.abc import Sequence

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_SYLLABLES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
"""Thai, Lao, Burmese, Khmer, kana: written without spaces, some three characters a word."""
_IS_HAN = re.compile(f"[{_HAN}]")
_IS_SYLLABLE = re.compile(f"[{_SYLLABLES}]")
_WORD = re.compile(rf"[{_HAN}{_SYLLABLES}]|[^\s{_HAN}{_SYLLABLES}]+")
_ENDS = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_ASKS = re.compile(r"[?？؟]\W*$|か[。.]?$|[吗呢嗎][。.]?$")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」')


def words_of(text: str) -> list[str]:
    """The words, without case and punctuation; where none are spaced, the characters."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    kept = "".join(
        char if unicodedata.category(char)[0] in "LMN" or _in_word(plain, at) else " "
        for at, char in enumerate(plain)
    )
    # What is left of an emoji, such as a variation selector, is a mark and no word.
    return [word for word in _WORD.findall(kept) if any(char.isalnum() for char in word)]


def _in_word(text: str, at: int) -> bool:
    return text[at] == "'" and text[at - 1 : at].isalnum() and text[at + 1 : at + 2].isalnum()


def length(words: Sequence[str]) -> float:
    """How long it is, in words; of characters without spaces it takes several to make one."""
    return sum(
        2 / 3 if _IS_HAN.match(word) else 1 / 3 if _IS_SYLLABLE.match(word) else 1 for word in words
    )


def sentences(text: str) -> list[str]:
    """The sentences, with their punctuation."""
    return [part.strip() for part in _ENDS.split(text) if part.strip()]


def is_question(sentence: str) -> bool:
    """Whether a sentence is written as a question."""
    return bool(_ASKS.search(sentence.strip()))


def asks(text: str) -> bool:
    """Whether any sentence of a text is a question."""
    return any(is_question(sentence) for sentence in sentences(text))


def without_quotes(text: str) -> str:
    """The text without what it quotes: that is somebody else's."""
    return _QUOTED.sub("", text)
