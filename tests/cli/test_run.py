"""``sparring run`` as a user runs it, against an agent that is real on the wire."""

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.agents.processes.ports import free_port
from sparring.records import load_record
from support.command import sparring, start
from support.fake_agent import FakeAgent, Session, polite_booking, replies
from support.play import BOOKING

METRICS = [
    {"measure": "words", "max_value": 60},
    {"measure": "function_calls", "calls": ["check_availability", "book_table"]},
]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return write(tmp_path / "book.yaml")


def write(path: Path, **keys: Any) -> Path:
    path.write_text(yaml.safe_dump({**BOOKING, "metrics": METRICS, **keys}), "utf-8")
    return path


def results(directory: Path) -> list[dict[str, Any]]:
    lines = (directory / "results.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


async def test_a_run_that_passes(book: Path, tmp_path: Path):
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring(
            "run", book, "--offline", "--agent", agent.url, "-v", "-n", "first", cwd=tmp_path
        )
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "bot: Hello, how can I help?"
    assert '     ↳ book_table(party_size=2, time="18:00") → {"ref": "R-1"}' in lines
    assert "ended by end_call after 4 persona turn(s)" in lines
    assert "  words: 1.00 | longest reply 10 words, at most 60" in lines
    assert any(line.startswith(f"✓ {agent.url} book end_call (") for line in lines)
    assert lines[-2].startswith("1/1 passed · ")
    assert lines[-1] == "records and logs: eval-runs/first"


async def test_what_a_run_leaves_behind(book: Path, tmp_path: Path):
    async with FakeAgent(polite_booking) as agent:
        await sparring(
            *("run", book, "--offline", "--agent", agent.url),
            *("--runs-dir", "runs", "-n", "a"),
            cwd=tmp_path,
        )
    directory = tmp_path / "runs" / "a"
    files = sorted(p.relative_to(directory).as_posix() for p in directory.rglob("*") if p.is_file())
    assert files == [
        "logs/book.conversation.json",
        "logs/book.eval.log",
        "records/book.json",
        "results.jsonl",
        "summary.json",
    ]
    (result,) = results(directory)
    assert {key: result[key] for key in ("status", "passed", "kind", "reason", "ended_by")} == {
        "status": "passed",
        "passed": True,
        "kind": None,
        "reason": "",
        "ended_by": "end_call",
    }
    assert (result["turns"], result["scenario"], result["success"]) == (
        *(4, "book"),
        BOOKING["success"],
    )
    assert result["messages"][0] == {"role": "assistant", "content": "Hello, how can I help?"}
    assert result["end_call"] == {"success": True, "reason": "the agent confirmed"}
    assert result["caller"]["service"] == "agenda"
    assert set(result["versions"]) == {"sparring", "pipecat-ai", "python"}
    for path in result["artifacts"].values():
        assert (directory / path).is_file()
    conversation = json.loads((directory / "logs/book.conversation.json").read_text())
    assert {"role": "user", "content": "It's Jamie."} in conversation
    assert conversation[2] == {
        "role": "tool_call",
        "name": "check_availability",
        "arguments": {"time": "18:00"},
        "cancelled": False,
    }
    log = (directory / "logs/book.eval.log").read_text()
    assert '[t2] caller_said turn=2 text="It\'s Jamie."' in log
    assert "caller: item 'name': the agent's words call for it" in log
    assert load_record(directory / "records/book.json").ended is not None


async def test_a_run_that_fails(book: Path, tmp_path: Path):
    async with FakeAgent(replies("Hello.", "Name?", "Phone?", "You're all set.")) as agent:
        ran = await sparring("run", book, "--offline", "--agent", agent.url, cwd=tmp_path)
    assert ran.code == 1
    assert "Failures (1 of 1):" in ran.out
    assert "• function_calls: check_availability() was not called" in ran.out
    assert "0/1 passed, 1 failed" in ran.out


async def test_a_run_without_an_agent_is_an_error(book: Path, tmp_path: Path):
    url = f"ws://127.0.0.1:{free_port()}/ws"
    ran = await sparring("run", book, "--offline", "--agent", url, "-n", "a", cwd=tmp_path)
    assert ran.code == 3
    assert f"nothing answers at {url}" in ran.out and "[connect_failed]" in ran.out
    (result,) = results(tmp_path / "eval-runs" / "a")
    assert (result["status"], result["kind"]) == ("error", "connect_failed")
    assert load_record(tmp_path / "eval-runs/a/records/book.json").ended is not None


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("http://localhost:7860/ws", "Did you mean ws://localhost:7860/ws?"),
        ("https://x.example/ws", "Did you mean wss://x.example/ws?"),
        ("localhost:7860", "It should look like ws://localhost:7860/ws."),
        ("ws://localhost:99999/ws", "It should look like ws://localhost:7860/ws."),
        ("ws://", "It should look like ws://localhost:7860/ws."),
        ("", "It should look like ws://localhost:7860/ws."),
        ("ws://a..b/ws", "It should look like ws://localhost:7860/ws."),
        ("ws://ho st/ws", "It should look like ws://localhost:7860/ws."),
        ("ws://localhost:0/ws", "It should look like ws://localhost:7860/ws."),
        ("ws://x/ws#top", "The part after # would never reach the agent: leave it out."),
    ],
)
async def test_a_url_that_cannot_be_an_agent(book: Path, tmp_path: Path, url: str, hint: str):
    ran = await sparring("run", book, "--offline", "--agent", url, cwd=tmp_path)
    assert ran.code == 2
    assert ran.err == f"error: {url!r} is not the URL of an agent. {hint}\n"
    assert not (tmp_path / "eval-runs").exists()


