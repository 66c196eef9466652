"""Records for tests, written as a list of events."""

from datetime import UTC, datetime
from typing import Any

from sparring.records import (
    AgentIdentity,
    CallerIdentity,
    Conversation,
    Event,
    Header,
    Record,
    ScenarioIdentity,
    SpokenAction,
    Turn,
)
from sparring.records import events as ev

SIMULATION: dict[str, Any] = {
    "name": "book",
    "persona": "Jamie",
    "goal": "Book a table.",
    "success": "the table is booked",
    "opening": "Hi.",
}


def header(**simulation: Any) -> Header:
    """A header for the usual simulation, with these keys changed."""
    return Header(
        scenario=ScenarioIdentity(name="book", hash="0", definition={**SIMULATION, **simulation}),
        agent=AgentIdentity(label="agent", url="ws://localhost:1/ws"),
        caller=CallerIdentity(service="agenda"),
        seed=1,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def record(*events: Event, **simulation: Any) -> Record:
    """A record of these events."""
    return Record(**header(**simulation).model_dump(), events=list(events))


def bot(at: float, text: str, took: float = 0.1) -> list[Event]:
    """A response of the agent: begun at that time, its first word in the middle of it."""
    return [
        ev.LLMStarted(at=at),
        ev.LLMText(at=at + took / 2, text=text),
        ev.LLMStopped(at=at + took),
    ]


def tool(
    at: float, name: str, args: dict[str, Any], id: str = "1", took: float = 0.1, **stop: Any
) -> list[Event]:
    """A tool call and its end."""
    return [
        ev.FunctionCall(at=at, id=id, name=name, args=args),
        ev.FunctionCallStopped(at=at + took, id=id, name=name, **stop),
    ]


def spoken(
    began: float,
    ended: float,
    turn: int | None = None,
    text: str = "Yes.",
    action: SpokenAction | None = None,
) -> ev.CallerSpoke:
    """Something the caller said aloud, between two times in call seconds."""
    return ev.CallerSpoke(at=ended, began=began, ended=ended, turn=turn, text=text, action=action)


def soundtrack(
    caller: list[tuple[float, float]] | None = None,
    agent: list[tuple[float, float]] | None = None,
    duration_ms: float = 60_000,
    **fields: Any,
) -> ev.Soundtrack:
    """The sound of a call whose first sample was at the call clock's zero."""
    return ev.Soundtrack(
        at=duration_ms / 1000,
        duration_ms=duration_ms,
        threshold=220,
        caller=caller if caller is not None else [],
        agent=agent if agent is not None else [],
    ).model_copy(update=fields)


def user(at: float, turn: int, text: str = "Yes.", hanging_up: bool = False) -> ev.CallerSaid:
    """A caller turn."""
    return ev.CallerSaid(at=at, turn=turn, text=text, hanging_up=hanging_up)


def turns(*lines: str) -> list[Turn]:
    """A conversation; the agent begins."""
    conversation = Conversation()
    for number, line in enumerate(lines):
        for event in bot(number, line) if number % 2 == 0 else [user(number, number, line)]:
            conversation.fold(event)
    return conversation.spoken_turns
