"""What a caller must not do, found in its reply before it is said.

Some faults are mended here and only noted; for the others the caller is asked once more, and if it
does the same again the run is invalid: it says nothing about the agent. Which is which:

==================  =======================================================================
mended, noted       reasoning in tags or channels, or other marks of a chat template;
                    ``end_call`` written as text; a label such as ``Caller:`` before the words;
                    stage directions, emphasis, or quotation marks around it all; a goodbye in
                    words, and no hang-up soon after
asked once more,    an empty reply, or one without a word; one cut off by its length; reasoning
then invalid        in prose; speaking as the agent, or for both sides; saying again word for word
                    what it said; echoing the agent; ``end_call`` in the midst of words; other
                    markup; hanging up before the agent has said anything
==================  =======================================================================
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sparring.callers.caller import HangUp
from sparring.callers.conduct.farewells import is_goodbye, outstays_goodbye
from sparring.callers.conduct.likeness import echoes, repeats_itself
from sparring.callers.conduct.markup import (
    has_markup,
    speaks_for_agent,
    without_labels,
    without_markup,
    without_reasoning,
)
from sparring.callers.conduct.role import takes_agents_part
from sparring.callers.conduct.sentences import words_of
from sparring.callers.conduct.thinking_aloud import thinks_aloud
from sparring.callers.conduct.written_calls import MENTION, take_hang_up
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
    MARKUP = "markup_in_its_words"
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


def examine(
    text: str, hang_up: HangUp | None, cut_off: bool, turns: Sequence[Turn], brief: str
) -> Reply:
    """Look at a reply before it is said.

    Args:
        text: What the model wrote.
        hang_up: Its ``end_call``, if it made one.
        cut_off: Whether it was cut off by its length.
        turns: The conversation so far.
        brief: What the caller was told about itself.
    """
    mended: list[Fault] = []

    def mend(fault: Fault, before: str, after: str) -> str:
        if after != before:
            mended.append(fault)
        return after

    words = mend(Fault.REASONING, text.strip(), without_reasoning(text))
    written, rest = take_hang_up(words)
    words = mend(Fault.TOOL_AS_TEXT, words, rest)
    words = mend(Fault.LABELLED, words, without_labels(words, brief))
    words = mend(Fault.MARKUP, words, without_markup(words))
    words = re.sub(r"[ \t]{2,}", " ", words) if words_of(words) else ""
    hang_up = hang_up or written
    said = [turn.text for turn in turns if turn.side is Side.CALLER]
    if hang_up is None and outstays_goodbye(words, said):
        hang_up = HangUp(False, "the caller had said goodbye and did not hang up")
        mended.append(Fault.NO_HANG_UP)
    broken = _broken(words, hang_up, cut_off, turns, brief)
    return Reply(words, hang_up, tuple(mended), broken)


def _broken(
    words: str, hang_up: HangUp | None, cut_off: bool, turns: Sequence[Turn], brief: str
) -> Fault | None:
    heard = [turn.text for turn in turns if turn.side is Side.AGENT]
    if hang_up is not None and not heard:
        return Fault.HUNG_UP_EARLY
    if not words:
        return None if hang_up is not None else Fault.CUT_OFF if cut_off else Fault.EMPTY
    if cut_off:
        return Fault.CUT_OFF
    if MENTION.search(words) and not MENTION.search("\n".join([brief, *heard])):
        return Fault.TOOL_AS_TEXT
    if thinks_aloud(words, brief):
        return Fault.REASONING
    if speaks_for_agent(words) or takes_agents_part(words, brief):
        return Fault.SPOKE_AS_AGENT
    if has_markup(words):
        return Fault.MARKUP
    if hang_up is None and not is_goodbye(words):  # "Have a nice day" is said back, and again.
        if repeats_itself(words, turns):
            return Fault.REPEATED
        if heard and echoes(words, heard[-1]):
            return Fault.ECHOED
    return None
