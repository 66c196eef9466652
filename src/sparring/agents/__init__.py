"""How an agent is reached: one protocol, ``AgentConnection``, and its implementations."""

from sparring.agents.connection import (
    AgentConnection,
    Configure,
    SendDTMF,
    SendText,
    SessionOptions,
    SetContext,
    SetImage,
    ToAgent,
)
from sparring.agents.eval_websocket import EvalWebSocket, check_url

__all__ = [
    "AgentConnection",
    "Configure",
    "EvalWebSocket",
    "SendDTMF",
    "SendText",
    "SessionOptions",
    "SetContext",
    "SetImage",
    "ToAgent",
    "check_url",
]
