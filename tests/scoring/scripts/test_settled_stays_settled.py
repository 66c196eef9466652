"""What is settled stays settled: the call that goes on and its later score never disagree."""

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.records import Event, ExpectationVerdict
from sparring.records import events as ev
from sparring.scenarios import Script
from sparring.scoring.scripts.settling import settle
from sparring.scoring.scripts.sightings import Sightings
from sparring.scoring.scripts.states import Standing, State
from support.records import user

REPLY = {"event": "response"}
EXPECTATIONS: list[dict[str, Any]] = [
    REPLY,
    {**REPLY, "text_contains": "b"},
    {**REPLY, "text_excludes": "b"},
    {**REPLY, "eval": "good"},
    {**REPLY, "absent": True},
    {"event": "function_call"},
    {"event": "function_call", "calls": ["f", "g"]},
    {"event": "function_call_stopped", "name": "f"},
    {"event": "llm_started"},
    {"event": "user_transcription", "text_contains": "b"},
    {"event": "bot_interrupted", "check_from": "turn_start"},
]
WITHIN = st.sampled_from([300, 1000, 3000])
GAPS = st.sampled_from([0.01, 0.1, 0.14, 0.16, 0.3, 1.0, 2.5])
STEPS = st.sampled_from(["a", "b", "f", "g", "stop", "silent", "hear", "interrupt"])


@st.composite
def calls(draw: st.DrawFn) -> list[Event]:
    """Something an agent does after the turn was sent at 0."""
    at, number = 0.0, 0
    events: list[Event] = [ev.TurnBegan(at=0, turn=1), user(0, 1)]
    running: list[str] = []
    for step in draw(st.lists(STEPS, max_size=8)):
        at = round(at + draw(GAPS), 3)
        match step:
            case "a" | "b":
                events += [ev.LLMStarted(at=at), ev.LLMText(at=at, text=step)]
                at = round(at + draw(GAPS), 3)
                events.append(ev.LLMStopped(at=at))
            case "f" | "g":
                number += 1
                running.append(str(number))
                events.append(ev.FunctionCall(at=at, id=str(number), name=step, args={}))
            case "stop" if running:
                events.append(ev.FunctionCallStopped(at=at, id=running.pop()))
            case "silent":
                events += [ev.LLMStarted(at=at), ev.LLMStopped(at=at)]
            case "hear":
                events.append(ev.UserInput(at=at, text="b"))
            case "interrupt":
                events.append(ev.BotInterrupted(at=at))
            case _:
                pass
    return events


class Verdicts(dict[str, ExpectationVerdict]):
    """The same verdict on the same question, whenever it is asked."""

    def decide(self, states: list[State]) -> bool:
        open = [q for state in states for q in state.questions if q.hash not in self]
        for question in open:
            verdict = ("yes", "no", "not_yet")[len(str(question.subject)) % 3]
            self[question.hash] = ExpectationVerdict.model_validate(
                {"criterion": "good", "verdict": verdict}
            )
        return bool(open)


def at(script: Script, events: list[Event], now: float, verdicts: Verdicts) -> list[State]:
    sightings = Sightings(event for event in events if event.at <= now)
    while True:
        (turn,) = settle(script, sightings, now, verdicts)
        if not verdicts.decide(turn.states):
            return turn.states


@settings(max_examples=400, deadline=None)
@given(
    events=calls(),
    expect=st.lists(st.sampled_from(EXPECTATIONS), min_size=1, max_size=3),
    within=WITHIN,
    times=st.lists(st.floats(0, 12), min_size=1, max_size=8),
)
def test_what_is_settled_stays_settled(
    events: list[Event], expect: list[dict[str, Any]], within: int, times: list[float]
):
    turns = [{"user": "Hi.", "expect": [{**one, "within_ms": within} for one in expect]}]
    script = Script.model_validate({"name": "s", "turns": turns})
    verdicts = Verdicts()
    final = at(script, events, math.inf, verdicts)
    for now in sorted({*times, *(event.at for event in events)}):
        states = at(script, events, now, verdicts)
        # While one waits, those below it are only guesses: the turn is not settled.
        if any(state.standing is Standing.PENDING for state in states):
            continue
        told = [(s.standing, s.kind, round(s.at, 6), s.reason) for s in states]
        assert told == [(s.standing, s.kind, round(s.at, 6), s.reason) for s in final]
