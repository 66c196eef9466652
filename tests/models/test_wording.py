from typing import Any

import pytest

from sparring.models.wording import LONGEST, no_such_model, refusal, said, shown


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (None, ""),
        ("", ""),
        ("Too busy.\n\nTry later.", "Too busy. Try later"),
        ({"message": "no"}, "no"),
        ({"error": {"message": "no", "code": 1}}, "no"),
        ('{"error": "no"}', "no"),
        ({"error": {"message": "", "type": "x"}}, ""),
        ({"detail": [{"loc": ["a"], "msg": "b"}]}, '[{"loc": ["a"], "msg": "b"}]'),
        ({"x": 1}, '{"x": 1}'),
        ("{not json", "{not json"),
        ("<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head>", "502 Bad Gateway"),
        ("<html><body><h1>oops</h1></body></html>", "a page of HTML"),
        (["a"], '["a"]'),
        (503, "503"),
    ],
)
def test_what_a_server_said(body: Any, text: str):
    assert said(body) == text


def test_long_words_are_cut():
    assert said("x" * 5000) == "x" * (LONGEST - 1) + "…"


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (400, "s refused: bad request (HTTP 400): see `model` and `extra`"),
        (403, "s refused: forbidden (HTTP 403): see what the API key may be used for"),
        (404, "s refused: not found (HTTP 404): see `model` and `endpoint`"),
        (502, "s refused: bad gateway (HTTP 502): see its log"),
        (599, "s refused: no reason given (HTTP 599): see its log"),
        (302, "s refused: found (HTTP 302): see `endpoint`"),
    ],
)
def test_refusals_without_a_word(status: int, text: str):
    assert refusal("s", status, "") == text


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://me:pw@box:1/v1?key=a#b", "https://box:1/v1"),
        ("me:p@w@box/v1", "box/v1"),
        ("http://box/a@b", "http://box/a@b"),
        ("http://box", "http://box"),
    ],
)
def test_addresses_without_their_secrets(url: str, text: str):
    assert shown(url) == text


def test_names_near_and_far():
    names = [f"model-{number}" for number in range(9)]
    assert "nearest it has is model-3" in no_such_model("s", "modle-3", names, "x")
    assert "(it has model-0, model-1, model-2, model-3, model-4, …)" in no_such_model(
        "s", "qqq", names, "x"
    )
    assert "(it has none)" in no_such_model("s", "qqq", [], "x")
