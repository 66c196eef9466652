"""The command that starts an agent."""

from pathlib import Path

import pytest

from sparring.agents.processes.spawn import Spawn
from sparring.errors import UsageError
from sparring.records.redaction import redact

BOT = Path("bots dir/bot.py")


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("{python} {bot} --port {port}", ["py 3", "bots dir/bot.py", "--port", "7"]),
        ("uv run '{bot}' -p={port}", ["uv", "run", "bots dir/bot.py", "-p=7"]),
        (
            """sh -c 'echo ${HOME} {x} {} {"a": 1} {port!r}; exec "$0"' {port}""",
            ["sh", "-c", 'echo ${HOME} {x} {} {"a": 1} {port!r}; exec "$0"', "7"],
        ),
    ],
)
def test_names_are_put_in_token_by_token_and_other_braces_stay(command: str, argv: list[str]):
    assert Spawn(BOT, command, python="py 3").argv(7) == argv


def test_a_value_is_not_looked_at_again():
    assert Spawn(Path("{port}.py"), python="{bot}").argv(7)[:2] == ["{bot}", "{port}.py"]


def test_arguments_follow_as_they_are():
    assert Spawn(BOT, "a {port}", arguments=("--runner-body", "{port} b")).argv(7)[2:] == [
        "--runner-body",
        "{port} b",
    ]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("{python} {bot}", r"must say where the port goes, with \{port\}"),
        ("", "must say where the port goes"),
        ("'{python} {port}", "cannot be read: no closing quotation"),
    ],
)
def test_a_command_that_cannot_be_used(command: str, problem: str):
    with pytest.raises(UsageError, match=problem):
        Spawn(BOT, command)


def test_secrets_of_its_environment_are_kept():
    Spawn(BOT, env={"SPAWN_TEST_KEY": "planted-in-an-entry", "MOOD": "sunny-afternoon"})
    assert redact("planted-in-an-entry sunny-afternoon") == "[redacted] sunny-afternoon"
