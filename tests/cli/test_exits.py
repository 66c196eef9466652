from typing import Any, cast

import pytest

from sparring.cli.exits import Exit, exit_code
from sparring.records import Status


class Came:
    """A result, as far as an exit code looks at it."""

    def __init__(self, status: str):
        self.status = Status(status)


@pytest.mark.parametrize(
    ("statuses", "tested", "measured"),
    [
        ("passed passed", Exit.PASSED, Exit.PASSED),
        ("passed failed", Exit.FAILED, Exit.PASSED),
        ("failed failed", Exit.FAILED, Exit.PASSED),
        ("failed error", Exit.FAILED, Exit.PASSED),
        ("passed error", Exit.ERROR, Exit.PASSED),
        ("passed invalid", Exit.ERROR, Exit.PASSED),
        ("error invalid", Exit.ERROR, Exit.ERROR),
        ("passed interrupted", Exit.ERROR, Exit.ERROR),
        ("failed interrupted", Exit.FAILED, Exit.ERROR),
        ("", Exit.ERROR, Exit.ERROR),
    ],
)
def test_what_results_come_to(statuses: str, tested: Exit, measured: Exit):
    results = cast(Any, [Came(status) for status in statuses.split()])
    assert exit_code(results) is tested
    assert exit_code(results, measured=True) is measured
