"""The eval wire: RTVI messages (protocol 2.2.0, JSON) to and from typed events.

One JSON object a message: ``{"label": "rtvi-ai", "type": …, "id": …, "data": {…}}``. Both message
names of user transcriptions are understood (``user-transcription`` up to pipecat 1.12,
``user-input`` since, and both at once), and VAD messages that an agent sends twice count once.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from sparring.agents.connection import (
    Configure,
    SendAudio,
    SendDTMF,
    SendText,
    SessionOptions,
    SetContext,
    SetImage,
    ToAgent,
)
from sparring.records import AgentEvent
from sparring.records import events as ev
from sparring.records.json_text import parse_json

RTVI_LABEL = "rtvi-ai"
RTVI_VERSION = "2.2.0"

_EXCERPT = 200
_LEAST_RATE, _MOST_RATE = 4000, 384000
"""Hertz; what is outside is no sound."""


def opening_messages(options: SessionOptions) -> list[str]:
    """The two messages that begin every session, in their order."""
    flags = {
        "skip_tts": options.skip_tts,
        "capture_bot_audio": options.capture_bot_audio,
        "capture_bot_images": options.capture_bot_images,
    }
    about = {"library": "sparring"}
    return [
        _client_message("eval-connect", flags, id="eval-connect"),
        _message("client-ready", {"version": RTVI_VERSION, "about": about}, id="client-ready"),
    ]


def cancel_message(id: str) -> str:
    """The message that ends the agent's pipeline."""
    return _client_message("eval-cancel", {}, id=id)


def encode(message: ToAgent, id: str) -> str:
    """A message to the agent as it goes over the wire."""
    match message:
        case SendText(text=text, audio_response=audio_response):
            options = {"run_immediately": True, "audio_response": audio_response}
            return _message("send-text", {"content": text, "options": options}, id=id)
        case SendDTMF(keys=keys):
            return _message("dtmf", {"buttons": list(keys)}, id=id)
        case SetImage(data=data, format=format):
            image = {"image": base64.b64encode(data).decode(), "format": format}
            return _client_message("eval-image", image, id=id)
        case SendAudio(pcm=pcm, sample_rate=rate):
            sound = {"base64Audio": base64.b64encode(pcm).decode("ascii")}
            return _message("raw-audio", {**sound, "sampleRate": rate, "numChannels": 1}, id=id)
        case SetContext(messages=messages):
            return _client_message("eval-context", {"messages": list(messages)}, id=id)
        case Configure(function_calls=level, vad=vad, markers=markers):
            wanted: dict[str, Any] = {"function_call_report_level": {"*": level}}
            wanted |= {"vad_user_speaking": True} if vad else {}
            wanted |= {"llm_markers": True} if markers else {}
            return _client_message("eval-configure", wanted, id=id)


class Decoder:
    """Turns what the agent sends into events; one per session, since it remembers repetitions."""

    def __init__(self) -> None:
        self._last_vad: str | None = None
        self._last_input: tuple[str, str] | None = None

    def decode(self, raw: str | bytes, at: float) -> AgentEvent | None:
        """The event of a message.

        Args:
            raw: The WebSocket message.
            at: When it arrived, in call seconds.

        Returns:
            None for a repetition and for JSON objects of another protocol; ``Unreadable`` for what
            is no JSON object at all, or an RTVI message without its payload.
        """
        try:
            message = parse_json(raw)
        except (ValueError, RecursionError) as error:
            return _unreadable(at, f"not JSON ({error})", raw)
        if not isinstance(message, dict):
            return _unreadable(at, "not a JSON object", raw)
        message = cast(dict[str, Any], message)
        if message.get("label") != RTVI_LABEL:
            return None
        type, data = message.get("type"), message.get("data")
        if not isinstance(type, str):
            return _unreadable(at, "an RTVI message without a type", raw)
        if type.startswith("vad-user-"):
            if type == self._last_vad:
                return None
            self._last_vad = type
        make = _DECODERS.get(type)
        if make is None:
            return ev.OtherMessage(at=at, message_type=type, data=data)
        try:
            payload = cast(dict[str, Any], data) if isinstance(data, dict) else {}
            event = make(at, payload, message)
        except (ValueError, KeyError, TypeError) as error:
            problem = f"a {type} message that lacks what it should hold ({_cause(error)})"
            return _unreadable(at, problem, raw)
        return None if self._repeats(type, event) else event

    def _repeats(self, type: str, event: AgentEvent) -> bool:
        """Whether a transcription came under its other name just before."""
        if not isinstance(event, ev.UserInput):
            return False
        last, self._last_input = self._last_input, (type, event.text)
        if last is not None and last[0] != type and last[1] == event.text:
            self._last_input = None
            return True
        return False


Make = Callable[[float, Mapping[str, Any], Mapping[str, Any]], AgentEvent]


def _text(make: Callable[..., AgentEvent]) -> Make:
    return lambda at, data, message: make(at=at, text=data["text"])


def _bare(make: Callable[..., AgentEvent]) -> Make:
    return lambda at, data, message: make(at=at)


