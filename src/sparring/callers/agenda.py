"""The agenda caller: plays a scenario's agenda word for word, with no LLM.

What it does follows from the conversation alone, so the same agent words always get the same
answers. After each agent turn, the first of these that applies:

1. Its ``opening``, if it has not spoken yet.
2. Nothing, if a ``wait`` item hears the last thing the agent said: the agent may go on.
3. Hang up, once everything required has been said and the agent has confirmed it: by words that a
   ``finish`` item hears, or, without such an item, by any reply. A finish item's ``say`` goes out
   with the hang-up.
4. Hang up, if the agent says goodbye.
5. The first item not yet done whose ``hear`` matches what the agent just said and whose ``after``
   items are done.
6. A fact, if the agent asks for it by its name.
7. The next required item whose ``after`` items are done.
8. An "Okay.", at most twice in a row, to let the agent go on; then it hangs up: it has nothing
   left to say and was never given its confirmation.

Every item waits for those in its ``after``. An item is done when it has been said, a ``wait`` item
when it has heard what it waits after; whether a ``wait`` item is required makes no difference.
"""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from sparring.callers.caller import HangUp, Move, Thought, Wait, Words
from sparring.errors import UsageError
from sparring.records import CallerIdentity, Side, Turn
from sparring.scenarios import AgendaItem, Simulation

NUDGE = "Okay."
"""What the caller says when it has nothing to say."""
MAX_NUDGES = 2

_GOODBYE = re.compile(
    r"\b(good-?bye|bye|farewell"
    r"|have an? (good|great|nice|lovely|wonderful|pleasant)\s(day|morning|afternoon|evening|night"
    r"|weekend|time|one))\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\?|\b(please|tell me|give me|let me have|may i|could i|can i|i need|i'll need|what|which)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")


@dataclass
class _Progress:
    """How far the caller has come by some point of the conversation."""

    done: set[str] = field(default_factory=set[str])
    spoken: bool = False
    nudges: int = 0

    def allows(self, item: AgendaItem) -> bool:
        """Whether all that the item comes after is done."""
        return self.done.issuperset(item.after)


class AgendaCaller:
    """Plays a simulation's ``opening``, ``agenda`` and ``facts``."""

    identity = CallerIdentity(service="agenda")

    def __init__(self, simulation: Simulation):
        """Prepare to play a simulation.

        Raises:
            UsageError: If it holds too little to be played without an LLM.
        """
        problem = unplayable(simulation)
        if problem:
            raise UsageError(problem)
        self._opening = simulation.opening
        self._facts: Mapping[str, object] = simulation.facts
        self._waits = [item for item in simulation.agenda if item.action == "wait"]
        self._finishes = [item for item in simulation.agenda if item.action == "finish"]
        self._items = [item for item in simulation.agenda if item.action not in ("wait", "finish")]

    async def answer(self, turns: Sequence[Turn]) -> AsyncIterator[Move]:
        """What the agenda says after these turns."""
        progress = _Progress()
        heard: Turn | None = None
        for turn in turns:
            if turn.side is Side.CALLER:
                self._decide(heard, progress)  # Said already: this retraces how far it came.
                progress.spoken = True
            else:
                heard = turn
        for move in self._decide(heard, progress):
            yield move

    def _decide(self, heard: Turn | None, progress: _Progress) -> list[Move]:
        """The moves after this agent turn; ``progress`` moves on as if they had been made."""
        if not progress.spoken and self._opening is not None:
            return [Thought("the opening"), Words(self._opening)]
        words = heard.text if heard else ""
        if heard:
            for item in self._waiting_after(heard, progress):
                return [Wait(f"item {item.id!r}: the agent is not done")]
        unmet = [item for item in self._items if item.id not in progress.done]
        required = [item.id for item in unmet if item.required]
        if progress.spoken and not required:
            farewell = self._farewell(words, progress)
            if farewell:
                return farewell
        if _GOODBYE.search(words):
            return [HangUp(not required, _after_goodbye(required))]
        ready = [item for item in unmet if progress.allows(item)]
        for item in ready:
            if item.hears(words):
                return self._say(item, progress, "the agent's words call for it")
        fact = self._asked_fact(words)
        if fact is not None:
            progress.nudges = 0
            return [Thought(f"fact {fact!r}: the agent asks for it"), Words(str(self._facts[fact]))]
        for item in ready:
            if item.required:
                return self._say(item, progress, "next on the agenda")
        if progress.nudges < MAX_NUDGES:
            progress.nudges += 1
            return [Thought("nothing left to say: letting the agent go on"), Words(NUDGE)]
        return [HangUp(False, "nothing was left to say, and the agent never confirmed")]

    def _waiting_after(self, heard: Turn, progress: _Progress) -> list[AgendaItem]:
        """The items that wait after the last thing the agent said; those that waited are done."""
        said = [response.text for response in heard.utterances]
        waiting: list[AgendaItem] = []
        for item in self._waits:
            if progress.allows(item) and any(map(item.hears, said)):
                progress.done.add(item.id)
                if item.hears(said[-1]):
                    waiting.append(item)
        return waiting

    def _farewell(self, words: str, progress: _Progress) -> list[Move]:
        """The hang-up, if the agent has confirmed."""
        if not self._finishes:
            return [HangUp(True, "everything on the agenda was said and answered")]
        for item in self._finishes:
            if progress.allows(item) and (not item.hear or item.hears(words)):
                goodbye: list[Move] = [Words(item.say)] if item.say else []
                thought = Thought(f"item {item.id!r}: the agent confirms")
                return [thought, *goodbye, HangUp(True, "the agent confirmed")]
        return []

    @staticmethod
    def _say(item: AgendaItem, progress: _Progress, why: str) -> list[Move]:
        progress.done.add(item.id)
        progress.nudges = 0
        return [Thought(f"item {item.id!r}: {why}"), Words(item.say or "")]

    def _asked_fact(self, words: str) -> str | None:
        for sentence in _SENTENCE.findall(words):
            if _REQUEST.search(sentence):
                for name in self._facts:
                    if _names(sentence, name):
                        return name
        return None


def unplayable(simulation: Simulation) -> str | None:
    """Why this simulation cannot be played without an LLM; None if it can.

    It needs an ``opening`` or an ``agenda``, and every item that speaks needs a ``say``.
    """
    name = simulation.name
    if simulation.opening is None and not any(
        item.say and item.action != "finish" for item in simulation.agenda
    ):
        return (
            f"{name} cannot be played without an LLM: it has nothing to say. "
            "Give it an `opening:` or an `agenda:` whose items have `say:`"
        )
    for item in simulation.agenda:
        if not item.say and item.action not in ("wait", "finish"):
            return f"{name} cannot be played without an LLM: agenda item {item.id!r} has no `say:`"
    return None


def _names(sentence: str, fact: str) -> bool:
    """Whether a sentence names a fact, however either is joined: ``e-mail``, ``email``."""
    parts = [re.escape(part) for part in re.split(r"[\W_]+", fact) if part]
    if not parts:
        return fact.casefold() in sentence.casefold()
    spoken = r"[\W_]*".join(parts)
    return re.search(rf"(?<![^\W_]){spoken}(?![^\W_])", sentence, re.IGNORECASE) is not None


def _after_goodbye(required: Sequence[str]) -> str:
    if required:
        return f"the agent said goodbye before this was said: {', '.join(required)}"
    return "the agent said goodbye"
