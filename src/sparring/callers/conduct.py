"""What a caller must not do, found in its reply before it is said.

Some faults are mended here and only noted; for the others the caller is asked once more, and if it
does the same again the run is invalid: it says nothing about the agent. Which is which:

==================  =======================================================================
mended, noted       reasoning in ``<think>`` tags; ``end_call`` written as text; a label such
                    as ``Caller:`` before the words; a goodbye twice over without hanging up
asked once more,    an empty reply; one cut off by its length; reasoning in prose; speaking as
then invalid        the agent; saying again word for word what it said; echoing the agent;
                    hanging up before the agent has said anything
==================  =======================================================================
"""

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from sparring.callers.caller import HangUp
from sparring.records import Side, Turn


class Fault(StrEnum):
    """What a caller did that a caller does not do."""

    EMPTY = "empty_reply"
    CUT_OFF = "cut_off_reply"
    REASONING = "leaked_reasoning"
    SPOKE_AS_AGENT = "spoke_as_agent"
    REPEATED = "repeated_itself"
    ECHOED = "echoed_the_agent"
    TOOL_AS_TEXT = "end_call_as_text"
    LABELLED = "labelled_its_words"
    NO_HANG_UP = "goodbye_without_hanging_up"
    HUNG_UP_EARLY = "hung_up_before_the_agent_spoke"


@dataclass(frozen=True)
class Reply:
    """A caller's reply, as far as it could be mended."""

    text: str
    hang_up: HangUp | None
    mended: tuple[Fault, ...] = ()
    broken: Fault | None = None
    """What cannot be mended; the reply must not be said."""


