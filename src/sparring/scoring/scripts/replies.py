"""Replies held against expectations: what the agent said, taken when it is over.

An expectation takes replies of its turn, from the first that nobody has taken, until together they
satisfy it. One that must look at the whole (``eval``, ``text_excludes``) looks when the agent has
become quiet; one that need not, or that leaves the rest to a further expectation, looks after every
reply. What satisfies it is taken; what follows is for others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparring.records import ExpectationVerdict, Kind
from sparring.scenarios import Expectation
from sparring.scoring.scripts.events import nothing, text_fault
from sparring.scoring.scripts.questions import reply_question
from sparring.scoring.scripts.sightings import Sighting
from sparring.scoring.scripts.states import (
    Standing,
    State,
    View,
    earliest,
    late,
    missed,
    quoted,
)


@dataclass(frozen=True)
class _Reply:
    """What has been said by some moment at which it is looked at."""

    parts: tuple[Sighting, ...]
    at: float
    """When it is looked at."""

    @property
    def text(self) -> str:
        return " ".join(part.text for part in self.parts)

    @property
    def position(self) -> float:
        return self.parts[-1].at


def settle_reply(
    expectation: Expectation, view: View, before: float | None, leaves_rest: bool
) -> State:
    """Where an expectation of something said, or understood, stands.

    Args:
        expectation: What is waited for.
        view: The turn.
        before: When what the expectation above it took had come.
        leaves_rest: Whether a further expectation waits for a reply.
    """
    floor = earliest(expectation, before)
    said = view.free(expectation)
    state = missed(expectation, view, Kind.TIMEOUT, nothing(expectation, view))
    looked = 0
    for reply in _replies(expectation, view, said, leaves_rest):
        if reply.position < floor:
            continue
        if state.kind is Kind.JUDGE_NO and reply.parts[looked].began > state.at:
            break  # It had failed before more came.
        state, looked = _look(expectation, view, reply), len(reply.parts)
        if state.standing in (Standing.MET, Standing.ASKING) or state.kind is Kind.TEXT_PRESENT:
            break  # Nothing that follows changes it.
    if said and before is not None and said[-1].at < floor:
        return late(expectation, view, said, before)
    if state.is_open and (ended := [part for part in said if part.at <= view.now]):
        over = view.over_after(ended[-1].at)
        if view.now < over < state.at:  # It will be looked at then, if nothing more comes.
            return replace(state, at=over)
    return state


def _replies(
    expectation: Expectation, view: View, said: Sequence[Sighting], leaves_rest: bool
) -> list[_Reply]:
    """What has been said by each moment at which it is to be looked at, in order."""
    limit = view.limit(expectation)
    must_be_over = expectation.is_reply and (
        expectation.eval is not None or expectation.text_excludes is not None
    )
    found: list[_Reply] = []
    for number, part in enumerate(said, 1):
        at = part.at
        if must_be_over:
            at = view.over_after(part.at)
            following = said[number].began if number < len(said) else None
            if following is not None and following <= at:
                if not leaves_rest:
                    continue
                at = following
        if at > min(limit, view.now):
            break
        found.append(_Reply(tuple(said[:number]), at))
    # What is not over when the time is up is looked at as it is then.
    ended = tuple(part for part in said if part.at <= limit)
    if view.now >= limit and ended and (not found or found[-1].parts != ended):
        found.append(_Reply(ended, limit))
    return found


def _look(expectation: Expectation, view: View, reply: _Reply) -> State:
    """What an expectation comes to if this is all the reply; PENDING or FAILED if not by it."""
    fault = text_fault(expectation, reply.text)
    if fault is not None and fault[0] is Kind.TEXT_PRESENT:
        return State(Standing.FAILED, reply.at, kind=fault[0], reason=fault[1])
    if fault is not None:
        return missed(expectation, view, *fault)
    taken = State(
        Standing.MET, reply.at, position=reply.position, taken=reply.parts, reason=reply.text
    )
    if expectation.eval is None:
        return taken
    question = reply_question(
        expectation, view.turn, view.sightings, reply.text, reply.at, view.may_continue
    )
    verdict = view.verdicts.get(question.hash)
    if verdict is None:
        return replace(taken, standing=Standing.ASKING, questions=(question,))
    if verdict.verdict == "yes":
        return replace(taken, verdict=verdict)
    return _refused(expectation, view, reply, verdict)


def _refused(
    expectation: Expectation, view: View, reply: _Reply, verdict: ExpectationVerdict
) -> State:
    """The judge did not say yes: more of the reply may still come."""
    said = f"{verdict.reason or 'the judge gave no reason'}: {quoted(reply.text)}"
    if verdict.verdict == "no":
        final = min(view.calm_after(reply.position), view.limit(expectation))
        if view.now < final:
            return State(Standing.PENDING, final)
        return State(Standing.FAILED, final, kind=Kind.JUDGE_NO, reason=said, verdict=verdict)
    if view.cut.at < view.deadline(expectation) and view.cut.kind is None:
        reason = f"the judge found too late that the reply does not answer yet: {said}"
        return State(
            Standing.FAILED, view.cut.at, kind=Kind.JUDGE_LATE, reason=reason, verdict=verdict
        )
    state = missed(expectation, view, Kind.JUDGE_CONTINUE, f"it does not answer yet: {said}")
    return state if state.is_open else replace(state, verdict=verdict)
