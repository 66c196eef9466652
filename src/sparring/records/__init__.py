"""What happened in a call, and what was made of it: records, scores, results.

``Record`` is everything that happened, on one clock. ``Conversation`` folds its events into turns
and tool calls. ``Score`` is what scoring makes of a record, and a ``Result``, one line of
``results.jsonl``, is the two put together. ``Kind`` is the one list of what can go wrong.
"""

from sparring.records import events
from sparring.records.clock import CallClock
from sparring.records.conversation import Conversation, Response, ToolCall, Turn
from sparring.records.conversation_file import record_of_conversation
from sparring.records.events import AgentEvent, Event
from sparring.records.judgement import (
    ExpectationVerdict,
    GoalVerdict,
    JudgeIdentity,
    Judgement,
    TurnVerdict,
)
from sparring.records.kinds import Ending, Kind, Side, Status
from sparring.records.record import (
    AgentIdentity,
    CallerIdentity,
    Header,
    Record,
    ScenarioIdentity,
)
from sparring.records.result import (
    Result,
    ScriptResult,
    SimulationResult,
    make_result,
    read_result,
)
from sparring.records.score import (
    METRICS_VERSION,
    ExpectationFailure,
    ExpectationScore,
    Goal,
    MetricScore,
    Outcome,
    Score,
    ScriptScore,
    TurnScore,
)
from sparring.records.sound_events import Lateness, Soundtrack, SpokenAction
from sparring.records.storage import RecordWriter, load_record, save_record, write_atomically

__all__ = [
    "METRICS_VERSION",
    "AgentEvent",
    "AgentIdentity",
    "CallClock",
    "CallerIdentity",
    "Conversation",
    "Ending",
    "Event",
    "ExpectationFailure",
    "ExpectationScore",
    "ExpectationVerdict",
    "Goal",
    "GoalVerdict",
    "Header",
    "JudgeIdentity",
    "Judgement",
    "Kind",
    "Lateness",
    "MetricScore",
    "Outcome",
    "Record",
    "RecordWriter",
    "Response",
    "Result",
    "ScenarioIdentity",
    "Score",
    "ScriptResult",
    "ScriptScore",
    "Side",
    "SimulationResult",
    "Soundtrack",
    "SpokenAction",
    "Status",
    "ToolCall",
    "Turn",
    "TurnScore",
    "TurnVerdict",
    "events",
    "load_record",
    "make_result",
    "read_result",
    "record_of_conversation",
    "save_record",
    "write_atomically",
]
