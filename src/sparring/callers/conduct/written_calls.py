"""A hang-up that was written instead of made: ``end_call`` in whatever syntax, found in a reply.

Models that miss a tool call write it out: as a function call, JSON, a Python dict, tags, a fence,
or the bare name. All of it is one thing here: a stretch of the text, from its first bracket, tag or
fence to the one that closes it. What a stretch says is read word by word, so that no syntax need be
right; a success is only what is plainly called one.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sparring.callers.caller import HangUp

MENTION = re.compile(r"end_?call|hang_up", re.IGNORECASE)
"""The tool's name anywhere: nobody says that."""
_NAME = re.compile(r"(?:\w+[.:=])*\b(?:end_?call|hang_up)\b", re.IGNORECASE)
_HINT = re.compile(r"end|hang|success", re.IGNORECASE)
_OPENER = re.compile(
    rf"```|<[^<>]*>|[*`]*(?P<name>{_NAME.pattern})[*`]*|\*[^*\n]+\*|(?:\w+[.:=])*\w*[({{\[]",
    re.IGNORECASE,
)
_STRING = r"""<\|"\|>.*?<\|"\|>|"(?:\\.|[^"\\])*"|(?<!\w)'(?:\\.|[^'\\]|(?<=\w)'(?=\w))*'"""  # it's
_TOKEN = re.compile(rf"(?P<string>{_STRING})|\w+|[^\w\s]", re.DOTALL)
_BRACKETED_WORDS = re.compile(
    r"[\[<({*]\W*(?:\w+ )?(?:end[ -]?call|(?:end|hang)s?(?: up)? the (?:call|phone)|hangs? ?up"
    r"|call ended)\W*",
    re.IGNORECASE,
)
"""``[END CALL]``, ``*hangs up*``: within brackets or alone, for among others the words are talk."""
_ARGUMENTS_ALONE = re.compile(
    r"""\{(?=.*\bsuccess["']?\s*[:=])(?=.*\breason["']?\s*[:=])""", re.DOTALL | re.IGNORECASE
)
_GAP = re.compile(r"\s*[,;:=]?\s*(?:(?:action )?input|arguments|args)?[:=]?\s*", re.IGNORECASE)
_PAIR = re.compile(
    rf"""["']?\b(?:success["']?\s*[:=]\s*["']?\w+["']?|reason["']?\s*[:=]\s*(?:{_STRING}|[^\n]*))""",
    re.IGNORECASE | re.DOTALL,
)
_REST = re.compile(r"[\"'`*]*[ \t]*[:=][^\n]*")
_IN_ORDER = re.compile(rf"{_NAME.pattern}\s*[(:=]", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"[^.!?…。！？\n]*\b(call(ing)?|invok\w+|us(e|ing)|tools?|functions?|action|execut\w+|output|print"
    r"|will|i'll|to|should|must|now|the)(\s+now)?(\s+the)?(\s+(tool|function))?\s*:?\s*$",
    re.IGNORECASE,
)
"""What announces a call and ends with it: "I will now call", "Tool call:"."""
_MARKS = re.compile(r"<[^<>]*>|\[/?[A-Z_]+\]|```\w*")
"""Around a call, tags and marks such as ``[TOOL_CALLS]`` belong to it."""
_TRUE = frozenset({"true", "yes", "1"})
_BOOLEANS = frozenset({"false", "no", "0"}) | _TRUE


