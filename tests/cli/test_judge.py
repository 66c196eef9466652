"""``sparring judge``: saved records, scored again without the agent."""

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.records import Ending, load_record, save_record
from sparring.records import events as ev
from support.command import Ran, sparring, start
from support.fake_llm import Chat, FakeLLM, Reply, verdicts
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


@pytest.mark.parametrize("content", ["[]", '[{"role": "system", "content": "Be brief."}]'])
async def test_an_empty_conversation_is_no_call_and_nobodys_fault(tmp_path: Path, content: str):
    talk = tmp_path / "a.conversation.json"
    talk.write_text(content)
    async with FakeLLM(judges) as llm:
        ran, results = await rejudge(tmp_path, scenario(tmp_path, llm), talk)
    assert (ran.code, results, llm.chats) == (2, [], [])
    assert "a.conversation.json: no conversation: nothing was said or done" in ran.err


async def test_a_tool_call_may_lack_what_the_peer_requires(tmp_path: Path):
    talk = tmp_path / "a.conversation.json"
    talk.write_text(json.dumps([TALK[0], TALK[1], {"role": "tool_call", "name": "book"}, TALK[3]]))
    async with FakeLLM(judges) as llm:
        calls = {"measure": "function_calls", "calls": ["book"]}
        ran, (result,) = await rejudge(tmp_path, scenario(tmp_path, llm, metrics=[calls]), talk)
    assert (ran.code, result["tool_calls"][0]["args"]) == (0, {})


async def test_a_conversation_without_its_scenario_does_not_stop_the_others(
    tmp_path: Path, saved: Path
):
    talk = tmp_path / "a.conversation.json"
    talk.write_text(json.dumps(TALK))
    ran, results = await rejudge(tmp_path, talk, saved, "--no-judge")
    assert (ran.code, len(results)) == (2, 1)
    assert "a.conversation.json: a conversation does not say what was asked" in ran.err


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


async def test_a_directory_of_run_directories_is_searched(tmp_path: Path, saved: Path):
    for name in ("one", "two"):
        save_record(load_record(saved), tmp_path / "eval-runs" / name / "records" / "a.json")
        (tmp_path / "eval-runs" / name / "summary.json").write_text("{}")
    ran, results = await rejudge(tmp_path, "eval-runs", "--no-judge")
    assert (ran.code, len(results)) == (0, 2)
    assert "run directories found: 2, records: 2" in ran.out


async def test_a_record_that_is_named_twice_counts_once(tmp_path: Path, saved: Path):
    ran, results = await rejudge(tmp_path, saved, tmp_path, "records/a.json", "--no-judge")
    assert (ran.code, len(results)) == (0, 1)


async def test_where_the_results_go_is_seen_to_before_anything_is_judged(
    tmp_path: Path, saved: Path
):
    async with FakeLLM(judges) as llm:
        file = scenario(tmp_path, llm)
        ran, _ = await rejudge(tmp_path, file, saved, "-o", tmp_path)
        assert (ran.code, llm.chats) == (2, [])
        assert "cannot be written" in ran.err and "Traceback" not in ran.err
        ran, _ = await rejudge(tmp_path, file, saved, "-o", "deep/er/out.jsonl")
    assert ran.code == 0
    assert len((tmp_path / "deep/er/out.jsonl").read_text().splitlines()) == 1


async def test_results_stay_where_nothing_could_be_judged(tmp_path: Path):
    (tmp_path / "bad.json").write_text("{")
    for before in (None, "kept\n"):
        if before is not None:
            (tmp_path / "judged.jsonl").write_text(before)
        ran = await sparring("judge", "bad.json", "--no-judge", cwd=tmp_path)
        assert ran.code == 2
        assert (tmp_path / "judged.jsonl").exists() is (before is not None)
    assert (tmp_path / "judged.jsonl").read_text() == "kept\n"


async def test_the_peers_options_and_the_scenario_by_name(tmp_path: Path):
    talks = [tmp_path / f"{number}.conversation.json" for number in range(4)]
    for talk in talks:
        talk.write_text(json.dumps(TALK))
    async with FakeLLM(judges) as llm:
        judge = {"eval": {"endpoint": llm.endpoint}}
        entries = [{**SIMULATION, "name": name} for name in ("book", "cancel")]
        file = tmp_path / "all.yaml"
        file.write_text(yaml.safe_dump({"name": "all", "judge": judge, "scenarios": entries}))
        ran = await sparring(
            *("judge", file, *talks, "-s", "cancel", "-c", "2", "-o", "o.jsonl", "-v"), cwd=tmp_path
        )
    assert ran.err == ""
    results = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert (ran.code, len(llm.chats)) == (0, 4)
    assert {result["scenario"] for result in results} == {"all/cancel"}
    assert {Path(result["artifacts"]["record"]) for result in results} == set(talks)
    assert ran.out.count("judge: yes") == 4


async def test_a_name_that_no_scenario_has(tmp_path: Path, saved: Path):
    async with FakeLLM(judges) as llm:
        ran, _ = await rejudge(tmp_path, scenario(tmp_path, llm), saved, "-s", "cancel")
    assert ran.code == 2
    assert "no scenario is named cancel: choose one scenario with --scenario NAME: book" in ran.err


async def test_a_judge_that_cannot_be_had_is_told_of_each_record(tmp_path: Path, saved: Path):
    other = tmp_path / "records" / "b.json"
    definition = {"judge": {"eval": {"factory": "nowhere.make"}}}
    save_record(record(*load_record(saved).events, metrics=[WORDS], **definition), other)
    async with FakeLLM(judges) as llm:
        block = {"eval": {"endpoint": llm.endpoint}}
        save_record(record(*load_record(saved).events, judge=block), saved)
        ran, results = await rejudge(tmp_path, other, saved, "-c", "1")
    assert ran.code == 3
    assert [result["kind"] for result in results] == ["judge_unavailable", None]
    assert "nowhere.make" in results[0]["reason"] and "--no-judge" in results[0]["reason"]


