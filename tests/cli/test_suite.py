"""``sparring suite`` as a user runs it: agents started, played, ended, and nothing lost."""

import asyncio
import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.command import sparring, start
from support.play import BOOKING
from support.spawned import gone

AGENT = Path(__file__).parents[1] / "support" / "suite_agent.py"
METRICS = [{"measure": "words", "max_value": 60}, {"measure": "function_calls", "calls": [
    "check_availability", "book_table"]}]  # fmt: skip


def write(directory: Path, *kinds: str, **keys: Any) -> Path:
    """A manifest of an entry for each kind of agent, all playing the booking."""
    (directory / "scenarios").mkdir(exist_ok=True)
    booking = {**BOOKING, "metrics": METRICS, "max_silence_s": 1}
    (directory / "scenarios" / "book.yaml").write_text(yaml.safe_dump(booking), "utf-8")
    entries = [
        {
            "name": kind,
            "bot": AGENT.name,
            "spawn": f"{{python}} {{bot}} {kind} --port {{port}}",
            "scenarios": ["book"],
            "cwd": ".",
            "ready_timeout_s": 2 if kind == "never-listens" else 30,
        }
        for kind in kinds
    ]
    manifest = {"bots_dir": str(AGENT.parent), "suite": entries, **keys}
    path = directory / "manifest.yaml"
    path.write_text(yaml.safe_dump(manifest), "utf-8")
    return path


def results(directory: Path) -> dict[str, dict[str, Any]]:
    """The results of a run directory, by agent."""
    lines = (directory / "results.jsonl").read_text("utf-8").splitlines()
    return {result["name"]: result for result in map(json.loads, lines)}


def pids(directory: Path) -> list[int]:
    """The agents that printed who they are."""
    return [
        int(pid)
        for log in (directory / "logs").glob("*.log")
        for pid in re.findall(r"^pid (\d+)", log.read_text(), re.MULTILINE)
    ]


async def test_every_sort_of_agent_has_its_own_result(tmp_path: Path):
    kinds = ("good", "bad", "mute", "dies", "exits", "never-listens")
    path = write(tmp_path, *kinds, concurrency=3)
    ran = await sparring("suite", path, "--offline", "-n", "a", "--runs-dir", "runs", cwd=tmp_path)
    assert ran.code == 1
    found = results(tmp_path / "runs" / "a")
    assert {name: (one["status"], one["kind"]) for name, one in found.items()} == {
        "good": ("passed", None),
        "bad": ("failed", "function_calls"),
        "mute": ("failed", "silence"),
        "dies": ("failed", "agent_crashed"),
        "exits": ("error", "agent_exited"),
        "never-listens": ("error", "connect_failed"),
    }
    assert "exited with code 3" in found["dies"]["reason"] and "boom" in found["dies"]["reason"]
    assert "code 7" in found["exits"]["reason"] and "no database" in found["exits"]["reason"]
    assert "did not listen" in found["never-listens"]["reason"]
    assert "1/6 passed, 3 failed, 2 error" in ran.out
    summary = json.loads((tmp_path / "runs/a/summary.json").read_text())
    assert [(one["agent"], one["planned"], one["valid"]) for one in summary["scenarios"]] == [
        (kind, 1, int(kind not in ("exits", "never-listens"))) for kind in kinds
    ]
    for one in found.values():
        assert "pid " in (tmp_path / "runs/a" / one["artifacts"]["log"]).read_text() or (
            one["name"] == "never-listens"
        )
    for pid in pids(tmp_path / "runs" / "a"):
        await gone(pid)


@pytest.mark.parametrize("isolation", ["process", "fork", "session"])
async def test_runs_are_requirements_and_repeat_is_a_measurement(tmp_path: Path, isolation: str):
    path = write(tmp_path, "bad", isolation=isolation)
    scenario = tmp_path / "scenarios" / "book.yaml"
    scenario.write_text(scenario.read_text() + "runs: 2\n")
    ran = await sparring("suite", path, "--offline", cwd=tmp_path)
    assert ran.code == 1 and "✗ bad book  0/2 passed" in ran.out
    ran = await sparring("suite", path, "--offline", "--repeat", "3", cwd=tmp_path)
    assert ran.code == 0 and "✗ bad book  0/3 passed" in ran.out


async def test_a_run_that_says_nothing_is_retried_and_marked(tmp_path: Path):
    path = write(tmp_path, "flaky")
    ran = await sparring("suite", path, "--offline", "--retries", "1", "-n", "a", cwd=tmp_path)
    assert ran.code == 0 and "1 passed only when played again" in ran.out
    (reason,) = results(tmp_path / "eval-runs" / "a")["flaky"]["retried"]
    assert reason.startswith("closed_before_ready: ") and "not yet" in reason