def take_hang_up(text: str) -> tuple[HangUp | None, str]:
    """Take every written hang-up out of a reply.

    Returns:
        The hang-up, if there is one, and the words without it. Of several, all must claim success
        for it to be claimed, and the first reason counts.
    """
    if not _HINT.search(text):
        return None, text
    if _BRACKETED_WORDS.fullmatch(f"[{text}]"):
        return HangUp(False, "not said"), ""
    claims = _Claims()
    words = ""
    at = 0
    for start, end in _stretches(text):
        words = _LEAD_IN.sub("", words + text[at:start])
        claims.read(text[start:end])
        at = end
    if not at:
        return None, text
    words = _MARKS.sub("", words + text[at:]).strip()
    success = bool(claims.successes) and all(claims.successes)
    hang_up = HangUp(success, next(filter(None, claims.reasons), "not said"))
    return hang_up, words if re.search(r"\w", words) else ""


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where written calls begin and end, the outermost brackets of each."""
    at = 0
    while opener := _OPENER.search(text, at):
        at = opener.end()
        end = at if opener["name"] else _closed(text, opener)
        if not _is_call(text[opener.start() : end]):
            continue
        end = _arguments_end(text, end)
        following = text[end:].lstrip(" \t")
        if opener["name"] and not re.search(r"\w", text[at:end]) and following[:1].islower():
            continue  # "the end_call tool": talk about it.
        yield opener.start(), end
        at = end


def _is_call(stretch: str) -> bool:
    return bool(
        _NAME.search(stretch)
        or _BRACKETED_WORDS.fullmatch(stretch)
        or _ARGUMENTS_ALONE.match(stretch)
    )


def _closed(text: str, opener: re.Match[str]) -> int:
    """Where what is opened here is closed; the end of the text if it never is."""
    if opener[0] == "```":
        end = text.find("```", opener.end())
        return end + 3 if end >= 0 else len(text)
    if tag := re.match(r"<(\w+)", opener[0]):
        end = text.find(f"</{tag[1]}>", opener.end())
        return end + len(tag[1]) + 3 if end >= 0 else opener.end()
    if opener[0][0] in "<*":
        return opener.end()
    return _balanced(text, opener.end() - 1)


def _balanced(text: str, at: int) -> int:
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if depth == 0:
            return token.end()
    return len(text)


def _arguments_end(text: str, at: int) -> int:
    """Where the arguments end that follow a call's name or its brackets, if any do."""
    while gap := _GAP.match(text, at):
        if text[gap.end() : gap.end() + 1] in {"(", "[", "{"}:
            at = _balanced(text, gap.end())
        elif pair := _PAIR.match(text, gap.end()):
            at = pair.end()
        else:
            break
    rest = _REST.match(text, at)
    return rest.end() if rest else at


@dataclass
class _Claims:
    """What written calls say, as far as it can be read."""

    successes: list[bool] = field(default_factory=list[bool])
    reasons: list[str] = field(default_factory=list[str])

    def read(self, call: str) -> None:
        """Take in a call, by the names of its arguments or, without names, by their order."""
        before = len(self.successes) + len(self.reasons)
        self._read_named(call)
        if len(self.successes) + len(self.reasons) > before:
            return
        if not (ordered := _IN_ORDER.search(call)):
            return
        for token in _TOKEN.finditer(call, ordered.end()):
            if token["string"]:
                self.reasons.append(_unquoted(token[0]))
            elif token[0].casefold() in _BOOLEANS:
                self.successes.append(token[0].casefold() in _TRUE)

    def _read_named(self, text: str) -> None:
        tokens = list(_TOKEN.finditer(text))
        at = 0
        while at < len(tokens):
            value = at + 1
            while value < len(tokens) and tokens[value][0] in {":", "=", ">", "*", "`", '"'}:
                value += 1
            key = _unquoted(tokens[at][0]).casefold()
            is_name = key in {"success", "reason"} and tokens[at - 1][0] != "/"  # No closing tag.
            if not is_name or value == at + 1 or value == len(tokens):
                if key.lstrip()[:1] in {"{", "["} and tokens[at]["string"]:
                    self._read_named(_unquoted(tokens[at][0]))  # Arguments as a string of JSON.
                at += 1
                continue
            found = tokens[value]
            if key == "success":
                self.successes.append(_unquoted(found[0]).casefold() in _TRUE)
            elif found["string"]:
                self.reasons.append(_unquoted(found[0]))
            elif found[0] != "<":  # Of a closing tag.
                self.reasons.append(re.split(r"[,)}\]<\n]", text[found.start() :])[0].strip())
            at = value + 1


def _unquoted(token: str) -> str:
    """A string's text; any other token as it is."""
    if token.startswith('<|"|>'):
        return token[5:-5]
    if len(token) < 2 or token[0] not in "\"'":
        return token
    try:
        text = json.loads(token, strict=False)
    except ValueError:
        text = re.sub(r"\\(.)", r"\1", token[1:-1])
    return str(text)