def _ready(at: float, data: Mapping[str, Any], message: Mapping[str, Any]) -> AgentEvent:
    return ev.Ready(
        at=at,
        version=data.get("version"),
        about=data.get("about") or {},
        capabilities=data.get("capabilities") or {},
    )


def _bot_output(at: float, data: Mapping[str, Any], message: Mapping[str, Any]) -> AgentEvent:
    known = ("text", "output_type", "spoken_status")
    return ev.BotOutput(
        at=at,
        text=data.get("text") or "",
        output_type=data.get("output_type"),
        spoken_status=data.get("spoken_status"),
        details={key: value for key, value in data.items() if key not in known},
    )


def _bot_audio(at: float, data: Mapping[str, Any], message: Mapping[str, Any]) -> AgentEvent:
    try:
        audio = base64.b64decode(data["audio"], validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
    rate = data["sampleRate"]
    if not _LEAST_RATE <= rate <= _MOST_RATE:
        raise ValueError(f"a sample rate of {rate} Hz")
    return ev.BotAudio(at=at, sample_rate=rate, samples=len(audio) // 2, audio=audio)


def _function_call(at: float, data: Mapping[str, Any], message: Mapping[str, Any]) -> AgentEvent:
    return ev.FunctionCall(
        at=at, id=data["tool_call_id"], name=data.get("function_name"), args=data.get("arguments")
    )


def _function_stopped(at: float, data: Mapping[str, Any], message: Mapping[str, Any]) -> AgentEvent:
    return ev.FunctionCallStopped(
        at=at,
        id=data["tool_call_id"],
        name=data.get("function_name"),
        cancelled=bool(data.get("cancelled")),
        result=data.get("result"),
    )


_DECODERS: dict[str, Make] = {
    "bot-ready": _ready,
    "bot-llm-started": _bare(ev.LLMStarted),
    "bot-llm-text": _text(ev.LLMText),
    "bot-llm-stopped": _bare(ev.LLMStopped),
    "bot-llm-marker": lambda at, data, message: ev.LLMMarker(
        at=at,
        text=data.get("text") or "",
        kind=data.get("kind"),
        raw=data.get("raw") or "",
        markers=data.get("markers") or [],
    ),
    "bot-tts-started": _bare(ev.TTSStarted),
    "bot-tts-text": _text(ev.TTSText),
    "bot-tts-stopped": _bare(ev.TTSStopped),
    "bot-output": _bot_output,
    "bot-started-speaking": _bare(ev.BotStartedSpeaking),
    "bot-stopped-speaking": _bare(ev.BotStoppedSpeaking),
    "bot-interrupted": _bare(ev.BotInterrupted),
    "user-started-speaking": _bare(ev.UserStartedSpeaking),
    "user-stopped-speaking": _bare(ev.UserStoppedSpeaking),
    "vad-user-started-speaking": _bare(ev.VADUserStartedSpeaking),
    "vad-user-stopped-speaking": _bare(ev.VADUserStoppedSpeaking),
    "user-input": lambda at, data, message: ev.UserInput(
        at=at,
        text=data["text"],
        input_type=data.get("input_type") or "transcription",
        final=bool(data.get("final", True)),
    ),
    "user-transcription": lambda at, data, message: ev.UserInput(
        at=at, text=data["text"], final=bool(data.get("final", True))
    ),
    "llm-function-call-started": lambda at, data, message: ev.FunctionCallAnnounced(
        at=at, name=data.get("function_name")
    ),
    "llm-function-call-in-progress": _function_call,
    "llm-function-call-stopped": _function_stopped,
    "metrics": lambda at, data, message: ev.Metrics(at=at, data=dict(data)),
    "eval-bot-audio": _bot_audio,
    "eval-bot-image": lambda at, data, message: ev.BotImage(
        at=at, width=data.get("width"), height=data.get("height"), format=data.get("format")
    ),
    "error": lambda at, data, message: ev.AgentError(
        at=at, error=str(data.get("error", "")), fatal=bool(data.get("fatal"))
    ),
    "error-response": lambda at, data, message: ev.ErrorResponse(
        at=at, id=message.get("id"), error=str(data.get("error", ""))
    ),
    "server-message": lambda at, data, message: ev.ServerMessage(at=at, data=message.get("data")),
    "server-response": lambda at, data, message: ev.ServerMessage(at=at, data=message.get("data")),
}


def _message(type: str, data: Mapping[str, Any], id: str) -> str:
    return json.dumps({"label": RTVI_LABEL, "type": type, "id": id, "data": data})


def _client_message(type: str, data: Mapping[str, Any], id: str) -> str:
    return _message("client-message", {"t": type, "d": data}, id=id)


def _cause(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no {error.args[0]!r}"
    return str(error).split("\n")[0]


def _unreadable(at: float, problem: str, raw: str | bytes) -> ev.Unreadable:
    text = raw if isinstance(raw, str) else repr(raw[:_EXCERPT])
    return ev.Unreadable(at=at, problem=problem, excerpt=text[:_EXCERPT])
