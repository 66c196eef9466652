"""A script's turns: when each begins, when its input is to go out, and what ends its time."""

import math
from dataclasses import dataclass, field

from sparring.records import Ending, Kind
from sparring.records.kinds import AGENTS_FAULT
from sparring.records.pauses import HOLD_S
from sparring.scenarios import Script
from sparring.scoring.scripts.questions import Question
from sparring.scoring.scripts.sightings import Sightings
from sparring.scoring.scripts.states import Cut, Standing, State

SEND_AFTER_S = 30.0
"""How long the event of a ``send_after`` is waited for."""


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


def begun(
    script: Script,
    sightings: Sightings,
    now: float,
    index: int,
    began: float,
    before: TurnState | None,
) -> TurnState:
    """A turn that has begun, before anything is expected of it.

    Args:
        script: What is played.
        sightings: What has happened.
        now: Up to when that is known, in call seconds.
        index: The turn's place in the script, from 0.
        began: When it began.
        before: The turn before it.
    """
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
    cut = cut_of(sightings, index)
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


def cut_of(sightings: Sightings, index: int) -> Cut:
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
