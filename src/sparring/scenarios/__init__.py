"""The scenario file: its models, the loader that says what is wrong and where, its JSON Schema."""

from sparring.scenarios.agenda import AgendaItem
from sparring.scenarios.blocks import (
    ExplainerModel,
    FactoryBlock,
    Judge,
    JudgeFactory,
    JudgeModel,
    SimulatorModel,
    SpeechService,
    TranscriptionService,
    User,
)
from sparring.scenarios.definition import Definition
from sparring.scenarios.expectations import CallPattern, Expectation
from sparring.scenarios.loader import Loaded, Problem, Scenario, load
from sparring.scenarios.metrics import (
    CallExpectation,
    CallsMetric,
    JudgedMetric,
    Metric,
    RangeMetric,
)
from sparring.scenarios.schema import json_schema
from sparring.scenarios.script import Pause, Script, ScriptTurn, SendAfter
from sparring.scenarios.simulation import Simulation

__all__ = [
    "AgendaItem",
    "CallExpectation",
    "CallPattern",
    "CallsMetric",
    "Definition",
    "Expectation",
    "ExplainerModel",
    "FactoryBlock",
    "Judge",
    "JudgeFactory",
    "JudgeModel",
    "JudgedMetric",
    "Loaded",
    "Metric",
    "Pause",
    "Problem",
    "RangeMetric",
    "Scenario",
    "Script",
    "ScriptTurn",
    "SendAfter",
    "Simulation",
    "SimulatorModel",
    "SpeechService",
    "TranscriptionService",
    "User",
    "json_schema",
    "load",
]
