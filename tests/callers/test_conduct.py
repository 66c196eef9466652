import pytest

from sparring.callers import HangUp
from sparring.callers.conduct import Fault, Reply, examine
from sparring.records import Conversation, Turn
from support.records import bot, user


def turns(*lines: str) -> list[Turn]:
    """A conversation; the agent begins."""
    conversation = Conversation()
    for number, line in enumerate(lines):
        for event in bot(number, line) if number % 2 == 0 else [user(number, number, line)]:
            conversation.fold(event)
    return conversation.spoken_turns


TALK = turns("Hello, what name is it?", "It's Jamie Lee, thank you very much.", "And the time?")


def look(text: str, hang_up: HangUp | None = None, cut_off: bool = False) -> Reply:
    return examine(text, hang_up, cut_off, TALK)


@pytest.mark.parametrize(
    "text",
    [
        "Six o'clock, please.",
        "The simulation software you sell crashes; this simulation is stuck.",
        "I'm calling about the language course.",
        "Could you help me with my order?",
        "Yes.",
        "Is my booking confirmed?",
        "The assistant said last week that it was free.",
        "Thank you for calling me back.",
        "I've booked it with you before.",
        "My instructions from the doctor were to come today.",
        "Thank you so much, goodbye!",
        "Thanks for your help with the assistant manager's table.",
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
        ("As an AI language model, I cannot book.", Fault.REASONING),
        ("We have developer instructions to stay in character.", Fault.REASONING),
        ("The user wants a table. I should respond as Jamie.", Fault.REASONING),
        ("How can I help you today?", Fault.SPOKE_AS_AGENT),
        ("How may I assist you?", Fault.SPOKE_AS_AGENT),
        ("At six.\nAssistant: Great, booked!", Fault.SPOKE_AS_AGENT),
        ("It's Jamie Lee, thank you very much!", Fault.REPEATED),
    ],
)
def test_what_a_caller_may_not(text: str, fault: Fault):
    assert look(text).broken is fault


def test_a_reply_cut_off():
    assert look("I would like", cut_off=True).broken is Fault.CUT_OFF
    assert look("", cut_off=True).broken is Fault.CUT_OFF


def test_saying_it_again_is_right_when_asked():
    talk = turns("Name?", "It's Jamie Lee, thank you very much.", "Sorry, could you repeat that?")
    assert examine("It's Jamie Lee, thank you very much.", None, False, talk).broken is None


def test_echoing_the_agent():
    talk = turns("We have a table for two tonight at six under Lee.")
    assert examine("A table for two tonight at six under Lee.", None, False, talk).broken is (
        Fault.ECHOED
    )
    assert examine("A table for two, please, under Kim at nine.", None, False, talk).broken is None


def test_hanging_up_before_the_agent_spoke():
    assert examine("", HangUp(True, "x"), False, []).broken is Fault.HUNG_UP_EARLY
    assert look("", HangUp(True, "x")).broken is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<think>who am I</think>At six.", "At six."),
        ("<think>never closed", ""),
        ("leaked</think>At six.", "At six."),
        ("<THINKING>x</THINKING> At six.", "At six."),
    ],
)
def test_thinking_is_stripped(text: str, words: str):
    reply = look(text)
    assert (reply.text, reply.mended) == (words, (Fault.REASONING,))


@pytest.mark.parametrize("label", ["Caller:", "**User:**", "customer:"])
def test_labels_are_stripped(label: str):
    assert look(f"{label} At six.") == Reply("At six.", None, (Fault.LABELLED,))


@pytest.mark.parametrize(
    ("text", "words", "hang_up"),
    [
        ('Thanks! end_call(success=true, reason="booked")', "Thanks!", HangUp(True, "booked")),
        ("end_call(success=False, reason='full')", "", HangUp(False, "full")),
        ("Bye. `end_call()`", "Bye.", HangUp(True, "not said")),
        (
            '```json\n{"name": "end_call", "arguments": {"success": true, "reason": "ok"}}\n```',
            "",
            HangUp(True, "ok"),
        ),
        ('Bye {"end_call": "broken', 'Bye {"end_call": "broken', None),
    ],
)
def test_a_hang_up_that_was_written_is_made(text: str, words: str, hang_up: HangUp | None):
    reply = look(text)
    assert (reply.text, reply.hang_up) == (words, hang_up)
    assert reply.mended == ((Fault.TOOL_AS_TEXT,) if hang_up else ())


def test_a_second_goodbye_is_hung_up_for():
    talk = turns("Booked.", "Thanks, goodbye!", "Goodbye!")
    reply = examine("Bye!", None, False, talk)
    assert reply.hang_up is not None and reply.mended == (Fault.NO_HANG_UP,)
    assert examine("Wait, one more thing.", None, False, talk).hang_up is None
