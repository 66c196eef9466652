"""What a model writes around the words of its turn, taken off so that only the words are said."""

import re

_TAGS_OF_REASONING = (
    "think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection|plan|planning|monologue"
    "|inner_monologue|commentary"
)
_REASONING = re.compile(
    rf"<({_TAGS_OF_REASONING})>.*?(?:</\1>|$)|<\|channel>.*?(?:<channel\|>|$)",
    re.DOTALL | re.IGNORECASE,
)
_REASONING_BEFORE = re.compile(rf"^.*</({_TAGS_OF_REASONING})>", re.DOTALL | re.IGNORECASE)
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(?P<name>\w+)\s*(?:<\|message\|>)?(?P<text>.*?)"
    r"(?=<\|(?:channel|end|start|return|call)\|>|$)",
    re.DOTALL,
)
_CONTROL = re.compile(
    r"<\|constrain\|>\w*|<\|?/?\w+\|>(?:\s*(?:assistant|user|system)\b)?|</?s>|<(?:start|end)_of_turn>|\[/?INST\]"
)
_WRAPPER = re.compile(
    r"^<(answer|final|response|reply|output|speech|speak|say|caller|user|message)>(.*?)(</\1>)?$",
    re.DOTALL | re.IGNORECASE,
)

_OWN = (
    "user|caller|customer|client|human|me|my (?:response|reply|turn)|response|reply|final answer"
    "|usuari[oa]|cliente|usuário|utente|chiamante|kund(?:e|in)|anrufer(?:in)?|utilisateur|appelant"
    "|gebruiker|klant|beller|пользователь|клиент|звонящий|ユーザー|顧客|お客様|用户|客户|来电者|고객|사용자"
)
_AGENTS = (
    "assistant|agent|bot|ai|receptionist|operator|asistente|agente|assistente|assistent"
    "(?:in)?|ассистент|агент|оператор|アシスタント|エージェント|オペレーター|助手|客服|상담원"
)
"""Labels before words, by whose they are."""
_LABEL = r"[*_\[#\s]*(?:{})[*_\]]*(?: \([^)\n]*\))?[*_]*[ \t]*[:：][*_]*[ \t]*"
_OWN_LABEL = re.compile(rf"^{_LABEL.format(_OWN)}", re.IGNORECASE | re.MULTILINE)
_NAME_LABEL = re.compile(r"[*\s]*([A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)\**:\**\s+")
_AGENT_LABEL = re.compile(
    rf"(?:^|(?<=[.!?。]\s)){_LABEL.format(_AGENTS)}", re.IGNORECASE | re.MULTILINE
)

_AGENT_ALONE = re.compile(rf"[*_\s]*(?:{_AGENTS})[*_ ]*\n", re.IGNORECASE)
"""A label on a line of its own, as a chat template leaves it."""
_AT_START = re.compile(
    r"^\s*(?:\([^()\d]*\)|\[[^\[\]\d]*\]|（[^（）\d]*）):?(?!\s*[,;])\s*", re.MULTILINE
)
"""Nobody begins to speak in brackets, but for a phone number's, and what a comma goes on from."""
_ACT = re.compile(
    r"(?:(?<!\w)(?:\*{1,2}|_)|(?:(?<=[.!?…])|(?<=[.!?…,]\s))[(\[])(?P<act>[^*()\[\]_\n]+)[*)\]_]{1,2}"
    r"(?![\w,;:?])[.!]?"
)
_NO_VERB = re.compile(r"yes|this|is|was|has|his|hers|its|as|always|thanks|perhaps|us|plus")
_EMPHASIS = re.compile(r"(\*{1,2}|(?<!\w)__?)(?=\S)([^*\n]+?)(?<=\S)\1(?!\w)")
_WHOLLY_QUOTED = re.compile(r'^["“„«]([^"“”„«»]*)["”“»]$')
_LEFT = re.compile(r"```|[{}]|\[[^\]\d]*\]|</?[A-Za-z|][^<>]*>|^#{1,6}\s", re.MULTILINE)


def without_reasoning(text: str) -> str:
    """The reply without reasoning in tags and channels, and without the marks of a chat template.

    Of a reply in channels, what is not analysis is left.
    """
    if channels := list(_CHANNEL.finditer(text)):
        text = " ".join(part["text"] for part in channels if part["name"] != "analysis")
    text = _REASONING_BEFORE.sub("", _REASONING.sub("", text))
    # What follows the end of a message is another message.
    text = re.split(r"<\|(?:im_end|eot_id|end|return)\|>|<end_of_turn>|</s>", text.lstrip())[0]
    return _CONTROL.sub("", text).strip()


def without_labels(words: str, brief: str) -> str:
    """The reply without labels that give the words to the caller: ``Caller:``, or its name.

    Args:
        words: The reply.
        brief: What the caller was told about itself; its name is in it.
    """
    name = _NAME_LABEL.match(words)
    if name and set(name[1].split()) <= set(re.findall(r"[\w'’-]+", brief)):
        words = words[name.end() :]
    return _OWN_LABEL.sub("", words).strip()


def speaks_for_agent(words: str) -> bool:
    """Whether words are labelled as the agent's: a line of it, or a whole dialogue."""
    return bool(_AGENT_LABEL.search(words) or _AGENT_ALONE.match(words))


def without_markup(words: str) -> str:
    """The reply without stage directions, emphasis, and quotes or tags around all of it."""
    words = _WRAPPER.sub(r"\2", words).strip()
    words = _AT_START.sub("", words)
    words = _ACT.sub(lambda found: "" if _is_act(found) else found[0], words)
    words = _EMPHASIS.sub(r"\2", words)
    return _WHOLLY_QUOTED.sub(r"\1", words.strip()).strip()


def _is_act(found: re.Match[str]) -> bool:
    """Whether marked words tell what the caller does: "sighs", "Jamie waits", "pausing".

    Names and numbers are no verbs, and what is set in bold is stressed: those words are kept.
    """
    return not found[0].startswith("**") and _tells(found["act"])


def _tells(act: str) -> bool:
    first, second, *_ = [*act.split(), "", ""]
    named = first.istitle() and second.islower() and second.endswith("s")
    verb = second if named else first
    is_verb = verb.islower() and verb.isalpha() and verb.endswith(("s", "ing"))
    return (is_verb and not _NO_VERB.fullmatch(verb)) or first.casefold() in {"note:", "ooc:"}


def has_markup(words: str) -> bool:
    """Whether anything is left that is no words: tags, JSON, headings, ``[placeholders]``."""
    return bool(_LEFT.search(words))
