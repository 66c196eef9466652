"""What is made of a record: the score, metric by metric."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sparring.records.judgement import JudgeIdentity, TurnVerdict
from sparring.records.kinds import Kind, Status

METRICS_VERSION = "1"
"""Version of the definitions that measures follow; scores of different versions do not compare."""


class MetricScore(BaseModel):
    """One metric of the scenario, measured or judged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    measure: str | None = None
    criterion: str | None = None
    gates: bool
    """Whether it can fail the run; a metric without a threshold is only reported."""
    passed: bool | None
    """None where nothing was measured or judged."""
    score: float | None = None
    """1 or 0 for a measured metric; the share of turns for a judged one."""
    value: float | None = None
    """What was measured, in the measure's unit; None if there was nothing to measure."""
    min_value: float | None = None
    max_value: float | None = None
    min_score: float | None = None
    reason: str = ""
    """A sentence that says what was measured and what was asked."""
    failure_kind: Kind | None = None
    verdicts: list[TurnVerdict] = Field(default_factory=list[TurnVerdict])
    """For a judged metric, the verdict on every agent turn."""
    details: dict[str, Any] = Field(default_factory=dict)


class Goal(BaseModel):
    """The verdict on the scenario's ``success``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["met", "not_met", "not_judged"]
    reason: str = ""


class Score(BaseModel):
    """What a record came to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Status
    kind: Kind | None = None
    """Why it did not pass; None if it did."""
    reason: str = ""
    """The first thing that went wrong, as a sentence."""
    goal: Goal
    metrics: list[MetricScore] = Field(default_factory=list[MetricScore])
    judges: list[JudgeIdentity] = Field(default_factory=list[JudgeIdentity])
    """Whose verdicts count here; the first gave the newest."""

    @property
    def passed(self) -> bool:
        """Whether the run passed."""
        return self.status is Status.PASSED
