import json
from pathlib import Path

import pytest

from sparring.errors import RecordError
from sparring.records import Ending, Record, save_record
from sparring.records import events as ev
from sparring.scoring.voice.timeline import tick_rows, turn_rows
from sparring.scoring.voice.transcript import transcript
from support.command import sparring
from support.records import bot, record, soundtrack, spoken, tool, user

ENDED = ev.Ended(at=9, ending=Ending.END_CALL)


def booking() -> Record:
    """A greeting that the caller cuts into, a tool, a backchannel, a goodbye that is not heard."""
    return record(
        *bot(0.2, "Hello, how can I help?"),
        user(1.4, 1, "A table\nfor two."),
        spoken(1.4, 2.4, 1, "A table\nfor two."),
        *tool(2.5, "book", {"party_size": 2}, result={"ref": "R-1"}, took=0.4),
        *bot(2.9, "Booked, and we look forward to it."),
        spoken(4, 4.3, None, "Mm-hmm."),
        user(6, 2, "Bye.", hanging_up=True),
        spoken(6, 6.4, 2, "Bye."),
        *bot(6.5, "Goodbye."),
        ev.FunctionCall(at=6.6, id="2", name="log", args={"text": "x" * 300}),
        soundtrack(
            caller=[(1400, 2400), (4000, 4300), (6000, 6400)],
            agent=[(420, 1700), (3200, 5000)],
            duration_ms=7000,
        ),
        ENDED,
    )


def test_a_call_to_read():
    assert transcript(booking()).splitlines() == [
        "ASSISTANT 420..1700 ms [OVERLAP]: Hello, how can I help?",
        "USER 1400..2400 ms [OVERLAP]: A table for two.",
        'TOOL 2500..2900 ms: book({"party_size": 2}) → {"ref": "R-1"}',
        "ASSISTANT 3200..5000 ms [OVERLAP]: Booked, and we look forward to it.",
        "USER 4000..4300 ms [OVERLAP]: Mm-hmm.",
        "USER 6000..6400 ms: Bye.",
        "ASSISTANT 6550..6600 ms: Goodbye. (not heard)",
        f'TOOL 6600 ms: log({{"text": "{"x" * 230}…) → still running',
    ]


def test_a_call_in_text_has_the_times_of_its_words():
    made = record(
        *bot(0.2, "Hello."),
        user(1, 1, "A table."),
        *tool(1.5, "book", {}, cancelled=True),
        *bot(2, "Booked."),
        ENDED,
    )
    assert transcript(made).splitlines() == [
        "ASSISTANT 250..300 ms: Hello.",
        "USER 1000..1000 ms: A table.",
        "TOOL 1500..1600 ms: book({}) → cancelled",
        "ASSISTANT 2050..2100 ms: Booked.",
    ]


def test_sound_without_words_is_told():
    made = record(user(1, 1), spoken(1, 2, 1), soundtrack([(1000, 2000)], [(3000, 4000)]), ENDED)
    assert transcript(made).splitlines() == [
        "USER 1000..2000 ms: Yes.",
        "ASSISTANT 3000..4000 ms: (no words)",
    ]


def test_nothing_was_said():
    assert transcript(record(ENDED)) == ""


def test_turns_as_rows():
    rows = list(turn_rows(booking(), 5000))
    assert [(row["side"], row["turn"]) for row in rows] == [
        ("agent", 0),
        ("caller", 1),
        ("agent", 1),
        ("caller", None),
        ("caller", 2),
        ("agent", 2),
    ]
    asked, acknowledged, goodbye = rows[1], rows[3], rows[4]
    assert (asked["status"], asked["latency_ms"], asked["action"]) == ("answered", 800, "interrupt")
    assert (asked["yielded"], asked["yield_latency_ms"]) == (True, 300)
    assert (acknowledged["action"], acknowledged["backchannel"]) == ("backchannel", "continued")
    assert (goodbye["status"], goodbye["reason"]) == ("excluded", "caller_closing")
    assert "status" not in rows[0]


def test_ticks_add_up():
    rows = list(tick_rows(booking(), 200))
    assert len(rows) == 35
    assert sum(row["caller"]["voiced_ms"] for row in rows) == 1700
    assert sum(row["agent"]["voiced_ms"] for row in rows) == 3080
    assert sum(row["overlap_ms"] for row in rows) == 600
    assert sum(row["work_ms"] for row in rows) == 800
    assert rows[7]["events"] == {"caller_said": 1}
    assert rows[8]["agent"]["intervals_ms"] == [[1600, 1700]]


def test_a_call_in_text_has_no_ticks():
    with pytest.raises(RecordError, match="no sound"):
        list(tick_rows(record(ENDED)))


async def test_exporting_a_record(tmp_path: Path):
    path = tmp_path / "call.json"
    save_record(booking(), path)
    ran = await sparring("export", path, "--turns", "--ticks", "--tick-ms", "1000", cwd=tmp_path)
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, ran.err) == (0, "")
    assert [row["type"] for row in rows] == ["turn"] * 6 + ["tick"] * 7


async def test_exporting_says_what_it_lacks(tmp_path: Path):
    path = tmp_path / "call.json"
    save_record(record(ENDED), path)
    nothing = await sparring("export", path, cwd=tmp_path)
    assert (nothing.code, nothing.err) == (
        2,
        "error: say what to export: --turns, --ticks, or both\n",
    )
    silent = await sparring("export", path, "--ticks", cwd=tmp_path)
    assert (silent.code, silent.out) == (2, "")
    assert silent.err == "error: this record has no sound, so it has no ticks\n"
