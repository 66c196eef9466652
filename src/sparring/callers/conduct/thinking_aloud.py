"""Whether a reply is a plan of what to say instead of words to say.

No single word gives that away: callers talk of users, personas and simulations if that is their
business. But what a caller says is addressed to the agent, and a plan addresses nobody: it speaks
of the reply as a task, and of both sides in the third person. So it takes two signs, in sentences
without a "you", a "please" or a question; or one thing that nobody says aloud.
"""

import re

from sparring.callers.conduct.sentences import sentences, without_quotes

_ADDRESSES = re.compile(r"\b(you|your|you'(re|ve|ll|d)|please|thanks?)\b|[?？]", re.IGNORECASE)
_OF_THE_PAST = re.compile(r"\b(yesterday|ago|earlier|already|last|once|told)\b", re.IGNORECASE)

_CLAUSE = r"(?:^|[.!?:;,\n]\s*|\b(?:so|and|then|now|here|next|first|therefore|thus)\s+)"
_MUST = r"(?:(?:i|we)(?:'ll| will| should| must| need to| have to| ought to)|let me|let's)"
_NOW = r"(?: now| next| just| simply| then)?"
_REPLY = r"(?:respond|reply|answer|act as|stay|remain|continue|pretend|provide|output|state)"
_SAY = r"(?:give|ask|say|tell|confirm|wait|thank|mention|greet|follow|end|hang up)"
_NEVER_SAID = re.compile(
    r"^[*_\s]*(?:thoughts?|thinking|analysis|reasoning|chain of thought|scratchpad"
    r"|(?:inner|internal) (?:monologue|thoughts?)|denkprozess|análisis|raisonnement|思考|推理|分析)"
    r"[*_]*\s*[:：]"
    rf"|{_CLAUSE}{_MUST} (?:now|next) (?:{_REPLY}|{_SAY})\b"
    r"|\b(?:my|the) (?:next )?(?:response|reply)(?: (?:should|must|needs to|has to) be\b|\W*:)"
    r"|\b(?:would|should|will|might) (?:say|respond|reply|answer)\W*:"
    r"|\blet(?: me|'s) (?:start|begin) the (?:call|conversation)\b"
    r"|\bhere (?:is|'s) the (?:caller|user|customer)'s (?:next )?(?:line|turn|reply|response)\b"
    r"|\baccording to (?:my|the) (?:persona|character),|\bmy persona (?:says|wants)\b",
    re.IGNORECASE | re.MULTILINE,
)
_IS_AI = re.compile(
    r"\bas an? (?:ai|(?:large )?language model)(?: (?:language )?model| assistant)?,? i\b"
    r"|\bi(?: a|')m (?:just |only )?an? (?:ai|(?:ai |large )?language model|ai (?:model|assistant))"
    r"(?=\W*$|[.,;!]| (?:and|so|but)\b)"
    r"|\bi(?: a|')m (?:just |only )?an? simulated (?:caller|user|customer)\b",
    re.IGNORECASE,
)
_TOLD_OF_AI = re.compile(r"\bai\b|language model", re.IGNORECASE)
_SIGNS = (
    # A side as a figure.
    re.compile(
        r"(?:\bthe |^)(?:user|caller|customer|assistant|agent|bot)(?:'s| is| has| just| now)* ?"
        r"(?:want|ask|request|respond|repl|greet|offer|confirm|said|says|need)",
        re.IGNORECASE | re.MULTILINE,
    ),
    # The reply as a task.
    re.compile(
        rf"{_CLAUSE}(?:{_MUST}{_NOW} {_REPLY}\b"
        rf"|(?:(?:i|we) (?:should|must|will)|we need to){_NOW} {_SAY}\b"
        r"|let me think:)",
        re.IGNORECASE,
    ),
    # The part that is played.
    re.compile(
        r"\b(?:in|out of|break(?:ing)?) character\b|\brole-?play|\bas the (?:caller|user|persona)\b"
        r"|\bplaying (?:the (?:role|part)|a (?:caller|customer))\b"
        r"|\b(?:i'm|i am|we are|we're) the (?:caller|user)\b"
        r"|\b(?:my|the) (?:persona|goal) \w+s\b",
        re.IGNORECASE,
    ),
    # The instructions.
    re.compile(
        r"\b(?:developer|system) (?:message|instruction|prompt)|\bmy instructions (?:say|are)\b",
        re.IGNORECASE,
    ),
)
_BEGINS = re.compile(
    r"^(?:(?:okay|ok|alright|hmm+|so|well|right|now|first)[,.…]*\s+)*the (?P<side>"
    r"(?:user|caller|customer)(?:'s| is| has| just| now)* ?(?:want|ask|request)\w*"
    r"|(?:assistant|agent|bot) (?:is asking|asks|asked|has asked|wants))"
    r" (?:me|my|for|about|to|a|the)\b",
    re.IGNORECASE,
)


def thinks_aloud(words: str, brief: str) -> bool:
    """Whether a reply holds planning.

    Args:
        words: The reply.
        brief: What the caller was told about itself. If that speaks of users or of an AI, then so
            may the caller.
    """
    words = without_quotes(words).replace("’", "'")
    if _NEVER_SAID.search(words):
        return True
    if _IS_AI.search(words) and not _TOLD_OF_AI.search(brief):
        return True
    to_nobody = [
        sentence
        for sentence in sentences(words)
        if not _ADDRESSES.search(sentence) and not _OF_THE_PAST.search(sentence)
    ]
    for sentence in to_nobody:
        found = _BEGINS.search(sentence)
        if found and found["side"].split()[0].casefold() not in brief.casefold():
            return True
    plan = "\n".join(to_nobody)
    return sum(bool(sign.search(plan)) for sign in _SIGNS) > 1
