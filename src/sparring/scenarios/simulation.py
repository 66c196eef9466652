"""A simulation: a caller with a persona and a goal, and what must come of its call."""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from sparring.scenarios.agenda import AgendaItem, agenda_faults
from sparring.scenarios.blocks import Simulator, SimulatorModel, Text
from sparring.scenarios.definition import Definition, role_faults
from sparring.scenarios.faults import Fault, all_of, fault, shown
from sparring.scenarios.measure_names import VOICE_MEASURES
from sparring.scenarios.metrics import Metric, RangeMetric, name_faults


def _scalar(value: Any) -> Any:
    if not isinstance(value, str | int | float | bool):
        raise fault(f"a fact is text, a number, true or false, not {shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise fault("a fact that is a number must be finite")
    return value


Fact = Annotated[str | int | float | bool, BeforeValidator(_scalar)]


class Simulation(Definition):
    """A simulated scenario, as one entry of a file describes it."""

    persona: Text = Field(description="Who the caller is, with every fact it will be asked for.")
    goal: Text = Field(description="What the caller wants of the call.")
    success: Text = Field(description="What counts as the agent having done its job.")
    simulator: Simulator = Field(
        default=SimulatorModel(), description="The LLM that plays the caller."
    )
    metrics: list[Metric] = Field(
        default_factory=list[Metric], description="Judged criteria and measures."
    )
    max_turns: int = Field(default=20, ge=1, description="Cap on the caller's turns.")
    max_duration_s: float = Field(default=300, gt=0, description="Cap on the call, in seconds.")
    max_silence_s: float = Field(
        default=30,
        gt=0,
        description="Cap on a lull in which neither side does anything, in seconds.",
    )
    response_deadline_ms: int = Field(
        default=5000,
        gt=0,
        description="By when after a caller turn the agent must have begun to answer it.",
    )
    speech_threshold_rms: float = Field(
        default=220,
        gt=0,
        description="From which level on sound counts as speech: root mean square of 20 ms, in "
        "units of 16-bit samples.",
    )
    runs: int = Field(default=1, ge=1, description="How often a suite plays it.")
    first_speaker: Literal["agent", "caller"] = Field(
        default="agent",
        description="Who speaks first; the caller does as soon as the agent is ready.",
    )
    opening: Text | None = Field(default=None, description="The caller's exact first line.")
    facts: dict[str, Fact] = Field(
        default_factory=dict[str, Fact],
        description="All the caller knows beside persona and goal; it invents nothing.",
    )
    agenda: list[AgendaItem] = Field(
        default_factory=list[AgendaItem],
        description="What the caller means to do; without an LLM it is played literally.",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        faults = [
            *name_faults(self.metrics),
            *agenda_faults(self.agenda, self.facts),
            *(
                Fault("a fact needs a name", ("facts", name), at_key=True)
                for name in self.facts
                if not name.strip()
            ),
            *role_faults(self.context),
            *self._voiceless(),
            *self._unreachable(),
            *self._unheard(),
        ]
        if faults:
            raise all_of(faults)
        return self

    def _voiceless(self) -> Iterator[Fault]:
        """A caller that must speak, without a voice."""
        if self.user.modality == "audio" and self.user.speech is None:
            message = "`modality: audio` needs a `speech:` block with a service and a voice"
            yield Fault(message, ("user",))

    def _unreachable(self) -> Iterator[Fault]:
        """Bounds that the caps of the call leave no way to meet."""
        caps = {
            "turns": ("max_turns", self.max_turns),
            "duration": ("max_duration_s", self.max_duration_s),
        }
        for index, metric in enumerate(self.metrics):
            if isinstance(metric, RangeMetric) and metric.measure in caps:
                cap, most = caps[metric.measure]
                least = metric.min_value
                if least is not None and least > most:
                    message = f"no call could meet min_value {least:.12g}: {cap} is {most:.12g}"
                    yield Fault(message, ("metrics", index, "min_value"))

    def _unheard(self) -> Iterator[Fault]:
        """Bounds on the sound of a call that has none."""
        if self.user.modality == self.judge.modality == "audio":
            return
        for index, metric in enumerate(self.metrics):
            if not isinstance(metric, RangeMetric) or not metric.bounded:
                continue
            if metric.measure in VOICE_MEASURES:
                message = (
                    f"{metric.measure} is measured in the sound of a call: its bound needs "
                    "`modality: audio` in both `user:` and `judge:`"
                )
                yield Fault(message, ("metrics", index, "measure"))
