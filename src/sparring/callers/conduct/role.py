"""Whether a caller has taken the agent's part.

It is the whole sentence that tells: "How can I help you?" is the agent's, "is there anything else I
can help you with to verify me?" a caller's; and "your booking is confirmed" is news from the one
side and, as a question or told of something else, none from the other. One who answers a
business's telephone, called by the agent, may say all of it.
"""

import re

from sparring.callers.conduct.sentences import is_question, sentences, without_quotes

_END = r"(?: (?:today|now|then|with(?: that)?|this (?:morning|afternoon|evening)))*\W*$"
_OFFERS = re.compile(
    # English
    rf"\bhow (?:can|may|could) (?:i|we) (?:help|assist|be of (?:help|service))(?: you)?{_END}"
    rf"|\bwhat can (?:i|we) (?:do for you|help you with|get for you){_END}"
    rf"|\banything else (?:that )?(?:i|we) can (?:help(?: you)?|assist(?: you)?|do for you){_END}"
    r"|\b(?:can't|cannot|unable to) (?:assist|comply)(?: you)? with (?:that|this)"
    r"|\bwhat name (?:should|shall|can) (?:i|we) (?:put|book)\b"
    r"|\blet me (?:just )?check (?:the |our )?availability\b"
    r"|\bwhat (?:time|day|date) (?:works|would work|suits) (?:best )?(?:for )?you\b"
    # Spanish, Portuguese, Italian, French, German, Dutch, Russian
    r"|\ben qué (?:l[eoa] |te )?puedo (?:ayudar|servir)"
    r"|\bem que posso (?:lhe |te )?ajud"
    r"|\bcome posso (?:aiutar|esser)"
    r"|\b(?:comment|en quoi) puis-je vous"
    r"|\b(?:wie|womit) (?:kann|darf) ich (?:ihnen|dir) (?:heute )?(?:behilflich|(?:weiter)?helfen)"
    r"|\b(?:hoe|waarmee) kan ik (?:u|je) (?:van dienst|helpen)"
    r"|\bчем (?:я )?могу (?:вам )?помочь"
    # Japanese, Chinese, Korean
    r"|(?:どのような|どういった)ご用件|お手伝いできること|有什么可以帮|我能帮您什么|무엇을 도와",
    re.IGNORECASE,
)
_NEWS = re.compile(
    r"^(?:(?:great|perfect|okay|ok|alright|sure|done|certainly|thanks|thank you)\W+(?:\w+\W+)?)?"
    r"your (?:booking|reservation|appointment|order|table|room) (?:is|has been) (?:now )?"
    r"(?:confirmed|booked|reserved|scheduled|placed)\b"
    r"|\bi(?:'ve| have) (?:booked|reserved|scheduled)"
    r" (?:you (?:a|the|in|down)\b|your (?:table|room)(?=[.!,;]))"
    # "Thank you for calling Bella's." The name is told by its capital.
    r"|^(?:\w+\W+)?thank(?:s| you) for calling (?!Me\b|Us\b|Back\b)(?-i:[A-Z])[^?]*$",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"\b(?:receptionist|front desk|voice ?mail|answering machine|being called"
    r"|(?:answer|pick)(?:s|ing)? (?:up )?(?:the|a|your) (?:tele)?(?:phone|call))\b",
    re.IGNORECASE,
)


def takes_agents_part(words: str, brief: str) -> bool:
    """Whether a caller says what the agent would: offers help, or tells it its booking is made.

    Args:
        words: Its reply.
        brief: What it was told about itself.
    """
    return not _ANSWERS.search(brief) and any(
        _OFFERS.search(sentence) or (not is_question(sentence) and _NEWS.search(sentence))
        for sentence in sentences(without_quotes(words).replace("’", "'"))
    )
