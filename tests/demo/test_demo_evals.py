"""The scripts in ``evals/`` pass against the demo agent."""

import json
from pathlib import Path

import pytest

from sparring.scenarios import Script, json_schema, load
from support.command import sparring

EVALS = Path(__file__).parents[2] / "evals"
FILES = sorted(EVALS.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
async def test_every_example_passes(file: Path, good_agent, tmp_path: Path):
    ran = await sparring(
        *("run", file, "--no-judge", "--agent", good_agent.url, "-n", "a", "-c", "3"), cwd=tmp_path
    )
    lines = (tmp_path / "eval-runs" / "a" / "results.jsonl").read_text().splitlines()
    assert ran.code == 0, ran.out + ran.err
    for result in map(json.loads, lines):
        assert (result["type"], result["status"]) == ("script", "passed")


def test_the_examples_name_the_schema_and_show_every_key():
    first = "# yaml-language-server: $schema=../schemas/scenario.schema.json\n"
    text = "".join(path.read_text() for path in FILES)
    assert text.count(first) == len(FILES)
    assert all(isinstance(s.definition, Script) for s in load(FILES).scenarios)
    definitions = json_schema()["$defs"]
    keys = {*definitions["Expectation"]["properties"], *definitions["ScriptTurn"]["properties"]}
    of_speech = {"audio", "marker", "markers", "marker_first", "text_after", "calls"}
    assert {key for key in keys - of_speech if f"{key}:" not in text} == set()
