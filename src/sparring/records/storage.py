"""Records on disk: written while they grow, complete when they are done.

While a call goes on, ``<stem>.jsonl`` holds the header on its first line and an event on each
further one, flushed as it happens. When the call is over, ``<stem>.json`` takes its place, written
whole under another name and then renamed. If we die in between, the journal is what is left, and
``load_record`` reads it as well: a torn last line is dropped.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pydantic import ValidationError

from sparring.errors import RecordError
from sparring.records.events import Event
from sparring.records.json_text import json_of
from sparring.records.record import Header, Record


class RecordWriter:
    """Writes one record as it grows. Use as a context manager; leaving it completes the record.

    If the journal cannot be written on, because the disk is full say, the call goes on without it,
    and only a record that cannot be completed either is an error.
    """

    def __init__(self, path: Path, header: Header):
        """Open the journal.

        Args:
            path: Where the complete record goes, ending in ``.json``.
            header: What is known of the call.
        """
        self.path = path
        self._journal_path = path.with_suffix(".jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lines: list[str] = []
        self._header = header
        self._complete = False
        self._journal: IO[str] | None = self._journal_path.open("w", encoding="utf-8")
        self._journal.write(json_of(header, exclude_none=True) + "\n")
        self._journal.flush()

    def add(self, event: Event) -> None:
        """Write the next event."""
        line = _event_json(event)
        self._lines.append(line)
        if self._journal is not None:
            try:
                self._journal.write(line + "\n")
                self._journal.flush()
            except OSError:
                self._stop_journal()

    def close(self) -> None:
        """Put the complete record in the journal's place.

        Raises:
            OSError: If it cannot be written.
        """
        if self._complete:
            return
        self._complete = True
        self._stop_journal()
        write_atomically(self.path, _document(self._header, self._lines))
        self._journal_path.unlink(missing_ok=True)

    def _stop_journal(self) -> None:
        if self._journal is not None:
            with suppress(OSError):  # What is left in its buffer fails once more.
                self._journal.close()
        self._journal = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def save_record(record: Record, path: Path) -> None:
    """Write a complete record, atomically."""
    header = Header.model_validate(record.model_dump(exclude={"events", "judgements"}))
    path.parent.mkdir(parents=True, exist_ok=True)
    events = [_event_json(event) for event in record.events]
    judgements = [json_of(judgement) for judgement in record.judgements]
    write_atomically(path, _document(header, events, judgements))


def load_record(path: Path) -> Record:
    """Read a record, complete or cut off.

    Args:
        path: A ``.json`` record or the ``.jsonl`` journal of a call that never completed.

    Raises:
        RecordError: If there is no such file, or it is no record.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None
    try:
        data = _journal_data(text) if path.suffix == ".jsonl" else json.loads(text)
        return Record.model_validate(data)
    except json.JSONDecodeError as error:
        raise RecordError(
            f"{path}:{error.lineno}:{error.colno}: not a record: {error.msg}"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"]) or "the document"
        raise RecordError(f"{path}: not a record: {place}: {first['msg']}") from None
    except RecursionError:
        raise RecordError(f"{path}: not a record: it is nested too deeply") from None


def write_atomically(path: Path, text: str) -> None:
    """Replace a file's content so that no reader ever sees half of it.

    Whatever text it is, it must be free of secrets already (``json_of``, ``redact``).
    """
    draft = path.with_name(f"{path.name}.part")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _event_json(event: Event) -> str:
    return json_of(event, exclude_none=True)


def _document(header: Header, lines: list[str], judgements: Sequence[str] = ()) -> str:
    """One JSON object, an event to a line, so that people can read it and diff it."""
    head = json_of(header, exclude_none=True, indent=1).removesuffix("\n}")
    body = ",\n  ".join(lines)
    judged = ",\n  ".join(judgements)
    tail = f',\n "judgements": [\n  {judged}\n ]' if judgements else ""
    return f'{head},\n "events": [\n  {body}\n ]{tail}\n}}\n'


def _journal_data(text: str) -> Any:
    first, *lines = text.split("\n")
    data: dict[str, Any] = json.loads(first)
    events: list[Any] = []
    for number, line in enumerate(lines):
        try:
            events.append(json.loads(line))
        except json.JSONDecodeError:
            if number < len(lines) - 1:
                raise
            # The last line was being written when the process died.
    return {**data, "events": events}