async def test_a_wrong_url_is_shown_without_its_password(book: Path, tmp_path: Path):
    url = "http://me:planted-pass-1@x.example/ws?token=planted-token-1"
    ran = await sparring("run", book, "--offline", "--agent", url, cwd=tmp_path)
    assert ran.code == 2 and "Did you mean ws://x.example/ws?token=…?" in ran.err
    assert "planted" not in ran.err


async def test_a_name_in_use(book: Path, tmp_path: Path):
    (tmp_path / "eval-runs" / "a").mkdir(parents=True)
    ran = await sparring("run", book, "--offline", "-n", "a", cwd=tmp_path)
    assert ran.code == 2
    assert "eval-runs/a is there already" in ran.err


async def test_one_bad_file_does_not_stop_the_others(book: Path, tmp_path: Path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: [")
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring("run", bad, book, "--offline", "--agent", agent.url, cwd=tmp_path)
    assert ran.code == 2
    assert ran.err.startswith(f"{bad}:1:8: not YAML: ")
    assert "1/1 passed" in ran.out


async def test_any_locale_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("PYTHONUTF8", "0")
    monkeypatch.setenv("PYTHONCOERCECLOCALE", "0")
    write(tmp_path / "book.yaml", name="../日本/.hidden " + "x" * 300)
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring(
            "run", "book.yaml", "--offline", "-v", "--agent", agent.url, "-n", "a", cwd=tmp_path
        )
    assert ran.code == 0, ran.err
    (result,) = results(tmp_path / "eval-runs" / "a")
    assert result["scenario"].startswith("../日本/.hidden")
    assert not any(p.name.startswith(".") for p in (tmp_path / "eval-runs").rglob("*"))


async def test_nothing_to_run(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    ran = await sparring("run", "empty", "--offline", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == "error: nothing to run"


async def test_what_cannot_be_played_is_all_said_first_and_stops_nothing_else(tmp_path: Path):
    write(tmp_path / "mute.yaml", opening=None, agenda=[])
    write(tmp_path / "mute2.yaml", opening=None, agenda=[])
    write(tmp_path / "a.yaml")
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring("run", ".", "--offline", "--agent", agent.url, cwd=tmp_path)
    assert ran.code == 2
    why = "book cannot be played without an LLM: it has nothing to say"
    assert [f"mute.yaml: {why}" in ran.err, f"mute2.yaml: {why}" in ran.err] == [True, True]
    assert "1/1 passed" in ran.out


async def test_nothing_that_can_be_played_makes_no_run_directory(tmp_path: Path):
    write(tmp_path / "mute.yaml", opening=None, agenda=[])
    ran = await sparring("run", "mute.yaml", "--offline", cwd=tmp_path)
    assert ran.code == 2 and ran.err.endswith("error: nothing to run\n")
    assert not (tmp_path / "eval-runs").exists()


async def test_results_as_json_lines(book: Path, tmp_path: Path):
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring(
            *("run", book, "--offline", "--agent", agent.url, "--json", "-n", "a"), cwd=tmp_path
        )
    assert ran.code == 0
    assert [json.loads(line) for line in ran.out.splitlines()] == results(tmp_path / "eval-runs/a")
    assert "1/1 passed" in ran.err


async def test_several_at_once(tmp_path: Path):
    for name in ("a", "b", "c"):
        write(tmp_path / f"{name}.yaml", name=name)
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring(
            *("run", ".", "--offline", "--agent", agent.url, "-c", "3", "-v"), cwd=tmp_path
        )
    assert ran.code == 0 and "3/3 passed" in ran.out
    blocks = [block.splitlines() for block in ran.out.split("── ")[1:]]
    assert sorted(block[0][0] for block in blocks) == ["a", "b", "c"]
    for block in blocks:  # No conversation has another's lines in it.
        assert [line for line in block if line.startswith("user: ")] == [
            "user: A table for two at 6 PM, please.",
            "user: It's Jamie.",
            "user: 555-0142.",
            "user: Thank you!",
        ]


async def test_a_call_whose_goal_nobody_judged_and_whose_caller_gave_up_says_so(
    tmp_path: Path,
):
    write(tmp_path / "a.yaml", metrics=[{"measure": "words", "max_value": 60}])
    async with FakeAgent(replies("Hello.", "Goodbye.")) as agent:
        ran = await sparring("run", "a.yaml", "--offline", "--agent", agent.url, cwd=tmp_path)
    assert ran.code == 0
    assert "· the goal was not judged, and the caller gave up: the agent said goodbye" in ran.out


async def test_a_terminal_without_our_signs_gets_plain_ones(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name, value in {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}.items():
        monkeypatch.setenv(name, value)
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring("run", book, "--offline", "--agent", agent.url, "-v", cwd=tmp_path)
    assert f"+ {agent.url} book end_call" in ran.out
    assert '> book_table(party_size=2, time="18:00") > {"ref": "R-1"}' in ran.out
    assert ran.out.splitlines()[-2].startswith("1/1 passed - ")


async def test_without_offline_it_says_what_is_missing(book: Path, tmp_path: Path):
    ran = await sparring("run", book, cwd=tmp_path)
    assert ran.code == 2 and "--offline" in ran.err


async def test_a_scenario_that_nothing_decides_is_an_error(tmp_path: Path):
    write(tmp_path / "book.yaml", metrics=[])
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring("run", "book.yaml", "--offline", "--agent", agent.url, cwd=tmp_path)
    assert ran.code == 3
    assert "nothing decided this run" in ran.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_an_interrupted_run_keeps_what_it_had(
    book: Path, tmp_path: Path, number: signal.Signals
):
    talking = asyncio.Event()

    async def waits(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        talking.set()
        await session.hang()

    async with FakeAgent(waits) as agent:
        process = await start(
            "run", book, "--offline", "--agent", agent.url, "-n", "a", cwd=tmp_path
        )
        await talking.wait()
        for _ in range(3):  # The impatient press it again.
            process.send_signal(number)
        async with asyncio.timeout(20):
            out, _ = await process.communicate()
    assert process.returncode == 3
    assert b"1 interrupted" in out
    (result,) = results(tmp_path / "eval-runs" / "a")
    assert result["status"] == "interrupted"
    assert agent.sessions[0].cancelled
    record = load_record(tmp_path / "eval-runs/a/records/book.json")
    assert record.conversation.caller_turns[0].text == BOOKING["opening"]


async def test_a_killed_run_leaves_its_record_so_far(book: Path, tmp_path: Path):
    talking = asyncio.Event()

    async def waits(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        talking.set()
        await session.hang()

    async with FakeAgent(waits) as agent:
        process = await start(
            "run", book, "--offline", "--agent", agent.url, "-n", "a", cwd=tmp_path
        )
        await talking.wait()
        process.kill()
        await process.communicate()
    record = load_record(tmp_path / "eval-runs/a/records/book.jsonl")
    assert record.ended is None
    assert [turn.text for turn in record.conversation.spoken_turns] == [
        "Hello.",
        BOOKING["opening"],
    ]
