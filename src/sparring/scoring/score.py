"""From a record to its score: who is to blame, which metrics held, did it pass.

A live run and a record read back from disk are scored by the same function, which asks nobody and
looks at nothing but the record.
"""

from collections.abc import Sequence

from sparring.records import (
    Ending,
    Goal,
    Kind,
    MetricScore,
    Record,
    Score,
    Status,
)
from sparring.scenarios import CallsMetric, JudgedMetric, Metric, RangeMetric, Simulation
from sparring.scoring.function_calls import check_calls
from sparring.scoring.measures import Measurement, agent_was_ready, measure

_CUT_SHORT = (Ending.MAX_TURNS, Ending.MAX_DURATION, Ending.SILENCE)
_AGENTS_FAULT = (Kind.AGENT_CRASHED, Kind.AGENT_ERROR, Kind.PROTOCOL_ERROR)


def score(record: Record) -> Score:
    """Score a record by the scenario it carries, without a judge.

    Metrics are always scored as far as the record allows. What decides, first to last: how the call
    ended, whether the agent said anything, the goal, the metrics with a threshold.
    """
    simulation = Simulation.model_validate(record.scenario.definition)
    goal = Goal(verdict="not_judged", reason="no judge was asked")
    metrics = [_score_metric(metric, record) for metric in simulation.metrics]
    status, kind, reason = _outcome(record, goal, metrics)
    return Score(status=status, kind=kind, reason=reason, goal=goal, metrics=metrics)


def _outcome(
    record: Record, goal: Goal, metrics: Sequence[MetricScore]
) -> tuple[Status, Kind | None, str]:
    ended = record.ended
    if ended is None:
        return Status.INTERRUPTED, Kind.INTERRUPTED, "the record stops before the call's end"
    if ended.ending is Ending.INTERRUPTED:
        return Status.INTERRUPTED, Kind.INTERRUPTED, ended.reason
    if ended.ending is Ending.ERROR:
        agents = ended.kind in _AGENTS_FAULT and agent_was_ready(record)
        status = Status.FAILED if agents else Status.ERROR
        return status, ended.kind or Kind.INTERNAL_ERROR, ended.reason
    if ended.kind is Kind.CALLER_STALLED:
        return Status.ERROR, ended.kind, ended.reason
    if ended.ending in _CUT_SHORT:
        return Status.FAILED, ended.kind, ended.reason
    if not record.conversation.agent_turns:
        return Status.FAILED, Kind.AGENT_SILENT, "the agent said nothing in the whole call"
    for metric in metrics:
        if metric.gates and not metric.passed and metric.passed is not None:
            return Status.FAILED, metric.failure_kind, f"{metric.name}: {metric.reason}"
    if goal.verdict == "not_judged" and not any(m.gates and m.passed for m in metrics):
        return (
            Status.ERROR,
            Kind.NOTHING_CHECKED,
            "nothing decided this run: the goal was not judged, and no metric with a threshold "
            "could be checked without a judge. Give it a `measure:` with a bound",
        )
    return Status.PASSED, None, ""


def _score_metric(metric: Metric, record: Record) -> MetricScore:
    match metric:
        case JudgedMetric():
            return MetricScore(
                name=metric.name,
                criterion=metric.criterion,
                min_score=metric.min_score,
                gates=metric.min_score is not None,
                passed=None,
                reason="not judged",
            )
        case CallsMetric():
            return _score_calls(metric, record)
        case RangeMetric():
            return _score_range(metric, record)


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
    gates = metric.min_value is not None or metric.max_value is not None
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
    least = f"at least {metric.min_value:g}" if metric.min_value is not None else ""
    most = f"at most {metric.max_value:g}" if metric.max_value is not None else ""
    return ", ".join(filter(None, (least, most)))
