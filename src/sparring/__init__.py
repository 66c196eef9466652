"""Simulated callers and scripted scenarios that test voice agents.

A scenario file says who calls and what must come of it; a call plays it against the real agent and
leaves a record of all that happened; scoring makes a result of the record.
"""

from sparring.errors import (
    CallerError,
    ConnectionFailed,
    RecordError,
    SparringError,
    UsageError,
)

__version__ = "0.1.0"

__all__ = [
    "CallerError",
    "ConnectionFailed",
    "RecordError",
    "SparringError",
    "UsageError",
    "__version__",
]