async def test_a_judge_whose_key_was_left_out_of_the_record(tmp_path: Path, saved: Path):
    """It is not asked with a false one; nor is it needed once everything is decided."""
    async with FakeLLM(judges, ollama=False, models=("m",)) as llm:
        block = {"service": "openai", "model": "m", "endpoint": llm.endpoint}
        judge = {"eval": {**block, "extra": {"api_key": "sk-planted-98765"}}}
        file = scenario(tmp_path, llm, judge=judge)
        masked = {"eval": {**block, "extra": {"api_key": "[redacted]"}}}
        save_record(record(*load_record(saved).events, metrics=[POLITE], judge=masked), saved)
        ran, results = await rejudge(tmp_path, saved)
        assert (ran.code, results, llm.chats) == (2, [], [])
        assert "its judge needs a secret, which no record holds" in ran.err
        assert "--scenario" in ran.err
        for _ in range(2):
            ran, (result,) = await rejudge(tmp_path, saved, "-s", file)
            assert (ran.code, len(llm.chats)) == (0, 1)
        assert "sk-planted" not in f"{load_record(saved)} {result} {ran.out}"
        ran, (result,) = await rejudge(tmp_path, saved)
        assert (ran.code, result["succeeded"], len(llm.chats)) == (0, True, 1)
        ran, _ = await rejudge(tmp_path, saved, "--fresh")
        assert (ran.code, len(llm.chats)) == (2, 1)


@pytest.mark.parametrize(
    ("ollama", "tokens", "kind"),
    [(False, 7, "judge_context"), (False, 0, None), (True, 7, None), (True, 0, None)],
)
async def test_a_prompt_that_the_server_cut(
    tmp_path: Path, saved: Path, ollama: bool, tokens: int, kind: str | None
):
    """Ollama is given the context a request needs, and may not count what it had cached."""
    async with FakeLLM(
        lambda chat: Reply(verdicts(chat), prompt_tokens=tokens), ollama=ollama
    ) as llm:
        _, (result,) = await rejudge(tmp_path, scenario(tmp_path, llm), saved)
    assert (result["kind"], result["judge_requests"]) == (kind, 1)
    assert result["tokens"]["judge"] == {"prompt": tokens, "completion": 20}
    assert result["judge"]["model"] == "gemma4:12b"


async def test_what_the_peers_judges_take_is_taken_and_changes_nothing(tmp_path: Path, saved: Path):
    async with FakeLLM(judges) as llm:
        block = {
            "endpoint": llm.endpoint,
            "explainer": {"endpoint": llm.endpoint},
            "explain_below": 1.0,
            "allow_continue": False,
        }
        ran, _ = await rejudge(tmp_path, scenario(tmp_path, llm), saved)
        again, _ = await rejudge(tmp_path, scenario(tmp_path, llm, judge={"eval": block}), saved)
    assert (ran.code, again.code, len(llm.chats)) == (0, 0, 1)


async def test_what_was_asked_of_the_agent_stays_in_the_record(tmp_path: Path, saved: Path):
    before = load_record(saved).scenario
    async with FakeLLM(judges) as llm:
        await rejudge(tmp_path, saved, "-s", scenario(tmp_path, llm, goal="Cancel a table."))
    after = load_record(saved)
    assert after.scenario == before and len(after.judgements) == 1


async def test_stopped_half_way_what_was_judged_is_there(tmp_path: Path, saved: Path):
    save_record(load_record(saved), tmp_path / "records" / "b.json")
    asked = asyncio.Event()

    def second_hangs(chat: Chat) -> Reply | str:
        if chat.number == 0:
            return verdicts(chat)
        asked.set()
        return Reply(hangs=True)

    async with FakeLLM(second_hangs) as llm:
        process = await start(
            *("judge", scenario(tmp_path, llm), tmp_path, "-c", "1"), cwd=tmp_path
        )
        await asked.wait()
        assert len((tmp_path / "judged.jsonl").read_text().splitlines()) == 1
        process.send_signal(signal.SIGINT)
        out, err = await process.communicate()
    assert process.returncode == 3 and b"Traceback" not in err
    assert b"1 record(s) were not scored" in out
    assert len((tmp_path / "judged.jsonl").read_text().splitlines()) == 1
    assert len(load_record(saved).judgements) == 1


async def test_as_many_are_judged_at_a_time_as_was_asked(tmp_path: Path, saved: Path):
    for name in "bcd":
        save_record(load_record(saved), tmp_path / "records" / f"{name}.json")
    two = asyncio.Event()

    def hangs(chat: Chat) -> Reply:
        if chat.number == 1:
            two.set()
        return Reply(hangs=True)

    async with FakeLLM(hangs) as llm:
        process = await start(
            *("judge", scenario(tmp_path, llm), tmp_path, "-c", "2"), cwd=tmp_path
        )
        await two.wait()
        process.send_signal(signal.SIGINT)
        out, _ = await process.communicate()
    assert (process.returncode, len(llm.chats)) == (3, 2)
    assert b"4 record(s) were not scored" in out


async def test_a_journal_whose_record_was_completed_is_passed_over(tmp_path: Path, saved: Path):
    saved.with_suffix(".jsonl").write_text("{")
    ran, results = await rejudge(tmp_path, tmp_path / "records", "--no-judge")
    assert (ran.code, len(results)) == (0, 1)


async def test_nothing_to_judge(tmp_path: Path):
    ran, _ = await rejudge(tmp_path, tmp_path, "--no-judge")
    assert ran.code == 2 and "no records to judge" in ran.err
