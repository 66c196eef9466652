"""What holds for all tests."""

import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from support.demo_agent import AgentProcess, start_agent

SOURCE = str(Path(__file__).parents[1] / "src")
_ours: list[str] = []

# How long an example takes says something of the machine and its load, and nothing of the code.
settings.register_profile("sparring", deadline=None)
settings.load_profile("sparring")

# Whoever runs the tests may ignore signals (``nohup``, a job in the background); what the tests
# start must not inherit that.
for _name in ("SIGINT", "SIGHUP", "SIGTERM"):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        is_ctrl_c = _number == signal.SIGINT
        signal.signal(_number, signal.default_int_handler if is_ctrl_c else signal.SIG_DFL)


def pytest_warning_recorded(warning_message: warnings.WarningMessage) -> None:
    """Remember deprecations that a line of ours brought about.

    Pipecat raises its own past every filter, so they cannot be made errors where they happen.
    """
    if (
        issubclass(warning_message.category, DeprecationWarning)
        and SOURCE in warning_message.filename
    ):
        _ours.append(f"{warning_message.filename}:{warning_message.lineno}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if there were any."""
    if _ours and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name them."""
    for place in sorted(set(_ours)):
        terminalreporter.write_line(f"uses what pipecat deprecates: {place}", red=True)


@pytest.fixture(scope="session")
def good_agent() -> Iterator[AgentProcess]:
    """One good agent for all tests; every call is a session of its own."""
    # Deprecations are to be printed, wherever they come from, so that a test can look for ours.
    agent = start_agent(None, "-W", "default::DeprecationWarning")
    yield agent
    agent.stop()
