"""JSON stays JSON of the same shape, whatever the secrets are and whatever came from outside."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.records import Ending, load_record, save_record
from sparring.records import events as ev
from sparring.records.json_text import json_of, json_of_data, parse_json
from sparring.records.redaction import MASK
from support.records import bot, header, record, user

EVENTS = [
    ev.Ready(at=0.02, version="2.2.0"),
    *bot(0.1, "The PIN is 12345678."),
    user(0.3, 1),
    ev.FunctionCall(at=0.35, id="1", name="pay", args={"pin": 12345678, "planted-key-1": [1.5]}),
    ev.FunctionCallStopped(at=0.4, id="1", name="pay", result={"said": "planted-key-1"}),
    ev.Ended(at=0.5, ending=Ending.END_CALL),
]


@pytest.mark.parametrize(
    "secret",
    [
        "schema_version",
        "llm_started",
        "llm_text",
        "events_seen",
        "end_call",
        "12345678",
        "started_",
    ],
)
def test_no_secret_breaks_a_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, secret: str):
    monkeypatch.setenv("SECRET_KEY", secret)
    original = record(*EVENTS)
    save_record(original, tmp_path / "a.json")
    read = load_record(tmp_path / "a.json")
    assert [event.type for event in read.events] == [event.type for event in original.events]
    assert read.ended == original.ended


def test_secrets_are_hidden_in_keys_values_and_numbers_of_what_came_from_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
):
    monkeypatch.setenv("A_KEY", "planted-key-1")
    monkeypatch.setenv("PIN_SECRET", "12345678")
    save_record(record(*EVENTS), tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text()
    assert "planted-key-1" not in text and "12345678" not in text
    call = next(
        e for e in load_record(tmp_path / "a.json").events if isinstance(e, ev.FunctionCall)
    )
    assert call.args == {"pin": MASK, MASK: [1.5]}


def test_a_line_is_one_line_for_every_reader():
    text = json_of(ev.Note(at=0, text="a\u2028b\u2029c\u0085d\ne"))
    assert len(text.splitlines()) == 1
    assert json.loads(text)["text"] == "a\u2028b\u2029c\u0085d\ne"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (
            '{"a": NaN, "b": [Infinity, -Infinity], "c": "NaN"}',
            {"a": None, "b": [None] * 2, "c": "NaN"},
        ),
        ('{"a": 1e999}', {"a": None}),
        ('{"a": 1e300}', {"a": 1e300}),
        ('["\\ud800 \\ud83d\\ude00"]', ["? 😀"]),
        (b'{"a": NaN}', {"a": None}),
    ],
)
def test_what_is_no_json_is_mended(raw: str | bytes, value: Any):
    assert parse_json(raw) == value


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values)
def test_whatever_python_writes_is_read_as_strict_json(value: Any):
    read = parse_json(json.dumps(value))
    json.dumps(read, allow_nan=False, ensure_ascii=False).encode()
    assert parse_json(json_of_data(read)) == read


def test_a_header_is_indented_for_people():
    assert json_of(header(), indent=1).startswith('{\n "schema_version": 1,')


def test_half_a_surrogate_pair_is_mended_wherever_it_comes_from():
    note = ev.Note.model_construct(at=0, type="note", text="he said \ud83d")
    assert json.loads(json_of(note))["text"] == "he said ?"
