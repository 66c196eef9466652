"""How an agent is reached: one protocol, ``AgentConnection``, and its implementations."""

from sparring.agents.connection import (
    AgentConnection,
    Configure,
    SendText,
    SessionOptions,
    SetContext,
    ToAgent,
)
from sparring.agents.eval_websocket import EvalWebSocket, check_url

__all__ = [
    "AgentConnection",
    "Configure",
    "EvalWebSocket",
    "SendText",
    "SessionOptions",
    "SetContext",
    "ToAgent",
    "check_url",
]
