"""Counting words, in scripts with and without spaces.

A word is a run of characters between spaces that holds at least one letter or digit. Scripts that
are written without spaces count by length instead: two characters of Chinese or Japanese make a
word, four letters of Thai, Lao, Khmer or Burmese do, and each unbroken stretch is rounded up. These
are averages of such text, good enough to bound how long a reply is, and the same for every run.
Korean is written with spaces and counts by them.
"""

import re
from math import ceil

_UNSPACED = {
    2: "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff",
    4: "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff",
}
"""Characters a word has on average, and the scripts that is true of (Unicode ranges)."""

_STRETCHES = {per_word: re.compile(f"[{ranges}]+") for per_word, ranges in _UNSPACED.items()}


def count_words(text: str) -> int:
    """How many words a text has, as this module defines them."""
    words = 0
    for per_word, stretches in _STRETCHES.items():
        for stretch in stretches.findall(text):
            letters = sum(character.isalnum() for character in stretch)
            words += ceil(letters / per_word)
        text = stretches.sub(" ", text)
    return words + sum(any(map(str.isalnum, word)) for word in text.split())
