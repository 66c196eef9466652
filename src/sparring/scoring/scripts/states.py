"""Where an expectation stands, and where a turn does."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sparring.records import ExpectationVerdict, Kind
from sparring.scenarios import Expectation
from sparring.scoring.scripts.questions import Question
from sparring.scoring.scripts.sightings import Sighting, Sightings

EARLY_S = 0.25
"""How far an event may lie before what the expectation above it took."""
GRACE_S = 2.0
"""How long more of a reply, or a later event, is waited for before what is there fails."""
_LONGEST = 300
"""Characters of a text that a reason quotes."""


class Standing(StrEnum):
    """What an expectation has come to so far."""

    PENDING = "pending"
    ASKING = "asking"
    """Only the judge's verdict is lacking."""
    MET = "met"
    FAILED = "failed"


@dataclass(frozen=True)
class State:
    """Where an expectation stands at some moment."""

    standing: Standing
    at: float = math.inf
    """When it was settled, in call seconds; for one that waits for a verdict, when its reply was
    over. For one that is pending, when it changes at the latest if nothing happens."""
    position: float | None = None
    """When what it took had come: what the next expectation must not lie before."""
    taken: tuple[Sighting, ...] = ()
    kind: Kind | None = None
    reason: str = ""
    """What it took, or why it failed."""
    questions: tuple[Question, ...] = ()
    """What the judge has to say about it."""
    verdict: ExpectationVerdict | None = None

    @property
    def is_open(self) -> bool:
        """Whether it waits for the agent."""
        return self.standing is Standing.PENDING


@dataclass(frozen=True)
class Cut:
    """What ends the time of an expectation before its deadline does."""

    at: float
    kind: Kind | None = None
    """The fault that ended the call; None for the caller's next turn."""
    reason: str = ""


@dataclass
class View:
    """What an expectation is held against: a turn's part of the call, up to now."""

    sightings: Sightings
    verdicts: Mapping[str, ExpectationVerdict]
    now: float
    turn: int
    """The turn's place in the script, from 0."""
    start: float
    """What began before does not belong to the turn."""
    anchor: float
    """What its times count from."""
    cut: Cut
    may_continue: bool
    """Whether the judge may wait for more of a reply."""
    judged: bool
    """Whether there is a judge to wait for."""
    default_s: float
    """How long an expectation has if it does not say."""
    claimed: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """What other expectations of the turn, or of the one before it, have taken."""

    def deadline(self, expectation: Expectation) -> float:
        """When its time is up."""
        within = expectation.within_ms
        return self.anchor + (self.default_s if within is None else within / 1000)

    def limit(self, expectation: Expectation) -> float:
        """Up to when events count: its deadline, or what came before it."""
        return min(self.deadline(expectation), self.cut.at)

    def free(self, expectation: Expectation) -> list[Sighting]:
        """The turn's sightings of its event that nobody has taken, up to its limit."""
        limit = self.limit(expectation)
        return [
            sighting
            for sighting in self.sightings.of(expectation.event)
            if self.start <= sighting.began <= limit
            and claim(expectation, sighting) not in self.claimed
        ]

    def over_after(self, at: float) -> float:
        """When the agent has been quiet after a moment of this turn."""
        return self.sightings.over_after(at, self.start)

    def calm_after(self, at: float) -> float:
        """When no more is waited for after a moment of this turn."""
        return self.sightings.over_after(at, self.start, GRACE_S)

    def seconds(self, at: float) -> str:
        """A moment as people are told it: seconds since the turn's input."""
        return f"{at - self.anchor:.2f} s"


def claim(expectation: Expectation, sighting: Sighting) -> tuple[str, int]:
    """What an expectation takes: a reply is the same one whatever it is called."""
    return "reply" if expectation.is_reply else expectation.event, id(sighting.source)


def earliest(expectation: Expectation, before: float | None) -> float:
    """From when on its event may lie, by what the expectation above it took."""
    if before is None or expectation.check_from == "turn_start":
        return -math.inf
    return before - EARLY_S


def missed(expectation: Expectation, view: View, kind: Kind, reason: str) -> State:
    """A failure if its time is up; until then it is pending.

    Args:
        expectation: What was waited for.
        view: The turn.
        kind: What is wrong if its time is up.
        reason: The same in words.
    """
    limit = view.limit(expectation)
    if view.now < limit:
        return State(Standing.PENDING, limit)
    if view.cut.at < view.deadline(expectation) and view.cut.kind is not None:
        return State(
            Standing.FAILED, limit, kind=view.cut.kind, reason=f"{view.cut.reason}; {reason}"
        )
    return State(Standing.FAILED, limit, kind=kind, reason=reason)


def late(expectation: Expectation, view: View, came: Sequence[Sighting], before: float) -> State:
    """All there is lies too early: out of order, unless more may come.

    Args:
        expectation: What was waited for.
        view: The turn.
        came: What came too early.
        before: When what should have come first had come.
    """
    final = min(view.calm_after(before), view.limit(expectation))
    if view.now < final:
        return State(Standing.PENDING, final)
    reason = (
        f"{expectation.event} came at {view.seconds(came[-1].at)}, before what should have come "
        f"first at {view.seconds(before)}"
    )
    return State(Standing.FAILED, final, kind=Kind.OUT_OF_ORDER, reason=reason)


def quoted(text: str) -> str:
    """A text as reasons show it; its beginning, if it is long."""
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
