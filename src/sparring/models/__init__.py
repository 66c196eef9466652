"""LLM access for caller and judge behind one small protocol, ``ChatModel``."""

from sparring.models.chat import (
    Answer,
    ChatModel,
    Finished,
    Message,
    ModelIdentity,
    Piece,
    Request,
    Text,
    Thinking,
    Tool,
    ToolUse,
    Usage,
    Waiting,
    complete,
)

__all__ = [
    "Answer",
    "ChatModel",
    "Finished",
    "Message",
    "ModelIdentity",
    "Piece",
    "Request",
    "Text",
    "Thinking",
    "Tool",
    "ToolUse",
    "Usage",
    "Waiting",
    "complete",
]
