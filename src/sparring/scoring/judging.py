"""A record and its verdicts: which it has already, and asking for those it lacks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from sparring.errors import RecordError
from sparring.models import ChatModel
from sparring.records import (
    Ending,
    GoalVerdict,
    JudgeIdentity,
    Judgement,
    Kind,
    Record,
    TurnVerdict,
)
from sparring.scenarios import JudgedMetric, Simulation
from sparring.scoring.judge import JudgeFailure, judge, judge_identity
from sparring.scoring.question import ShownCall, ask_about, show_call


@dataclass(frozen=True)
class Verdicts:
    """What is known of a record by judgement."""

    goal: GoalVerdict | None = None
    criteria: Mapping[str, Sequence[TurnVerdict]] = field(
        default_factory=dict[str, Sequence[TurnVerdict]]
    )


def simulation_of(record: Record) -> Simulation:
    """The scenario that a record carries.

    Raises:
        RecordError: If what it carries is no scenario.
    """
    try:
        return Simulation.model_validate(record.scenario.definition)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise RecordError(
            f"the record of {record.scenario.name} carries no scenario: {place}: {first['msg']}"
        ) from None


def is_worth_judging(record: Record) -> bool:
    """Whether a judge has anything to decide: a call that got somewhere, with words in it."""
    ended = record.ended
    broken = (
        ended is None
        or ended.ending in (Ending.ERROR, Ending.INTERRUPTED)
        or ended.kind is Kind.CALLER_STALLED
    )
    return not broken and bool(record.conversation.agent_turns)


def known_verdicts(record: Record, judge: JudgeIdentity | None = None) -> Verdicts:
    """The newest verdicts a record has on what its scenario asks now.

    Args:
        record: The record.
        judge: Count only this judge's; None for anybody's.
    """
    simulation, call = simulation_of(record), _shown(record)
    goal: GoalVerdict | None = None
    criteria: dict[str, Sequence[TurnVerdict]] = {}
    for judgement in record.judgements:
        if judgement.call != call.hash or (judge is not None and judgement.judge != judge):
            continue
        if judgement.goal is not None and judgement.goal.criterion == simulation.success:
            goal = judgement.goal
        criteria |= {text: judgement.criteria[text] for text in judgement.criteria}
    return Verdicts(goal, criteria)


async def judge_record(
    record: Record,
    model: ChatModel,
    fresh: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> tuple[Record, JudgeFailure | None]:
    """A record with this judge's verdicts on all that its scenario asks.

    One request at most: about what this judge has not decided yet. Nothing is asked if there is
    nothing to ask.

    Args:
        record: The record.
        model: Who judges.
        fresh: Ask about everything again.
        note: Told, in words, of tries that failed and of waits.
    """
    simulation = simulation_of(record)
    known = Verdicts() if fresh else known_verdicts(record, judge_identity(model))
    wanted = [m.criterion for m in simulation.metrics if isinstance(m, JudgedMetric)]
    criteria = [text for text in dict.fromkeys(wanted) if not _decided(known.criteria.get(text))]
    success = None if known.goal is not None else simulation.success
    if success is None and not criteria:
        return record, None
    made = await judge(model, ask_about(_shown(record), success, criteria), note)
    if isinstance(made, JudgeFailure):
        return record, made
    judgements: list[Judgement] = [*record.judgements, made]
    return record.model_copy(update={"judgements": judgements}), None


def _decided(verdicts: Sequence[TurnVerdict] | None) -> bool:
    return verdicts is not None and all(verdict.verdict != "none" for verdict in verdicts)


def _shown(record: Record) -> ShownCall:
    ended = record.ended
    return show_call(record.conversation, ended.ending.value if ended else "cut off")
