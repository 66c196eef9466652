import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.agents import Configure, SendAudio, SendText, SessionOptions, SetContext, rtvi
from sparring.records import AgentEvent
from sparring.records import events as ev


def decode(type: str, data: Any = None, **more: Any) -> AgentEvent | None:
    message = {"label": "rtvi-ai", "type": type, "data": data, **more}
    return rtvi.Decoder().decode(json.dumps(message), at=1.5)


@pytest.mark.parametrize(
    ("type", "data", "event"),
    [
        ("bot-ready", {"version": "2.2.0", "about": {"library": "x"}, "capabilities": None},
         ev.Ready(at=1.5, version="2.2.0", about={"library": "x"})),
        ("bot-llm-started", None, ev.LLMStarted(at=1.5)),
        ("bot-llm-text", {"text": "Hel"}, ev.LLMText(at=1.5, text="Hel")),
        ("bot-llm-stopped", None, ev.LLMStopped(at=1.5)),
        ("bot-llm-marker", {"text": "t", "kind": "short", "raw": "r", "markers": ["m"]},
         ev.LLMMarker(at=1.5, text="t", kind="short", raw="r", markers=["m"])),
        ("bot-tts-started", None, ev.TTSStarted(at=1.5)),
        ("bot-tts-text", {"text": "Hi"}, ev.TTSText(at=1.5, text="Hi")),
        ("bot-tts-stopped", None, ev.TTSStopped(at=1.5)),
        ("bot-output", {"text": "Hi", "output_type": "sentence", "spoken": True},
         ev.BotOutput(at=1.5, text="Hi", output_type="sentence", details={"spoken": True})),
        ("bot-started-speaking", None, ev.BotStartedSpeaking(at=1.5)),
        ("bot-stopped-speaking", None, ev.BotStoppedSpeaking(at=1.5)),
        ("bot-interrupted", None, ev.BotInterrupted(at=1.5)),
        ("user-started-speaking", None, ev.UserStartedSpeaking(at=1.5)),
        ("user-stopped-speaking", None, ev.UserStoppedSpeaking(at=1.5)),
        ("vad-user-started-speaking", None, ev.VADUserStartedSpeaking(at=1.5)),
        ("vad-user-stopped-speaking", None, ev.VADUserStoppedSpeaking(at=1.5)),
        ("user-input", {"text": "Hi", "input_type": "chat", "final": True},
         ev.UserInput(at=1.5, text="Hi", input_type="chat")),
        ("user-transcription", {"text": "Hi", "final": False},
         ev.UserInput(at=1.5, text="Hi", final=False)),
        ("llm-function-call-started", {"function_name": "book"},
         ev.FunctionCallAnnounced(at=1.5, name="book")),
        ("llm-function-call-in-progress",
         {"tool_call_id": "1", "function_name": "book", "arguments": {"n": 2}},
         ev.FunctionCall(at=1.5, id="1", name="book", args={"n": 2})),
        ("llm-function-call-stopped", {"tool_call_id": "1", "cancelled": True},
         ev.FunctionCallStopped(at=1.5, id="1", cancelled=True)),
        ("metrics", {"ttfb": []}, ev.Metrics(at=1.5, data={"ttfb": []})),
        ("eval-bot-audio", {"audio": "AAAAAA==", "sampleRate": 24000},
         ev.BotAudio(at=1.5, sample_rate=24000, samples=2, audio=b"\0\0\0\0")),
        ("eval-bot-image", {"width": 1, "height": 2, "format": "RGB"},
         ev.BotImage(at=1.5, width=1, height=2, format="RGB")),
        ("error", {"error": "boom", "fatal": True},
         ev.AgentError(at=1.5, error="boom", fatal=True)),
        ("server-message", {"type": "eval-state"},
         ev.ServerMessage(at=1.5, data={"type": "eval-state"})),
        ("server-response", {"t": "x"}, ev.ServerMessage(at=1.5, data={"t": "x"})),
        ("bot-audio-level", {"value": 1},
         ev.OtherMessage(at=1.5, message_type="bot-audio-level", data={"value": 1})),
    ],
)  # fmt: skip
def test_every_message_has_its_event(type: str, data: Any, event: AgentEvent):
    assert decode(type, data) == event


def test_a_refusal_names_the_message():
    event = decode("error-response", {"error": "no"}, id="7")
    assert event == ev.ErrorResponse(at=1.5, id="7", error="no")


