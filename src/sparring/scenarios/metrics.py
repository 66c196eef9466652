"""The metrics of a simulation: judged criteria, measures with bounds, expected tool calls."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Discriminator, Field, Tag, model_validator
from pydantic.functional_validators import BeforeValidator

from sparring.scenarios.blocks import STRICT, Text
from sparring.scenarios.faults import fault

_AT_LEAST = re.compile(r"^([1-9]\d*)\+$")
_ONLY_FOR = {
    "min_score": "judged metrics, those with a `criterion`",
    "min_value": "measures",
    "max_value": "measures",
    "calls": "`measure: function_calls`",
    "criterion": "judged metrics; a metric has a `criterion` or a `measure`, not both",
    "measure": "measured metrics; a metric has a `criterion` or a `measure`, not both",
}


def _only(*keys: str) -> BeforeValidator:
    """A check on a whole metric: keys of another sort of metric are said to be such."""

    def check(metric: Any) -> Any:
        if isinstance(metric, dict):
            for key in metric:
                if key in _ONLY_FOR and key not in keys:
                    raise fault(f"{key!r} is for {_ONLY_FOR[key]}", key)
        return metric

    return BeforeValidator(check)


class JudgedMetric(BaseModel):
    """A criterion that the judge decides on every agent turn."""

    model_config = STRICT

    name: Text = Field(description="The metric's name, unique in the simulation.")
    criterion: Text = Field(description="What every reply of the agent should be.")
    min_score: float | None = Field(
        None, ge=0, le=1, description="The share of turns that must pass; none only reports."
    )


class RangeMetric(BaseModel):
    """A measure, with bounds or only reported."""

    model_config = STRICT

    name: Text = Field("", description="The metric's name; by default the measure's.")
    measure: Literal["turns", "duration", "words", "latency"] = Field(
        description="What is measured of the call."
    )
    min_value: float | None = Field(None, description="The least allowed, inclusive.")
    max_value: float | None = Field(None, description="The most allowed, inclusive.")

    @model_validator(mode="before")
    @classmethod
    def _named(cls, metric: Any) -> Any:
        return _default_name(metric)

    @model_validator(mode="after")
    def _bounds_fit(self) -> Self:
        if None not in (self.min_value, self.max_value) and self.min_value > self.max_value:  # type: ignore[operator]
            raise fault(
                f"min_value {self.min_value:g} is greater than max_value {self.max_value:g}",
                "min_value",
            )
        return self


class CallExpectation(BaseModel):
    """A tool call that is asked for."""

    model_config = STRICT

    name: Text = Field(description="The tool's name.")
    args: dict[str, Any] = Field(
        default_factory=dict[str, Any], description="Arguments it must have, among others."
    )
    times: int | str | None = Field(
        None, description='How often: a number, or "1+" for that many or more.'
    )

    @model_validator(mode="after")
    def _countable(self) -> Self:
        bad = self.times < 1 if isinstance(self.times, int) else (
            self.times is not None and not _AT_LEAST.match(self.times)
        )
        if bad:
            raise fault(
                f'times must be a number from 1 or a text like "1+", not {self.times!r}', "times"
            )
        return self

    @property
    def at_least(self) -> int:
        """How many completed calls it needs."""
        if isinstance(self.times, str):
            return int(self.times.rstrip("+"))
        return 1 if self.times is None else self.times

    @property
    def exactly(self) -> int | None:
        """How many calls may match it at all; None for any number."""
        return self.times if isinstance(self.times, int) else None


def _named_call(call: Any) -> Any:
    return {"name": call} if isinstance(call, str) else call


class CallsMetric(BaseModel):
    """The tool calls of the whole conversation, held against a list."""

    model_config = STRICT

    name: Text = Field("", description="The metric's name; by default the measure's.")
    measure: Literal["function_calls"] = Field(description="The agent's tool calls.")
    calls: list[Annotated[CallExpectation, BeforeValidator(_named_call)]] = Field(
        description="The calls to be made, each a name or a name with args; [] for none at all."
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, metric: Any) -> Any:
        return _default_name(metric)


def _default_name(metric: Any) -> Any:
    if isinstance(metric, dict) and "name" not in metric:
        return {"name": metric.get("measure"), **metric}
    return metric


def _sort(metric: Any) -> str:
    if isinstance(metric, BaseModel):
        return {JudgedMetric: "judged", CallsMetric: "calls"}.get(type(metric), "range")  # type: ignore[call-overload]
    if not isinstance(metric, dict) or ("measure" not in metric and "criterion" not in metric):
        return "neither"
    if "measure" not in metric:
        return "judged"
    return "calls" if metric["measure"] == "function_calls" else "range"


def _neither(metric: Any) -> Any:
    if isinstance(metric, dict):
        raise fault("a metric needs a `criterion` (judged) or a `measure`")
    raise fault("a metric must be a mapping with a `criterion` or a `measure`")


Metric = Annotated[
    Annotated[JudgedMetric, _only("criterion", "min_score"), Tag("judged")]
    | Annotated[RangeMetric, _only("measure", "min_value", "max_value"), Tag("range")]
    | Annotated[CallsMetric, _only("measure", "calls"), Tag("calls")]
    | Annotated[JudgedMetric, BeforeValidator(_neither), Tag("neither")],
    Discriminator(_sort),
]


def check_names(metrics: list[Any]) -> None:
    """No two metrics of one simulation share a name.

    Raises:
        PydanticCustomError: For the first that does, placed within a simulation.
    """
    for index, metric in enumerate(metrics):
        if any(metric.name == other.name for other in metrics[:index]):
            raise fault(
                f"a metric named {metric.name!r} is there already: give this one a `name`",
                *("metrics", index),
            )
