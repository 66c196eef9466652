import json
from pathlib import Path

import pytest

from sparring.errors import RecordError
from sparring.records import Ending, RecordWriter, load_record, save_record
from sparring.records import events as ev
from support.records import bot, header, record, user

EVENTS = [
    ev.Connected(at=0.01, url="ws://localhost:1/ws"),
    ev.Ready(at=0.02, version="2.2.0"),
    *bot(0.1, "Grüß Gott\n\u2028 😀"),
    user(0.3, 1),
    ev.FunctionCallStopped(at=0.4, id="1", name="x", result={"nothing": None}),
    ev.Ended(at=0.5, ending=Ending.BOT),
]


def test_a_record_survives_the_disk(tmp_path: Path):
    original = record(*EVENTS)
    save_record(original, tmp_path / "records" / "a.json")
    assert load_record(tmp_path / "records" / "a.json") == original


def test_a_writer_leaves_the_same_record_and_no_journal(tmp_path: Path):
    with RecordWriter(tmp_path / "a.json", header()) as writer:
        for event in EVENTS:
            writer.add(event)
    assert load_record(tmp_path / "a.json") == record(*EVENTS)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_events_are_on_disk_as_they_happen(tmp_path: Path):
    writer = RecordWriter(tmp_path / "a.json", header())
    for event in EVENTS[:3]:
        writer.add(event)
    so_far = load_record(tmp_path / "a.jsonl")
    assert list(so_far.events) == EVENTS[:3]
    assert so_far.ended is None
    writer.close()


def test_a_torn_last_line_is_dropped(tmp_path: Path):
    writer = RecordWriter(tmp_path / "a.json", header())
    for event in EVENTS[:3]:
        writer.add(event)
    journal = tmp_path / "a.jsonl"
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(journal.read_bytes() + b'{"type": "llm_text", "at": 0.1, "te')
    writer.close()
    assert list(load_record(torn).events) == EVENTS[:3]


def test_damage_in_the_middle_is_an_error(tmp_path: Path):
    damaged = tmp_path / "a.jsonl"
    damaged.write_text(header().model_dump_json() + '\n{"ty\n{"type":"llm_stopped","at":1}\n')
    with pytest.raises(RecordError):
        load_record(damaged)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"events": 1}', b"\xff\xfe", b"[" * 100_000],
    ids=["empty", "open", "list", "null", "other", "bytes", "deep"],
)
def test_what_is_no_record_is_said_to_be_none(tmp_path: Path, content: bytes):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=r"a\.json"):
        load_record(path)


def test_a_missing_record_is_named(tmp_path: Path):
    with pytest.raises(RecordError, match=r"nowhere\.json"):
        load_record(tmp_path / "nowhere.json")


def test_sound_is_not_saved(tmp_path: Path):
    audio = ev.BotAudio(at=1, sample_rate=24000, samples=2, audio=b"\0\0\0\0")
    save_record(record(audio), tmp_path / "a.json")
    event = json.loads((tmp_path / "a.json").read_text())["events"][0]
    assert event == {"at": 1.0, "type": "bot_audio", "sample_rate": 24000, "samples": 2}
