"""Where a script stands: every expectation of every turn, from what has happened so far.

One function serves the call that is going on, its score, and every later re-score of its record.
It looks at nothing but the events, the verdicts there are, and the time up to which the events are
known. All times of a turn count from one moment: when its input went out, or, for a turn that only
listens, when the turn before it was settled.
"""

from collections.abc import Mapping

from sparring.records import ExpectationVerdict
from sparring.scenarios import Expectation, JudgeFactory, JudgeModel, Script
from sparring.scenarios.expectations import CALLS
from sparring.scoring.scripts.events import settle_absent, settle_event
from sparring.scoring.scripts.replies import settle_reply
from sparring.scoring.scripts.sightings import Sightings
from sparring.scoring.scripts.states import Standing, State, View, claim
from sparring.scoring.scripts.tool_calls import settle_calls
from sparring.scoring.scripts.turns import TurnState, begun, cut_of

DEFAULT_TIMEOUT_S = 60.0

_HEARD = ("user_transcription", "user_backchannel", "bot_backchannel")


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
        turn = begun(script, sightings, now, index, began, before)
        if turn.anchor is not None:
            cut = cut_of(sightings, index)
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
