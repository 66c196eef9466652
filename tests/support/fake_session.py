"""The vocabulary of a fake agent's script: what an agent does in a session, as one-liners."""

import re
import socket
import struct
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from support.fake_wire import ClientLeftError, Message, Wire

# Spaces go with the word that follows, so that the tokens join back with no separator.
_TOKEN = re.compile(r"\s*\S+(?:\s+\Z)?|\s+\Z")


class Session(Wire):
    """One connection, as a script sees it.

    Every method raises ``ClientLeftError`` once the client has cancelled or left, which ends the
    script; that is a normal end.
    """

    # --- the handshake -----------------------------------------------------------------------

    async def ready(self, **data: Any) -> None:
        """Wait for the client's opening messages and answer that the agent is ready.

        Args:
            data: What bot-ready holds besides, or in place of, the usual.
        """
        if self.dialect.eval_connect:
            await self._until(lambda: bool(self.received or self.garbage))
            first = self.received[0] if self.received and not self.garbage else None
            if first is None or first.binary or first.type != "eval-connect":
                await self.abort()  # It is no eval client: the runner's handler fails (1006).
        ready = await self.wait_for("client-ready")
        usual = {
            "version": self.dialect.protocol,
            "about": {"library": "fake-agent", "library_version": self.dialect.version},
            "capabilities": {
                **{"audio_in": True, "audio_out": True, "metrics": True},
                **{"video_in": False, "screen_in": False, "video_out": False},
            },
        }
        await self.send("bot-ready", {**usual, **data}, id=ready.id)

    @property
    def context(self) -> list[dict[str, Any]] | None:
        """The messages of an eval-context, if one came."""
        found = self.of_type("eval-context")
        return found[-1].payload["messages"] if found else None

    # --- the caller's side -------------------------------------------------------------------

    async def hear(self) -> str:
        """The caller's next text, answered with what the real agent sends at once."""
        await self._until(lambda: bool(self._texts))
        heard = self._texts.popleft()
        text = heard.payload["content"]
        # A client that has left gets no answer, but the script shall see what it said.
        with suppress(ClientLeftError):
            await self._echo(text, heard)
        return text

    async def _echo(self, text: str, heard: Message) -> None:
        await self.send("bot-interrupted")
        if self.dialect.user_input:
            chat = {"text": text, "input_type": "chat", "final": True, "msg_id": heard.id}
            await self.send("user-input", {**chat, "timestamp": _now()})
        await self.send("user-llm-text", {"text": text})

    async def overhear(self, text: str) -> None:
        """Report a turn that the caller spoke, as VAD and STT would; its audio is not looked at."""
        await self._vad("started")
        await self.send("user-started-speaking")
        await self.send("bot-interrupted")
        await self._vad("stopped")
        await self.transcribe(text)
        await self.send("user-stopped-speaking")
        await self.send("user-llm-text", {"text": text})

    async def transcribe(self, text: str, *, final: bool = True) -> None:
        """Report a transcription, under the names it has in this dialect."""
        data = {"text": text, "user_id": "", "timestamp": _now(), "final": final}
        if self.dialect.user_input:
            await self.send("user-input", {**data, "input_type": "transcription"})
        if self.dialect.user_transcription:
            await self.send("user-transcription", data)

    async def _vad(self, what: str) -> None:
        for _ in range(self.dialect.vad_repeats):
            await self.send(f"vad-user-{what}-speaking")

    # --- the agent's words -------------------------------------------------------------------

    async def start(self) -> None:
        """Begin an LLM response."""
        await self.send("bot-llm-started")

    async def token(self, text: str) -> None:
        """Send a piece of a response."""
        await self.send("bot-llm-text", {"text": text})

    async def stop(self) -> None:
        """End an LLM response."""
        await self.send("bot-llm-stopped")

    async def say(
        self,
        text: str,
        *,
        tokens: bool = True,
        delay: float = 0,
        gap: float = 0,
        interruptible: bool = False,
    ) -> str:
        """A whole response; gives what was said of it.

        Args:
            text: The words.
            tokens: Word by word, or in one piece.
            delay: Seconds between its start and its first token.
            gap: Seconds after each token.
            interruptible: Break off, with no end of the response, once the caller says something.
        """
        said = ""
        await self.start()
        await self.wait(delay)
        for token in _TOKEN.findall(text) if tokens else [text]:
            if interruptible and self._texts:
                return said
            await self.token(token)
            said += token
            await self.wait(gap)
        await self.stop()
        return said

    async def speak(self, text: str, *, took: float = 0) -> None:
        """A line that the TTS says without the LLM, in ``took`` seconds."""
        output = {"text": text, "output_type": "sentence", "text_type": "sentence"}
        output |= {"aggregated_by": "sentence", "will_be_spoken": True}
        await self.send("bot-tts-started")
        await self.send("bot-started-speaking")
        await self.send("bot-output", {**output, "spoken": False, "spoken_status": "new"})
        await self.send("bot-tts-stopped")
        await self.wait(took)
        await self.send("bot-output", {**output, "spoken": True, "spoken_status": "completed"})
        await self.send("bot-tts-text", {"text": text})
        await self.send("bot-stopped-speaking")

    # --- tools -------------------------------------------------------------------------------

    async def tool(
        self,
        name: str,
        args: dict[str, Any],
        *,
        result: Any = None,
        cancelled: bool = False,
        took: float = 0,
        id: str | None = None,
    ) -> None:
        """A response that calls a tool, and the call's end after ``took`` seconds."""
        id = await self.tool_open(name, args, id=id)
        await self.wait(took)
        await self.tool_stop(id, name, result=result, cancelled=cancelled)

    async def tool_open(self, name: str, args: dict[str, Any], *, id: str | None = None) -> str:
        """A response that calls a tool which does not end; gives the call's id."""
        calls = [m for m in self.sent if m.type == "llm-function-call-in-progress"]
        id = id or f"call_{len(calls) + 1}"
        await self.start()
        await self._tool_event("started", name)
        await self.stop()
        await self._tool_event("in-progress", name, {"tool_call_id": id}, arguments=args)
        return id

    async def tool_stop(
        self, id: str, name: str, *, result: Any = None, cancelled: bool = False
    ) -> None:
        """The end of a call that ``tool_open`` left open."""
        always = {"tool_call_id": id, "cancelled": cancelled}
        await self._tool_event("stopped", name, always, result=result)

    async def _tool_event(
        self, phase: str, name: str, always: dict[str, Any] | None = None, **told: Any
    ) -> None:
        """Send one of a call's messages, with as much in it as the report level lets out."""
        level = self._report_level(name)
        if level == "disabled":
            return
        out = {
            "function_name": name if level != "none" else None,
            "arguments": told.get("arguments") if level in ("arguments", "full") else None,
            "result": told.get("result") if level == "full" else None,
        }
        shown = {key: value for key, value in out.items() if value is not None}
        await self.send(f"llm-function-call-{phase}", {**(always or {}), **shown})

    def _report_level(self, name: str) -> str:
        if self.dialect.report_level is not None:
            return self.dialect.report_level
        levels: dict[str, str] = {}
        for configure in self.of_type("eval-configure"):
            levels = configure.payload.get("function_call_report_level", levels)
        return levels.get(name, levels.get("*", "none"))

    # --- what else an agent reports ----------------------------------------------------------

    async def error(self, error: str, fatal: bool = True) -> None:
        """Report an error."""
        await self.send("error", {"error": error, "fatal": fatal})

    async def metrics(self, ttfb: float | None = None, **data: Any) -> None:
        """Report metrics: an LLM's time to first byte in seconds, or any other kind by keyword."""
        if ttfb is not None:
            data["ttfb"] = [{"processor": "FakeLLMService#0", "model": "fake", "value": ttfb}]
        await self.send("metrics", data)

    async def server_message(self, data: Any) -> None:
        """Send a message of the agent's own, such as ``{"type": "eval-state", "state": {…}}``."""
        await self.send("server-message", data)

    # --- leaving -----------------------------------------------------------------------------

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Hang up; nothing of the script after this is played."""
        await self.socket.close(code, reason)
        raise ClientLeftError

    async def abort(self) -> None:
        """Break the connection (TCP reset) without a close frame, as a dying process does."""
        if self.socket.transport.is_closing():
            raise ClientLeftError
        raw = self.socket.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.transport.abort()
        raise ClientLeftError

    async def freeze(self) -> None:
        """Be a process that is stuck: read nothing, answer no ping and no close, for good."""
        self.socket.transport.pause_reading()
        try:
            await self._stopping.wait()
        finally:
            self.socket.transport.resume_reading()
        raise ClientLeftError


def _now() -> str:
    return datetime.now(UTC).isoformat()
