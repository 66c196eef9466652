"""Judged metrics: from the verdicts on every agent turn to a score.

A turn passes if it meets the criterion or the criterion does not apply to it; the score is the
share of turns that pass. A turn without a verdict is counted both ways: if the gate holds even with
it failed, or falls even with it passed, that decides; else nobody can say. A criterion that applied
to no turn was not exercised: it has no score, and holds.
"""

from collections.abc import Sequence

from sparring.records import Kind, MetricScore, TurnVerdict
from sparring.scenarios import JudgedMetric


def score_judged(metric: JudgedMetric, verdicts: Sequence[TurnVerdict]) -> MetricScore:
    """Score a judged metric.

    Args:
        metric: The metric.
        verdicts: The judge's, one for every agent turn; none if it was not asked.
    """
    if not verdicts:
        return _made(metric, None, None, "not judged", verdicts)
    total = len(verdicts)
    passing = [v for v in verdicts if v.verdict in ("meets", "not_applicable")]
    unclear = [v for v in verdicts if v.verdict == "none"]
    applied = sum(v.verdict != "not_applicable" for v in verdicts)
    if applied == 0:
        return _made(metric, None, True, f"not exercised in {total} turns", verdicts)
    least, most = len(passing) / total, (len(passing) + len(unclear)) / total
    reason = f"{len(passing)}/{total} turns"
    if applied < total:
        reason += f", applied to {applied}"
    if unclear:
        reason += f", no verdict on {', '.join(f'turn {v.turn}' for v in unclear)}"
    needed = metric.min_score
    if needed is None or least >= needed:
        return _made(metric, least, True, reason, verdicts)
    if most >= needed:
        return _made(metric, least, None, reason, verdicts, Kind.JUDGE_NO_VERDICT)
    failing = "; ".join(
        f"turn {v.turn}: {v.reason or 'no reason given'}" for v in verdicts if v.verdict == "fails"
    )
    reason = f"{least:.2f} below {needed:.2f}: {failing or reason}"
    return _made(metric, least, False, reason, verdicts, Kind.JUDGE_NO)


def _made(
    metric: JudgedMetric,
    score: float | None,
    passed: bool | None,
    reason: str,
    verdicts: Sequence[TurnVerdict],
    failure_kind: Kind | None = None,
) -> MetricScore:
    return MetricScore(
        name=metric.name,
        criterion=metric.criterion,
        min_score=metric.min_score,
        gates=metric.min_score is not None,
        passed=passed,
        score=None if score is None else round(score, 4),
        reason=reason,
        failure_kind=failure_kind,
        verdicts=list(verdicts),
    )
