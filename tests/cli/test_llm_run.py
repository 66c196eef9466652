"""``sparring run`` with an LLM for a caller and one for a judge, both real on the wire."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.command import Ran, sparring, start
from support.fake_agent import FakeAgent, polite_booking, replies, silent
from support.fake_llm import Chat, FakeLLM, Reply, end_call, verdicts

SIMULATION: dict[str, Any] = {
    "name": "book",
    "persona": "Jamie Lee, phone 555-0142. Brief.",
    "goal": "Book a table for two at 6 PM.",
    "success": "a table for two at 6 PM was booked",
    "metrics": [{"name": "polite", "criterion": "the reply is courteous", "min_score": 1}],
}
LINES = ["A table for two at 6 PM, please.", "It's Jamie Lee.", "555-0142."]


def persona(chat: Chat) -> Reply | str:
    """A caller that says its lines and hangs up."""
    said = sum(message["role"] == "assistant" for message in chat.messages)
    return LINES[said] if said < len(LINES) else end_call("Thank you!")


def good(chat: Chat) -> Reply | str:
    return verdicts(chat) if chat.is_judge else persona(chat)


async def play(
    tmp_path: Path, llm: FakeLLM, agent: FakeAgent, *args: str, **keys: Any
) -> tuple[Ran, dict[str, Any]]:
    block = {"endpoint": llm.endpoint}
    simulation = {**SIMULATION, "simulator": block, "judge": {"eval": block}, **keys}
    (tmp_path / "book.yaml").write_text(yaml.safe_dump(simulation))
    ran = await sparring(
        "run", "book.yaml", "--agent", agent.url, "-n", "a", "-v", *args, cwd=tmp_path
    )
    path = tmp_path / "eval-runs" / "a" / "results.jsonl"
    return ran, json.loads(path.read_text()) if path.exists() else {}


@pytest.mark.parametrize("ollama", [True, False])
async def test_a_persona_books_and_the_judge_agrees(tmp_path: Path, ollama: bool):
    async with FakeLLM(good, ollama=ollama) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent)
    assert ran.code == 0, ran.out + ran.err
    assert agent.texts == [*LINES, "Thank you!"]
    assert {chat.route for chat in llm.chats} == {"ollama" if ollama else "openai"}
    assert len(llm.judge) == 1
    assert (result["succeeded"], result["status"]) == (True, "passed")
    assert result["metrics"][0]["score"] == 1
    assert [v["verdict"] for v in result["metrics"][0]["verdicts"]] == ["meets"] * 5
    assert result["caller"]["prompt_version"] == "persona-2"
    assert result["judge"]["prompt_version"] == "judge-1"
    assert result["judge"]["model"] == "gemma4:12b"
    assert result["tokens"] == {
        "caller": {"prompt": sum(c.prompt_tokens for c in llm.persona), "completion": 80},
        "judge": {"prompt": llm.judge[0].prompt_tokens, "completion": 20},
    }
    assert "judge: yes" in ran.out
    assert "  polite: 1.00 | 5/5 turns" in ran.out


async def test_what_the_persona_is_told(tmp_path: Path):
    async with FakeLLM(good) as llm, FakeAgent(polite_booking) as agent:
        await play(
            tmp_path,
            llm,
            agent,
            facts={"shoe_size": 43},
            agenda=[{"id": "a", "when": "asked for a day", "do": "Say today.", "required": False}],
        )
    first, second, *_ = llm.persona
    for text in (SIMULATION["persona"], SIMULATION["goal"], "shoe size: 43", "Say today."):
        assert text in first.system
    assert SIMULATION["success"] not in first.system
    assert [m["role"] for m in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[2]["content"] == LINES[0]
    assert first.body["tools"][0]["function"]["name"] == "end_call"
    assert first.body["think"] is False


async def test_nothing_of_the_test_reaches_the_agent(tmp_path: Path):
    async with FakeLLM(good) as llm, FakeAgent(polite_booking) as agent:
        await play(tmp_path, llm, agent)
    sent = json.dumps([item.body for item in agent.sessions[0].received])
    for secret in (SIMULATION["persona"], SIMULATION["goal"], SIMULATION["success"], "courteous"):
        assert secret not in sent


async def test_a_goal_that_was_not_met(tmp_path: Path):
    def no(chat: Chat) -> Reply | str:
        return verdicts(chat, goal="no") if chat.is_judge else persona(chat)

    async with FakeLLM(no) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent)
    assert ran.code == 1
    assert (result["kind"], result["reason"]) == ("judge_no", "goal not met: it was not done")


async def test_a_criterion_that_a_turn_failed(tmp_path: Path):
    def rude(chat: Chat) -> Reply | str:
        return verdicts(chat, turn_3={"c1": "fails"}) if chat.is_judge else persona(chat)

    async with FakeLLM(rude) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent)
    assert (ran.code, result["kind"]) == (1, "judge_no")
    assert result["reason"] == "polite: 0.80 below 1.00: turn 3: so"


async def test_a_judge_that_answers_nothing_readable_is_an_error(tmp_path: Path):
    def prose(chat: Chat) -> Reply | str:
        return "Yes, it passed! I know." if chat.is_judge else persona(chat)

    async with FakeLLM(prose) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent)
    assert (ran.code, result["status"], result["kind"]) == (3, "error", "judge_no_verdict")
    assert len(llm.judge) == 3


async def test_the_judge_may_be_left_out(tmp_path: Path):
    words = {"measure": "words", "max_value": 60}
    async with FakeLLM(good) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent, "--no-judge", metrics=[words])
        assert (ran.code, result["succeeded"], llm.judge) == (0, None, [])
    async with FakeLLM(good) as llm, FakeAgent(polite_booking) as agent:
        block = {"endpoint": llm.endpoint}
        (tmp_path / "b").mkdir()
        ran, result = await play(
            tmp_path / "b", llm, agent, judge={"eval": False}, simulator=block, metrics=[words]
        )
        assert (ran.code, llm.judge) == (0, [])


async def test_a_model_that_is_not_pulled_is_said_before_the_call(tmp_path: Path):
    async with FakeLLM(good) as llm, FakeAgent(polite_booking) as agent:
        block = {"endpoint": llm.endpoint, "model": "nope:1b"}
        ran, _ = await play(tmp_path, llm, agent, simulator=block)
    assert ran.code == 2
    assert "`ollama pull nope:1b`" in ran.err
    assert agent.sessions == []


async def test_whose_model_is_missing_is_said(tmp_path: Path):
    async with FakeLLM(good, ollama=False) as llm, FakeAgent(polite_booking) as agent:
        missing = {"service": "openai", "model": "gpt-9", "endpoint": llm.endpoint}
        ran, _ = await play(tmp_path, llm, agent, judge={"eval": missing})
        assert ran.code == 2 and f"book: the judge: {llm.endpoint} has no model gpt-9" in ran.err
        ran, _ = await play(tmp_path, llm, agent, simulator=missing)
        assert ran.code == 2 and f"book: the caller: {llm.endpoint} has no model gpt-9" in ran.err
    assert llm.chats == [] and agent.sessions == []


async def test_every_server_is_checked_though_the_models_are_of_one_name(tmp_path: Path):
    async with FakeLLM(good) as llm, FakeAgent(polite_booking) as agent:
        judge = {"eval": {"endpoint": "http://127.0.0.1:9"}}
        ran, _ = await play(tmp_path, llm, agent, judge=judge)
    assert ran.code == 2 and "book: the judge: no Ollama at http://127.0.0.1:9" in ran.err


async def test_a_context_too_small_for_the_caller_or_the_judge(tmp_path: Path):
    async with FakeLLM(good) as llm, FakeAgent(polite_booking) as agent:
        small = {"endpoint": llm.endpoint, "extra": {"num_ctx": 300}}
        ran, result = await play(tmp_path, llm, agent, simulator=small)
        assert (ran.code, result["kind"], llm.chats) == (3, "caller_error", [])
        assert "`num_ctx` is 300: raise it in `extra`, or leave it out" in result["reason"]
        (tmp_path / "b").mkdir()
        ran, result = await play(tmp_path / "b", llm, agent, judge={"eval": small})
        assert (ran.code, result["kind"], llm.judge) == (3, "judge_context", [])
        assert "`num_ctx` is 300" in result["reason"]


async def test_a_server_that_is_not_there(tmp_path: Path):
    async with FakeLLM(good) as llm, FakeAgent(polite_booking) as agent:
        block = {"endpoint": "http://127.0.0.1:9/v1"}
        ran, _ = await play(tmp_path, llm, agent, simulator=block)
    assert ran.code == 2 and "no Ollama at http://127.0.0.1:9" in ran.err


async def test_a_model_without_tools_ends_the_call_at_once_and_is_not_the_agents_fault(
    tmp_path: Path,
):
    def refuses(chat: Chat) -> Reply:
        return Reply(status=400, error="gemma4 does not support tools")

    async with FakeLLM(refuses) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent)
    assert (ran.code, result["kind"]) == (3, "caller_error")
    assert "gemma4 does not support tools" in result["reason"]
    assert len(llm.chats) == 1


async def test_too_many_requests_are_waited_out_and_seen(tmp_path: Path):
    def busy(chat: Chat) -> Reply | str:
        if chat.number in (0, 1):
            return Reply(status=429, error="slow down", headers={"Retry-After": "0.1"})
        return good(chat)

    async with FakeLLM(busy) as llm, FakeAgent(polite_booking) as agent:
        ran, _ = await play(tmp_path, llm, agent)
    assert ran.code == 0
    log = (tmp_path / "eval-runs/a/logs/book.eval.log").read_text()
    assert log.count("answered HTTP 429: waiting 0.1 s") == 2
    assert "… " in ran.out and "waiting 0.1 s" in ran.out


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("", "empty_reply"),
        (Reply("I would like a table for", cut_off=True), "cut_off_reply"),
        ("We need to respond as the caller. The assistant asked for a name.", "leaked_reasoning"),
        ("Hello! How can I help you today?", "spoke_as_agent"),
        (end_call(), "hung_up_before_the_agent_spoke"),
    ],
)
async def test_a_caller_that_breaks_its_brief_makes_the_run_invalid(
    tmp_path: Path, reply: Reply | str, fault: str
):
    early = fault.startswith("hung_up")
    script, first = (silent, "caller") if early else (polite_booking, "agent")
    async with FakeLLM(lambda chat: reply) as llm, FakeAgent(script) as agent:
        ran, result = await play(tmp_path, llm, agent, first_speaker=first)
    assert (ran.code, result["status"], result["kind"]) == (3, "invalid", "caller_conduct")
    assert fault in result["reason"] and result["caller_faults"] == [fault]
    assert len(llm.persona) == 2 and llm.judge == []
    assert agent.texts == []


async def test_a_reply_that_is_right_the_second_time_is_all_that_is_said(tmp_path: Path):
    asked: list[Chat] = []

    def stumbles(chat: Chat) -> Reply | str:
        asked.append(chat)
        return "" if len(asked) == 2 else good(chat)

    async with FakeLLM(stumbles) as llm, FakeAgent(polite_booking) as agent:
        ran, _ = await play(tmp_path, llm, agent)
    assert ran.code == 0
    assert agent.texts == [*LINES, "Thank you!"]


async def test_thinking_aloud_is_stripped_and_noted(tmp_path: Path):
    def thinks(chat: Chat) -> Reply | str:
        if chat.is_judge:
            return '<think>{"goal": "no"}</think>' + verdicts(chat)
        reply = persona(chat)
        return f"<think>who am I?</think>{reply}" if isinstance(reply, str) else reply

    async with FakeLLM(thinks) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent)
    assert ran.code == 0
    assert agent.texts[:3] == LINES
    assert result["caller_faults"] == ["leaked_reasoning"] * 3


async def test_a_goodbye_that_never_hangs_up_is_ended_for_it(tmp_path: Path):
    async with (
        FakeLLM(lambda chat: verdicts(chat) if chat.is_judge else "Goodbye!") as llm,
        FakeAgent(replies(*["Bye now."] * 9)) as agent,
    ):
        ran, result = await play(tmp_path, llm, agent)
    assert result["ended_by"] == "end_call"
    assert result["caller_faults"] == ["goodbye_without_hanging_up"]
    assert len(agent.texts) == 2
    assert result["succeeded"] is True
    assert ran.code == 0


async def test_a_factory_in_the_working_directory_plays_and_its_credentials_stay_hidden(
    tmp_path: Path,
):
    key = "planted-in-a-config-1"
    (tmp_path / "my_evals.py").write_text(
        "from loguru import logger\n"
        "from support.factories import echo\n"
        "def persona(block):\n"
        "    logger.info(f'the key is {block[\"api_key\"]}')\n"
        "    return echo(block)\n"
    )
    block = {"factory": "my_evals.persona", "api_key": key}
    async with FakeLLM(good) as llm, FakeAgent(replies("hello there", "bye")) as agent:
        ran, result = await play(tmp_path, llm, agent, "-d", simulator=block)
    assert agent.texts == ["You said: hello there"]
    assert (ran.code, result["ended_by"]) == (0, "end_call"), ran.out + ran.err
    files = [path for path in (tmp_path / "eval-runs").rglob("*") if path.is_file()]
    assert any(path.name.endswith(".debug.log") for path in files)
    for path in files:
        assert key not in path.read_text(), path
    assert result["caller"]["params"] == {"api_key": "[redacted]"}


async def test_a_factory_in_the_working_directory_is_found_from_the_console_script(
    tmp_path: Path,
):
    """Which, unlike ``python -m``, does not have that directory among those of its modules."""
    (tmp_path / "their_evals.py").write_text("def persona(block):\n    return block['answer']\n")
    simulator = {"factory": "their_evals.persona", "answer": "found"}
    scenario = {**SIMULATION, "simulator": simulator, "judge": {"eval": False}, "metrics": []}
    (tmp_path / "book.yaml").write_text(yaml.safe_dump(scenario))
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("sparring"),
        *("run", "book.yaml", "--agent", "ws://127.0.0.1:9"),
        cwd=tmp_path,
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await process.communicate()
    assert b"factory their_evals.persona returned a str" in err


async def test_a_caller_that_never_answers_has_stalled_and_nobody_is_asked_to_judge(
    tmp_path: Path,
):
    async with FakeLLM(lambda chat: Reply(hangs=True)) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent, max_silence_s=1)
    assert (ran.code, result["kind"]) == (3, "caller_stalled")
    assert llm.judge == []


async def test_one_verdict_that_is_missing_leaves_the_others(tmp_path: Path):
    def forgets(chat: Chat) -> Reply | str:
        if not chat.is_judge:
            return persona(chat)
        answer = json.loads(verdicts(chat))
        del answer["turn_2"]
        return json.dumps(answer)

    async with FakeLLM(forgets) as llm, FakeAgent(polite_booking) as agent:
        ran, result = await play(tmp_path, llm, agent)
    assert (ran.code, result["kind"]) == (3, "judge_no_verdict")
    found = [verdict["verdict"] for verdict in result["metrics"][0]["verdicts"]]
    assert found == ["meets", "none", "meets", "meets", "meets"]
    assert (result["goal"]["verdict"], len(llm.judge)) == ("met", 3)


async def test_stopped_while_the_judge_is_asked(tmp_path: Path):
    asked = asyncio.Event()

    def stalls(chat: Chat) -> Reply | str:
        if not chat.is_judge:
            return persona(chat)
        asked.set()
        return Reply(hangs=True)

    async with FakeLLM(stalls) as llm, FakeAgent(polite_booking) as agent:
        block = {"endpoint": llm.endpoint}
        simulation = {**SIMULATION, "simulator": block, "judge": {"eval": block}}
        (tmp_path / "book.yaml").write_text(yaml.safe_dump(simulation))
        process = await start("run", "book.yaml", "--agent", agent.url, "-n", "a", cwd=tmp_path)
        async with asyncio.timeout(30):
            await asked.wait()
            process.send_signal(signal.SIGINT)
            await process.communicate()
    result = json.loads((tmp_path / "eval-runs/a/results.jsonl").read_text())
    assert (process.returncode, result["status"]) == (3, "interrupted")
    assert result["reason"] == "interrupted before the judge answered"
    assert result["turns"] == 4


async def test_secrets_reach_no_file_and_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    key = "sk-planted-0123456789"
    monkeypatch.setenv("MY_API_KEY", key)

    def leaks(chat: Chat) -> Reply | str:
        if chat.is_judge:
            return verdicts(chat, goal="no").replace("it was not done", f"it said {key}")
        return persona(chat).replace("6 PM", key) if chat.number == 0 else persona(chat)  # type: ignore[union-attr]

    async with FakeLLM(leaks) as llm, FakeAgent(replies(f"Hi, {key}", "a", "b", "c", "d")) as agent:
        ran, _ = await play(tmp_path, llm, agent, "-d")
    files = [path for path in (tmp_path / "eval-runs").rglob("*") if path.is_file()]
    assert len(files) == 6
    for path in files:
        assert key not in path.read_text()
    assert key not in ran.out + ran.err
    assert "[redacted]" in ran.out


async def test_credentials_of_an_endpoint_and_of_headers_reach_no_file_and_no_terminal(
    tmp_path: Path,
):
    password, token = "planted-in-a-url-1", "planted-in-a-header-1"

    def refuses(chat: Chat) -> Reply:
        return Reply(status=403, error=f"{token} and {password} may not")

    async with FakeLLM(refuses) as llm, FakeAgent(polite_booking) as agent:
        block = {
            "endpoint": llm.endpoint.replace("//", f"//jamie:{password}@"),
            "extra": {"extra_headers": {"X-Proxy-Authorization": f"Bearer {token}"}},
        }
        ran, result = await play(tmp_path, llm, agent, "-d", simulator=block)
    assert f"Bearer {token}" in llm.chats[0].headers.values()
    assert (result["kind"], llm.url in result["reason"]) == ("caller_error", True)
    files = [path for path in (tmp_path / "eval-runs").rglob("*") if path.is_file()]
    assert any(path.name.endswith(".debug.log") for path in files)
    for text in (ran.out + ran.err, *(path.read_text() for path in files)):
        assert password not in text and token not in text


async def test_a_refused_key_is_final_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789")

    def refuses(chat: Chat) -> Reply:
        return Reply(status=401, error="Incorrect API key provided: sk-wrong-0123456789")

    with_m = FakeLLM(refuses, ollama=False, models=("m",))
    async with with_m as llm, FakeAgent(polite_booking) as agent:
        block = {"service": "openai", "model": "m", "endpoint": llm.endpoint}
        ran, result = await play(tmp_path, llm, agent, simulator=block, judge={"eval": block})
    assert (ran.code, result["kind"]) == (3, "caller_error")
    assert "HTTP 401" in result["reason"] and "sk-wrong" not in ran.out + json.dumps(result)
    assert len(llm.chats) == 1


async def test_a_key_is_found_in_a_dotenv_file_above(tmp_path: Path):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-from-dotenv-1\n")
    (tmp_path / "deeper").mkdir()
    with_m = FakeLLM(good, ollama=False, models=("m",))
    async with with_m as llm, FakeAgent(polite_booking) as agent:
        block = {"service": "openai", "model": "m", "endpoint": llm.endpoint}
        await play(tmp_path / "deeper", llm, agent, simulator=block, judge={"eval": block})
    assert llm.chats[0].headers["Authorization"] == "Bearer sk-from-dotenv-1"
