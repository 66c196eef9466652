"""One call: connect, converse, hang up; a ``Record`` comes out and no verdict is given."""

from sparring.calls.call import Call, CallOptions
from sparring.calls.log import Listener

__all__ = ["Call", "CallOptions", "Listener"]
