"""``sparring doctor``: what it finds, and what it says to do about it."""

import os
import pty
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.agents.processes.ports import free_port
from sparring.cli.doctor.pulling import pull
from sparring.models.opening import Models
from sparring.models.pulling import Pullable
from sparring.scenarios import SimulatorModel
from support.command import Ran, sparring
from support.fake_agent import FakeAgent, silent
from support.fake_llm import Chat, FakeLLM
from support.play import BOOKING

SPOKEN = {"modality": "audio", "speech": {"service": "kokoro", "voice": "af_heart"}}
KEY = "sk-do-not-print-me"


def unasked(chat: Chat) -> str:
    raise AssertionError("the doctor plays nothing")


def write(tmp_path: Path, llm: FakeLLM | None = None, **keys: Any) -> str:
    block = {"endpoint": llm.endpoint if llm else f"http://127.0.0.1:{free_port()}"}
    scenario = {**BOOKING, "simulator": block, "judge": {"eval": block}, **keys}
    (tmp_path / "book.yaml").write_text(yaml.safe_dump(scenario))
    return "book.yaml"


async def doctor(tmp_path: Path, *args: str, **env: str) -> Ran:
    unset = {"OPENAI_API_KEY": "", "OLLAMA_HOST": "", "SPARRING_PIPECAT_EVAL": ""}
    return await sparring("doctor", *args, cwd=tmp_path, env={**unset, **env})


async def test_all_is_well(tmp_path: Path):
    async with FakeLLM(unasked) as llm, FakeAgent(silent) as agent:
        ran = await doctor(tmp_path, write(tmp_path, llm), "--agent", agent.url, OPENAI_API_KEY=KEY)
        assert agent.sessions == []
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert all(line.startswith("✓ ") for line in lines), ran.out
    for line in (
        "✓ scenarios: 1 in 1 file(s) can be played",
        "✓ model ollama gemma4:12b for the caller of book and 1 more: there",
        "✓ OPENAI_API_KEY: set",
        "✓ speech models: not needed: calls are text",
        "✓ run directories: eval-runs can be written",
        "✓ `pipecat eval`: sparring answers",
        "✓ .env: none, and none is needed",
    ):
        assert line in lines
    assert KEY not in ran.out
    assert os.listdir(tmp_path) == ["book.yaml"]


async def test_without_files_what_is_missing_is_a_warning(tmp_path: Path):
    ran = await doctor(tmp_path, OLLAMA_HOST=f"http://127.0.0.1:{free_port()}")
    assert ran.code == 0
    assert "! model ollama gemma4:12b for most scenarios: no Ollama at http://127.0.0.1" in ran.out


async def test_a_file_whose_model_is_missing(tmp_path: Path):
    async with FakeLLM(unasked, pullable=("gemma4:12b",)) as llm:
        ran = await doctor(tmp_path, write(tmp_path, llm))
    assert ran.code == 2
    line, way_out = lines_with(ran, "model ollama")
    assert line.startswith("✗ model ollama gemma4:12b for the caller of book and 1 more: ")
    assert "has no model gemma4:12b" in line
    assert "→ `sparring doctor --pull`" in way_out
    assert "1 of these must be put right first" in ran.out


async def test_a_missing_model_is_pulled(tmp_path: Path):
    async with FakeLLM(unasked, pullable=("gemma4:12b",)) as llm:
        ran = await doctor(tmp_path, write(tmp_path, llm), "--pull")
    assert ran.code == 0, ran.out
    assert ran.err.splitlines() == [
        f"pulling gemma4:12b: {step}"
        for step in ("pulling manifest", "pulling 8b50", "verifying sha256 digest", "success")
    ]
    assert "✓ model ollama gemma4:12b for the caller of book and 1 more: there" in ran.out


async def test_a_model_that_cannot_be_pulled(tmp_path: Path):
    async with FakeLLM(unasked, pullable=("other",)) as llm:
        ran = await doctor(tmp_path, write(tmp_path, llm), "--pull")
    assert ran.code == 2
    assert "could not pull gemma4:12b: pull model manifest: file does not exist" in ran.out


async def test_pulling_draws_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    leader, follower = pty.openpty()
    os.set_blocking(leader, False)
    async with FakeLLM(unasked, pullable=("gemma4:12b",)) as llm:
        models = Models()
        model = await models.open(SimulatorModel(endpoint=llm.endpoint))
        assert isinstance(model, Pullable)
        with os.fdopen(follower, "w") as terminal, monkeypatch.context() as patched:
            patched.setattr("sys.stderr", terminal)
            await pull(model, "gemma4:12b")
            shown = read_all(leader)
        await models.close()
    os.close(leader)
    assert "gemma4:12b: pulling 8b50" in shown and "4.1/4.1 kB" in shown


def read_all(terminal: int) -> str:
    """All that stands in a terminal's buffer."""
    parts: list[bytes] = []
    with suppress(BlockingIOError):
        while True:
            parts.append(os.read(terminal, 65536))
    return b"".join(parts).decode()


async def test_offline_needs_no_model(tmp_path: Path):
    ran = await doctor(tmp_path, write(tmp_path), "--offline")
    assert ran.code == 0
    assert "✓ models: not needed offline" in ran.out


@pytest.mark.parametrize(
    ("keys", "args", "told"),
    [
        ({"succes": "x"}, [], "✗ scenario: book.yaml:"),
        ({"agenda": [{"id": "a", "when": "asked", "do": "Wait."}]}, ["--offline"], "✗ scenario: "),
        ({"user": SPOKEN}, ["--offline"], "needs spoken calls"),
        ({"simulator": {"service": "openai", "model": "m"}}, [], "OPENAI_API_KEY"),
    ],
)
async def test_files_that_could_not_run(
    tmp_path: Path, keys: dict[str, Any], args: list[str], told: str
):
    async with FakeLLM(unasked) as llm:
        ran = await doctor(tmp_path, write(tmp_path, llm, **keys), *args)
    assert ran.code == 2
    assert told in ran.out


async def test_an_agent_that_was_named_must_be_there(tmp_path: Path):
    port = free_port()
    ran = await doctor(tmp_path, "--offline", "--agent", f"ws://127.0.0.1:{port}/ws")
    assert ran.code == 2
    line, way_out = lines_with(ran, "agent at")
    assert line == f"✗ agent at 127.0.0.1, port {port}: nothing listens"
    assert f"python my_agent.py --port {port}" in way_out


async def test_an_agent_that_cannot_be(tmp_path: Path):
    ran = await doctor(tmp_path, "--offline", "--agent", "http://localhost:7860/ws")
    assert ran.code == 2
    assert "Did you mean ws://localhost:7860/ws?" in ran.out


async def test_a_place_that_takes_no_files(tmp_path: Path):
    (tmp_path / "file").touch()
    ran = await doctor(tmp_path, "--offline", "--runs-dir", "file/runs")
    assert ran.code == 2
    assert "✗ run directories: file/runs cannot be written: Not a directory" in ran.out


async def test_who_answers_pipecat_eval(tmp_path: Path):
    (tmp_path / ".env").write_text("SPARRING_PIPECAT_EVAL=0\nOPENAI_API_KEY=\n")
    ran = await sparring("doctor", "--offline", cwd=tmp_path)
    assert "`pipecat eval`: pipecat's own answers" in ran.out
    assert f".env: {tmp_path / '.env'}" in ran.out


def lines_with(ran: Ran, words: str) -> list[str]:
    """The first line that holds the words, and the one after it."""
    lines = ran.out.splitlines()
    at = next(i for i, line in enumerate(lines) if words in line)
    return lines[at : at + 2]
