"""What one sentence of a caller means: the details it gives and what the caller is up to.

Plain patterns, tried from the most to the least certain; what one has understood is taken out
before the next one looks, so that the 8 of "August 8" is never taken for a time.
"""

import re
from dataclasses import dataclass
from typing import Literal

from sparring.demo.names import find_name

Question = Literal["party_size", "time", "name", "phone", "offer", "reference"]
"""What the agent asked last; a bare "7" or "Jamie Lee" is only understood as its answer."""

_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty""".split()  # noqa: SIM905 -- reads better
_NUMBERS = {word: str(number) for number, word in enumerate(_WORDS)} | {
    "oh": "0",
    "twenty-five": "25",
    "thirty": "30",
    "thirty-five": "35",
    "forty": "40",
    "forty-five": "45",
    "fifty": "50",
    "fifty-five": "55",
}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\b", re.I)

_MONTHS = """january february march april may june july august september october november
    december""".split()  # noqa: SIM905 -- reads better
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _MONTHS)
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_DATE = re.compile(
    r"(?P<iso>\d{4}-(?:0[1-9]|1[0-2])-\d\d)"
    rf"|(?P<month>{_MONTH})\.?\s+(?:the\s+)?{_DAY}\b(?!:)"
    rf"|(?:the\s+)?{_DAY.replace('day', 'day2')}\s+(?:of\s+)?(?P<month2>{_MONTH})\b"
    r"|(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|(?P<tomorrow>tomorrow)(?:\s+(?:night|evening))?"
    r"|(?P<tonight>tonight|today|this evening)",
    re.I,
)
_PHONE = re.compile(r"(?<![\w-])\+?\(?\d(?:[\s().-]*\d){6,14}(?!\w)")
_REFERENCE = re.compile(r"\bR-?\s?(\d+)\b", re.I)

_PEOPLE = r"(?:people|persons|guests|adults|diners|seats|of us|in total)"
_COMPANION = r"(?:wife|husband|partner|girlfriend|boyfriend|friend|mother|father|mom|dad|boss)\b"
_TIME = re.compile(
    r"(?:(?P<before>at|around|about|by|move (?:it|that) to)\s+)?"
    r"(?:(?P<lead>half past|quarter past|quarter to)\s+)?"
    r"\b(?P<hour>\d{1,2})(?:[:.\s](?P<minute>[0-5]\d))?\s*(?P<half>am|pm|o'clock)?\b"
    r"(?!\s*(?:minute|hour|day|week))"
    r"|(?P<noon>noon|midday)",
    re.I,
)
_PARTY = re.compile(
    r"(?:party|group|table) (?:of|for) (?P<a>\d+)\b(?!\s*(?:[ap]m|o'clock)|[:.]\d)"
    rf"|\b(?P<b>\d+)\s*{_PEOPLE}"
    r"|(?:we are|we're|there are|(?:there|we)(?:'ll| will) be) (?P<c>\d+)\b"
    r"|(?P<alone>just me|by myself|on my own)"
    rf"|(?P<pair>a couple\b(?! of)|(?:me and|with) my {_COMPANION}|my {_COMPANION} and (?:i|me)\b)",
    re.I,
)
_LOOSE_PARTY = re.compile(r"(?:\bfor|make (?:it|that)|i said) (?P<a>\d+)\b", re.I)
_BARE_NUMBER = re.compile(r"(?<![\w-])(?P<a>\d{1,2})(?![\w-])")
_CHOICE = re.compile(
    r"\b(?:the (?:(?P<first>first)|second|last)|(?P<earlier>earlier)|later)\b", re.I
)
_NEGATED = re.compile(r"(?:\bnot|instead of|rather than)\s+(?:(?:for|at|on|under|a)\s+)*$", re.I)

_YES = re.compile(
    r"\b(yes|yeah|yep|sure|okay|ok|fine|perfect|great|good|works|correct|right|please do|"
    r"go ahead|absolutely|lovely)\b",
    re.I,
)
_NO = re.compile(r"^\W*(no|nope|nah|not really)\b|\b(neither|none of|(do|does)n't work)\b", re.I)
_THANKS = re.compile(r"\bthank(s| you)\b", re.I)
_GOODBYE = re.compile(
    r"\b(good ?bye|bye|see you|that's (all|it)|that is all|nothing else|"
    r"have a (good|nice|great|lovely) \w+)\b",
    re.I,
)
_CANCEL = re.compile(
    r"\b(?<!n't )(?<!not )cancel\b(?! policy)|\bnever ?mind\b|\bforget it\b|\bcall it off\b", re.I
)
_QUESTION = re.compile(
    r"\?|^\W*(what|who|where|why|how|which|do you|are you|is there|can i)\b", re.I
)


_PICTURE = re.compile(r"\b(picture|photo|camera)\b", re.I)
_MENU = re.compile(r"\bmenu\b", re.I)
_STORY = re.compile(r"\b(story|history)\b", re.I)


@dataclass(frozen=True)
class Heard:
    """What a sentence said; ``None`` and ``False`` where it said nothing about it."""

    date: str | None = None
    time: str | None = None
    party_size: int | None = None
    name: str | None = None
    phone: str | None = None
    reference: str | None = None
    choice: Literal["first", "last"] | None = None
    yes: bool = False
    no: bool = False
    thanks: bool = False
    goodbye: bool = False
    cancel: bool = False
    question: bool = False
    picture: bool = False
    menu: bool = False
    story: bool = False


def understand(text: str, asked: Question | None = None) -> Heard:
    """Understand what a caller said in answer to what it was asked."""
    text = text.replace("’", "'")
    no = bool(_NO.search(text))
    choice = _CHOICE.search(text) if asked == "offer" else None
    rest = re.sub(r"\b(first|earlier|second|last|later|this|that|either|no) one\b", "", text)
    rest = re.sub(r"\b([ap])\.?m\b\.?", r"\1m", rest, flags=re.I)
    rest = _NUMBER_WORD.sub(lambda match: _NUMBERS[match[0].lower()], rest)

    reference, rest = _take(_REFERENCE, rest)
    date, rest = _take(_DATE, rest)
    phone, rest = _take(_PHONE, rest)
    party, rest = _take(_PARTY, rest)
    time, rest = _find_time(rest, awaited=asked in ("time", "offer"))
    party = party or _take(_LOOSE_PARTY, rest)[0]
    if asked == "party_size":
        party = party or _BARE_NUMBER.search(rest)
    # Names are looked for in what was said, not in what became of it: "One" may be a name.
    said = _PHONE.sub("", _DATE.sub("", text))
    return Heard(
        date=_date(date) if date else None,
        time=time,
        party_size=_party_size(party) if party else None,
        name=find_name(said, asked=asked == "name"),
        phone=_phone(phone[0]) if phone else None,
        reference=f"R-{reference[1]}" if reference else None,
        choice=("first" if choice["first"] or choice["earlier"] else "last") if choice else None,
        yes=not no and bool(_YES.search(text)),
        no=no,
        thanks=bool(_THANKS.search(text)),
        goodbye=bool(_GOODBYE.search(text)),
        cancel=bool(_CANCEL.search(text)),
        question=bool(_QUESTION.search(text)),
        picture=bool(_PICTURE.search(text)),
        menu=bool(_MENU.search(text)),
        story=bool(_STORY.search(text)),
    )


def _take(pattern: re.Pattern[str], text: str) -> tuple[re.Match[str] | None, str]:
    """The last match the caller did not negate ("not August 7"), and the text without any."""
    matches = [m for m in pattern.finditer(text) if not _NEGATED.search(text[: m.start()])]
    return (matches[-1] if matches else None), pattern.sub(" ", text)


def _date(match: re.Match[str]) -> str:
    if match["iso"]:
        _, month, day = match["iso"].split("-")
        return f"{_MONTHS[int(month) - 1].title()} {int(day)}"
    if month := match["month"] or match["month2"]:
        full = next(name for name in _MONTHS if name.startswith(month.lower()))
        return f"{full.title()} {int(match['day'] or match['day2'])}"
    if match["weekday"]:
        return match["weekday"].title()
    return "tomorrow" if match["tomorrow"] else "tonight"


def _phone(said: str) -> str:
    """A number as it was written; one spelled digit by digit is put together."""
    spelled = re.fullmatch(r"\d(?: \d)+", said)
    return said.replace(" ", "") if spelled else said.strip()


def _find_time(text: str, *, awaited: bool) -> tuple[str | None, str]:
    """The last time in the text, and the text without any; awaited, a bare "7" is one too."""
    matches = [m for m in _TIME.finditer(text) if not _NEGATED.search(text[: m.start()])]
    signs = ("before", "lead", "minute", "half", "noon")
    certain = [m for m in matches if any(m[sign] for sign in signs)]
    times = certain or (matches if awaited else [])
    for match in reversed(times):
        text = text[: match.start()] + " " + text[match.end() :]
    return (_clock(times[-1]) if times else None), text


def _clock(match: re.Match[str]) -> str | None:
    if match["noon"]:
        return "12:00"
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    lead = (match["lead"] or "").lower()
    if lead == "quarter to":
        hour, minute = hour - 1, 45
    elif lead:
        minute = 30 if lead == "half past" else 15
    half = (match["half"] or "").lower()
    if half == "am":
        hour %= 12
    elif half == "pm" or 1 <= hour < 12:  # A restaurant that opens at 5 PM: "7" is this evening.
        hour = hour % 12 + 12
    return f"{hour:02}:{minute:02}" if hour < 24 else None


def _party_size(match: re.Match[str]) -> int:
    groups = match.groupdict()
    if groups.get("alone"):
        return 1
    if groups.get("pair"):
        return 2
    return int(next(groups[key] for key in "abc" if groups.get(key)))
