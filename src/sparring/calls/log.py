"""The log of a call that is going on: events in, listeners told, the conversation kept."""

import asyncio
from collections.abc import Callable
from typing import Self

from sparring.records import CallClock, Conversation, Event, Record
from sparring.records import events as ev
from sparring.records.record import Header

Listener = Callable[[Event], None]
"""Told of every event as it happens. It must be quick and must not raise."""


class CallLog:
    """All that has happened in a call so far; every part of the call reads it and adds to it."""

    def __init__(self, clock: CallClock):
        self.clock = clock
        self.events: list[Event] = []
        self.conversation = Conversation()
        self.touched_at = 0.0
        self._listeners: list[Listener] = []
        self._changed = asyncio.Event()

    def listen(self, listener: Listener) -> Self:
        """Tell this listener of every further event."""
        self._listeners.append(listener)
        return self

    def add(self, event: Event) -> None:
        """Take in what has just happened. After the end nothing more belongs to the call."""
        if self.events and isinstance(self.events[-1], ev.Ended):
            return
        self.events.append(event)
        self.conversation.fold(event)
        for listener in self._listeners:
            listener(event)
        self._changed.set()

    def touch(self) -> None:
        """Something goes on that is no event: a token of a reply that is not whole yet."""
        self.touched_at = self.clock.now()

    def note(self, text: str) -> None:
        """Add a decision of ours, for whoever reads the log."""
        self.add(ev.Note(at=self.clock.now(), text=text))

    async def change(self, until: float | None = None) -> None:
        """Wait for the next event, at most until that time on the call clock."""
        self._changed.clear()
        timeout = None if until is None else max(0.0, until - self.clock.now())
        try:
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        except TimeoutError:
            pass

    def record(self, header: Header) -> Record:
        """The record so far."""
        return Record(**header.model_dump(), events=self.events.copy())
