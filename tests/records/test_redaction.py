import json
from typing import Any

import pytest

from sparring.records.redaction import MASK, keep_secrets_of, redact


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "KEY", "MY_TOKEN", "SECRET", "DB_PASSWORD", "APIKEY", "my_secrets", "KEY_2"],
)
def test_values_of_variables_named_like_secrets_are_hidden(
    monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setenv(name, "planted-value-1")
    assert redact("a planted-value-1 b") == f"a {MASK} b"


@pytest.mark.parametrize("name", ["KEYBOARD", "MONKEY", "TOKENIZER_PATH", "SECRETARY", "PATH_X"])
def test_others_are_not(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setenv(name, "ordinary-value-1")
    assert redact("an ordinary-value-1") == "an ordinary-value-1"


def test_short_values_are_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_KEY", "table")
    assert redact("a table for two") == "a table for two"


def test_a_secret_is_hidden_as_json_writes_it(monkeypatch: pytest.MonkeyPatch):
    secret = 'quo"te\\and\nmore-é'
    monkeypatch.setenv("A_TOKEN", secret)
    for ascii_only in (True, False):
        text = redact(json.dumps({"said": secret}, ensure_ascii=ascii_only))
        assert json.loads(text) == {"said": MASK}


def test_the_longer_of_two_secrets_goes_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_KEY", "abcdefgh")
    monkeypatch.setenv("B_KEY", "abcdefgh-ijkl")
    assert redact("abcdefgh-ijkl") == MASK


def test_credentials_in_a_block_are_secrets():
    keep_secrets_of({"extra": [{"api_key": "handed-over-12"}], "model": "not-a-secret-1"})
    assert redact("handed-over-12 not-a-secret-1") == f"{MASK} not-a-secret-1"


@pytest.mark.parametrize(
    "block",
    [
        {"extra_headers": {"Authorization": "Bearer planted-0001"}},
        {"extra_headers": {"X-Api-Key": "planted-0001", "Accept": "text/html"}},
        {"extra_headers": {"Cookie": "planted-0001"}},
        {"headers": ["Bearer planted-0001"]},
        {"accessToken": "planted-0001"},
        {"endpoint": "https://jamie:planted-0001@llm.example/v1"},
        {"endpoint": "https://planted-0001@llm.example/v1"},
        {"endpoint": "https://llm.example/v1?model=m&api_key=planted-0001#top"},
        {"deeper": [{"url": "see wss://a:planted-0001@b, please"}]},
    ],
)
def test_credentials_are_found_wherever_they_stand_in_a_block(block: dict[str, Any]):
    keep_secrets_of(block)
    assert redact("it said planted-0001.") == f"it said {MASK}."


def test_a_password_is_hidden_as_it_is_and_as_the_url_writes_it():
    keep_secrets_of({"endpoint": "http://me:p%40ss-0002@h/?token=a%2Fb-00000003"})
    assert redact("p%40ss-0002 p@ss-0002 a/b-00000003 a%2Fb-00000003") == " ".join([MASK] * 4)


def test_a_short_password_is_hidden_where_it_stands_in_the_url():
    keep_secrets_of({"endpoint": "http://jamie:table@llm.example"})
    text = redact("http://jamie:table@llm.example, a table for two")
    assert text == f"http://{MASK}llm.example, a table for two"


def test_ordinary_words_of_a_block_are_not_secrets():
    words = {"max_tokens": 400, "key_points": ["reservation"], "level": "Basic understanding"}
    keep_secrets_of({**words, "endpoint": "https://llm.example/v1?model=reservation"})
    text = "a reservation, understanding https://llm.example/v1"
    assert redact(text) == text


def test_the_beginning_of_a_secret_is_hidden_where_a_text_was_cut(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_KEY", "sk-verysecretvalue1234567890")
    assert redact('not the text "KEY=sk-verysecret…"') == f'not the text "KEY={MASK}…"'
    assert redact("a cut word…") == "a cut word…"
