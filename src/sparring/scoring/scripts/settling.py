"""Where a script stands: every expectation of every turn, from what has happened so far.

One function serves the call that is going on, its score, and every later re-score of its record.
It looks at nothing but the events, the verdicts there are, and the time up to which the events are
known. All times of a turn count from one moment: when its input went out, or, for a turn that only
listens, when the turn before it was settled.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparring.records import Ending, ExpectationVerdict, Kind
from sparring.scenarios import Expectation, JudgeFactory, JudgeModel, Script
from sparring.scenarios.expectations import CALLS
from sparring.scoring.scripts.events import settle_absent, settle_event
from sparring.scoring.scripts.questions import Question
from sparring.scoring.scripts.replies import settle_reply
from sparring.scoring.scripts.sightings import Sightings
from sparring.scoring.scripts.states import Cut, Standing, State, View, claim
from sparring.scoring.scripts.tool_calls import settle_calls

HOLD_S = 10.0
"""How long an agent that does not get quiet holds the next turn back."""
SEND_AFTER_S = 30.0
"""How long the event of a ``send_after`` is waited for."""
DEFAULT_TIMEOUT_S = 60.0

AGENTS_FAULT = (Kind.AGENT_CRASHED, Kind.AGENT_ERROR, Kind.PROTOCOL_ERROR)
"""How an agent breaks a call."""

_HEARD = ("user_transcription", "user_backchannel", "bot_backchannel")


@dataclass(frozen=True)
class TurnState:
    """Where a turn stands."""

    index: int
    """From 0."""
    began: float
    start: float
    """What began before does not belong to it."""
    anchor: float | None
    """What its times count from; None while its input has not gone out."""
    due: float = -math.inf
    """When its input is to go out, as far as is known; infinite if that hangs on the agent."""
    given_up: float = math.inf
    """When what its input waits for has been waited for long enough."""
    states: list[State] = field(default_factory=list[State])
    unsent: State | None = None
    """Why its input can never go out."""

    @property
    def all(self) -> list[State]:
        """Its expectations' states, and why it was not sent."""
        return [*self.states, *([self.unsent] if self.unsent is not None else [])]

    @property
    def is_open(self) -> bool:
        """Whether it waits for anything but the judge."""
        is_waiting = self.anchor is None and self.unsent is None
        return is_waiting or any(state.is_open for state in self.states)

    @property
    def is_asking(self) -> bool:
        """Whether it waits for nothing but the judge."""
        return not self.is_open and any(state.standing is Standing.ASKING for state in self.states)

    @property
    def failed(self) -> bool:
        """Whether something in it has failed."""
        return any(state.standing is Standing.FAILED for state in self.all)

    @property
    def is_lost(self) -> bool:
        """Whether the agent has failed in it, so that there may be no point in going on."""
        return any(
            state.standing is Standing.FAILED and state.kind is not Kind.JUDGE_LATE
            for state in self.all
        )

    @property
    def questions(self) -> list[Question]:
        """What the judge has still to say about it."""
        return [question for state in self.states for question in state.questions]

    @property
    def settled_at(self) -> float:
        """When the last of its expectations was settled, but for verdicts."""
        anchor = self.began if self.anchor is None else self.anchor
        return max((state.at for state in self.all), default=anchor)


def settle(
    script: Script,
    sightings: Sightings,
    now: float,
    verdicts: Mapping[str, ExpectationVerdict],
    timeout_s: float = DEFAULT_TIMEOUT_S,
    judged: bool = True,
) -> list[TurnState]:
    """Settle a script as far as can be.

    Args:
        script: What is played.
        sightings: What has happened.
        now: Up to when that is known, in call seconds; infinite for a complete record.
        verdicts: The judge's, by the hash of their questions.
        timeout_s: Seconds for expectations that do not say how long they have.
        judged: Whether there is a judge to wait for.

    Returns:
        The turns that have begun, in order.
    """
    turns: list[TurnState] = []
    taken: set[tuple[str, int]] = set()
    for index, began in enumerate(sightings.began[: len(script.turns)]):
        before = turns[-1] if turns else None
        if not script.turns[index].is_observing:
            taken = set()
        turn = _begun(script, sightings, now, index, began, before)
        if turn.anchor is not None:
            cut = _cut(sightings, index)
            view = View(
                sightings=sightings,
                verdicts=verdicts,
                now=now,
                turn=index,
                start=turn.start,
                anchor=turn.anchor,
                cut=cut,
                may_continue=may_continue(script),
                judged=judged,
                default_s=timeout_s,
                claimed=taken,
            )
            turn.states.extend(_settled(script, index, view))
        turns.append(turn)
    return turns


