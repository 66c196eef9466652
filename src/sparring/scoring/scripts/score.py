"""What a script's record came to: every turn and expectation, and what that makes of the run."""

from collections.abc import Iterator, Sequence

from sparring.records import (
    Ending,
    ExpectationFailure,
    ExpectationScore,
    JudgeIdentity,
    Kind,
    Record,
    ScriptScore,
    Status,
    TurnScore,
)
from sparring.records.kinds import AGENTS_FAULT
from sparring.scenarios import Expectation, Script, ScriptTurn
from sparring.scoring.judge import JudgeFailure
from sparring.scoring.scripts.judging import known_verdicts, settled
from sparring.scoring.scripts.states import Standing, State
from sparring.scoring.scripts.turns import TurnState

_OUTSIDE = {
    Kind.CONNECT_FAILED: "<connect>",
    Kind.CLOSED_BEFORE_READY: "<bot-ready>",
    Kind.HANDSHAKE_TIMEOUT: "<bot-ready>",
}
"""Names for what failed where there was no turn yet."""


def score_script(
    record: Record, script: Script, failure: JudgeFailure | None = None
) -> ScriptScore:
    """Score a script's record.

    What decides, first to last: whether the call could be played at all, the first thing in which
    the agent failed, whether the script was played to its end, and whether the judge has decided
    what it had to.

    Args:
        record: The record, with the judgements there are of it.
        script: What was played.
        failure: Why a judge that was asked did not decide everything.
    """
    states = settled(record, script, known_verdicts(record))
    turns = [
        _turn(script, states[index] if index < len(states) else None, index)
        for index in range(len(script.turns))
    ]
    failures = list(_failures(script, states))
    outside = _outside(record)
    if outside is not None and not failures:
        failures = [outside]
    status, kind, reason = _outcome(record, states, turns, failures, failure)
    return ScriptScore(
        status=status,
        kind=kind,
        reason=reason,
        turns=turns,
        failures=failures,
        judges=_judges(record, states),
    )


def _outcome(
    record: Record,
    states: Sequence[TurnState],
    turns: Sequence[TurnScore],
    failures: Sequence[ExpectationFailure],
    failure: JudgeFailure | None,
) -> tuple[Status, Kind | None, str]:
    ended = record.ended
    if ended is None:
        return Status.INTERRUPTED, Kind.INTERRUPTED, "the record stops before the call's end"
    if ended.ending is Ending.INTERRUPTED:
        return Status.INTERRUPTED, Kind.INTERRUPTED, ended.reason
    if ended.ending is Ending.ERROR and not record.broken_by_agent:
        return Status.ERROR, ended.kind or Kind.INTERNAL_ERROR, ended.reason
    agents = [one for one in failures if one.kind is not Kind.JUDGE_LATE]
    if agents:
        return Status.FAILED, agents[0].kind, _told(agents[0])
    if ended.ending is Ending.ERROR:
        return Status.FAILED, ended.kind, ended.reason
    if failures:
        return Status.ERROR, failures[0].kind, _told(failures[0])
    left = [turn.turn_index + 1 for turn in turns if turn.status == "not_run"]
    if left:
        was_cut = ended.ending is Ending.BOT
        if was_cut:
            told = f"the agent hung up before turn {left[0]}"
            return Status.FAILED, Kind.BOT_ENDED, told
        told = f"turn {left[0]} was not played, though nothing that was played has failed"
        return Status.ERROR, Kind.UNPLAYED, told
    return _judged(states, failure)


def _judged(
    states: Sequence[TurnState], failure: JudgeFailure | None
) -> tuple[Status, Kind | None, str]:
    """What verdicts that are lacking make of a script in which nothing failed."""
    expected = [state for turn in states for state in turn.states]
    lacking = [state for state in expected if state.standing is Standing.ASKING]
    if lacking and failure is not None:
        stopped = failure.kind is Kind.INTERRUPTED
        status = Status.INTERRUPTED if stopped else Status.ERROR
        return status, failure.kind, failure.reason
    if lacking and len(lacking) == len(expected):
        return (
            Status.ERROR,
            Kind.NOTHING_CHECKED,
            "nothing decided this run: everything it expects is for a judge, and none was asked",
        )
    return Status.PASSED, None, ""


