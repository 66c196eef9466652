"""When a script's turns begin, go out and are settled."""

import math
from typing import Any

from sparring.records import Ending, Event, Kind
from sparring.records import events as ev
from sparring.scenarios import Script
from sparring.scoring.scripts.settling import settle
from sparring.scoring.scripts.sightings import Sightings
from sparring.scoring.scripts.states import Standing
from sparring.scoring.scripts.turns import TurnState
from support.records import bot, tool, user

REPLY = {"event": "response"}


def began(at: float, turn: int) -> ev.TurnBegan:
    return ev.TurnBegan(at=at, turn=turn)


def turns(*events: Event, of: list[dict[str, Any]], now: float = math.inf) -> list[TurnState]:
    script = Script.model_validate({"name": "s", "turns": of})
    return settle(script, Sightings(events), now, {})


def test_the_first_turn_may_listen_and_hears_what_came_before_all():
    (made,) = turns(*bot(0.1, "Hello."), began(0.3, 1), of=[{"expect": [REPLY]}])
    assert (made.anchor, made.states[0].standing) == (0.3, Standing.MET)


def test_a_turn_that_listens_counts_from_where_the_one_before_was_settled():
    of = [{"user": "Hi.", "expect": [REPLY]}, {"expect": [{**REPLY, "within_ms": 3000}]}]
    events = [began(1, 1), user(1, 1), *bot(2, "A joke."), began(2.3, 2)]
    _, made = turns(*events, *bot(4, "And 75 degrees."), of=of)
    assert (made.anchor, made.states[0].reason) == (2.1, "And 75 degrees.")
    _, made = turns(*events, of=of)
    assert (made.states[0].at, made.states[0].kind) == (5.1, Kind.TIMEOUT)


def test_a_turn_that_listens_misses_nothing_that_came_at_once():
    of = [{"user": "Hi.", "expect": [REPLY]}, {"expect": [REPLY]}]
    events = [began(1, 1), user(1, 1), *bot(2, "A joke."), *bot(2.105, "75."), began(2.4, 2)]
    _, made = turns(*events, of=of)
    assert made.states[0].reason == "75."


def test_a_turn_that_was_not_reached_is_not_there():
    assert len(turns(began(0, 1), of=[{"user": "a"}, {"user": "b", "expect": [REPLY]}])) == 1


def due(*events: Event, **turn: Any) -> float:
    of = [{"user": "First.", "expect": [REPLY]}, {"user": "Second.", **turn}]
    events = (began(0, 1), user(0, 1), *events)
    return turns(*events, of=of, now=events[-1].at)[1].due


def test_input_goes_out_once_the_agent_is_quiet():
    assert due(*bot(1, "Hello."), began(1.1, 2)) == 1.1 + 0.15
    assert due(*bot(1, "Hello."), began(3, 2)) == 3
    busy = [began(1.1, 2), ev.LLMStarted(at=1.2), ev.LLMText(at=1.3, text="And")]
    assert due(*bot(1, "Hello."), *busy) == 1.3 + 10 + 0.15


def test_a_tool_call_holds_it_back_unless_the_agent_has_spoken_since():
    call = ev.FunctionCall(at=1, id="1", name="f", args={})
    assert due(call, began(1, 2)) == 1 + 10 + 0.15
    assert due(call, *bot(1.5, "I am on it."), began(2, 2)) == 2
    assert due(*tool(1, "f", {}, took=0.5), began(1, 2)) == 1.5 + 0.15


def test_send_after_overrides_that():
    busy = [ev.LLMStarted(at=1), ev.LLMText(at=1.1, text="Once"), began(1.2, 2)]
    assert due(*busy, send_after={"delay_ms": 500}) == 1.7
    assert due(*busy, send_after={"event": "llm_started", "delay_ms": 2000}) == 3
    assert due(*busy, send_after={"event": "llm_started"}) == 1.2


def test_send_after_counts_from_the_last_such_event_of_the_turn_before_or_the_next():
    started = [ev.LLMStarted(at=1), ev.LLMStopped(at=1.1), ev.LLMStarted(at=2), began(2.1, 2)]
    wait = {"event": "llm_started", "delay_ms": 1000}
    assert due(*started, send_after=wait) == 3
    assert due(began(2, 2), send_after=wait) == math.inf
    assert due(began(2, 2), ev.LLMStarted(at=5), ev.LLMStarted(at=6), send_after=wait) == 6


def test_send_after_does_not_count_from_an_event_long_past():
    of = [
        {"expect": [REPLY]},
        {"user": "First.", "expect": [{"event": "bot_interrupted"}]},
        {"user": "Second.", "send_after": {"event": "llm_started", "delay_ms": 500}},
    ]
    events = [*bot(0.1, "Hello."), began(0.2, 1), began(0.4, 2), user(0.4, 1)]
    events += [ev.BotInterrupted(at=0.41), began(0.41, 3)]
    assert turns(*events, of=of, now=0.5)[2].due == math.inf
    assert turns(*events, ev.LLMStarted(at=1), of=of, now=1.1)[2].due == 1.5


def test_an_event_that_never_comes_is_given_up():
    of = [
        {"user": "First.", "expect": [{**REPLY, "within_ms": 100}]},
        {"user": "Second.", "send_after": {"event": "image"}, "expect": [REPLY]},
    ]
    events = [began(0, 1), user(0, 1), began(1, 2)]
    assert turns(*events, of=of, now=30)[1].is_open
    made = turns(*events, of=of, now=31)[1]
    assert made.unsent is not None
    assert (made.unsent.kind, made.unsent.at) == (Kind.SEND_AFTER_TIMEOUT, 31)


def test_an_agent_that_hangs_up_before_a_turn_is_sent():
    of = [{"user": "First.", "expect": [REPLY]}, {"user": "Second.", "expect": [REPLY]}]
    events = [began(0, 1), user(0, 1), *bot(1, "Bye."), began(1.1, 2)]
    made = turns(*events, ev.Ended(at=1.2, ending=Ending.BOT), of=of)[1]
    assert made.unsent is not None and made.unsent.kind is Kind.BOT_ENDED
    assert made.failed and not made.is_open
