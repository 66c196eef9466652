"""How an agent is reached: one protocol, ``AgentConnection``, and its implementations.

Agents that we start ourselves come from ``sparring.agents.fleet``, which is imported where needed.
"""

from sparring.agents.connection import (
    AgentConnection,
    Configure,
    SendText,
    SessionOptions,
    SetContext,
    ToAgent,
)
from sparring.agents.environment import AT_START
from sparring.agents.eval_websocket import EvalWebSocket, check_url

__all__ = [
    "AT_START",
    "AgentConnection",
    "Configure",
    "EvalWebSocket",
    "SendText",
    "SessionOptions",
    "SetContext",
    "ToAgent",
    "check_url",
]
