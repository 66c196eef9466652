"""``transcript.txt``: a call to read, with its times, what overlaps, and the tools in between.

::

    ASSISTANT 420..1700 ms: Hello, how can I help?
    USER 2000..3000 ms [OVERLAP]: A table for two.
    TOOL 3400..3900 ms: book_table({"party_size": 2}) → {"ref": "R-1"}
"""

import json
from typing import Any

from sparring.records import Record, Side, ToolCall
from sparring.scoring.voice.lines import Line, call_times, lines_of

_LONGEST = 240
"""Characters of a value that are shown."""


def transcript(record: Record) -> str:
    """A record as text, a line for everything said and every tool called, in order of time.

    It may hold secrets, as the record may: whoever writes it down takes them out.
    """
    told = [(line.start, _said(line)) for line in lines_of(record)]
    for call in record.conversation.tool_calls:
        start, end = call_times(record, call)
        told.append((start, _called(call, start, end)))
    return "".join(f"{text}\n" for _, text in sorted(told, key=lambda one: one[0]))


def _said(line: Line) -> str:
    who = "USER" if line.side is Side.CALLER else "ASSISTANT"
    both = " [OVERLAP]" if line.overlaps else ""
    return f"{who} {line.start:.0f}..{line.end:.0f} ms{both}: {' '.join(line.text.split())}"


def _called(call: ToolCall, start: float, end: float | None) -> str:
    outcome = "cancelled" if call.cancelled else _short(call.result)
    if end is None:
        outcome = "still running"
    when = f"{start:.0f}" if end is None else f"{start:.0f}..{end:.0f}"
    return f"TOOL {when} ms: {call.name or 'a tool'}({_short(call.args or {})}) → {outcome}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