_THINK = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|$)", re.DOTALL | re.IGNORECASE)
_STRAY_THINK = re.compile(r"^.*?</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"^\s*\**(user|caller|customer|me)\**\s*:\**\s*", re.IGNORECASE)
_AGENT_LABEL = re.compile(r"^\s*\**(assistant|agent|bot|ai)\**\s*:", re.IGNORECASE | re.MULTILINE)
_CALL_AS_TEXT = re.compile(r"`*\bend_call\s*\((?P<args>[^()]*)\)`*", re.IGNORECASE | re.DOTALL)
_JSON_CALL = re.compile(
    r"```(?:json)?\s*(\{.*?end_call.*?\})\s*```|(\{[^{}]*end_call.*\})", re.DOTALL
)
_PLANNING = re.compile(
    r"\b(as an ai( language)? model|system prompt|developer (message|instruction)s?"
    r"|(my|the|this) persona|i('m| am) (role-?playing|playing the (role|part))"
    r"|stay(ing)? in character|the user (is|has|wants|said|asked)"
    r"|the assistant (asked|is asking|has asked|wants) (me|for)"
    r"|we (have|need|should|must) (to )?(respond|reply|answer|follow|output)"
    r"|(i|we) (should|need to|must|will) (now )?(respond|reply|answer) (as|with|in character))\b",
    re.IGNORECASE,
)
_AGENT_LINE = re.compile(
    r"\b(how (can|may) i (help|assist) you|what can i (do for you|help you with)"
    r"|is there anything else i can (help|assist|do)"
    r"|thank(s| you) for calling(?! (me|us)? ?back)"
    r"|your (booking|reservation|appointment) is (confirmed|booked)(?!\?)"
    r"|i('ve| have) (booked|reserved) you(r)?)\b",
    re.IGNORECASE,
)
_GOODBYE = re.compile(
    r"\b(good-?bye|bye(-bye)?|adi[oó]s|hasta luego|auf wiederh[oö]ren|au revoir|さようなら)\b",
    re.IGNORECASE,
)
_ASKED_AGAIN = re.compile(
    r"\b(repeat|again|once more|sorry|pardon|didn't (catch|hear|get)|did not (catch|hear|get)"
    r"|say that)\b",
    re.IGNORECASE,
)
_WORDS_THAT_COUNT = 5
"""Shorter replies ("Yes, please.") may be said again and may be the agent's own words."""
_ECHO_SHARE = 0.8


def examine(text: str, hang_up: HangUp | None, cut_off: bool, turns: Sequence[Turn]) -> Reply:
    """Look at a reply before it is said.

    Args:
        text: What the model wrote.
        hang_up: Its ``end_call``, if it made one.
        cut_off: Whether it was cut off by its length.
        turns: The conversation so far.
    """
    mended: list[Fault] = []

    def mend(fault: Fault, before: str, after: str) -> str:
        if after != before:
            mended.append(fault)
        return after

    words = _STRAY_THINK.sub("", _THINK.sub("", text))
    words = mend(Fault.REASONING, text.strip(), words.strip())
    if hang_up is None:
        hang_up, rest = _call_as_text(words)
        words = mend(Fault.TOOL_AS_TEXT, words, rest)
    words = mend(Fault.LABELLED, words, _LABEL.sub("", words).strip())
    said = [turn.text for turn in turns if turn.side is Side.CALLER]
    heard = [turn.text for turn in turns if turn.side is Side.AGENT]
    if hang_up is None and _goodbye_again(words, said):
        hang_up = HangUp(False, "the caller had said goodbye twice without hanging up")
        mended.append(Fault.NO_HANG_UP)
    broken = _broken(words, hang_up, cut_off, said, heard)
    return Reply(words, hang_up, tuple(mended), broken)


def _broken(
    words: str, hang_up: HangUp | None, cut_off: bool, said: Sequence[str], heard: Sequence[str]
) -> Fault | None:
    if hang_up is not None and not heard:
        return Fault.HUNG_UP_EARLY
    if not re.search(r"\w", words):
        return None if hang_up is not None else Fault.CUT_OFF if cut_off else Fault.EMPTY
    if cut_off:
        return Fault.CUT_OFF
    if _PLANNING.search(words):
        return Fault.REASONING
    if _AGENT_LABEL.search(words) or _AGENT_LINE.search(words):
        return Fault.SPOKE_AS_AGENT
    if len(_tokens(words)) >= _WORDS_THAT_COUNT:
        asked_again = bool(heard) and _ASKED_AGAIN.search(heard[-1])
        if not asked_again and _tokens(words) in map(_tokens, said):
            return Fault.REPEATED
        if heard and _overlap(words, heard[-1]) > _ECHO_SHARE:
            return Fault.ECHOED
    return None


def _call_as_text(words: str) -> tuple[HangUp | None, str]:
    """A hang-up that was written instead of made, and the words without it."""
    found = _CALL_AS_TEXT.search(words)
    if found:
        arguments = found["args"]
        success = not re.search(r"success\s*[=:]\s*(false|no|0)", arguments, re.IGNORECASE)
        reason = re.search(r"reason\s*[=:]\s*[\"'](.*?)[\"']", arguments, re.DOTALL)
        rest = words[: found.start()] + words[found.end() :]
        return HangUp(success, reason[1] if reason else "not said"), rest.strip()
    found = _JSON_CALL.search(words)
    if found:
        rest = (words[: found.start()] + words[found.end() :]).strip()
        return _from_json(found[1] or found[2]), rest
    return None, words


def _from_json(text: str) -> HangUp:
    try:
        call: Any = json.loads(text)
    except ValueError:
        return HangUp(False, "not said")
    arguments: Any = cast(dict[str, Any], call).get("arguments") or cast(dict[str, Any], call).get(
        "parameters"
    )
    if not isinstance(arguments, dict):
        arguments = call
    arguments = cast(dict[str, Any], arguments)
    return HangUp(bool(arguments.get("success")), str(arguments.get("reason") or "not said"))


def _goodbye_again(words: str, said: Sequence[str]) -> bool:
    return bool(said and _GOODBYE.search(words) and _GOODBYE.search(said[-1]))


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _overlap(reply: str, heard: str) -> float:
    """The share of the reply's pairs of words that the agent said in that order as well."""
    mine, theirs = _tokens(reply), _tokens(heard)
    pairs = list(itertools.pairwise(mine))
    known = set(itertools.pairwise(theirs))
    return sum(pair in known for pair in pairs) / len(pairs) if pairs else 0.0
