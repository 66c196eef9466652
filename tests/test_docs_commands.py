"""The commands in the documents do what the documents say: each one is run, in its order.

Whatever calls an agent calls the demo agent; whatever asks an LLM asks a stub of one. What only
installs or serves is looked at and not run.
"""

import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from asyncio.subprocess import PIPE, STDOUT, create_subprocess_exec
from pathlib import Path

import pytest

from sparring.records.kinds import Kind
from support.command import sparring
from support.demo_agent import AgentProcess
from support.fake_llm import Chat, FakeLLM, Reply, agreeing, end_call

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINES = ["Hi, I'd like to book a table for two tonight at 6 PM.", "It's Jamie Lee.", "555-0142."]
CALLING = [
    ["sparring", "run"],
    ["sparring", "doctor"],
    ["pipecat", "eval", "run"],
]
SERVED = ["python", "-m", "sparring.demo.agent", "--port", "7860"]
"""What the fixture does, on another port."""
ELSEWHERE = ["python -m venv .venv && . .venv/bin/activate"]


def blocks(document: Path, language: str) -> list[str]:
    """The fenced blocks of a language; an empty one is a language too."""
    fence = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return [text for name, text in fence.findall(document.read_text("utf-8")) if name == language]


def commands(document: Path) -> list[str]:
    lines = [line for block in blocks(document, "bash") for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def prepare(document: Path, directory: Path) -> None:
    """Lay out what the commands name: our examples, and the document's own."""
    shutil.copytree(ROOT / "simulations", directory / "simulations")
    shutil.copytree(ROOT / "evals", directory / "evals")
    shutil.copy(ROOT / "simulations" / "book_table.yaml", directory)
    suite = (ROOT / "suites" / "demo.yaml").read_text("utf-8")
    (directory / "suites").mkdir()
    bots = str(ROOT / "src" / "sparring" / "demo")
    (directory / "suites" / "demo.yaml").write_text(suite.replace("../src/sparring/demo", bots))
    for block in blocks(document, "yaml"):
        name = re.search(r"^name: (\w+)$", block, re.MULTILINE)
        if name and re.search(r"^(persona|turns):", block, re.MULTILINE):
            (directory / f"{name[1]}.yaml").write_text(block, "utf-8")


def answer(chat: Chat) -> Reply | str:
    """A caller who books a table, and a judge who finds it good."""
    if chat.is_judge:
        assert chat.schema is not None
        return json.dumps(agreeing(chat.schema))
    said = sum(message["role"] == "assistant" for message in chat.messages)
    return LINES[said] if said < len(LINES) else end_call("Perfect, thank you!")


def program(words: list[str], agent_url: str) -> list[str]:
    """What is run for a command."""
    if any(words[: len(calling)] == calling for calling in CALLING) and "--help" not in words:
        words = [word for word in words if word not in ("--agent", "ws://localhost:7860/ws")]
        words += ["--agent", agent_url]
    if words[0] == "sparring":
        return [sys.executable, "-m", *words]
    if words[0] == "pipecat":
        return [str(Path(sys.executable).parent / "pipecat"), *words[1:]]
    if words[0] == "make":
        return ["make", "--dry-run", "--directory", str(ROOT), *words[1:]]
    raise AssertionError(f"nothing tests this command: {words}")


def check_install(words: list[str]) -> None:
    """What is installed is this project, with an extra that it has."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ((extra,),) = [re.findall(r"^\.(?:\[(\w+)\])?$", word) for word in words[2:]]
    assert not extra or extra in extras["optional-dependencies"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
async def test_every_command_works(document: Path, tmp_path: Path, good_agent: AgentProcess):
    prepare(document, tmp_path)
    async with FakeLLM(answer) as llm:
        for command in commands(document):
            words = shlex.split(command, comments=True)
            env = {"OLLAMA_HOST": llm.url}
            if "=" in words[0]:
                name, value = words.pop(0).split("=", 1)
                env[name] = value
            if words[:2] == ["pip", "install"]:
                check_install(words)
            elif words != SERVED and command not in ELSEWHERE:
                process = await create_subprocess_exec(
                    *program(words, good_agent.url),
                    cwd=tmp_path,
                    env={**os.environ, **env},
                    stdout=PIPE,
                    stderr=STDOUT,
                )
                output, _ = await process.communicate()
                assert process.returncode == 0, f"{command}\n{output.decode()}"


def test_there_are_commands():
    assert sum(len(commands(document)) for document in DOCUMENTS) >= 20


async def test_the_output_in_the_readme_is_what_comes_out(tmp_path: Path):
    simulation = ROOT / "simulations" / "book_table.yaml"
    ran = await sparring(simulation, cwd=tmp_path, module="sparring.demo")
    printed = ran.out.splitlines()
    (shown,) = blocks(ROOT / "README.md", "")
    for line in shown.splitlines():
        words = re.escape(line.strip()).replace("…", ".*")
        pattern = re.compile(re.sub(r"\d+(\\\.\d+)?", r"[\\d.]+", words))
        assert any(pattern.fullmatch(one.strip()) for one in printed), line


def test_every_kind_is_explained_once():
    text = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    explained = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(explained) == sorted(Kind)
