"""From a record to its score: who is to blame, which metrics held, did it pass.

A live run and a record read back from disk are scored by the same function, which asks nobody and
looks at nothing but the record and the judgements stored with it.
"""

from collections.abc import Sequence

from sparring.records import (
    Ending,
    Goal,
    Kind,
    MetricScore,
    Record,
    Score,
    ScriptScore,
    Status,
    TurnVerdict,
)
from sparring.records.kinds import AGENTS_FAULT
from sparring.records.redaction import redact
from sparring.scenarios import (
    CallsMetric,
    JudgedMetric,
    Metric,
    RangeMetric,
    Script,
    Simulation,
)
from sparring.scoring.function_calls import check_calls
from sparring.scoring.judge import JudgeFailure
from sparring.scoring.judged import score_judged
from sparring.scoring.judging import definition_of, is_script, known_verdicts
from sparring.scoring.measurement import Measurement
from sparring.scoring.measures import measure
from sparring.scoring.scripts import score_script
from sparring.scoring.verdicts import Verdicts

_CUT_SHORT = (Ending.MAX_TURNS, Ending.MAX_DURATION, Ending.SILENCE)


def score(record: Record, failure: JudgeFailure | None = None) -> Score | ScriptScore:
    """Score a record by the scenario it carries.

    Args:
        record: The record, with the judgements there are of it.
        failure: Why a judge that was asked did not decide everything.
    """
    definition = definition_of(record)
    if isinstance(definition, Script):
        return score_script(record, definition, failure)
    return score_simulation(record, definition, failure)


def unscored(record: Record) -> Score | ScriptScore:
    """The score of a record that nothing could be made of."""
    if is_script(record):
        return ScriptScore(status=Status.ERROR)
    return Score(status=Status.ERROR, goal=Goal(verdict="not_judged"))


def score_simulation(
    record: Record, simulation: Simulation, failure: JudgeFailure | None = None
) -> Score:
    """Score a simulation's record.

    Metrics are always scored as far as the record allows. What decides, first to last: how the call
    ended, whether the agent said anything, the goal, the metrics with a threshold, and whether what
    should have decided could.

    Args:
        record: The record, with the judgements there are of it.
        simulation: What was played.
        failure: Why a judge that was asked did not decide everything. Then what it decided counts,
            and no other judge's verdicts.
    """
    asked = failure.verdicts if failure is not None else None
    verdicts = known_verdicts(record) if asked is None else asked
    metrics = [_score_metric(metric, record, verdicts) for metric in simulation.metrics]
    goal = _goal(verdicts, failure)
    status, kind, reason = _outcome(record, goal, metrics, failure)
    if status is Status.FAILED and kind not in AGENTS_FAULT and _kept_bad_time(record):
        status, kind, reason = Status.ERROR, Kind.HARNESS_OVERLOADED, _late(record, reason)
    return Score(
        status=status,
        kind=kind,
        reason=reason,
        goal=goal,
        metrics=metrics,
        judges=list(verdicts.judges),
    )


def _kept_bad_time(record: Record) -> bool:
    return record.soundtrack is not None and record.soundtrack.lateness.overloaded


def _late(record: Record, reason: str) -> str:
    assert record.soundtrack is not None
    late = record.soundtrack.lateness
    return (
        f"our own clock was up to {late.max_ms:.0f} ms late ({late.over_60_ms} time(s) by more "
        f"than 60 ms, {late.p99_ms:.0f} ms at the 99th percentile), which may be why: {reason}"
    )


def _goal(verdicts: Verdicts, failure: JudgeFailure | None) -> Goal:
    if verdicts.goal is None:
        reason = failure.reason if failure else "no judge was asked"
        return Goal(verdict="not_judged", reason=reason)
    met = verdicts.goal.verdict == "yes"
    return Goal(verdict="met" if met else "not_met", reason=verdicts.goal.reason)


def _outcome(
    record: Record, goal: Goal, metrics: Sequence[MetricScore], failure: JudgeFailure | None
) -> tuple[Status, Kind | None, str]:
    ended = record.ended
    if ended is None:
        return Status.INTERRUPTED, Kind.INTERRUPTED, "the record stops before the call's end"
    why = ended.reason or f"the call was ended by {ended.ending}"
    if ended.ending is Ending.INTERRUPTED:
        return Status.INTERRUPTED, Kind.INTERRUPTED, why
    if ended.ending is Ending.ERROR:
        if ended.kind is Kind.CALLER_CONDUCT:
            return Status.INVALID, ended.kind, why
        status = Status.FAILED if record.broken_by_agent else Status.ERROR
        return status, ended.kind or Kind.INTERNAL_ERROR, why
    if ended.kind is Kind.CALLER_STALLED:
        return Status.ERROR, ended.kind, why
    if ended.ending in _CUT_SHORT:
        return Status.FAILED, ended.kind or Kind(ended.ending.value), why
    if not record.conversation.agent_turns:
        return Status.FAILED, Kind.AGENT_SILENT, "the agent said nothing in the whole call"
    return _verdict(goal, metrics, failure)


