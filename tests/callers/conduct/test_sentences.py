import pytest

from sparring.callers.conduct.sentences import asks, length, sentences, without_quotes, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It’s Jamie - Lee's!", ["it's", "jamie", "lee's"]),
        ("ＡＢ 12", ["ab", "12"]),
        ("二名でTokyo。", ["二", "名", "で", "tokyo"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("안녕 하세요", ["안녕", "하세요"]),
        ("…!? 👍🏽 ❤️ ___ \u200b", []),
    ],
)
def test_words(text: str, words: list[str]):
    assert words_of(text) == words


def test_several_characters_without_spaces_make_a_word():
    assert length(words_of("我想订桌子")) == pytest.approx(10 / 3)
    assert length(words_of("よろしく")) == pytest.approx(4 / 3)
    assert length(words_of("a table")) == 2


def test_sentences():
    text = "Hi! At 6.30 then?\nGood。再见。"
    assert sentences(text) == ["Hi!", "At 6.30 then?", "Good。", "再见。"]


@pytest.mark.parametrize("text", ["At six? Fine.", "いいですか。", "好吗", "So? 🙂"])
def test_questions(text: str):
    assert asks(text)


def test_no_question():
    assert not asks("At six.") and not asks("")


def test_quotations():
    assert without_quotes('He said “no” and "never".') == "He said  and ."
