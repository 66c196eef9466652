"""What becomes of a reply; each kind of fault has a test of its own module's besides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.callers import HangUp
from sparring.callers.conduct import Fault, Reply, examine
from sparring.callers.conduct.sentences import words_of
from sparring.records import Turn
from support.records import turns

BRIEF = "Jamie Lee. Book a table."
TALK = turns("Hello, what name is it?", "It's Jamie Lee, thank you very much.", "And the time?")
DONE = HangUp(True, "booked")
SYNTAX = ["end_call", "END_CALL", "```", "success", "reason", "true", "<think>", "</think>"]
MARKS = ["<|channel|>", "<tool_call>", "</tool_call>", "Assistant:", *"(){}[]<>\"'`*_\\/:=,.? \n"]
PIECES = st.sampled_from([*SYNTAX, *MARKS, "bye", "I should now ", "the user ", "two "])


def look(
    text: str,
    hang_up: HangUp | None = None,
    cut_off: bool = False,
    talk: list[Turn] = TALK,
    brief: str = BRIEF,
) -> Reply:
    return examine(text, hang_up, cut_off, talk, brief)


@pytest.mark.parametrize(
    "text",
    [
        "Six o'clock, please.",
        "The simulation software you sell crashes; this simulation is stuck.",
        "The user manual says the assistant can be a persona, is that so?",
        "I'm calling about the language course.",
        "Could you help me with my order?",
        "Yes.",
        "Is my booking confirmed?",
        "Thank you so much, goodbye!",
        "Thanks for your help with the assistant manager's table.",
        "It's (555) 0142.",
    ],
)
def test_what_a_caller_may_say(text: str):
    assert look(text) == Reply(text, None)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", Fault.EMPTY),
        ("  \n", Fault.EMPTY),
        ("…", Fault.EMPTY),
        ("👍🏽", Fault.EMPTY),
        ("___ ❤️", Fault.EMPTY),
        ("*sighs*", Fault.EMPTY),
        ("As an AI language model, I cannot book.", Fault.REASONING),
        ("The user wants a table. I should respond as Jamie.", Fault.REASONING),
        ("How can I help you today?", Fault.SPOKE_AS_AGENT),
        ("At six.\nAssistant: Great, booked!\nCaller: Thanks.", Fault.SPOKE_AS_AGENT),
        ("It's Jamie Lee, thank you very much!", Fault.REPEATED),
        ("My name is [Name].", Fault.MARKUP),
        ("I shall use the end_call tool later.", Fault.TOOL_AS_TEXT),
    ],
)
def test_what_a_caller_may_not(text: str, fault: Fault):
    assert look(text).broken is fault


def test_echoing_the_agent():
    line = "Do you want to sit by the window?"
    assert look(line, talk=turns(line)).broken is Fault.ECHOED


def test_a_reply_cut_off():
    assert look("I would like", cut_off=True).broken is Fault.CUT_OFF
    assert look("", cut_off=True).broken is Fault.CUT_OFF
    assert look("<think>so", cut_off=True).broken is Fault.CUT_OFF


def test_hanging_up_before_the_agent_spoke():
    assert look("", DONE, talk=[]).broken is Fault.HUNG_UP_EARLY
    assert look("end_call()", talk=[]).broken is Fault.HUNG_UP_EARLY
    assert look("", DONE).broken is None


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("<think>who am I</think>At six.", Fault.REASONING),
        ("Caller: At six.", Fault.LABELLED),
        ("*sighs* At six.", Fault.MARKUP),
    ],
)
def test_what_is_mended(text: str, mended: Fault):
    assert look(text) == Reply("At six.", None, (mended,))


def test_a_hang_up_that_was_written_is_made():
    reply = look("Thanks! end_call(success=true, reason='booked') Bye!")
    assert reply == Reply("Thanks! Bye!", DONE, (Fault.TOOL_AS_TEXT,))


def test_a_hang_up_written_beside_a_real_one_is_not_said():
    reply = look("Thanks! end_call(success=false)", DONE)
    assert reply == Reply("Thanks!", DONE, (Fault.TOOL_AS_TEXT,))


def test_a_hang_up_that_was_only_thought_of_is_not_made():
    assert look("<think>I could end_call()</think>At six.").hang_up is None


def test_end_call_is_talk_for_those_whose_business_it_is():
    text = "The end_call function in your SDK fails."
    assert look(text).broken is Fault.TOOL_AS_TEXT
    assert look(text, brief="A developer whose end_call tool fails.") == Reply(text, None)


def test_a_hang_up_with_nothing_said_but_signs():
    assert look("👋", DONE) == Reply("", DONE)


def test_a_goodbye_that_is_outstayed_is_hung_up_for():
    goodbye = "Goodbye, and thank you for everything!"
    talk = turns("Booked.", goodbye, goodbye)
    reply = look(goodbye, talk=talk)
    assert reply.hang_up == HangUp(False, "the caller had said goodbye and did not hang up")
    assert (reply.text, reply.mended, reply.broken) == (goodbye, (Fault.NO_HANG_UP,), None)
    assert look(goodbye, DONE, talk=talk) == Reply(goodbye, DONE)
    assert look("Wait, one more thing.", talk=talk).hang_up is None


def test_a_goodbye_may_be_said_back():
    line = "Goodbye, and have a wonderful evening!"
    assert look(line, talk=turns(line)) == Reply(line, None)


@given(st.lists(PIECES, max_size=30).map("".join), st.none() | st.just(DONE))
def test_whatever_is_written_no_syntax_is_said_and_nothing_is_said_for_nothing(
    text: str, hang_up: HangUp | None
):
    reply = look(text, hang_up)
    said = reply.text.casefold()
    assert reply.broken or not any(sign in said for sign in ("end_call", "{", "```", "<think"))
    assert reply.broken or reply.hang_up or words_of(reply.text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Okay, the assistant wants my name. Let me give it: Jamie Lee.", Fault.REASONING),
        ("Okay, so the agent asked for a phone number. I'll give it: 555.", Fault.REASONING),
        ("I'm an AI and cannot do that.", Fault.REASONING),
        ("I'm just a simulated caller, so I have no phone number.", Fault.REASONING),
        ("Sure! Here is the caller's next line: A table, please.", Fault.REASONING),
        ("Sure, I have booked your table. Your reference is R-9.", Fault.SPOKE_AS_AGENT),
        ("Great! I've noted that down. And what time works for you?", Fault.SPOKE_AS_AGENT),
        ("Let me check the availability for you.", Fault.SPOKE_AS_AGENT),
        ("assistant\nIt's Jamie.", Fault.SPOKE_AS_AGENT),
    ],
)
def test_what_reviewers_got_past_it(text: str, fault: Fault):
    conversation = turns("Hello, how can I help?")
    reply = examine(text, None, False, conversation, "Jamie Lee wants a table for two.")
    assert reply.broken is fault


@pytest.mark.parametrize(
    "text",
    [
        "What time works best for your kitchen?",
        "The agent asked for a phone number yesterday, and I gave it.",
        "Let me check my calendar.",
        "I have booked your table before.",
        "I'm calling about an AI product of yours.",
    ],
)
def test_what_callers_may_say(text: str):
    conversation = turns("Hello, how can I help?")
    assert examine(text, None, False, conversation, "Jamie wants a table.").broken is None
