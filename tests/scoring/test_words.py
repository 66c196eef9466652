import pytest

from sparring.scoring import count_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("You're all set: a table for two.", 7),
        ("well - yes", 2),
        ("安" * 20, 10),
        ("你好，世界。", 2),
        ("東京タワーへ行きたいです", 6),
        ("สวัสดีครับ", 2),
        ("안녕하세요 여러분", 2),
        ("Der Tisch für zwei", 4),
        ("Book テーブル now", 4),
        ("naïve café №5", 3),
    ],
)
def test_words(text: str, words: int):
    assert count_words(text) == words


def test_a_long_chinese_reply_is_not_one_word():
    assert count_words("我们的餐厅今天晚上六点还有空位" * 10) > 60
