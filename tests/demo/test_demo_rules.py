"""The flow of whole conversations, decided by the pure rules against a real restaurant."""

import json

import pytest

from sparring.demo.restaurant import Restaurant
from sparring.demo.rules import Call, Say, decide
from sparring.demo.variants import VARIANTS


def play(*lines, variant="good"):
    """Play a conversation; returns what the agent said and did in answer to each line."""
    restaurant, messages, answers = Restaurant(), [], []
    for line in (None, *lines):
        if line is not None:
            messages.append({"role": "user", "content": line})
        calls = []
        while isinstance(move := VARIANTS[variant].decide(messages), Call):
            assert len(calls) < 4, "the agent calls tools for ever"
            result = getattr(restaurant, move.name)(**move.arguments)
            calls.append((move.name, move.arguments, result))
            messages += tool_call(f"call_{len(messages)}", move.name, move.arguments, result)
        text = move.text if isinstance(move, Say) else ""
        messages.append({"role": "assistant", "content": text})
        answers.append((text, calls))
    return answers[1:]


def tool_call(call_id, name, arguments, result):
    """A tool call and its result as they stand in a context; a string stands for itself."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    content = result if isinstance(result, str) else json.dumps(result)
    return [
        {
            "role": "assistant",
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": call_id, "content": content},
    ]


def names(calls):
    return [name for name, _, _ in calls]


BOOKING = ("A table for two tonight at 6 PM", "Jamie Lee", "555-0142")


def test_it_asks_one_thing_at_a_time_and_nothing_twice():
    texts = [text for text, _ in play("Hello", "two", "6 PM", "Maya", "555-0199")]
    questions = [text.rpartition(". ")[2] for text in texts]
    assert questions[:4] == [
        "How many people will be coming?",
        "What time would you like to come?",
        "Could I get a name for the reservation?",
        "What phone number can we reach you on?",
    ]
    assert texts[4].startswith("You're all set: a table for two tonight at 6 PM under Maya.")


def test_told_everything_at_once_it_asks_nothing():
    [(text, calls)] = play("A table for 3 tomorrow at 7, under Maya, 555-0199")
    assert names(calls) == ["check_availability", "book_table"]
    assert text == (
        "You're all set: a table for three tomorrow at 7 PM under Maya. Your reference is R-1."
    )


def test_a_full_time_is_answered_with_others():
    *_, (offer, _), (which, _), (ask, calls) = play(
        "A table for two at 7 PM", "yes", "the later one"
    )
    assert offer == (
        "I'm sorry, 7 PM tonight is not available. "
        "I could offer you 6 PM or 9 PM. Would either of those work for you?"
    )
    assert which == "Which would you prefer, 6 PM or 9 PM?"
    assert calls[0][1]["time"] == "21:00"
    assert "name" in ask


def test_a_yes_takes_the_only_offer():
    *_, (_, calls) = play("A table for two tomorrow at 11 PM", "yes please")
    assert calls[0][1]["time"] == "22:00"


def test_turned_down_twice_it_lets_the_caller_go():
    *_, (other, _), (bye, _) = play("A table for two at 7 PM", "no", "no")
    assert other.startswith("I understand.")
    assert bye == "Thank you for calling. Goodbye!"


def test_a_large_party_is_told_the_limit():
    *_, (sorry, _), (_, calls) = play("A table for 12 at 6", "ok, 8 then")
    assert "at most 8 people" in sorry
    assert calls[0][1]["party_size"] == 8


def test_a_correction_before_the_booking_is_checked_again():
    *_, (text, calls), _, (done, _) = play(
        "A table for two tonight at 6 PM", "Make that August 8, under Maya", "hm", "555-0199"
    )
    assert calls[0][1]["date"] == "August 8"
    assert text.startswith("I have a table for two on August 8 at 6 PM.")
    assert "on August 8 at 6 PM under Maya" in done


def test_a_correction_after_the_booking_replaces_it():
    *_, (text, calls) = play(*BOOKING, "Actually, make it four people")
    assert names(calls) == ["check_availability", "cancel_booking", "book_table"]
    assert text.startswith("You're all set: a table for four")
    assert "R-2" in text


def test_a_booking_can_be_cancelled():
    *_, (text, calls), (bye, _) = play(*BOOKING, "Please cancel it", "Thanks, bye")
    assert calls == [("cancel_booking", {"ref": "R-1"}, {"cancelled": True})]
    assert text.startswith("Your reservation R-1 is cancelled.")
    assert bye == "You're welcome. Goodbye!"


def test_cancelling_needs_a_reference_that_exists():
    (ask, _), (sorry, calls), (fine, _) = play("I want to cancel", "R-7", "never mind")
    assert "reference" in ask
    assert names(calls) == ["cancel_booking"]
    assert "can't find a reservation R-7" in sorry
    assert fine.startswith("No problem")


def test_giving_up_before_anything_is_booked():
    *_, (text, calls) = play("A table for two at 6 PM", "never mind")
    assert text.startswith("No problem, nothing is booked.")
    assert calls == []


def test_other_questions_lead_back_to_the_table():
    *_, (text, _) = play("A table for two at 6 PM", "What's the weather like?")
    assert text == (
        "I'm sorry, I can only help with tables here. Could I get a name for the reservation?"
    )


def test_a_question_about_the_booking_is_answered():
    *_, (confirmed, _), (again, _) = play(*BOOKING, "What's my reference?")
    assert again == confirmed


def test_what_is_not_understood_is_asked_again():
    *_, (text, _) = play("A table for two", "purple")
    assert text == "I'm sorry, I didn't catch that. What time would you like to come?"


@pytest.mark.parametrize("content", ["CANCELLED", "The function failed.", "[]"])
def test_a_tool_that_fails_is_owned_up_to_and_tried_again(content):
    slot = {"date": "tonight", "time": "18:00", "party_size": 2}
    messages = [
        {"role": "user", "content": "A table for two at 6 PM"},
        *tool_call("a", "check_availability", slot, content),
    ]
    move = decide(messages)
    assert isinstance(move, Say)
    assert "booking system" in move.text

    messages += [
        {"role": "assistant", "content": move.text},
        {"role": "user", "content": "try again please"},
    ]
    assert decide(messages) == Call("check_availability", slot)


def test_a_context_may_hold_any_message():
    messages = [
        {"role": "system", "content": "You are a waiter."},
        {"role": "user", "content": [{"type": "text", "text": "two at 6"}, {"type": "image_url"}]},
        {"role": "tool", "tool_call_id": "unknown", "content": "{}"},
    ]
    assert decide(messages) == Call(
        "check_availability", {"date": "tonight", "time": "18:00", "party_size": 2}
    )


def test_all_talk_and_forgetful_fail_at_booking_only():
    *_, (claim, calls) = play(*BOOKING, variant="all_talk")
    assert claim.startswith("You're all set") and calls == []
    *_, (confirmed, calls) = play(*BOOKING, variant="forgetful")
    assert "a table for four" in confirmed
    assert calls[0][1]["party_size"] == 4


def test_curt_does_the_job_in_single_words():
    answers = play("A table for two at 7", "9 PM", *BOOKING[1:], "thanks", variant="curt")
    assert [text for text, _ in answers] == [
        "No. 6 PM? 9 PM?",
        "Name?",
        "Number?",
        "Booked.",
        "Bye.",
    ]
    assert names(answers[3][1]) == ["book_table"]


def test_rambling_goes_on_for_more_than_sixty_words():
    answers = play(*BOOKING, variant="rambling")
    assert all(len(text.split()) > 60 for text, _ in answers)
    assert names(answers[-1][1]) == ["book_table"]


def test_mute_is_silent():
    assert [text for text, _ in play(*BOOKING, variant="mute")] == ["", "", ""]
