"""The metrics of a simulation: judged criteria, measures with bounds, expected tool calls."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, Tag, model_validator

from sparring.scenarios.blocks import STRICT, Text
from sparring.scenarios.faults import (
    Fault,
    all_of,
    fault,
    nearest,
    not_among,
    quote_hint,
    quoted,
    shown,
    suggestion,
    unknown_key,
)
from sparring.scenarios.matchers import Arguments
from sparring.scenarios.measure_names import TEXT_MEASURES, VOICE_MEASURES, RangeMeasure

_MEASURES = (*TEXT_MEASURES, "function_calls")
_HEARD = "; a spoken call has more, see docs/audio-metrics.md"
_AT_LEAST = re.compile(r"[1-9][0-9]{0,8}\+\Z")
_Times = Annotated[int, Field(ge=1)] | Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}\+$")]
_KEYS = {
    "#judged": ("criterion", "min_score"),
    "#range": ("measure", "min_value", "max_value"),
    "#calls": ("measure", "calls"),
}
_ALL_KEYS = ("name", "criterion", "measure", "min_score", "min_value", "max_value", "calls")
_BELONGS_TO = {
    "min_score": "judged metrics, those with a `criterion`",
    "min_value": "measures that come to a number, so not for function_calls",
    "max_value": "measures that come to a number, so not for function_calls",
    "calls": "`measure: function_calls`",
    "criterion": "judged metrics; a metric has a `criterion` or a `measure`, not both",
}


class JudgedMetric(BaseModel):
    """A criterion that the judge decides on every agent turn."""

    model_config = STRICT

    name: Text = Field(description="The metric's name, unique in the simulation.")
    criterion: Text = Field(description="What every reply of the agent should be.")
    min_score: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="The share of turns that must pass; none only reports.",
    )


class RangeMetric(BaseModel):
    """A measure, with bounds or only reported."""

    model_config = STRICT

    name: Text = Field(default="", description="The metric's name; by default the measure's.")
    measure: RangeMeasure = Field(description="What is measured of the call.")
    min_value: float | None = Field(default=None, description="The least allowed, inclusive.")
    max_value: float | None = Field(default=None, description="The most allowed, inclusive.")

    @property
    def bounded(self) -> bool:
        """Whether it can fail a run."""
        return self.min_value is not None or self.max_value is not None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, metric: Any) -> Any:
        return _default_name(metric)

    @model_validator(mode="after")
    def _bounds_fit(self) -> Self:
        least, most = self.min_value, self.max_value
        if least is not None and most is not None and least > most:
            raise fault(
                f"min_value {least:.12g} is greater than max_value {most:.12g}", "min_value"
            )
        if most is not None and most < 0:
            raise fault(f"no call could meet max_value {most:.12g}: it is negative", "max_value")
        return self


def _count(times: Any) -> Any:
    is_number = isinstance(times, int) and not isinstance(times, bool) and times >= 1
    is_at_least = isinstance(times, str) and _AT_LEAST.match(times)
    if not (times is None or is_number or is_at_least):
        raise fault(f'times must be a whole number from 1, or text like "1+", not {shown(times)}')
    return times


class CallExpectation(BaseModel):
    """A tool call that is asked for."""

    model_config = STRICT

    name: Text = Field(description="The tool's name.")
    args: Arguments = Field(
        default_factory=dict[str, Any],
        description="Arguments it must have, among others: values, or matchers such as !gte 2.",
    )
    times: Annotated[
        int | str | None, BeforeValidator(_count, json_schema_input_type=_Times | None)
    ] = Field(
        default=None,
        description='How often: a number, or "1+" for that many or more; else once or more.',
    )

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
    if isinstance(call, str):
        return {"name": call}
    if not isinstance(call, dict | CallExpectation):
        hint = quote_hint(call)
        raise fault(f"a call is a name, or a mapping with a `name`, not {shown(call)}{hint}")
    return cast(Any, call)


class CallsMetric(BaseModel):
    """The tool calls of the whole conversation, held against a list."""

    model_config = STRICT

    name: Text = Field(default="", description="The metric's name; by default the measure's.")
    measure: Literal["function_calls"] = Field(description="The agent's tool calls.")
    calls: list[
        Annotated[
            CallExpectation,
            BeforeValidator(_named_call, json_schema_input_type=CallExpectation | str),
        ]
    ] = Field(
        description="The calls to be made, each a name or a name with args; [] for none at all."
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, metric: Any) -> Any:
        return _default_name(metric)


def _default_name(metric: Any) -> Any:
    if isinstance(metric, dict):
        keys = cast(dict[str, Any], metric)
        return {"name": keys.get("measure"), **keys}
    return metric


def _sort(metric: Any) -> str:
    """Which of the three sorts of metric it is, by the keys that are there."""
    if isinstance(metric, BaseModel):
        sorts = {"JudgedMetric": "#judged", "RangeMetric": "#range", "CallsMetric": "#calls"}
        return sorts[type(metric).__name__]
    if "measure" not in metric:
        return "#judged"
    return "#calls" if metric["measure"] == "function_calls" else "#range"


def _of_one_sort(metric: Any) -> Any:
    """A metric's keys, seen to belong together; so that each fault is told once and plainly."""
    if isinstance(metric, BaseModel):
        return metric
    if not isinstance(metric, dict):
        raise fault(
            f"a metric must be a mapping with a `criterion` or a `measure`, not {shown(metric)}"
        )
    keys = cast(dict[str, Any], metric)
    if "measure" not in keys and "criterion" not in keys:
        for key in keys:
            if nearest(key, _ALL_KEYS) in ("measure", "criterion"):
                raise fault(unknown_key(key, _ALL_KEYS), key, at_key=True)
        raise fault("a metric needs a `criterion` (judged) or a `measure`")
    measure = keys.get("measure", "turns")
    if measure not in (*_MEASURES, *VOICE_MEASURES):
        heard = suggestion(measure, VOICE_MEASURES) or _HEARD if isinstance(measure, str) else ""
        raise fault(not_among("measure", measure, _MEASURES, heard), "measure")
    own = _KEYS[_sort(keys)]
    misplaced = [key for key in keys if key in _BELONGS_TO and key not in own]
    if misplaced:
        raise all_of(
            [Fault(f"{key!r} is for {_BELONGS_TO[key]}", (key,), True) for key in misplaced]
        )
    return keys


Metric = Annotated[
    Annotated[
        Annotated[JudgedMetric, Tag("#judged")]
        | Annotated[RangeMetric, Tag("#range")]
        | Annotated[CallsMetric, Tag("#calls")],
        Discriminator(_sort),
    ],
    BeforeValidator(_of_one_sort),
]


def name_faults(metrics: Sequence[Metric]) -> list[Fault]:
    """Metrics of one simulation that have the name of an earlier one; within the simulation."""
    faults: list[Fault] = []
    names: set[str] = set()
    for index, metric in enumerate(metrics):
        if metric.name in names:
            named = f"a metric named {quoted(metric.name)}"
            message = f"{named} is there already: give this one a `name` of its own"
            faults.append(Fault(message, ("metrics", index)))
        names.add(metric.name)
    return faults
