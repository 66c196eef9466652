"""``pipecat eval``, as pipecat's own command line runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import pipecat
from support.demo_agent import AgentProcess
from support.fake_agent import FakeAgent, polite_booking

SIMULATION = Path(__file__).parents[2] / "simulations" / "book_table.yaml"
LIST = """
name: evening
persona: Jamie, booking dinner for two tonight at 6 PM.
goal: Book a table.
success: a table was booked
opening: Hi, I'd like to book a table for two tonight at 6 PM.
agenda:
  - {id: name, hear: [name], say: "It's Jamie Lee."}
  - {id: phone, hear: [phone], say: "555-0142."}
  - {id: thanks, hear: ["all set"], say: Thank you!, action: finish}
metrics: [{measure: words, max_value: 60}]
scenarios:
  - {name: plain, tags: [smoke]}
  - {name: short, max_turns: 9}
"""
OWN = {"SPARRING_PIPECAT_EVAL": "0"}


def test_the_entry_module_imports_only_typer():
    code = (
        "import sys, typer; before = set(sys.modules); import sparring.cli.pipecat_eval as m; "
        "assert isinstance(m.app, typer.Typer); "
        "print(*sorted({n.partition('.')[0] for n in set(sys.modules) - before} "
        "- set(sys.stdlib_module_names)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split() == ["sparring"], ran.stderr


async def test_a_run_against_an_agent_on_the_dev_runner(good_agent: AgentProcess, tmp_path: Path):
    ran = await pipecat(
        *("eval", "run", SIMULATION, "--bot-url", good_agent.url, "-v", "-d"),
        *("--offline", "-t", "30", "--bot-ready-timeout", "20", "--cache-dir", "cache"),
        *("--no-cache", "--logs-dir", "logs", "--record-dir", "recordings"),
        cwd=tmp_path,
    )
    assert ran.code == 0, ran.out + ran.err
    assert ran.err == "sparring answers `pipecat eval`; SPARRING_PIPECAT_EVAL=0 for pipecat's own\n"
    assert "bot: You're all set" in ran.out
    assert "1/1 passed" in ran.out
    (result,) = (tmp_path / "eval-runs").glob("*/results.jsonl")
    assert json.loads(result.read_text())["status"] == "passed"
    copied = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert copied == [
        "book_table.conversation.json",
        "book_table.debug.log",
        "book_table.eval.log",
    ]
    assert "Linking" in (tmp_path / "logs" / "book_table.debug.log").read_text()


async def test_copies_are_named_as_pipecat_names_them(tmp_path: Path):
    (tmp_path / "evening.yaml").write_text(LIST)
    async with FakeAgent(polite_booking) as agent:
        ran = await pipecat(
            *("eval", "run", "evening.yaml", "--bot-url", agent.url, "--offline"),
            *("--logs-dir", "a/b"),
            cwd=tmp_path,
        )
    assert ran.code == 0, ran.out + ran.err
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == [
        "evening__plain.conversation.json",
        "evening__plain.eval.log",
        "evening__short.conversation.json",
        "evening__short.eval.log",
    ]


async def test_the_deprecated_options_warn(tmp_path: Path):
    async with FakeAgent(polite_booking) as agent:
        ran = await pipecat(
            *("eval", "run", SIMULATION, "--bot-url", agent.url, "--offline"),
            *("--stop-bot", "--trigger-disconnect"),
            cwd=tmp_path,
        )
    assert ran.code == 0, ran.out + ran.err
    warnings = [line for line in ran.err.splitlines() if line.startswith("warning: ")]
    assert [line.split()[1] for line in warnings] == ["--stop-bot", "--trigger-disconnect"]
    (session,) = agent.sessions
    assert session.query["trigger_disconnect"] == "true"
    assert session.of_type("eval-cancel") == []


async def test_what_cannot_be_done_is_said(tmp_path: Path):
    ran = await pipecat("eval", "run", SIMULATION, "-a", cwd=tmp_path)
    assert ran.code == 2
    assert "error: calls cannot be recorded as audio yet: leave out --audio" in ran.err


async def test_errors_are_one_line(tmp_path: Path):
    ran = await pipecat("eval", "run", SIMULATION, "--bot-url", "http://x/ws", cwd=tmp_path)
    assert ran.code == 2
    assert ran.err.splitlines()[1:] == [
        "error: 'http://x/ws' is not the URL of an agent. Did you mean ws://x/ws?"
    ]


async def test_judge_is_ours_too(tmp_path: Path):
    ran = await pipecat("eval", "judge", "nowhere.json", "--no-judge", cwd=tmp_path)
    assert ran.code == 2
    assert "nowhere.json" in ran.err


async def test_the_group_lists_ours_and_pipecats_own(tmp_path: Path):
    ran = await pipecat("eval", "--help", cwd=tmp_path)
    assert ran.code == 0
    assert "sparring" in ran.out
    for command in ("run", "judge", "suite"):
        assert command in ran.out


def test_what_we_lack_is_pipecats_own():
    """There is nothing of the kind now; pipecat may add a command that we have not."""
    code = (
        "import click, typer; from sparring.cli.pipecat_eval import app\n"
        "ours = typer.main.get_command(app); own = ours.commands.pop('suite')\n"
        "command = ours.get_command(click.Context(ours), 'suite')\n"
        "assert command is not own and 'base_port' in {p.name for p in command.params}\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


async def test_suite_is_ours(tmp_path: Path):
    ran = await pipecat("eval", "suite", "--help", cwd=tmp_path)
    assert ran.code == 0 and "--rerun-failed" in ran.out


@pytest.mark.parametrize("place", ["shell", ".env"])
async def test_opting_out(tmp_path: Path, place: str):
    if place == ".env":
        (tmp_path / ".env").write_text("SPARRING_PIPECAT_EVAL=0\n")
    ran = await pipecat(
        "eval", "run", "--help", cwd=tmp_path, env=OWN if place == "shell" else None
    )
    assert (ran.code, ran.err) == (0, "")
    assert "--offline" not in ran.out
    assert "--stop-bot" in ran.out
