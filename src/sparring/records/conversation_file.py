"""Conversation files: what was said and which tools were called, without times.

The format is pipecat's: a JSON list of ``{role: user|assistant, content}`` and
``{role: tool_call, name, arguments, cancelled}``, where the user is the caller. Such a file makes
a record that can be judged, and whose calls, turns and words can be measured; what needs times
cannot.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from sparring.errors import RecordError
from sparring.records import events as ev
from sparring.records.events import Event
from sparring.records.json_text import parse_json
from sparring.records.kinds import Ending
from sparring.records.record import AgentIdentity, CallerIdentity, Record, ScenarioIdentity


def record_of_conversation(path: Path, scenario: ScenarioIdentity) -> Record:
    """The record that a conversation file amounts to.

    Args:
        path: The file.
        scenario: What was asked of the agent.

    Raises:
        RecordError: If it is no conversation; the text names the entry.
    """
    try:
        entries: Any = parse_json(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{path}: no conversation: {error}") from None
    if not isinstance(entries, list):
        raise RecordError(f"{path}: no conversation: it must be a list of messages")
    events: list[Event] = [ev.Ready(at=0)]
    turn = 0
    for number, entry in enumerate(cast(list[Any], entries), 1):
        if not isinstance(entry, dict):
            raise RecordError(f"{path}: entry {number}: no message")
        message = cast(dict[str, Any], entry)
        turn += message.get("role") == "user"
        try:
            events += _events(message, turn, f"call_{number}")
        except (KeyError, ValueError, TypeError) as error:
            raise RecordError(f"{path}: entry {number}: {_cause(error)}") from None
    if len(events) == 1:
        raise RecordError(
            f"{path}: no conversation: nothing was said or done, so there was no call"
        )
    return Record(
        scenario=scenario,
        agent=AgentIdentity(label=path.name, url=""),
        caller=CallerIdentity(service="unknown"),
        seed=0,
        started_at=datetime.fromtimestamp(path.stat().st_mtime, UTC),
        timed=False,
        events=[*events, ev.Ended(at=0, ending=Ending.END_CALL)],
    )


def _events(message: dict[str, Any], turn: int, id: str) -> list[Event]:
    match message["role"]:
        case "user":
            return [ev.CallerSaid(at=0, turn=turn, text=message["content"])]
        case "assistant":
            text = message["content"]
            return [ev.LLMStarted(at=0), ev.LLMText(at=0, text=text), ev.LLMStopped(at=0)]
        case "tool_call":
            name, cancelled = message["name"], bool(message.get("cancelled"))
            return [
                ev.FunctionCall(at=0, id=id, name=name, args=message.get("arguments") or {}),
                ev.FunctionCallStopped(at=0, id=id, name=name, cancelled=cancelled),
            ]
        case "system":
            return []
        case role:
            raise ValueError(f"unknown role {role!r}")


def _cause(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it lacks {error.args[0]!r}"
    return str(error).split("\n")[0]
