"""A run directory: where records, logs and results go as they happen.

``results.jsonl`` takes a line as each run ends, on disk before the next one starts; a line that was
torn when a process died is dropped by the reader, and cut off before anything is added to it. Files
of one run share a stem. A directory has one writer at a time.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from sparring.errors import RecordError, UsageError
from sparring.records import Event, Record, Result, read_result, write_atomically
from sparring.records.json_text import json_of, json_of_data
from sparring.records.redaction import redact
from sparring.records.trace import Trace
from sparring.scoring.voice.transcript import transcript
from sparring.suites.tally import ScenarioTally, summary

try:
    import fcntl
except ImportError:  # Windows: one writer is then a matter of good manners.
    fcntl = None

_BLOCK_BYTES = 2**16
_STEM_BYTES = 150
"""With what is added to it, a name stays below the 255 bytes that file systems allow."""


class RunDirectory:
    """One run directory, written by one process."""

    def __init__(self, path: Path):
        """Read a directory that is there; ``create`` and ``resume`` give one to write in."""
        self.path = path
        self._stems = {file.stem.casefold() for file in (path / "records").glob("*.json*")}
        self._lock: int | None = None

    @classmethod
    def create(cls, runs_dir: Path, name: str | None = None) -> "RunDirectory":
        """Make a new run directory.

        Args:
            runs_dir: Its parent, made if need be.
            name: Its name; by default the time.

        Raises:
            UsageError: If the name is in use or is no plain name, or the place cannot be written.
        """
        if name is not None and not _is_plain(name):
            raise UsageError(f"{name!r} cannot name a run: give a plain name, such as nightly-1")
        wanted = name or datetime.now().strftime("%Y%m%d_%H%M%S")
        for number in range(1, 1000):
            candidate = wanted if number == 1 else f"{wanted}_{number}"
            path = runs_dir / candidate
            try:
                runs_dir.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"{runs_dir} cannot be made: {error.strerror}") from None
            try:
                path.mkdir()
                return cls(path)._owned()
            except FileExistsError:
                if name is not None:
                    raise UsageError(
                        f"{path} is there already: choose another name with -n, or remove it"
                    ) from None
            except OSError as error:
                raise UsageError(f"{path} cannot be made: {error.strerror}") from None
        raise UsageError(f"{runs_dir} holds too many runs of this second")

    @classmethod
    def resume(cls, path: Path) -> "RunDirectory":
        """Go on in a run directory; a line that was torn when its writer died is cut off.

        Raises:
            UsageError: If there is no such run, or somebody else writes in it.
            RecordError: If its results cannot be read.
        """
        if not (path / "results.jsonl").exists():
            raise UsageError(f"{path} is no run directory: it has no results.jsonl")
        directory = cls(path)._owned()
        directory._repair()
        for _ in directory.results():
            pass  # So that damage is told before anything is played.
        return directory

    def close(self) -> None:
        """Let others write in it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _owned(self) -> Self:
        """Take the directory for ourselves, until we close it or are gone."""
        self._lock = os.open(self.results_path, os.O_CREAT | os.O_WRONLY, 0o666)
        if fcntl is not None:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.close()
                raise UsageError(f"another process is writing in {self.path}") from None
        return self

    def _repair(self) -> None:
        """Cut off what stands after the last whole line."""
        with self.results_path.open("rb+") as file:
            end = position = file.seek(0, os.SEEK_END)
            line_end = -1
            while position and line_end < 0:
                start = max(0, position - _BLOCK_BYTES)
                file.seek(start)
                line_end = file.read(position - start).rfind(b"\n")
                position = start
            if (whole := position + line_end + 1) != end:
                file.truncate(whole)

    @property
    def results_path(self) -> Path:
        """The results, a line each."""
        return self.path / "results.jsonl"

    def stem(self, scenario: str) -> str:
        """A name for the files of one run, unique in this directory and never hidden."""
        plain = re.sub(r"[^\w.-]+", "_", scenario.replace("/", "__")).lstrip(".")
        stem = _fitting(plain) or "run"
        candidate, number = stem, 1
        while candidate.casefold() in self._stems:
            number += 1
            candidate = f"{stem}-{number}"
        self._stems.add(candidate.casefold())
        return candidate

    def record_path(self, stem: str) -> Path:
        """Where a run's record goes."""
        return self.path / "records" / f"{stem}.json"

    def trace_path(self, stem: str) -> Path:
        """Where a run's trace goes."""
        return self.path / "logs" / f"{stem}.eval.log"

    def agent_log_path(self, stem: str) -> Path:
        """Where the output of a run's agent goes, if we start it."""
        return self.path / "logs" / f"{stem}.log"

    def debug_path(self, stem: str) -> Path:
        """Where pipecat's own log of a run goes, if it is kept."""
        return self.path / "logs" / f"{stem}.debug.log"

    def save_conversation(self, stem: str, record: Record) -> Path:
        """Write what was said and which tools were called, in pipecat's format."""
        path = self.path / "logs" / f"{stem}.conversation.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        transcript = record.conversation.transcript()
        write_atomically(path, json_of_data(transcript, indent=2) + "\n")
        return path

    def save_transcript(self, stem: str, record: Record) -> Path:
        """Write a spoken call to read: who was heard when, what overlapped, which tools ran."""
        path = self.transcript_path(stem)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, redact(transcript(record)))
        return path

    def transcript_path(self, stem: str) -> Path:
        """Where the transcript of a spoken run goes."""
        return self.path / "logs" / f"{stem}.transcript.txt"

    def recording_path(self, stem: str) -> Path:
        """Where a run's recording goes, if it is kept."""
        return self.path / "recordings" / f"{stem}.wav"

    def add(self, result: Result) -> None:
        """Append a result; it is on disk when this returns.

        Raises:
            OSError: If it cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)  # Somebody may have tidied up meanwhile.
        with self.results_path.open("a", encoding="utf-8") as file:
            file.write(json_of(result) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def save_summary(self, tallied: Sequence[ScenarioTally]) -> None:
        """Write ``summary.json``: how many runs came to what, scenario by scenario."""
        write_atomically(
            self.path / "summary.json", json_of_data(summary(tallied), indent=2) + "\n"
        )

    def results(self) -> Iterator[Result]:
        """Read the results back, one at a time."""
        if not self.results_path.exists():
            return
        with self.results_path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return  # Torn: its process died while writing.
                try:
                    yield read_result(line.decode())
                except ValueError as error:
                    raise RecordError(f"{self.results_path}:{number}: no result: {error}") from None


def _is_plain(name: str) -> bool:
    fits = name.strip() == name and name.isprintable() and not re.search(r"[/\\]", name)
    return bool(name) and fits and name[0] not in ".-"


def _fitting(stem: str) -> str:
    """A stem that the file system can take: not too long, and in characters it knows."""
    encoding = sys.getfilesystemencoding()
    known = stem.encode(encoding, "replace").decode(encoding).replace("?", "_")
    return known.encode(encoding)[:_STEM_BYTES].decode(encoding, "ignore")


class TraceLog:
    """Writes a run's ``eval.log`` as the call goes on.

    The record has it all, so a trace that can no longer be written stops no call.
    """

    def __init__(self, directory: RunDirectory, stem: str):
        path = directory.trace_path(stem)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._trace = Trace()
        self._file: IO[str] | None = path.open("w", encoding="utf-8")

    def add(self, event: Event) -> None:
        """Write the lines of the next event."""
        for line in self._trace.lines(event):
            self._write(line)

    def note(self, text: str) -> None:
        """Write something that happened outside the call."""
        self._write(f"         [--] {text}")

    def _write(self, line: str) -> None:
        if self._file is not None:
            try:
                self._file.write(redact(line) + "\n")
                self._file.flush()
            except OSError:
                self._close()

    def _close(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # What is left in its buffer fails once more.
                self._file.close()
        self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()
