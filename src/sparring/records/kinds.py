"""The one enumeration of how calls end, what a run came to, and why.

These values are written into results and are what people group and alert on, so they are stable:
a value is never renamed, only added.
"""

from enum import StrEnum


class Status(StrEnum):
    """What a run came to. Only ``passed`` and ``failed`` say something about the agent."""

    PASSED = "passed"
    FAILED = "failed"
    """The agent's doing."""
    INVALID = "invalid"
    """Our caller broke its brief: the run says nothing and should be played again."""
    ERROR = "error"
    """Not the agent: infrastructure, our caller's services, the judge."""
    INTERRUPTED = "interrupted"
    """Stopped from outside before it was over."""


class Ending(StrEnum):
    """How the call itself ended."""

    END_CALL = "end_call"
    """The caller hung up."""
    BOT = "bot"
    """The agent closed the connection, cleanly."""
    MAX_TURNS = "max_turns"
    MAX_DURATION = "max_duration"
    SILENCE = "silence"
    ERROR = "error"
    """The call broke; the kind says how."""
    INTERRUPTED = "interrupted"


class Side(StrEnum):
    """The two parties of a call."""

    CALLER = "caller"
    AGENT = "agent"


class Kind(StrEnum):
    """Why a run did not pass. Each comes with a sentence that names the cause."""

    # Before the agent was ready: nobody's fault but the set-up's.
    CONNECT_FAILED = "connect_failed"
    CLOSED_BEFORE_READY = "closed_before_ready"
    HANDSHAKE_TIMEOUT = "handshake_timeout"
    AGENT_EXITED = "agent_exited"

    # The agent broke during the call.
    AGENT_CRASHED = "agent_crashed"
    AGENT_ERROR = "agent_error"
    PROTOCOL_ERROR = "protocol_error"
    AGENT_SILENT = "agent_silent"

    # The call was cut short.
    SILENCE = "silence"
    MAX_TURNS = "max_turns"
    MAX_DURATION = "max_duration"

    # Our own side broke.
    CALLER_STALLED = "caller_stalled"
    CALLER_ERROR = "caller_error"
    CALLER_CONDUCT = "caller_conduct"
    """The caller broke its brief; the reason names the fault. The run is invalid."""
    INTERNAL_ERROR = "internal_error"
    HARNESS_OVERLOADED = "harness_overloaded"
    """A spoken run failed, and we kept time so badly that it may be our doing."""
    INTERRUPTED = "interrupted"

    # The record fell short of what the scenario asks.
    OUT_OF_RANGE = "out_of_range"
    FUNCTION_CALLS = "function_calls"
    UNMEASURED = "unmeasured"
    NOTHING_CHECKED = "nothing_checked"

    # A script's expectation was not met (the names are pipecat's where it has one).
    TIMEOUT = "timeout"
    """What was waited for did not come in its time."""
    TEXT_MISMATCH = "text_mismatch"
    TEXT_PRESENT = "text_present"
    MISSING_FUNCTION_CALL = "missing_function_call"
    FUNCTION_ARGS_MISMATCH = "function_args_mismatch"
    MARKER_MISMATCH = "marker_mismatch"
    MARKER_FORMAT = "marker_format"
    UNEXPECTED_EVENT = "unexpected_event"
    OUT_OF_ORDER = "out_of_order"
    """It came, but before what should have come first."""
    SEND_AFTER_TIMEOUT = "send_after_timeout"
    UNPLAYED = "unplayed"
    """Turns were left out, though by the verdicts there are now nothing has failed."""
    BOT_ENDED = "bot_ended"
    """The agent hung up while something was still waited for."""

    # The judge decided against it, or could not decide.
    JUDGE_NO = "judge_no"
    JUDGE_CONTINUE = "judge_continue"
    """The reply did not answer yet, and in its time no more of it came."""
    JUDGE_LATE = "judge_late"
    """The judge found the reply unfinished after the next turn had gone out; nobody's failure."""
    JUDGE_NO_VERDICT = "judge_no_verdict"
    JUDGE_CONTEXT = "judge_context"
    JUDGE_UNAVAILABLE = "judge_unavailable"


AGENTS_FAULT = frozenset({Kind.AGENT_CRASHED, Kind.AGENT_ERROR, Kind.PROTOCOL_ERROR})
"""How an agent that has been ready breaks a call."""
