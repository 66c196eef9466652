"""What an agent prints, on its way into its log: redacted as it passes.

The agent writes into a pipe, never into the file, so that no secret is on the disk at any moment,
whatever becomes of us. What waits in memory is only an end of text that may be the beginning of a
secret, so that a crash of ours loses no more than that.
"""

import asyncio
import codecs
import os
import re
from contextlib import suppress
from pathlib import Path

from sparring.records.redaction import redact, unfinished

_KEPT_CHARACTERS = 16_000
_FOR_DEBUGGING = re.compile(r"\|\s*(DEBUG|TRACE)\s*\|")
"""As loguru writes it, which pipecat's agents log with."""
_LAST_LINES = 5


class Output:
    """A log file, and the pipes that lead into it, one for each start of the agent."""

    def __init__(self, path: Path):
        """Begin a new log.

        Args:
            path: Where it goes; its directory is made.
        """
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace")
        self._waiting = ""
        self._tail = ""
        self._pipes: set[_Pipe] = set()

    async def open_pipe(self) -> int:
        """A new pipe into the log.

        Returns:
            The file descriptor that the agent writes to; the caller closes its copy of it.
        """
        reading, writing = os.pipe()
        pipe = _Pipe(self)
        self._pipes.add(pipe)
        await asyncio.get_running_loop().connect_read_pipe(lambda: pipe, os.fdopen(reading, "rb"))
        return writing

    async def drained(self, timeout_s: float) -> None:
        """Wait until all that had a pipe have closed it and all they wrote has been read.

        Args:
            timeout_s: How long to wait, in seconds; what keeps a pipe open is not waited for.
        """
        ended = [pipe.ended for pipe in self._pipes]
        if ended:
            await asyncio.wait(ended, timeout=timeout_s)

    def add(self, text: str) -> None:
        """Take some text, of which a secret may be cut off at the end."""
        text = redact(self._waiting + text)
        cut = len(text) - unfinished(text)
        self._waiting = text[cut:]
        self._write(text[:cut])

    def last_lines(self) -> str:
        """The last lines, redacted and indented; lines for debugging only if all are."""
        lines = (self._tail + redact(self._waiting)).rstrip().splitlines()
        if len(self._tail) >= _KEPT_CHARACTERS:
            lines = lines[1:]  # It was cut anywhere.
        telling = [line for line in lines if not _FOR_DEBUGGING.search(line)] or lines
        return "\n".join(f"  {line}" for line in telling[-_LAST_LINES:]) or "  (it printed nothing)"

    def close(self) -> None:
        """Close the pipes, whoever still holds their other ends, and the file."""
        for pipe in self._pipes:
            pipe.close()
        self._write(self._waiting)
        self._waiting = ""
        self._file.close()

    def _write(self, text: str) -> None:
        self._tail = (self._tail + text)[-_KEPT_CHARACTERS:]
        with suppress(OSError):  # A full disk must not become the agent's broken pipe.
            self._file.write(text)
            self._file.flush()


class _Pipe(asyncio.Protocol):
    def __init__(self, output: Output):
        self._output = output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._transport: asyncio.BaseTransport | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self.ended.done():
            self._output.add(self._decoder.decode(data))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self._output.add(self._decoder.decode(b"", final=True))
            self.ended.set_result(None)

    def close(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
        if self._transport is not None:
            self._transport.close()
