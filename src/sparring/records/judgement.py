"""What a judge said of a record, stored with it, so that re-scoring need not ask again."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JudgeIdentity(_Part):
    """Who judged: verdicts of different judges do not compare."""

    service: str
    model: str
    params: dict[str, Any] = Field(default_factory=dict)
    prompt_version: str


class GoalVerdict(_Part):
    """Whether the scenario's success criterion was met."""

    criterion: str
    verdict: Literal["yes", "no"]
    reason: str = ""


class TurnVerdict(_Part):
    """Whether one agent turn met one criterion."""

    turn: int
    """The agent's turn, counted from 1."""
    verdict: Literal["meets", "fails", "not_applicable", "none"]
    """``none``: the judge gave no answer that could be read."""
    reason: str = ""
    evidence: str = ""
    """In a result: what the agent said in that turn."""


class ExpectationVerdict(_Part):
    """Whether what a script's expectation took is what its ``eval`` asks for."""

    criterion: str
    verdict: Literal["yes", "no", "not_yet"]
    """``not_yet``: the reply does not answer yet."""
    reason: str = ""


class Judgement(_Part):
    """What one judge decided about one record, be it nothing; it holds for the same call only."""

    call: str
    """Hash of the call as the judge was shown it, and of how it was told to judge."""
    judge: JudgeIdentity
    goal: GoalVerdict | None = None
    """None if only criteria were asked about, or the judge did not decide it."""
    criteria: dict[str, list[TurnVerdict]] = Field(default_factory=dict)
    """By criterion, word for word: a verdict for every agent turn; those the judge left out are not
    there."""
    expectations: dict[str, ExpectationVerdict] = Field(
        default_factory=dict[str, ExpectationVerdict]
    )
    """Of a script, by the hash of the question, which is of all that the judge was shown."""
    requests: int = 1
    """How many requests it took, those that failed included."""
    prompt_tokens: int | None = None
    """Tokens of all answers that came; None if the service does not say."""
    completion_tokens: int | None = None
