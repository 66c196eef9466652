"""Our end of a call: who speaks when, as processors between the two ends of the connection."""

import math
from collections.abc import Sequence
from typing import Protocol

from pipecat.processors.frame_processor import FrameProcessor

from sparring.agents import Configure
from sparring.callers import Caller
from sparring.callers.script import ScriptCaller
from sparring.calls.floor import Floor
from sparring.calls.log import CallLog
from sparring.calls.script_turns import ScriptPlayer
from sparring.calls.text_turns import CallerProcessor, Ear, Mouth
from sparring.records import Side
from sparring.scenarios import Simulation
from sparring.scoring.scripts.live_judge import LiveJudge


class Part(Protocol):
    """What plays our end of a call."""

    floor: Floor
    """Whose move it is."""
    configure: Configure
    """What the agent must report."""
    wants_images: bool
    """Whether the agent must report the images that it puts out."""
    duration_s: float
    """How long the call may take; infinite if something else bounds it."""
    silence_s: float
    """How long neither side may do anything; likewise."""

    @property
    def processors(self) -> Sequence[FrameProcessor]:
        """Its place in the pipeline."""
        ...

    async def begin(self) -> None:
        """The session is set up: it may speak."""
        ...


class SimulationPart:
    """A caller with a will of its own: it is cued when the agent's turn is over."""

    configure = Configure()
    wants_images = False

    def __init__(self, simulation: Simulation, caller: Caller, log: CallLog):
        self.floor = Floor(log.conversation, Side(simulation.first_speaker))
        self.duration_s = simulation.max_duration_s
        self.silence_s = simulation.max_silence_s
        self._ear = Ear(self.floor, log)
        self.processors = [
            self._ear,
            CallerProcessor(caller, log, simulation.opening),
            Mouth(self.floor, log, simulation.max_turns),
        ]

    async def begin(self) -> None:
        """Let the caller speak when it is its move."""
        self.floor.begun = True
        await self._ear.cue_when_due()


class ScriptPart:
    """A script: it goes on by what it expects, whose times bound the call."""

    duration_s = math.inf
    silence_s = math.inf

    def __init__(self, caller: ScriptCaller, judge: LiveJudge | None, log: CallLog):
        self.floor = Floor(log.conversation, Side.CALLER)
        waited_for = caller.waited_for
        self.configure = Configure(
            vad=any(event.startswith("vad_") for event in waited_for),
            markers="llm_marker" in waited_for,
        )
        self.wants_images = "image" in waited_for
        self._player = ScriptPlayer(caller, log, judge)
        self.processors = [self._player]

    async def begin(self) -> None:
        """Begin with the first turn."""
        await self._player.begin()