async def test_resuming_plays_what_has_no_result_and_what_was_edited(tmp_path: Path):
    path = write(tmp_path, "good", "exits", "bad")
    command = ("suite", path, "--offline", "-n", "a", "--resume")
    first = await sparring(*command, cwd=tmp_path)
    assert first.code == 1 and "1/3 passed, 1 failed, 1 error" in first.out
    again = await sparring(*command, cwd=tmp_path)
    assert "2 of 3 runs have their result already" in again.out
    assert "1/3 passed, 1 failed, 1 error" in again.out
    lines = (tmp_path / "eval-runs/a/results.jsonl").read_text().splitlines()
    names = [json.loads(line)["name"] for line in lines]
    assert sorted(names[:3]) == ["bad", "exits", "good"] and names[3:] == ["exits"]
    write(tmp_path, "bad", "good")  # Changed places: nothing to play.
    reordered = await sparring(*command, cwd=tmp_path)
    assert "2 of 2 runs have their result already" in reordered.out
    scenario = tmp_path / "scenarios" / "book.yaml"
    scenario.write_text(scenario.read_text() + "max_turns: 9\n")
    edited = await sparring(*command, cwd=tmp_path)
    assert "have their result already" not in edited.out


async def test_what_failed_can_be_played_again(tmp_path: Path):
    path = write(tmp_path, "good", "bad")
    await sparring("suite", path, "--offline", "-n", "a", cwd=tmp_path)
    ran = await sparring(
        "suite", path, "--offline", "-n", "b", "--rerun-failed", "eval-runs/a", cwd=tmp_path
    )
    assert list(results(tmp_path / "eval-runs" / "b")) == ["bad"] and "0/1 passed" in ran.out


async def test_shards_deal_out_everything_once(tmp_path: Path):
    path = write(tmp_path, "good", "bad", "mute")
    names: list[str] = []
    for shard in ("1/2", "2/2"):
        await sparring("suite", path, "--offline", "-n", shard[0], "--shard", shard, cwd=tmp_path)
        names += results(tmp_path / "eval-runs" / shard[0])
    assert sorted(names) == ["bad", "good", "mute"]


async def test_after_the_first_failure_nothing_more_is_begun(tmp_path: Path):
    path = write(tmp_path, "bad", "good", concurrency=1)
    ran = await sparring("suite", path, "--offline", "--fail-fast", "-n", "a", cwd=tmp_path)
    assert ran.code == 1 and list(results(tmp_path / "eval-runs" / "a")) == ["bad"]
    assert "1 failed: 1 run(s) are not begun" in ran.out
    assert "0/1 passed, 1 failed, 1 of 2 not run" in ran.out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-p", "nobody"), "no agent of the manifest has 'nobody' in its name or path"),
        (("-s", "nothing"), "no scenario is named 'nothing'"),
        (("--shard", "3/2"), "'3/2' is no shard: the first of four is 1/4, the last 4/4"),
        (("--resume",), "which run is to be gone on with? Name it: -n NAME"),
        (("--rerun-failed", "nowhere"), "there is no run directory nowhere"),
        (("-c", "0"), "Invalid value for '--concurrency'"),
    ],
)
async def test_what_cannot_be_asked_for(tmp_path: Path, options: tuple[str, ...], told: str):
    path = write(tmp_path, "good")
    ran = await sparring("suite", path, "--offline", *options, cwd=tmp_path)
    assert ran.code == 2 and told in ran.err
    assert not (tmp_path / "eval-runs").exists()


async def test_problems_stop_nothing_else_and_show_in_the_exit_code(tmp_path: Path):
    path = write(tmp_path, "good")
    manifest = yaml.safe_load(path.read_text())
    manifest["suite"].append({"bot": "gone.py", "scenarios": ["book"]})
    path.write_text(yaml.safe_dump(manifest))
    ran = await sparring("suite", path, "--offline", cwd=tmp_path)
    assert ran.code == 2 and "there is no agent" in ran.err and "1/1 passed" in ran.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("isolation", ["process", "fork", "session"])
async def test_no_agent_outlives_us(tmp_path: Path, number: signal.Signals, isolation: str):
    path = write(tmp_path, "talks-on", isolation=isolation)
    scenario = tmp_path / "scenarios" / "book.yaml"
    scenario.write_text(scenario.read_text().replace("max_silence_s: 1", "max_silence_s: 60"))
    process = await start("suite", path, "--offline", "-v", "-n", "a", cwd=tmp_path)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        while b"user: " not in await process.stdout.readline():
            pass
    directory = tmp_path / "eval-runs" / "a"
    started = pids(directory)
    assert started
    process.send_signal(number)
    async with asyncio.timeout(30):
        await process.communicate()
    for pid in started:
        await gone(pid)
    if number is not signal.SIGKILL:
        assert process.returncode == 3
        assert results(directory)["talks-on"]["status"] == "interrupted"
    else:
        assert process.returncode == -signal.SIGKILL
        (journal,) = (directory / "records").glob("*.jsonl")
        assert "caller_said" in journal.read_text()


async def test_a_run_in_use_is_not_written_by_two(tmp_path: Path):
    path = write(tmp_path, "talks-on")
    scenario = tmp_path / "scenarios" / "book.yaml"
    scenario.write_text(scenario.read_text().replace("max_silence_s: 1", "max_silence_s: 60"))
    process = await start("suite", path, "--offline", "-v", "-n", "a", cwd=tmp_path)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        while b"bot: " not in await process.stdout.readline():
            pass
    ran = await sparring("suite", path, "--offline", "-n", "a", "--resume", cwd=tmp_path)
    assert ran.code == 2 and "another process is writing in" in ran.err
    process.terminate()
    async with asyncio.timeout(30):
        await process.communicate()
    assert "interrupted" in (tmp_path / "eval-runs/a/summary.json").read_text()
