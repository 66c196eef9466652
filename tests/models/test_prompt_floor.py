"""The fewest tokens a text can be: never more than a tokenizer makes of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.models.prompt_floor import fewest_tokens

PROSE = "I'd like to book a table for two at 6 PM, please. My number is 555-0142; thank you! "
INDENTED = json.dumps([{"a": [1, {"b": None}], "c": ""}] * 20, indent=8)


@pytest.mark.parametrize(
    ("text", "o200k"),
    [
        # What OpenAI's o200k makes of them, the tokenizer with the longest tokens of those tried.
        (PROSE * 20, 541),
        (INDENTED, 602),
        ("您好，请问您想预订什么时间的座位？谢谢。" * 20, 300),
        ("สวัสดีค่ะ คุณต้องการจองโต๊ะสำหรับกี่คนคะ" * 20, 360),
        ("नमस्ते, आप कितने लोगों के लिए टेबल बुक करना चाहते हैं?" * 20, 380),
        ("qu'est-ce que je peux réserver aujourd'hui ? " * 20, 201),
        ("người Việt Nam cảm ơn " * 20, 122),
        ("🎉👍🏽 😀 " * 20, 121),
    ],
    ids=["prose", "json", "zh", "th", "hi", "fr", "vi", "emoji"],
)
def test_it_is_below_what_a_tokenizer_counts(text: str, o200k: int):
    assert fewest_tokens(text) <= o200k


def test_of_prose_it_is_most_of_the_true_count():
    assert fewest_tokens(PROSE * 20) > 0.7 * 541


@pytest.mark.parametrize("text", ["", "   \n\t\n", " , \n { \n } \n"])
def test_white_space_and_single_signs_count_nothing(text: str):
    assert fewest_tokens(text) == 0


def test_digits_share_a_token_by_threes():
    assert [fewest_tokens("1" * n) for n in (1, 3, 4, 9)] == [1, 1, 2, 3]


@given(st.text(), st.text())
def test_two_texts_are_the_sum_of_both(one: str, other: str):
    assert fewest_tokens(f"{one}\n{other}") == fewest_tokens(one) + fewest_tokens(other)
