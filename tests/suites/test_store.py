import json
from pathlib import Path

import pytest

from sparring.errors import RecordError, UsageError
from sparring.records import Ending, Result, make_result
from sparring.records import events as ev
from sparring.scoring import score
from sparring.suites import RunDirectory, attempt_seed
from sparring.suites.tally import tallies
from support.records import bot, record, user


def result(text: str = "Hello.") -> Result:
    made = record(
        ev.Ready(at=0.1),
        *bot(0.2, text),
        user(1, 1),
        ev.Ended(at=2, ending=Ending.BOT),
        metrics=[{"measure": "turns", "max_value": 9}],
    )
    return make_result(made, score(made), {"record": "records/a.json"})


def test_results_come_back_as_they_went(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    results = [result("Grüß \u2028\n😀"), result()]
    for one in results:
        directory.add(one)
    assert list(directory.results()) == results
    assert len(directory.results_path.read_text("utf-8").splitlines()) == 2


def test_a_torn_last_line_is_passed_over(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    directory.add(result())
    with directory.results_path.open("a") as file:
        file.write('{"schema_version": 1, "na')
    assert len(list(directory.results())) == 1


@pytest.mark.parametrize("torn", [b'{"schema_version": 1, "na', b"x" * 200_000, b"\xe2\x80"])
def test_a_torn_line_is_cut_off_before_anything_is_added(tmp_path: Path, torn: bytes):
    directory = RunDirectory.create(tmp_path, "a")
    directory.add(result())
    directory.close()
    with directory.results_path.open("ab") as file:
        file.write(torn)
    resumed = RunDirectory.resume(tmp_path / "a")
    resumed.add(result("Again."))
    assert [one.messages[0]["content"] for one in resumed.results()] == ["Hello.", "Again."]


def test_nothing_is_cut_off_of_a_whole_file(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    for resumed in range(3):
        directory.close()
        directory = RunDirectory.resume(tmp_path / "a")
        assert len(list(directory.results())) == resumed
        directory.add(result())


def test_a_directory_has_one_writer(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    with pytest.raises(UsageError, match="another process is writing in"):
        RunDirectory.resume(tmp_path / "a")
    directory.close()
    RunDirectory.resume(tmp_path / "a").close()


def test_what_is_no_run_directory_is_not_gone_on_in(tmp_path: Path):
    with pytest.raises(UsageError, match=r"is no run directory: it has no results\.jsonl"):
        RunDirectory.resume(tmp_path)


def test_a_resumed_directory_writes_over_nothing(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    path = directory.record_path(directory.stem("book"))
    path.parent.mkdir()
    path.write_text("{}")
    directory.close()
    assert RunDirectory.resume(tmp_path / "a").stem("book") == "book-2"


def test_a_damaged_line_is_named(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    directory.results_path.write_text("{}\n")
    with pytest.raises(RecordError, match=r"results\.jsonl:1"):
        list(directory.results())


def test_a_name_in_use_is_refused(tmp_path: Path):
    RunDirectory.create(tmp_path, "nightly")
    with pytest.raises(UsageError, match="is there already"):
        RunDirectory.create(tmp_path, "nightly")


def test_two_runs_of_the_same_second_do_not_mix(tmp_path: Path):
    first, second = RunDirectory.create(tmp_path), RunDirectory.create(tmp_path)
    assert first.path != second.path


@pytest.mark.parametrize(
    "name", ["", " ", ".", "..", "a/b", "a\\b", "a\0b", "a\nb", "a\x1b[2J", " a", "-a"]
)
def test_what_cannot_name_a_run(tmp_path: Path, name: str):
    with pytest.raises(UsageError, match="cannot name a run"):
        RunDirectory.create(tmp_path, name)


def test_a_place_that_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be made"):
        RunDirectory.create(tmp_path / "file", "a")


def test_stems_are_unique_plain_and_never_hidden(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    stems = [directory.stem(name) for name in ("f/s", "f/s", "F/S", "../x", "...", "a b:c", "日本")]
    assert stems == ["f__s", "f__s-2", "F__S-3", "__x", "run", "a_b_c", "日本"]


def test_a_suffix_never_meets_a_name(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    assert [directory.stem(name) for name in ("a", "a", "a-2")] == ["a", "a-2", "a-2-2"]


def test_stems_fit_the_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    directory = RunDirectory.create(tmp_path, "a")
    assert len(directory.stem("日" * 300).encode()) <= 150
    monkeypatch.setattr("sys.getfilesystemencoding", lambda: "ascii")
    assert directory.stem("café/日本") == "caf_____"


def test_the_summary_counts(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "a")
    directory.add(result())
    (tally,) = tallies(directory.results())
    tally.planned = 2
    directory.save_summary([tally])
    counts = {"passed": 1, "failed": 0, "invalid": 0, "error": 0, "interrupted": 0}
    assert json.loads((directory.path / "summary.json").read_text()) == {
        "schema_version": 1,
        "planned": 2,
        "executed": 1,
        "statuses": {"passed": 1},
        "scenarios": [{"agent": "agent", "scenario": "book", "planned": 2, "valid": 1, **counts}],
    }


def test_every_attempt_has_a_seed_of_its_own_that_stays():
    seeds = {attempt_seed(7, "a", n) for n in range(1, 100)} | {attempt_seed(7, "b", 1)}
    assert len(seeds) == 100
    assert attempt_seed(7, "a", 1) == attempt_seed(7, "a", 1) != attempt_seed(8, "a", 1)
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_a_transcript_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DEMO_API_KEY", "hunter2-hunter2")
    directory = RunDirectory.create(tmp_path, "run")
    path = directory.save_transcript("call", record(user(1, 1, "It is hunter2-hunter2.")))
    assert path == directory.transcript_path("call")
    assert "hunter2" not in path.read_text("utf-8")
    assert path.read_text("utf-8").startswith("USER 1000..1000 ms: It is ")