def _outside(record: Record) -> ExpectationFailure | None:
    """What broke the call before any turn was to blame."""
    ended = record.ended
    if ended is None or ended.ending is not Ending.ERROR:
        return None
    kind = ended.kind or Kind.INTERNAL_ERROR
    name = _OUTSIDE.get(kind, "<agent>" if kind in AGENTS_FAULT else "<error>")
    return ExpectationFailure(
        turn_index=-1, expectation_index=-1, event_name=name, kind=kind, reason=ended.reason
    )


def _turn(script: Script, state: TurnState | None, index: int) -> TurnScore:
    played = script.turns[index]
    sent = f"(pressed {played.dtmf})" if played.dtmf is not None else played.text
    if state is None or (state.anchor is None and state.unsent is None):
        return TurnScore(turn_index=index, sent=sent, status="not_run")
    anchor = state.began if state.anchor is None else state.anchor
    expectations = [
        _expectation(script, expectation, one, number, anchor)
        for number, (expectation, one) in enumerate(zip(played.expect, state.states, strict=False))
    ]
    undecided = any(one.passed is None for one in expectations) or state.is_open
    status = "failed" if state.is_lost else "undecided" if undecided else "passed"
    lasted = max((one.at for one in state.all if not one.is_open), default=anchor) - anchor
    return TurnScore(
        turn_index=index,
        sent=sent,
        status=status,
        duration_ms=round(max(0.0, lasted) * 1000),
        expectations=expectations,
    )


def _expectation(
    script: Script, expectation: Expectation, state: State, number: int, anchor: float
) -> ExpectationScore:
    decided = {Standing.MET: True, Standing.FAILED: False}.get(state.standing)
    return ExpectationScore(
        expectation_index=number,
        event_name=_name(script, expectation),
        passed=None if state.kind is Kind.JUDGE_LATE else decided,
        matched=state.reason if state.taken else None,
        at_ms=None if state.is_open else round((state.at - anchor) * 1000),
        kind=state.kind,
        reason="" if state.taken else state.reason,
        verdict=state.verdict,
    )


def _failures(script: Script, states: Sequence[TurnState]) -> Iterator[ExpectationFailure]:
    for turn in states:
        played = script.turns[turn.index]
        if turn.unsent is not None:
            yield from _unsent(script, played, turn.index, turn.unsent)
        for number, (expectation, state) in enumerate(
            zip(played.expect, turn.states, strict=False)
        ):
            if state.kind is not None and state.standing is Standing.FAILED:
                yield ExpectationFailure(
                    turn_index=turn.index,
                    expectation_index=number,
                    event_name=_name(script, expectation),
                    kind=state.kind,
                    reason=state.reason,
                )


def _unsent(
    script: Script, played: ScriptTurn, index: int, state: State
) -> Iterator[ExpectationFailure]:
    """Everything that a turn which could not be sent waited for."""
    waiting = [(n, one) for n, one in enumerate(played.expect) if not one.absent]
    assert state.kind is not None
    for number, name in [(n, _name(script, one)) for n, one in waiting] or [(-1, "<send>")]:
        yield ExpectationFailure(
            turn_index=index,
            expectation_index=number,
            event_name=name,
            kind=state.kind,
            reason=state.reason,
        )


def _name(script: Script, expectation: Expectation) -> str:
    """What results call an event; in text a response is the LLM's, as pipecat says."""
    if expectation.event == "response" and script.judge.modality == "text":
        return "llm_response"
    return expectation.event


def _told(failure: ExpectationFailure) -> str:
    if failure.turn_index < 0:
        return failure.reason
    return f"turn {failure.turn_index + 1} {failure.event_name}: {failure.reason}"


def _judges(record: Record, states: Sequence[TurnState]) -> list[JudgeIdentity]:
    """Whose verdicts count, the newest first."""
    used = [state.verdict for turn in states for state in turn.states if state.verdict is not None]
    judges: dict[str, JudgeIdentity] = {}
    for judgement in reversed(record.judgements):
        if any(verdict in used for verdict in judgement.expectations.values()):
            judges.setdefault(repr(judgement.judge), judgement.judge)
    return list(judges.values())
