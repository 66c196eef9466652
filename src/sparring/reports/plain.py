"""Text from outside, made safe to print."""

import re

from sparring.records.redaction import redact

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def clean(text: str) -> str:
    """Text that is safe to print on one line: whatever moves a cursor becomes a space."""
    return _CONTROL.sub(" ", redact(text)).strip()
