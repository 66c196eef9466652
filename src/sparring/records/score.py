"""What is made of a record: the score, metric by metric or turn by turn."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sparring.records.judgement import ExpectationVerdict, JudgeIdentity, TurnVerdict
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


class ExpectationScore(BaseModel):
    """What became of one expectation of a script."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    expectation_index: int
    """From 0."""
    event_name: str
    passed: bool | None
    """None if only a judge can say, and none has."""
    matched: str | None = None
    """What it took."""
    at_ms: int | None = None
    """When it was settled, from the turn's input."""
    kind: Kind | None = None
    reason: str = ""
    verdict: ExpectationVerdict | None = None
    """The judge's, where there is one."""


class TurnScore(BaseModel):
    """What became of one turn of a script."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn_index: int
    """From 0."""
    sent: str
    """What the caller said or pressed; empty if it only listened."""
    status: Literal["passed", "failed", "undecided", "not_run"]
    """``undecided``: nothing in it failed, but not everything was decided."""
    duration_ms: int = 0
    """From the turn's input until everything was settled."""
    expectations: list[ExpectationScore] = Field(default_factory=list[ExpectationScore])


class ExpectationFailure(BaseModel):
    """Something that a script waited for in vain, or that should not have come."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn_index: int
    """-1 for what is about no turn."""
    expectation_index: int
    """-1 for what is about no expectation."""
    event_name: str
    """In angle brackets for what is no event: ``<connect>``, ``<send>``, ``<agent>``."""
    kind: Kind
    reason: str


class Outcome(BaseModel):
    """What a record came to, whatever was played."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Status
    kind: Kind | None = None
    """Why it did not pass; None if it did."""
    reason: str = ""
    """The first thing that went wrong, as a sentence."""
    judges: list[JudgeIdentity] = Field(default_factory=list[JudgeIdentity])
    """Whose verdicts count here; the first gave the newest."""

    @property
    def passed(self) -> bool:
        """Whether the run passed."""
        return self.status is Status.PASSED


class Score(Outcome):
    """What the record of a simulation came to."""

    goal: Goal
    metrics: list[MetricScore] = Field(default_factory=list[MetricScore])


class ScriptScore(Outcome):
    """What the record of a script came to."""

    turns: list[TurnScore] = Field(default_factory=list[TurnScore])
    failures: list[ExpectationFailure] = Field(default_factory=list[ExpectationFailure])
