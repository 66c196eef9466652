"""How an agent is reached: one protocol, ``AgentConnection``, and its implementations.

Agents that we start ourselves come from ``sparring.agents.processes``, imported where needed.
"""

from sparring.agents.connection import (
    AgentConnection,
    Configure,
    SendAudio,
    SendDTMF,
    SendText,
    SessionOptions,
    SetContext,
    SetImage,
    ToAgent,
)
from sparring.agents.eval_websocket import EvalWebSocket, check_url
from sparring.agents.processes.environment import AT_START

__all__ = [
    "AT_START",
    "AgentConnection",
    "Configure",
    "EvalWebSocket",
    "SendAudio",
    "SendDTMF",
    "SendText",
    "SessionOptions",
    "SetContext",
    "SetImage",
    "ToAgent",
    "check_url",
]
