"""What the command's exit code says."""

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # ``--help`` needs the codes, and nothing of records.
    from sparring.records import Result


class Exit(IntEnum):
    """Exit codes of every command."""

    PASSED = 0
    FAILED = 1
    USAGE = 2
    """Bad usage or files, or nothing to run."""
    ERROR = 3
    """No failure, but a run that ended in an error, was invalid or was interrupted."""


def exit_code(results: "Sequence[Result]", measured: bool = False) -> Exit:
    """What these results come to.

    Args:
        results: All there are.
        measured: Whether they are a measurement, which no rate fails: it only needs a valid run.
    """
    statuses = {result.status.value for result in results}
    if measured and statuses & {"passed", "failed"} and "interrupted" not in statuses:
        return Exit.PASSED
    if "failed" in statuses and not measured:
        return Exit.FAILED
    return Exit.PASSED if statuses == {"passed"} else Exit.ERROR
