"""What tests of agents that we start share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.agents.processes.guard import Guard


@pytest.fixture
def guard() -> Iterator[Guard]:
    guard = Guard()
    yield guard
    guard.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "agent.log"
