import pytest

from sparring.callers.conduct.likeness import echoes, repeats_itself
from support.records import turns

NAME = "It's Jamie Lee, thank you very much."
OPENING = "Hi, a table for two tonight, please."


@pytest.mark.parametrize(
    ("reply", "heard"),
    [
        ("What name is it under?", "Hello, what name is it under?"),
        ("Okay, what name is it under?", "Sure. What name is it under?"),
        ("Can I have your name and phone number", "Can I have your name and phone number?"),
        ("Your table is booked for two at six.", "Great! Your table is booked for two at six."),
        ("We have a table tonight at six.", "We have a table tonight at six."),
        (
            "A table for two tonight at six under Lee.",
            "We have a table for two tonight at six under Lee.",
        ),
        (
            "We open at five. The kitchen closes at ten.",
            "We open at five. The kitchen closes at ten.",
        ),
        ("请问您想预订几个人的桌子？", "好的。请问您想预订几个人的桌子？"),
        (
            "お名前とお電話番号をお伺いしてもよろしいですか？",
            "かしこまりました。お名前とお電話番号をお伺いしてもよろしいですか？",
        ),
    ],
)
def test_echoes(reply: str, heard: str):
    assert echoes(reply, heard)


@pytest.mark.parametrize(
    ("reply", "heard"),
    [
        (
            "Yes, a table for two at 6 PM under Jamie Lee, that's right.",
            "A table for two at 6 PM under Jamie Lee, is that right?",
        ),
        (
            "Yes, a table for two at 6 PM under Jamie Lee.",
            "A table for two at 6 PM under Jamie Lee.",
        ),
        ("A table for two at 6 PM under Lee.", "A table for two at 6 PM under Lee. Is that right?"),
        ("Friday at seven for six people, correct.", "Friday at seven for six people, correct?"),
        ("The corner table by the window.", "Do you want the corner table by the window?"),
        ("A table for two at six.", "Would you like a table for two at six, or at seven?"),
        (
            "Book the large corner table for two at six tonight under Lee.",
            "Should I book the large corner table for two at six tonight under Lee?",
        ),
        (
            "Is my number still 555 0142 and my email the same?",
            "Is your number still 555 0142 and your email the same?",
        ),
        ("What name is it under? It's under Jamie Lee.", "What name is it under?"),
        ("I agree to the terms of the loan.", "Please say: I agree to the terms of the loan."),
        ("是的，两位，今晚六点，李先生。", "您是两位，今晚六点，李先生，对吗？"),
        ("Yes, please.", "Yes, please."),
        ("Thank you very much for your time.", "Thank you very much for your time."),
        ("A table for two, please, under Kim at nine.", "We have a table for two under Lee."),
    ],
)
def test_a_caller_that_reads_back_or_answers_is_no_echo(reply: str, heard: str):
    assert not echoes(reply, heard)


@pytest.mark.parametrize(
    ("reply", "talk"),
    [
        ("It's Jamie Lee, thank you very much!", ["Your name?", NAME, "And the time?"]),
        (OPENING, ["Hello?", OPENING, "Your name?", "Jo.", "When for?"]),
        (NAME, ["Hi.", "Hi.", "Name?", NAME, "When?", "Six.", "Where?", NAME, "How?"]),
        ("I need some help.", ["Hi.", "I need some help.", "Who?", "I need some help.", "When?"]),
        ("我想订今晚六点两个人的桌子。", ["您好。", "我想订今晚六点两个人的桌子。", "您的电话？"]),
        ("二名で予約をお願いします。", ["もしもし", "二名で予約をお願いします。", "お電話は？"]),
    ],
)
def test_a_line_said_again_unasked(reply: str, talk: list[str]):
    assert repeats_itself(reply, turns(*talk))


@pytest.mark.parametrize(
    ("reply", "talk"),
    [
        (NAME, ["Name?", NAME, "Sorry, could you repeat that?"]),
        (NAME, ["Name?", NAME, "I didn’t catch that."]),
        (NAME, ["Your name?", NAME, "Sorry?"]),
        (NAME, ["What is your name?", NAME, "Thank you. What is your name?"]),
        (NAME, ["Hi.", "Hi.", "Name?", NAME, "When?", "Six.", "And who is it for?"]),
        (OPENING, ["Hi, how can I help?", OPENING, "This is Bob. How can I help you today?"]),
        ("Yes.", ["Hi?", "Yes.", "Two?", "Yes.", "Six?", "Yes.", "Lee?"]),
        (
            "Yes, that is right.",
            ["Hi.", "Hi.", "Two?", "Yes, that is right.", "Six?", "Yes, that is right.", "Lee?"],
        ),
        ("I need some help.", ["Hi.", "I need some help.", "Who is it?"]),
        (
            "はい、よろしくお願いします。",
            ["お名前は？", "はい、よろしくお願いします。", "お電話は？"],
        ),
        ("At seven.", []),
    ],
)
def test_a_line_said_again_with_reason(reply: str, talk: list[str]):
    assert not repeats_itself(reply, turns(*talk))
