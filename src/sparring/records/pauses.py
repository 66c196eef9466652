"""How long a pause means that the agent has said its piece, in text.

Whoever takes turns in a call, and whoever scores it by its turns, goes by the same times.
"""

QUIET_S = 0.15
"""So long after its last move the agent's turn is over."""
HOLD_S = 10.0
"""So long an open tool call, or a response that brings no token, is waited for at most."""
