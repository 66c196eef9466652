"""The fewest tokens that a text can be: whoever says he read fewer did not read all of it.

Counted is what no tokenizer in use puts into less than one token:

- A word of letters: tokenizers (byte-pair after GPT's splitting, and SentencePiece alike) join no
  two words; only a space, or one sign, may lie in a token with the word it precedes.
- A run of two signs or more (``."``, ``"}``, ``=====``): for the same reason.
- Three digits, the most that share a token.
- Three characters of Chinese, Japanese or Korean, and eight of the other scripts that are written
  without spaces: a single token may hold more, but not those of a whole text on average.

Not counted are white space, single signs and what a chat template adds. So JSON and indentation
cannot raise a false alarm; of English prose the floor is about three quarters of the true count, of
a judge's prompt about two thirds, so what is cut beyond that is noticed.
"""

import math
import re

_PARTS = re.compile(
    r"(?P<digits>\d+)"
    r"|(?P<dense>[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|(?P<unspaced>[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)"
    r"|(?P<word>(?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0591-\u06ff])+(?:['’](?:[^\W\d_])+)*)"
    r"|(?P<signs>[^\w\s]{2,})"
)
_PER_TOKEN = {"digits": 3, "dense": 3, "unspaced": 8}


def fewest_tokens(text: str) -> int:
    """How many tokens a text is at the very least."""
    return sum(
        math.ceil(len(part[0]) / _PER_TOKEN[part.lastgroup]) if part.lastgroup in _PER_TOKEN else 1
        for part in _PARTS.finditer(text)
    )
