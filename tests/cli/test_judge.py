"""``sparring judge``: saved records, scored again without the agent."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.records import Ending, load_record, save_record
from sparring.records import events as ev
from support.command import Ran, sparring
from support.fake_llm import Chat, FakeLLM, verdicts
from support.records import SIMULATION, bot, record, user

POLITE = {"name": "polite", "criterion": "the reply is polite", "min_score": 1}
WORDS = {"measure": "words", "max_value": 60}
TALK = [
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "A table, please."},
    {"role": "tool_call", "name": "book", "arguments": {"n": 2}, "cancelled": False},
    {"role": "assistant", "content": "Booked."},
]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A record that nobody has judged."""
    made = record(
        ev.Ready(at=0.05),
        *bot(0.1, "Hello."),
        user(1, 1),
        *bot(2, "All set."),
        ev.Ended(at=3, ending=Ending.END_CALL),
        metrics=[POLITE, WORDS],
    )
    save_record(made, tmp_path / "records" / "a.json")
    return tmp_path / "records" / "a.json"


def scenario(tmp_path: Path, llm: FakeLLM, **keys: Any) -> Path:
    path = tmp_path / "book.yaml"
    judge = {"eval": {"endpoint": llm.endpoint}}
    path.write_text(yaml.safe_dump({**SIMULATION, "judge": judge, "metrics": [POLITE], **keys}))
    return path


async def rejudge(tmp_path: Path, *args: str | Path) -> tuple[Ran, list[dict[str, Any]]]:
    ran = await sparring("judge", *args, cwd=tmp_path)
    output = tmp_path / "judged.jsonl"
    lines = output.read_text().splitlines() if output.exists() else []
    return ran, [json.loads(line) for line in lines]


def judges(chat: Chat) -> str:
    return verdicts(chat)


async def test_a_record_is_judged_once_and_keeps_its_verdicts(tmp_path: Path, saved: Path):
    async with FakeLLM(judges) as llm:
        file = scenario(tmp_path, llm)
        ran, (result,) = await rejudge(tmp_path, saved, "--scenario", file)
        assert (ran.code, result["passed"], len(llm.chats)) == (0, True, 1)
        ran, (result,) = await rejudge(tmp_path, saved, "--scenario", file)
        assert (ran.code, len(llm.chats)) == (0, 1)
        await rejudge(tmp_path, saved, "--scenario", file, "--fresh")
        assert len(llm.chats) == 2
    assert len(load_record(saved).judgements) == 2


async def test_an_edited_criterion_is_asked_about_alone(tmp_path: Path, saved: Path):
    async with FakeLLM(judges) as llm:
        await rejudge(tmp_path, saved, "--scenario", scenario(tmp_path, llm))
        edited = scenario(tmp_path, llm, metrics=[{**POLITE, "criterion": "the reply is warm"}])
        ran, _ = await rejudge(tmp_path, saved, "--scenario", edited)
    assert ran.code == 0
    assert "the reply is warm" in llm.chats[1].last
    assert "Success criterion" not in llm.chats[1].last


async def test_the_peers_order_and_its_conversation_files(tmp_path: Path):
    talk = tmp_path / "a.conversation.json"
    talk.write_text(json.dumps(TALK))
    calls = {"measure": "function_calls", "calls": [{"name": "book", "args": {"n": 2}}]}
    latency = {"measure": "latency", "max_value": 5}
    async with FakeLLM(judges) as llm:
        file = scenario(tmp_path, llm, metrics=[POLITE, calls, latency])
        ran, (result,) = await rejudge(tmp_path, file, talk)
    assert (ran.code, result["passed"]) == (0, True)
    assert [metric["value"] for metric in result["metrics"]] == [None, 1, None]
    assert "holds no times" in result["metrics"][2]["reason"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{}", "it must be a list of messages"),
        ("[1]", "entry 1: no message"),
        ('[{"role": "user"}]', "entry 1: it lacks 'content'"),
        ('[{"role": "tool_call"}]', "entry 1: it lacks 'name'"),
        ('[{"role": "robot", "content": "x"}]', "entry 1: unknown role 'robot'"),
        ("[", "no conversation"),
    ],
)
async def test_what_is_no_conversation(tmp_path: Path, content: str, problem: str):
    talk = tmp_path / "a.conversation.json"
    talk.write_text(content)
    async with FakeLLM(judges) as llm:
        ran, _ = await rejudge(tmp_path, scenario(tmp_path, llm), talk)
    assert ran.code == 2
    assert problem in ran.err and "Traceback" not in ran.err


async def test_an_empty_conversation_has_not_passed(tmp_path: Path):
    talk = tmp_path / "a.conversation.json"
    talk.write_text("[]")
    async with FakeLLM(judges) as llm:
        ran, (result,) = await rejudge(tmp_path, scenario(tmp_path, llm), talk)
    assert (ran.code, result["kind"], llm.chats) == (1, "agent_silent", [])


async def test_without_a_judge_the_measures_decide(tmp_path: Path, saved: Path):
    ran, (result,) = await rejudge(tmp_path, saved, "--no-judge")
    assert (ran.code, result["passed"], result["succeeded"]) == (0, True, None)


async def test_a_run_directory_gives_its_records(tmp_path: Path, saved: Path):
    ran, results = await rejudge(tmp_path, tmp_path, "--no-judge")
    assert (ran.code, len(results)) == (0, 1)


async def test_one_bad_record_does_not_stop_the_others(tmp_path: Path, saved: Path):
    (tmp_path / "bad.json").write_text("{")
    ran, results = await rejudge(tmp_path, "bad.json", saved, "--no-judge")
    assert (ran.code, len(results)) == (2, 1)
    assert "bad.json" in ran.err


async def test_nothing_to_judge(tmp_path: Path):
    ran, _ = await rejudge(tmp_path, tmp_path, "--no-judge")
    assert ran.code == 2 and "no records to judge" in ran.err
