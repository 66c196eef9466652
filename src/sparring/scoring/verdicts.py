"""Verdicts, and how they add up: over the tries of one judge, and over a record's judgements.

A verdict once given stands: what is added to it fills gaps, turn by turn, and a ``none`` never
takes its place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparring.records import GoalVerdict, JudgeIdentity, Judgement, TurnVerdict


@dataclass(frozen=True)
class Verdicts:
    """What is known of a record by judgement."""

    goal: GoalVerdict | None = None
    criteria: Mapping[str, Sequence[TurnVerdict]] = field(
        default_factory=dict[str, Sequence[TurnVerdict]]
    )
    """By criterion: a verdict for every agent turn, ``none`` where there is none."""
    judges: Sequence[JudgeIdentity] = ()
    """Whose verdicts these are; the first gave the newest."""

    def filled(self, other: "Verdicts") -> "Verdicts":
        """These verdicts, and the other's where there are none."""
        criteria = dict(self.criteria)
        for criterion, verdicts in other.criteria.items():
            criteria[criterion] = _filled(criteria.get(criterion), verdicts)
        both = Verdicts(self.goal or other.goal, criteria, self.judges)
        if both == self:
            return self
        judges = dict.fromkeys(map(repr, self.judges))
        added = [judge for judge in other.judges if repr(judge) not in judges]
        return replace(both, judges=[*self.judges, *added])

    def on(self, success: str | None, criteria: Sequence[str]) -> "Verdicts":
        """Those that are about this goal and these criteria."""
        goal = self.goal if self.goal is not None and self.goal.criterion == success else None
        kept = {text: self.criteria[text] for text in criteria if text in self.criteria}
        return Verdicts(goal, kept, self.judges)

    def lacks(self, criterion: str) -> bool:
        """Whether some turn has no verdict on the criterion."""
        verdicts = self.criteria.get(criterion)
        return verdicts is None or any(verdict.verdict == "none" for verdict in verdicts)


def verdicts_of(judgement: Judgement) -> Verdicts:
    """What a judge said."""
    return Verdicts(judgement.goal, judgement.criteria, (judgement.judge,))


def missing(verdicts: Verdicts, success: str | None, criteria: Sequence[str]) -> str:
    """What was asked and has no verdict, in words; empty if everything has one.

    Args:
        verdicts: What is known.
        success: The success criterion, if it was asked about.
        criteria: What every agent turn was held against.
    """
    what = ["the goal"] if success is not None and verdicts.goal is None else []
    lists = [verdicts.criteria.get(text) for text in criteria]
    if None in lists:
        return ", ".join([*what, "the criteria"])
    turns = {v.turn for list_ in lists for v in list_ or () if v.verdict == "none"}
    return ", ".join([*what, *(f"turn {turn}" for turn in sorted(turns))])


def _filled(
    verdicts: Sequence[TurnVerdict] | None, others: Sequence[TurnVerdict]
) -> Sequence[TurnVerdict]:
    if verdicts is None:
        return others
    by_turn = {verdict.turn: verdict for verdict in others}
    return [
        by_turn.get(verdict.turn, verdict) if verdict.verdict == "none" else verdict
        for verdict in verdicts
    ]
