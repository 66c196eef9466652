import pytest

from sparring.records import Ending
from sparring.records import events as ev
from sparring.scoring import measure
from support.records import bot, record, user


def ended(at: float) -> ev.Ended:
    return ev.Ended(at=at, ending=Ending.END_CALL)


GREETING = bot(0.1, "Hello, how can I help?")


def test_turns_count_what_the_caller_said():
    talk = record(user(1, 1), *bot(1.1, "Yes."), ev.EndCall(at=2, success=True, reason=""))
    assert measure("turns", talk).value == 1


def test_duration_runs_from_the_first_word_to_the_end():
    talk = record(ev.Connected(at=0.5, url=""), *bot(1, "Hi.", took=0.2), user(2, 1), ended(5))
    assert measure("duration", talk).value == pytest.approx(3.9)


def test_nobody_spoke_so_there_is_no_duration():
    assert measure("duration", record(ended(5))).value is None


def test_words_are_those_of_the_longest_turn_not_response():
    talk = record(*bot(0.1, "One two three."), *bot(0.5, "Four five."), user(1, 1), *bot(2, "Six."))
    assert measure("words", talk).value == 5


def test_words_of_an_agent_that_said_nothing_are_unknown():
    assert measure("words", record(user(1, 1), ended(9))).value is None


def test_latency_is_the_slowest_first_word():
    talk = record(
        *GREETING,
        user(1, 1),
        *bot(1.2, "Sure.", took=0.2),
        user(2, 2),
        *bot(2.7, "Done.", took=0.2),
        ended(4),
    )
    slowest = measure("latency", talk)
    assert slowest.value == pytest.approx(0.8)
    assert slowest.details["seconds"] == [pytest.approx(0.3), pytest.approx(0.8)]
    assert slowest.text == "slowest reply 0.80 s to the first token"


def test_a_response_that_only_calls_a_tool_is_no_reply():
    talk = record(
        user(1, 1),
        ev.LLMStarted(at=1.1),
        ev.LLMStopped(at=1.2),
        *bot(2.9, "Booked.", took=0.2),
        ended(4),
    )
    assert measure("latency", talk).value == pytest.approx(2.0)


def test_the_turn_that_hangs_up_is_excluded():
    talk = record(user(1, 1), *bot(1.1, "Yes."), user(2, 2, "Bye.", hanging_up=True), ended(30))
    details = measure("latency", talk, max_value=1).details
    assert (details["excluded"], details["unanswered"]) == ([2], [])


def test_a_turn_cut_off_before_its_deadline_is_censored():
    talk = record(user(1, 1), *bot(1.1, "Yes."), user(2, 2), ended(2.5))
    assert measure("latency", talk, max_value=1).details["censored"] == [2]
    assert measure("latency", talk, max_value=1).fault is None


def test_any_other_unanswered_turn_is_a_fault():
    talk = record(user(1, 1), *bot(1.1, "Yes."), user(2, 2), ended(3.5))
    unanswered = measure("latency", talk, max_value=1)
    assert unanswered.value is not None
    assert unanswered.fault == "caller turn 2 was never answered"


def test_without_a_bound_the_deadline_is_five_seconds():
    assert measure("latency", record(user(1, 1), ended(5.9))).details["censored"] == [1]
    assert measure("latency", record(user(1, 1), ended(6.1))).details["unanswered"] == [1]


def test_the_greeting_is_not_timed():
    assert measure("latency", record(*GREETING, ended(1))).value is None
