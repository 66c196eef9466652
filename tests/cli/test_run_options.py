"""The options of ``run``: which scenarios, how often, and what is kept."""

from pathlib import Path

import pytest
import yaml

from support.command import sparring
from support.fake_agent import FakeAgent, never_ready, polite_booking, replies
from support.play import BOOKING

METRICS = [{"measure": "words", "max_value": 60}]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    names = {"early": ["smoke"], "late": ["slow"]}
    for name, tags in names.items():
        scenario = {**BOOKING, "name": name, "tags": tags, "metrics": METRICS}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(scenario))
    return tmp_path


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-s", "late"], ["late"]),
        (["-s", "late", "-s", "early"], ["early", "late"]),
        (["--tags", "slow, smoke", "--max-examples", "1"], ["early"]),
        (["-k", "simulation"], ["early", "late"]),
    ],
)
async def test_only_what_is_wanted_is_played(files: Path, options: list[str], names: list[str]):
    async with FakeAgent(polite_booking) as agent:
        ran = await sparring(
            "run", ".", "--offline", "--agent", agent.url, *options, "-n", "a", cwd=files
        )
    assert ran.code == 0, ran.err
    logs = sorted((files / "eval-runs" / "a" / "records").iterdir())
    assert [path.stem for path in logs] == names


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-s", "lat"], "error: no scenario is named 'lat'. Did you mean 'late'?"),
        (["--tags", "fast"], "error: no scenario is tagged 'fast'. There are: slow, smoke"),
        (
            ["-k", "script"],
            "error: no scenario is all that was asked for; "
            "there are: early (simulation), late (simulation)",
        ),
    ],
)
async def test_nothing_selected_is_said_with_what_there_is(
    files: Path, options: list[str], told: str
):
    ran = await sparring("run", ".", "--offline", *options, cwd=files)
    assert ran.code == 2
    assert ran.err.startswith(told)
    assert not (files / "eval-runs").exists()


async def test_repeated_runs_are_a_measurement(files: Path):
    async with FakeAgent(
        replies("Hello.", "Your name? " + "So " * 70, "Phone?", "You're all set.")
    ) as agent:
        ran = await sparring(
            *("run", "early.yaml", "--offline", "--agent", agent.url, "-n", "a"),
            *("--repeat", "2", "-d", "--logs-dir", "logs"),
            cwd=files,
        )
    assert ran.code == 0, ran.err
    assert "0/2 passed, 2 failed" in ran.out
    copied = {path.name for path in (files / "logs").iterdir()}
    assert {f"early__00{n}.eval.log" for n in (1, 2)} < copied
    assert {f"early__00{n}.debug.log" for n in (1, 2)} < copied


async def test_a_measurement_without_a_valid_run_is_none(files: Path):
    ran = await sparring(
        *("run", "early.yaml", "--offline", "--repeat", "2", "--agent", "ws://127.0.0.1:9/ws"),
        cwd=files,
    )
    assert ran.code == 3
    assert "0/2 passed, 2 error" in ran.out


async def test_a_place_for_logs_that_cannot_be_made(files: Path):
    ran = await sparring("run", ".", "--offline", "--logs-dir", "early.yaml/logs", cwd=files)
    assert ran.code == 2
    assert ran.err == "error: early.yaml/logs cannot be made: Not a directory\n"
    assert not (files / "eval-runs").exists()


async def test_bot_ready_timeout(files: Path):
    async with FakeAgent(never_ready) as agent:
        ran = await sparring(
            *("run", "early.yaml", "--offline", "--bot-url", agent.url),
            *("--bot-ready-timeout", "0.2"),
            cwd=files,
        )
    assert ran.code == 3
    assert "[handshake_timeout]" in ran.out
