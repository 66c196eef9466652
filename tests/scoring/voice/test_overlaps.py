import pytest

from sparring.scoring.voice.durations import (
    agent_turns,
    floor_hold_silences,
    longest_silence_ms,
    longest_turn_ms,
    overlap_ms,
    speaking_ms,
    talk_ratio,
)
from sparring.scoring.voice.intervals import Interval, join, longest, total
from sparring.scoring.voice.overlaps import backchannels, interruptions, yields
from sparring.scoring.voice.speech import Action, Speech, SpokenTurn


def call(
    caller: list[tuple[float, float]],
    agent: list[tuple[float, float]],
    action: Action = "speak",
    work: list[tuple[float, float]] | None = None,
    gap: float = 0,
) -> Speech:
    """A call in which each of the caller's intervals is a turn of that action."""
    turns = [SpokenTurn(n, start, end, action) for n, (start, end) in enumerate(caller, 1)]
    return Speech(join(caller), join(agent), turns, join(work or []), 10_000, gap)


@pytest.mark.parametrize("shift", [0, 100, 137])
def test_speech_around_the_callers_is_no_overlap_and_no_interruption(shift: int):
    speech = call([(350 + shift, 370 + shift)], [(200 + shift, 220 + shift), (580, 600)])
    assert overlap_ms(speech) == 0
    assert interruptions(speech) == []
    assert yields(speech) == []


@pytest.mark.parametrize(
    ("start", "cuts_in"), [(999, False), (1000, True), (1500, True), (1999, True), (2000, False)]
)
def test_who_begins_while_the_caller_speaks_interrupts(start: float, cuts_in: bool):
    assert interruptions(call([(1000, 2000)], [(start, 3000)])) == ([start] if cuts_in else [])


@pytest.mark.parametrize("action", ["backchannel", "close"])
def test_nobody_interrupts_what_expects_no_answer(action: Action):
    assert interruptions(call([(1000, 2000)], [(1500, 3000)], action)) == []


def test_pauses_within_the_agents_words_are_one_interruption():
    talk = [(1200, 1300), (1350, 1500), (1600, 1700)]
    assert interruptions(call([(1000, 2000)], talk, gap=200)) == [1200]
    assert interruptions(call([(1000, 2000)], talk, gap=0)) == [1200, 1350, 1600]


def test_a_start_within_the_callers_own_pause_still_interrupts():
    caller = [(1000, 1400), (1500, 2000)]
    speech = Speech(
        join(caller), join([(1450, 2500)]), [SpokenTurn(1, 1000, 2000, "speak")], gap=200
    )
    assert interruptions(speech) == [1450]


@pytest.mark.parametrize(
    ("segment", "latency", "yielded"),
    [((0, 1500), 500, True), ((0, 3000), 2000, True), ((0, 3001), 2001, False)],
)
def test_an_agent_that_stops_within_two_seconds_yields(
    segment: tuple[float, float], latency: float, yielded: bool
):
    [found] = yields(call([(1000, 2000)], [segment]))
    assert (found.latency_ms, found.yielded) == (latency, yielded)


def test_stopping_as_an_interruption_begins_is_a_yield_of_no_time():
    [found] = yields(call([(1000, 2000)], [(0, 1000)], "interrupt"))
    assert (found.latency_ms, found.yielded) == (0, True)
    assert yields(call([(1000, 2000)], [(0, 1000)], "speak")) == []


def test_beginning_together_is_no_yield():
    assert yields(call([(1000, 2000)], [(1000, 1500)])) == []


@pytest.mark.parametrize(
    ("segment", "outcome"),
    [
        ((0, 1201), "continued"),
        ((0, 1200), "false_yield"),
        ((0, 2000), "continued"),
        ((0, 1100), "false_yield"),
    ],
)
def test_over_a_backchannel_the_agent_should_talk_on(segment: tuple[float, float], outcome: str):
    [found] = backchannels(call([(1000, 1200)], [segment], "backchannel"))
    assert found.outcome == outcome


def test_ending_a_second_after_a_long_backchannel_began_is_going_on():
    [found] = backchannels(call([(1000, 2500)], [(0, 2000)], "backchannel"))
    assert found.outcome == "continued"


@pytest.mark.parametrize(("start", "end", "held"), [(150, 450, 300), (150, 190, 40)])
def test_silence_while_the_agent_works(start: float, end: float, held: float):
    silences = floor_hold_silences(call([], [], work=[(start, end)]))
    assert (total(silences), longest(silences)) == (held, held)


def test_speech_of_either_side_breaks_the_silence():
    speech = call([(520, 570)], [(320, 380)], work=[(200, 800)])
    silences = floor_hold_silences(speech)
    assert (total(silences), longest(silences)) == (490, 230)


def test_calls_that_run_at_once_hold_the_floor_once():
    silences = floor_hold_silences(call([], [], work=[(0, 300), (100, 400)]))
    assert (total(silences), longest(silences)) == (400, 400)


def test_durations():
    speech = call([(0, 1000), (5000, 6000)], [(900, 2000), (2100, 4000), (6500, 7000)], gap=200)
    assert speaking_ms(speech) == 3500
    assert overlap_ms(speech) == 100
    assert talk_ratio(speech) == round(3500 / 5500, 4)
    assert longest_silence_ms(speech) == 1000
    assert agent_turns(speech) == [
        [Interval(900, 2000), Interval(2100, 4000)],
        [Interval(6500, 7000)],
    ]
    assert longest_turn_ms(speech) == 3000


def test_a_greeting_is_a_turn_of_its_own_and_a_backchannel_parts_none():
    greeted = call([(1000, 2000)], [(0, 500), (2500, 3000)])
    assert longest_turn_ms(greeted) == 500
    acknowledged = call([(1000, 2000)], [(0, 500), (2500, 3000)], "backchannel")
    assert longest_turn_ms(acknowledged) == 1000


def test_nobody_spoke():
    speech = call([], [])
    assert (talk_ratio(speech), longest_silence_ms(speech)) == (None, None)
    assert (speaking_ms(speech), overlap_ms(speech), floor_hold_silences(speech)) == (0, 0, [])
