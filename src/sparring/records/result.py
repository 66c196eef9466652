"""A result: one line of ``results.jsonl``, a record's identity with its score."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sparring.records.events import CallerFault, CallerSpent
from sparring.records.judgement import JudgeIdentity, Judgement
from sparring.records.kinds import Ending, Kind, Status
from sparring.records.record import CallerIdentity, Record
from sparring.records.score import (
    METRICS_VERSION,
    ExpectationFailure,
    Goal,
    MetricScore,
    Outcome,
    Score,
    ScriptScore,
    TurnScore,
)

RESULT_SCHEMA = 1
_NOT_SEEN = ("llm_text", "bot_audio", "soundtrack", "note")


class Result(BaseModel):
    """One played and scored run: what results of simulations and scripts share.

    The names are those of pipecat's results where it has one, so that readers of the one read the
    other. The one exception is ``kind``, which here says why a run did not pass; pipecat's ``kind``
    (script or simulation) is ``type``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = RESULT_SCHEMA
    metrics_version: str = METRICS_VERSION
    started_at: datetime
    bot: str
    name: str
    url: str
    scenario: str
    scenario_hash: str
    tags: list[str] = Field(default_factory=list[str])
    attempt: int
    seed: int

    status: Status
    passed: bool
    kind: Kind | None
    reason: str
    error: str | None
    """The reason, where the run says nothing about the agent."""
    ended_by: Ending | None
    duration_ms: int
    """From connecting to the end."""
    messages: list[dict[str, str]]
    tool_calls: list[dict[str, Any]]
    events_seen: list[dict[str, Any]] | None = None
    """What happened, token by token left out; only for runs that did not pass."""
    caller: CallerIdentity
    judge: JudgeIdentity | None = None
    """Who judged; if several did, whose verdicts are the newest."""
    judges: list[JudgeIdentity] = Field(default_factory=list[JudgeIdentity])
    """Everybody whose verdicts count in this score."""
    tokens: dict[str, dict[str, int | None]] = Field(default_factory=dict)
    """Tokens per role, ``caller`` and ``judge``, of all answers that came; None where a service
    does not say."""
    judge_requests: int = 0
    """Requests to judges about this record, those that failed included."""
    retried: list[str] = Field(default_factory=list[str])
    """Why it was played again, once for each time; empty if it was played once."""
    versions: dict[str, str]
    artifacts: dict[str, str] = Field(default_factory=dict)


class SimulationResult(Result):
    """One played and scored simulation."""

    type: Literal["simulation"] = "simulation"
    succeeded: bool | None
    """Whether the goal was met; None if that was not judged."""
    success: str
    """The scenario's criterion for success."""
    goal: Goal
    turns: int
    """The caller's turns."""
    end_call: dict[str, Any] | None
    metrics: list[MetricScore]
    confidence: float | None = None
    """Always None: our judge gives verdicts, not probabilities."""
    probabilities: dict[str, float] | None = None
    unsent: list[str] = Field(default_factory=list[str])
    caller_faults: list[str] = Field(default_factory=list[str])
    """What our caller did wrong, mended or not."""


class ScriptResult(Result):
    """One played and scored script."""

    type: Literal["script"] = "script"
    turns: list[TurnScore]
    """Every turn of the script, those that were not run as well."""
    failures: list[ExpectationFailure]
    skipped: str | None = None
    """Always None: a script is played or told of as a problem."""


_RESULTS: TypeAdapter[SimulationResult | ScriptResult] = TypeAdapter(
    Annotated[SimulationResult | ScriptResult, Field(discriminator="type")]
)


def read_result(line: str) -> Result:
    """Read a line of ``results.jsonl``.

    Raises:
        ValueError: If it is no result.
    """
    return _RESULTS.validate_json(line)


def make_result(
    record: Record, score: Score | ScriptScore, artifacts: dict[str, str] | None = None
) -> SimulationResult | ScriptResult:
    """Put a record's identity and its score together.

    Args:
        record: The record that was scored.
        score: What was made of it.
        artifacts: Files of this run by name, as paths relative to the run directory.
    """
    shared = _shared(record, score, artifacts or {})
    if isinstance(score, ScriptScore):
        return ScriptResult(turns=score.turns, failures=score.failures, **shared)
    conversation = record.conversation
    judged = score.goal.verdict != "not_judged"
    hung_up = conversation.end_call
    return SimulationResult(
        succeeded=score.goal.verdict == "met" if judged else None,
        success=record.scenario.definition.get("success", ""),
        goal=score.goal,
        turns=len(conversation.caller_turns),
        end_call={"success": hung_up.success, "reason": hung_up.reason} if hung_up else None,
        metrics=score.metrics,
        unsent=conversation.unsent,
        caller_faults=[e.fault for e in record.events if isinstance(e, CallerFault)],
        **shared,
    )


def _shared(record: Record, score: Outcome, artifacts: dict[str, str]) -> dict[str, Any]:
    """The fields that results of both kinds have."""
    conversation = record.conversation
    is_blameless = score.status in (Status.ERROR, Status.INVALID, Status.INTERRUPTED)
    seen = [
        event.model_dump(mode="json", exclude_none=True)
        for event in record.events
        if event.type not in _NOT_SEEN
    ]
    return {
        "started_at": record.started_at,
        "bot": record.agent.label,
        "name": record.agent.label,
        "url": record.agent.url,
        "scenario": record.scenario.name,
        "scenario_hash": record.scenario.hash,
        "tags": record.scenario.definition.get("tags", []),
        "attempt": record.attempt,
        "seed": record.seed,
        "status": score.status,
        "passed": score.passed,
        "kind": score.kind,
        "reason": score.reason,
        "error": score.reason if is_blameless else None,
        "ended_by": record.ended.ending if record.ended else None,
        "duration_ms": round(record.events[-1].at * 1000) if record.events else 0,
        "messages": conversation.messages(),
        "tool_calls": [
            {
                "name": call.name,
                "args": call.args,
                "state": call.state,
                "result": call.result,
                "at": call.started_at,
            }
            for call in conversation.tool_calls
        ],
        "events_seen": None if score.passed else seen,
        "caller": record.caller,
        "judge": score.judges[0] if score.judges else None,
        "judges": score.judges,
        "tokens": _tokens(record),
        "judge_requests": sum(judgement.requests for judgement in record.judgements),
        "versions": record.versions,
        "artifacts": artifacts,
    }


def _tokens(record: Record) -> dict[str, dict[str, int | None]]:
    spent = [event for event in record.events if isinstance(event, CallerSpent)]
    roles: dict[str, list[CallerSpent] | list[Judgement]] = {
        "caller": spent,
        "judge": record.judgements,
    }
    return {
        role: {
            "prompt": _total([request.prompt_tokens for request in requests]),
            "completion": _total([request.completion_tokens for request in requests]),
        }
        for role, requests in roles.items()
        if requests
    }


def _total(counts: list[int | None]) -> int | None:
    """The sum, if every request said how many it took."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