def _begun(
    script: Script,
    sightings: Sightings,
    now: float,
    index: int,
    began: float,
    before: TurnState | None,
) -> TurnState:
    """A turn that has begun, before anything is expected of it."""
    if script.turns[index].is_observing:
        if before is None:
            return TurnState(index, began, -math.inf, began)
        start = min(before.settled_at, began)
        return TurnState(index, began, start, start)
    sent = sightings.sent.get(index)
    if sent is not None:
        return TurnState(index, began, sent, sent)
    since = before.start if before is not None else -math.inf
    due, given_up = _due(script, sightings, index, began, since)
    cut = _cut(sightings, index)
    unsent: State | None = None
    if given_up < math.inf and given_up <= min(now, cut.at):
        reason = f"no {_awaited(script, index)} came within {SEND_AFTER_S:g} s, so nothing was sent"
        unsent = State(Standing.FAILED, given_up, kind=Kind.SEND_AFTER_TIMEOUT, reason=reason)
    elif cut.at <= now and cut.kind is not None:
        reason = f"{cut.reason}, before the turn was sent"
        unsent = State(Standing.FAILED, cut.at, kind=cut.kind, reason=reason)
    return TurnState(index, began, began, None, due, given_up, unsent=unsent)


def _due(
    script: Script, sightings: Sightings, index: int, began: float, since: float
) -> tuple[float, float]:
    """When a turn's input is to go out, and when that is given up."""
    after = script.turns[index].send_after
    if after is None:
        return max(began, sightings.quiet_at(since, HOLD_S)), math.inf
    delay = after.delay_ms / 1000
    if after.event is None:
        return began + delay, math.inf
    seen = [one.at for one in sightings.of(after.event) if since <= one.at < math.inf]
    earlier = [at for at in seen if at <= began]
    if seen:
        return max(began, (earlier[-1] if earlier else seen[0]) + delay), math.inf
    return math.inf, began + SEND_AFTER_S


def _awaited(script: Script, index: int) -> str:
    after = script.turns[index].send_after
    assert after is not None
    return str(after.event)


def _cut(sightings: Sightings, index: int) -> Cut:
    """What ends a turn: the caller's next input, else the end of the call."""
    later = [at for turn, at in sightings.sent.items() if turn > index]
    if later:
        return Cut(min(later))
    ended = sightings.ended
    if ended is None:
        return Cut(math.inf)
    if ended.ending is Ending.BOT:
        return Cut(ended.at, Kind.BOT_ENDED, "the agent hung up")
    if ended.kind in AGENTS_FAULT:
        return Cut(ended.at, ended.kind, ended.reason)
    if ended.ending is not Ending.END_CALL:
        return Cut(math.inf)  # What broke the call off says nothing about the agent.
    return Cut(sightings.hung_up.at if sightings.hung_up is not None else ended.at)


def may_continue(script: Script) -> bool:
    """Whether the judge may wait for more of a reply."""
    block = script.judge.eval
    return block.allow_continue if isinstance(block, JudgeModel | JudgeFactory) else True


def _settled(script: Script, index: int, view: View) -> list[State]:
    """The states of a turn's expectations, each in the light of those above it."""
    expected = script.turns[index].expect
    states: list[State] = []
    before: float | None = None
    for number, expectation in enumerate(expected):
        if expectation.absent:
            waits = _may_take(expected, states, expectation, view)
            state = settle_absent(expectation, view, before, waits)
        elif expectation.is_reply or expectation.event in _HEARD:
            leaves_rest = _leaves_rest(script, index, number)
            state = settle_reply(expectation, view, before, leaves_rest)
        elif expectation.event in CALLS:
            state = settle_calls(expectation, view, before)
        else:
            state = settle_event(expectation, view, before)
        view.claimed.update(claim(expectation, one) for one in state.taken)
        before = state.position if state.position is not None else before
        states.append(state)
    return states


def _may_take(
    expected: list[Expectation], states: list[State], absent: Expectation, view: View
) -> bool:
    """Whether an expectation above may still take what should be absent."""
    waiting = (Standing.PENDING, *([Standing.ASKING] if view.judged else []))
    return any(
        state.standing in waiting
        and not above.absent
        and (above.event == absent.event or (above.is_reply and absent.is_reply))
        for above, state in zip(expected, states, strict=False)
    )


def _leaves_rest(script: Script, index: int, number: int) -> bool:
    """Whether a further expectation waits for a reply: in the turn, or in one that only listens."""
    if not script.turns[index].expect[number].is_reply:
        return False
    rest = list(script.turns[index].expect[number + 1 :])
    following = script.turns[index + 1 : index + 2]
    if following and following[0].is_observing:
        rest += following[0].expect
    return any(one.is_reply and not one.absent for one in rest)
