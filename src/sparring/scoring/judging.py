"""A record and its verdicts: which it has already, and asking for those it lacks."""

from collections.abc import Callable
from dataclasses import replace

from pydantic import ValidationError

from sparring.errors import RecordError
from sparring.models import ChatModel
from sparring.records import Ending, JudgeIdentity, Judgement, Kind, Record
from sparring.records.redaction import redact
from sparring.scenarios import JudgedMetric, Script, Simulation
from sparring.scoring import scripts
from sparring.scoring.judge import JudgeFailure, judge, judge_identity
from sparring.scoring.question import ShownCall, show_call
from sparring.scoring.verdicts import Verdicts, verdicts_of


def definition_of(record: Record) -> Simulation | Script:
    """The scenario that a record carries.

    Raises:
        RecordError: If what it carries is no scenario.
    """
    kind = Script if is_script(record) else Simulation
    try:
        return kind.model_validate(record.scenario.definition)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise RecordError(
            f"the record of {record.scenario.name} carries no scenario: {place}: {first['msg']}"
        ) from None


def simulation_of(record: Record) -> Simulation:
    """The simulation that a record carries.

    Raises:
        RecordError: If what it carries is none.
    """
    definition = definition_of(record)
    if isinstance(definition, Script):
        raise RecordError(f"the record of {record.scenario.name} is one of a script")
    return definition


def is_script(record: Record) -> bool:
    """Whether a script was played, and not a simulation."""
    return "turns" in record.scenario.definition


def is_worth_judging(record: Record) -> bool:
    """Whether a judge has anything to decide: a call that got somewhere, with words in it."""
    ended = record.ended
    if is_script(record):
        return ended is not None and ended.ending is not Ending.INTERRUPTED
    broken = (
        ended is None
        or ended.ending in (Ending.ERROR, Ending.INTERRUPTED)
        or ended.kind is Kind.CALLER_STALLED
    )
    return not broken and bool(record.conversation.agent_turns)


def known_verdicts(record: Record, judge: JudgeIdentity | None = None) -> Verdicts:
    """The verdicts a record has on what its scenario asks now; of each, the newest.

    Args:
        record: The record.
        judge: Count only this judge's; None for anybody's.
    """
    simulation, call = simulation_of(record), _shown(record)
    known = Verdicts()
    for judgement in reversed(record.judgements):
        if judgement.call == call.hash and judge in (None, judgement.judge):
            said = verdicts_of(judgement)
            known = known.filled(said.on(redact(simulation.success), _criteria(simulation)))
    return known


def is_decided(record: Record) -> bool:
    """Whether a record has somebody's verdicts on all that its scenario asks now."""
    definition = definition_of(record)
    if isinstance(definition, Script):
        return scripts.is_decided(record, definition)
    known = known_verdicts(record)
    return known.goal is not None and not any(map(known.lacks, _criteria(simulation_of(record))))


async def judge_record(
    record: Record,
    model: ChatModel,
    fresh: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> tuple[Record, JudgeFailure | None]:
    """A record with this judge's verdicts on all that its scenario asks.

    Asked is only about what this judge has not decided yet, and nothing if there is nothing to ask.
    What it said, little as it may be, is kept with the record, and so is what was spent on it.

    Args:
        record: The record.
        model: Who judges.
        fresh: Ask about everything again.
        note: Told, in words, of tries that failed and of waits.

    Returns:
        The record; and why the judge did not decide everything, if it did not.
    """
    definition = definition_of(record)
    if isinstance(definition, Script):
        return await scripts.judge_script(record, definition, model, fresh, note)
    simulation, who = definition, judge_identity(model)
    known = Verdicts() if fresh else known_verdicts(record, who)
    criteria = [text for text in _criteria(simulation) if known.lacks(text)]
    success = None if known.goal is not None else redact(simulation.success)
    if success is None and not criteria:
        return record, None
    made, failure = await judge(model, _shown(record), success, criteria, note)
    if failure is not None:
        decided = replace(verdicts_of(made).filled(known), judges=(who,))
        failure = replace(failure, verdicts=decided)
    judgements: list[Judgement] = [*record.judgements, made]
    return record.model_copy(update={"judgements": judgements}), failure


def _criteria(simulation: Simulation) -> list[str]:
    """What every agent turn is held against, each once, as it is stored: without secrets."""
    judged = [redact(m.criterion) for m in simulation.metrics if isinstance(m, JudgedMetric)]
    return list(dict.fromkeys(judged))


def _shown(record: Record) -> ShownCall:
    ended = record.ended
    return show_call(record.conversation, ended.ending.value if ended else "cut off")
