"""Finding a caller's name in what it said."""

import re

_LEAD = re.compile(
    r"\b(?P<sure>my name is|my name's|(?:the )?name is|name to|in the name of|"
    r"under the name(?: of)?|under)\s+"
    r"|\b(?P<weak>this is|it's for|it's|it is|i'm|i am|that's|for)\s+",
    re.I,
)
_WORD = r"[^\W\d_](?:[^\W\d_]|['-])*"
_NAME = re.compile(rf"{_WORD}(?: {_WORD}){{0,3}}")
_FILLER = re.compile(
    r"^\W*(?:(?:yes|yeah|sure|of course|okay|ok|certainly|um|uh|hm+|er|well|hi|hello|please|"
    r"actually|no|sorry|oh|great|perfect|thanks|thank you)\b[\W_]*)+",
    re.I,
)
_END = re.compile(
    r"\s*(?:[,.!?;:]|\band (?:my|the)\b|\b(?:please|thanks|thank you)\b|\s-\s).*", re.I | re.S
)
_NO_NAMES = frozenset(
    """a about again all am an and any anything are at back be book booking but by can could
    dinner do does dogs doing evening fine for from get give go going good great have hello
    help how i i'd i'll if in is it just know let like looking make maybe me my need no not
    now number of ok okay on one only or outside party people perfect phone please
    reservation right see so some sorry sure table tell than that the them then there they
    think this three time to today tomorrow tonight too two under up us wait want was we
    what when where which who why will with would yes yet you your""".split()  # noqa: SIM905 -- reads better
)


def find_name(text: str, *, asked: bool) -> str | None:
    """The name in a sentence, if there is one.

    Args:
        text: What the caller said, dates and phone numbers taken out.
        asked: The caller was asked for a name, so the sentence may be nothing but one.
    """
    text = text.replace("’", "'")
    found: str | None = None
    for lead in _LEAD.finditer(text):
        if re.search(r"\b(?:not|instead of)\s+$", text[: lead.start()], re.I):
            continue
        # "It's Jamie" names somebody, "it's late" does not: only the capital tells them apart.
        found = _name(text[lead.end() :], capitals=not (lead["sure"] or asked)) or found
    if found is None and asked:
        found = _name(_FILLER.sub("", text), capitals=False)
    return found


def _name(text: str, *, capitals: bool) -> str | None:
    clause = _END.sub("", text).strip()
    if capitals:
        words: list[str] = []
        for word in clause.split():
            if not word[0].isupper():
                break
            words.append(word)
        clause = " ".join(words)
    if not _NAME.fullmatch(clause):
        return None
    if any(word.lower() in _NO_NAMES for word in clause.split()):
        return None
    return clause if any(letter.isupper() for letter in clause) else clause.title()
