import json

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
