"""``python -m sparring.demo``: what ``make demo`` plays, whole, with the real agent."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.command import Ran, sparring

SIMULATION = Path(__file__).parents[2] / "simulations" / "book_table.yaml"


def only_result(tmp_path: Path) -> dict[str, Any]:
    (path,) = tmp_path.glob("demo-runs/*/results.jsonl")
    return json.loads(path.read_text())


async def demo(tmp_path: Path, agent: str) -> Ran:
    return await sparring(SIMULATION, "--agent", agent, cwd=tmp_path, module="sparring.demo")


async def test_the_good_agent_passes(tmp_path: Path):
    ran = await demo(tmp_path, "good")
    assert ran.code == 0, ran.out
    assert "ended by end_call after 4 persona turn(s)" in ran.out
    result = only_result(tmp_path)
    assert [call["name"] for call in result["tool_calls"]] == ["check_availability", "book_table"]
    assert result["tool_calls"][1]["result"] == {"ref": "R-1"}


async def test_every_simulation_plays_without_an_llm(tmp_path: Path):
    ran = await sparring(SIMULATION.parent, cwd=tmp_path, module="sparring.demo")
    assert ran.code == 0, ran.out
    assert "6/6 passed" in ran.out
    assert "── unavailable_slot ──" in ran.out


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("forgetful", "book_table was called with party_size=4, wanted 2 [function_calls]"),
        ("all_talk", 'book_table(party_size=2, time="18:00") was not called [function_calls]'),
        ("rambling", "at most 60 [out_of_range]"),
        ("crashing", "during the call the agent exited with code 3"),
    ],
)
async def test_a_broken_agent_fails_for_its_own_reason(tmp_path: Path, agent: str, reason: str):
    ran = await demo(tmp_path, agent)
    assert ran.code == 1
    assert reason in ran.out


async def test_an_agent_that_crashed_shows_its_last_words(tmp_path: Path):
    ran = await demo(tmp_path, "crashing")
    assert "exited with code 3" in ran.out
    assert "lost the booking system" in ran.out


async def test_an_unknown_agent(tmp_path: Path):
    ran = await demo(tmp_path, "perfect")
    assert ran.code == 2
    assert "there is no demo agent 'perfect'; choose one of good, forgetful" in ran.err
