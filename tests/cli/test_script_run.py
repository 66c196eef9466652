"""``sparring run`` and ``sparring judge`` with scripts."""

import json
import signal
from pathlib import Path
from typing import Any

import yaml

from support.command import Ran, sparring, start
from support.fake_agent import FakeAgent, Session, polite_booking, replies
from support.fake_llm import Chat, FakeLLM, verdicts

REPLY = {"event": "response"}
BOOKING: list[dict[str, Any]] = [
    {"expect": [{**REPLY, "eval": "offers to help"}]},
    {
        "user": "A table for two.",
        "expect": [
            {"event": "function_call", "name": "check_availability", "args": {"time": "18:00"}},
            {**REPLY, "text_contains": "name"},
        ],
    },
]


async def play(
    tmp_path: Path, agent: FakeAgent, *args: str, turns: list[dict[str, Any]], **keys: Any
) -> tuple[Ran, dict[str, Any]]:
    (tmp_path / "s.yaml").write_text(yaml.safe_dump({"name": "s", "turns": turns, **keys}))
    ran = await sparring("run", "s.yaml", "--agent", agent.url, "-n", "a", *args, cwd=tmp_path)
    path = tmp_path / "eval-runs" / "a" / "results.jsonl"
    return ran, json.loads(path.read_text()) if path.exists() else {}


async def test_a_script_and_its_result(tmp_path: Path):
    async with FakeLLM(verdicts) as llm, FakeAgent(polite_booking) as agent:
        judge = {"eval": {"endpoint": llm.endpoint}}
        ran, result = await play(tmp_path, agent, "-v", turns=BOOKING, judge=judge, tags=["x"])
        assert ran.code == 0, ran.out + ran.err
        assert len(llm.judge) == 1
        assert result["type"] == "script" and result["skipped"] is None
        assert (result["passed"], result["failures"], result["events_seen"]) == (True, [], None)
        assert (result["tags"], result["caller"]["service"]) == (["x"], "script")
        assert result["judge"]["prompt_version"] == "expectations-1"
        assert [turn["status"] for turn in result["turns"]] == ["passed", "passed"]
        first, second = result["turns"][1]["expectations"]
        assert (first["event_name"], first["passed"]) == ("function_call", True)
        assert first["matched"] == 'check_availability(time="18:00")'
        assert (second["expectation_index"], second["event_name"]) == (1, "llm_response")
        assert result["tokens"]["judge"]["prompt"] > 0
        for line in (
            'turn 2 → "A table for two."',
            '  ✓ function_call — check_availability(time="18:00")',
            "  ✓ llm_response — Hello, how can I help? (judge: yes)",
            "user: A table for two.",
            "✓ " + agent.url + " s 2/2 turns (",
        ):
            assert line in ran.out
        again = await sparring("judge", "eval-runs/a", "-v", cwd=tmp_path)
        assert again.code == 0 and len(llm.judge) == 1
        assert json.loads((tmp_path / "judged.jsonl").read_text())["turns"] == result["turns"]
        fresh = await sparring("judge", "eval-runs/a", "--fresh", cwd=tmp_path)
        assert fresh.code == 0 and len(llm.judge) == 2


async def test_failures_show_what_was_called_beside_what_was_wanted(tmp_path: Path):
    wanted = {"event": "function_call", "name": "check_availability", "args": {"time": "19:00"}}
    turns = [
        {"expect": [REPLY]},
        {"user": "Hi.", "expect": [{**wanted, "within_ms": 400}]},
        {"user": "Next.", "expect": [REPLY]},
    ]
    async with FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, agent, "-v", turns=turns)
    assert ran.code == 1
    assert (
        "    • turn 2 function_call function_args_mismatch — wanted "
        'check_availability(time="19:00"); called: check_availability(time="18:00") '
        '(time="18:00", wanted "19:00")' in ran.out
    )
    assert 'turn 3 → "Next." (not run)' in ran.out
    (failure,) = result["failures"]
    assert {
        key: failure[key] for key in ("turn_index", "expectation_index", "event_name", "kind")
    } == {
        "turn_index": 1,
        "expectation_index": 0,
        "event_name": "function_call",
        "kind": "function_args_mismatch",
    }
    assert result["events_seen"]


