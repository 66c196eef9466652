"""Goodbyes in words, and when a caller that goes on after one is hung up for.

A goodbye stands at the end of what is said and at the beginning of a clause, and asks nothing:
"have a nice day" is one, "can I have a nice table?" is none.
"""

import re
from collections.abc import Sequence

from sparring.callers.conduct.sentences import asks, is_question, sentences

_TURNS_LEFT = 3
"""With this turn after a goodbye the caller is hung up for, if it brings nothing new."""

_GOODBYES = (
    # English
    r"good-?bye|bye(?:-?bye)?|farewell|cheerio|good ?night|take care(?! of (?!your))",
    r"have an? (?:\w+ )?(?:nice|good|great|lovely|wonderful|pleasant|fantastic|beautiful)"
    r" (?:rest of|day|evening|night|afternoon|morning|week|one|time)",
    r"(?:i'?ll |we'?ll )?(?:talk|speak|see|catch) (?:to |with )?you(?: \w+)?"
    r" (?:soon|later|then|there|tonight|tomorrow)",
    r"(?:i'?ll |we'?ll )?see you(?: (?:at|on|next) [\w ]+)?(?=\W*$)",
    # Spanish, Portuguese, Italian, French
    r"adi[oó]s|hasta (?:luego|pronto|mañana|la vista)|chao|chau|nos vemos|que tengas? (?:un )?buen",
    r"tchau|adeus|até (?:logo|mais|breve|amanhã)|tenha (?:um bom|uma boa)",
    r"arrivederci|arrivederla|ciao ciao|buona (?:giornata|serata)|a presto",
    r"au revoir|à (?:bientôt|plus tard|demain)|bonne (?:journée|soirée)",
    # German, Dutch, Swedish
    r"tsch(?:ü|ue?)(?:ss?|ß)|auf wieder(?:h(?:ö|oe)ren|sehen|schauen)|bis (?:dann|bald|später)",
    r"(?:einen )?sch(?:ö|oe)nen? (?:tag|abend)(?: noch)?(?=\W*$)",
    r"tot ziens|doei|fijne (?:dag|avond)|hej ?då",
    # Polish, Russian, Turkish
    r"do widzenia|до свидания|всего (?:доброго|хорошего)|hoşça ?kal\w*|görüşürüz|iyi günler",
)
_BEFORE = (
    r"(?:^|[,.;:!¡…—–-]\s*|\b(?:thanks|thank you|you|much|lot|ok|okay|alright|right|great|well|then"
    r"|now|and|so|gracias|obrigad[oa]|grazie|merci|danke|bedankt|tack|y|e|et|und|dann|alors)\s+)"
)
_GOODBYES_ANYWHERE = (
    # Japanese, Chinese, Korean, Arabic
    r"さようなら|さよなら|失礼(?:いた)?します|では、?また|また(?:ね|明日)|バイバイ",
    r"再见|再見|拜拜|回头见|下次见",
    r"안녕히 ?(?:계|가)세요|수고하세요",
    r"مع السلامة|إلى اللقاء",
)
_GOODBYE = re.compile(
    rf"{_BEFORE}(?:{'|'.join(_GOODBYES)})(?!\w)|{'|'.join(_GOODBYES_ANYWHERE)}", re.IGNORECASE
)


def is_goodbye(reply: str) -> bool:
    """Whether a reply says goodbye."""
    end = sentences(reply)[-2:]
    return (
        bool(end)
        and not is_question(end[-1])
        and any(_GOODBYE.search(part.replace("’", "'")) for part in end)
    )


def outstays_goodbye(reply: str, said: Sequence[str]) -> bool:
    """Whether a caller has said goodbye and does not hang up: it is to be hung up for.

    With its second goodbye, however much was said between, or with its third turn after the first
    if none of them asks anything or brings a number.

    Args:
        reply: What it is about to say.
        said: What it said before.
    """
    goodbyes = [place for place, line in enumerate(said) if is_goodbye(line)]
    if not goodbyes:
        return False
    after = [*said[goodbyes[0] + 1 :], reply]
    idle = not any(asks(line) or re.search(r"\d", line) for line in after)
    return is_goodbye(reply) or (idle and len(after) >= _TURNS_LEFT)
