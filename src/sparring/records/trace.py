"""The trace of a call: a line for everything that happened and was decided, with its time.

This is what ``logs/<stem>.eval.log`` holds. It is made from the record's events alone, so a saved
record yields the same trace again.
"""

import json

from sparring.records.events import CallerSaid, Event, LLMText


class Trace:
    """Renders events as lines ``seconds [turn] what happened``."""

    def __init__(self) -> None:
        self._turn = 0
        self._words: list[str] = []

    def lines(self, event: Event) -> list[str]:
        """The lines for the next event; none for a token, which waits for its response's end."""
        if isinstance(event, LLMText):
            self._words.append(event.text)
            return []
        if isinstance(event, CallerSaid):
            self._turn = event.turn
        fields = event.model_dump(mode="json", exclude={"at", "type"}, exclude_none=True)
        details = " ".join(f"{key}={_short(value)}" for key, value in fields.items())
        if self._words and event.type in ("llm_stopped", "llm_started", "bot_interrupted"):
            details = f"{_short(''.join(self._words))} {details}".rstrip()
            self._words = []
        place = f"[t{self._turn}]" if self._turn else "[--]"
        return [f"{event.at:8.3f} {place} {event.type} {details}".rstrip()]


def _short(value: object, limit: int = 400) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