def _verdict(
    goal: Goal, metrics: Sequence[MetricScore], failure: JudgeFailure | None
) -> tuple[Status, Kind | None, str]:
    """What goal and metrics come to, for a call that ran its course."""
    if failure is not None and failure.kind is Kind.INTERRUPTED:
        return Status.INTERRUPTED, failure.kind, failure.reason
    if goal.verdict == "not_met":
        return Status.FAILED, Kind.JUDGE_NO, f"goal not met: {goal.reason or 'no reason given'}"
    gates = [metric for metric in metrics if metric.gates]
    for metric in gates:
        if metric.passed is False:
            return Status.FAILED, metric.failure_kind, f"{metric.name}: {metric.reason}"
    undecided = goal.verdict == "not_judged" or any(metric.passed is None for metric in gates)
    if failure is not None and undecided:
        return Status.ERROR, failure.kind, failure.reason
    for metric in gates:
        # Once a judge has decided the goal, a gate without verdicts cannot just be left out.
        lacks_verdicts = metric.passed is None and goal.verdict != "not_judged"
        if metric.failure_kind is Kind.JUDGE_NO_VERDICT or lacks_verdicts:
            return Status.ERROR, Kind.JUDGE_NO_VERDICT, f"{metric.name}: {metric.reason}"
    if goal.verdict == "not_judged" and not any(metric.passed for metric in gates):
        return (
            Status.ERROR,
            Kind.NOTHING_CHECKED,
            "nothing decided this run: the goal was not judged, and no metric with a threshold "
            "could be checked without a judge. Give it a `measure:` with a bound",
        )
    return Status.PASSED, None, ""


def _score_metric(metric: Metric, record: Record, verdicts: Verdicts) -> MetricScore:
    match metric:
        case JudgedMetric():
            return score_judged(metric, _with_evidence(metric, record, verdicts))
        case CallsMetric():
            return _score_calls(metric, record)
        case RangeMetric():
            return _score_range(metric, record)


def _with_evidence(metric: JudgedMetric, record: Record, verdicts: Verdicts) -> list[TurnVerdict]:
    """The verdicts on a metric, each with the words it is about."""
    said = [turn.text for turn in record.conversation.agent_turns]
    return [
        verdict.model_copy(update={"evidence": said[verdict.turn - 1]})
        for verdict in verdicts.criteria.get(redact(metric.criterion), ())
    ]


def _score_calls(metric: CallsMetric, record: Record) -> MetricScore:
    calls = [call for call in record.conversation.tool_calls if not call.cancelled]
    verdict = check_calls(metric.calls, record.conversation.tool_calls)
    return MetricScore(
        name=metric.name,
        measure=metric.measure,
        gates=True,
        passed=verdict.passed,
        score=float(verdict.passed),
        value=len(calls),
        reason=verdict.reason or f"made: {', '.join(verdict.made) or 'no calls'}",
        failure_kind=None if verdict.passed else Kind.FUNCTION_CALLS,
        details={"made": verdict.made},
    )


def _score_range(metric: RangeMetric, record: Record) -> MetricScore:
    measured = measure(metric.measure, record, metric.max_value)
    gates = metric.bounded and (record.timed or measured.value is not None)
    kind = _range_fault(metric, measured) if gates else None
    measurable = measured.value is not None
    return MetricScore(
        name=metric.name,
        measure=metric.measure,
        gates=gates,
        passed=kind is None if gates or measurable else None,
        score=float(kind is None) if measurable and gates else None,
        value=measured.value,
        min_value=metric.min_value,
        max_value=metric.max_value,
        reason=", ".join(filter(None, (measured.text, measured.fault, _bounds(metric)))),
        failure_kind=kind,
        details=measured.details,
    )


def _range_fault(metric: RangeMetric, measured: Measurement) -> Kind | None:
    if measured.fault is not None:
        return Kind.OUT_OF_RANGE
    if measured.value is None:
        return Kind.UNMEASURED
    low = metric.min_value is not None and measured.value < metric.min_value
    high = metric.max_value is not None and measured.value > metric.max_value
    return Kind.OUT_OF_RANGE if low or high else None


def _bounds(metric: RangeMetric) -> str:
    least = f"at least {metric.min_value:.12g}" if metric.min_value is not None else ""
    most = f"at most {metric.max_value:.12g}" if metric.max_value is not None else ""
    return ", ".join(filter(None, (least, most)))