async def test_the_timeout_is_for_expectations_that_do_not_say(tmp_path: Path):
    turns = [{"user": "Hi.", "expect": [REPLY]}]
    async with FakeAgent(replies("Hello.")) as agent:
        ran, result = await play(tmp_path, agent, "-t", "1", turns=[{"expect": [REPLY]}, *turns])
    assert (ran.code, result["kind"]) == (1, "timeout")
    assert result["reason"] == "turn 2 llm_response: no response within 1 s"
    ran = await sparring("judge", "eval-runs/a", cwd=tmp_path)
    assert json.loads((tmp_path / "judged.jsonl").read_text())["reason"] == result["reason"]


async def test_without_a_judge(tmp_path: Path):
    async with FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, agent, "--no-judge", turns=BOOKING)
        assert (ran.code, result["status"]) == (0, "passed")
        assert "1 expectation(s) were not judged" in ran.out
    only = [{"expect": [{**REPLY, "eval": "offers to help"}]}]
    async with FakeAgent(polite_booking) as agent:
        (tmp_path / "b").mkdir()
        ran, result = await play(tmp_path / "b", agent, turns=only, judge={"eval": False})
    assert (ran.code, result["kind"]) == (3, "nothing_checked")


async def test_what_cannot_be_played_yet_is_told_in_one_sentence(tmp_path: Path):
    user = {"modality": "audio", "speech": {"service": "kokoro", "voice": "a"}}
    async with FakeAgent() as agent:
        ran, _ = await play(tmp_path, agent, turns=[{"user": "a", "expect": [REPLY]}], user=user)
    assert ran.code == 2
    assert "s needs spoken calls, which are not here yet" in ran.err


async def test_a_judge_that_cannot_be_reached_is_never_the_agents_failure(tmp_path: Path):
    def busy(chat: Chat) -> str:
        return "no idea"

    async with FakeLLM(busy) as llm, FakeAgent(polite_booking) as agent:
        judge = {"eval": {"endpoint": llm.endpoint}}
        ran, result = await play(tmp_path, agent, turns=BOOKING, judge=judge)
    assert (ran.code, result["status"], result["kind"]) == (3, "error", "judge_no_verdict")
    assert [turn["status"] for turn in result["turns"]] == ["undecided", "passed"]
    assert agent.texts == ["A table for two."]


async def test_scripts_and_simulations_side_by_side(tmp_path: Path):
    simulation = {
        **{"name": "sim", "persona": "p", "goal": "g", "success": "s", "opening": "Hi."},
        "metrics": [{"measure": "words", "max_value": 60}],
    }
    script = {"name": "scr", "turns": [{"expect": [REPLY]}]}
    document = {"name": "both", "scenarios": [simulation, script]}
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(document))
    async with FakeAgent(replies("Hello.", "Yes.")) as agent:
        ran = await sparring(
            *("run", "s.yaml", "--offline", "--agent", agent.url, "-n", "a", "--json"),
            cwd=tmp_path,
        )
    assert ran.code == 0, ran.out + ran.err
    assert [json.loads(line)["type"] for line in ran.out.splitlines()] == ["simulation", "script"]
    for args, name in ((("-k", "script"), "both/scr"), (("-k", "simulation"), "both/sim")):
        async with FakeAgent(replies("Hello.", "Yes.")) as agent:
            ran = await sparring(
                *("run", "s.yaml", "--offline", "--agent", agent.url, *args), cwd=tmp_path
            )
        assert ran.code == 0 and name in ran.out


async def test_a_script_that_is_interrupted_has_a_result(tmp_path: Path):
    async def slow(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        await session.hang()

    turns = [{"expect": [REPLY]}, {"user": "Hi.", "expect": [REPLY]}]
    (tmp_path / "s.yaml").write_text(yaml.safe_dump({"name": "s", "turns": turns}))
    async with FakeAgent(slow) as agent:
        process = await start(
            *("run", "s.yaml", "--agent", agent.url, "-n", "a", "--no-judge"), cwd=tmp_path
        )
        session = await agent.session()
        await session.wait_for("send-text")
        process.send_signal(signal.SIGINT)
        await process.communicate()
    assert process.returncode == 3
    result = json.loads((tmp_path / "eval-runs" / "a" / "results.jsonl").read_text())
    assert (result["type"], result["status"]) == ("script", "interrupted")
    assert [turn["status"] for turn in result["turns"]] == ["passed", "undecided"]