@pytest.mark.parametrize(
    "raw",
    ["", "hello", "[1]", "3", '{"label": "rtvi-ai"}', b"\x00\xff\x10", "[" * 10**5,
     '{"label": "rtvi-ai", "type": "bot-llm-text"}',
     '{"label": "rtvi-ai", "type": "bot-llm-text", "data": {"text": 5}}',
     '{"label": "rtvi-ai", "type": "eval-bot-audio", "data": {"audio": "§", "sampleRate": 8000}}',
     '{"label": "rtvi-ai", "type": "eval-bot-audio", "data": {"audio": "", "sampleRate": 0}}',
     '{"label": "rtvi-ai", "type": "eval-bot-audio", "data": {"audio": "", "sampleRate": 1e9}}',
     '{"label": "rtvi-ai", "type": "eval-bot-audio", "data": {"audio": "", "sampleRate": "8k"}}',
     '{"label": "rtvi-ai", "type": "eval-bot-audio", "data": {"audio": "", "sampleRate": null}}'],
)  # fmt: skip
def test_what_is_no_message_is_unreadable(raw: str | bytes):
    event = rtvi.Decoder().decode(raw, at=1)
    assert isinstance(event, ev.Unreadable)
    assert len(event.excerpt) <= 200


def test_other_protocols_on_the_line_are_passed_over():
    assert rtvi.Decoder().decode('{"label": "mine", "type": "x"}', at=1) is None


def test_binary_json_is_read():
    raw = b'{"label": "rtvi-ai", "type": "bot-llm-started"}'
    assert rtvi.Decoder().decode(raw, at=1) == ev.LLMStarted(at=1)


def test_half_a_surrogate_pair_becomes_text_that_can_be_written():
    event = decode("bot-llm-text", {"text": "a\ud83d"})
    assert isinstance(event, ev.LLMText)
    event.text.encode("utf-8")


def test_a_whole_surrogate_pair_survives():
    assert decode("bot-llm-text", {"text": "😀"}) == ev.LLMText(at=1.5, text="😀")


def test_doubled_vad_messages_count_once():
    decoder = rtvi.Decoder()
    types = ["vad-user-started-speaking"] * 2 + ["vad-user-stopped-speaking"] * 2
    types += ["vad-user-started-speaking"]
    raws = [json.dumps({"label": "rtvi-ai", "type": type}) for type in types]
    events = [decoder.decode(raw, at=1) for raw in raws]
    assert [event.type for event in events if event] == [
        "vad_user_started_speaking",
        "vad_user_stopped_speaking",
        "vad_user_started_speaking",
    ]


def test_a_transcription_under_both_names_counts_once():
    decoder = rtvi.Decoder()
    data = {"text": "Hi", "final": True}
    names = ["user-input", "user-transcription", "user-input", "user-transcription"]
    raws = [json.dumps({"label": "rtvi-ai", "type": name, "data": data}) for name in names]
    assert len([event for raw in raws if (event := decoder.decode(raw, at=1))]) == 2


@given(st.text() | st.binary())
def test_no_input_raises(raw: str | bytes):
    rtvi.Decoder().decode(raw, at=1)


def test_a_session_begins_with_its_flags():
    connect, ready = map(json.loads, rtvi.opening_messages(SessionOptions(skip_tts=True)))
    assert connect["data"] == {
        "t": "eval-connect",
        "d": {"skip_tts": True, "capture_bot_audio": False, "capture_bot_images": False},
    }
    assert (ready["type"], ready["data"]["version"]) == ("client-ready", "2.2.0")


def test_messages_to_the_agent():
    assert json.loads(rtvi.encode(SendText("Hi"), "3")) == {
        "label": "rtvi-ai",
        "type": "send-text",
        "id": "3",
        "data": {
            "content": "Hi",
            "options": {"run_immediately": True, "audio_response": False},
        },
    }
    sound = json.loads(rtvi.encode(SendAudio(b"\0\0\1\0", 16000), "4"))
    assert (sound["type"], sound["id"]) == ("raw-audio", "4")
    assert sound["data"] == {"base64Audio": "AAABAA==", "sampleRate": 16000, "numChannels": 1}
    configure = json.loads(rtvi.encode(Configure(), "1"))["data"]
    assert configure == {"t": "eval-configure", "d": {"function_call_report_level": {"*": "full"}}}
    context = json.loads(rtvi.encode(SetContext([{"role": "user", "content": "x"}]), "1"))["data"]
    assert context == {"t": "eval-context", "d": {"messages": [{"role": "user", "content": "x"}]}}
    assert json.loads(rtvi.cancel_message("9"))["data"] == {"t": "eval-cancel", "d": {}}
