"""What a script expects of the agent: an event, and what must be true of it."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self, cast, get_args

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from sparring.scenarios.blocks import STRICT, Text
from sparring.scenarios.faults import Fault, all_of, fault, listed, quote_hint, shown
from sparring.scenarios.matchers import Arguments

EventName = Literal[
    "response",
    "llm_response",
    "tts_response",
    "llm_started",
    "llm_marker",
    "function_call",
    "function_call_stopped",
    "user_transcription",
    "user_backchannel",
    "user_started_speaking",
    "user_stopped_speaking",
    "vad_user_started_speaking",
    "vad_user_stopped_speaking",
    "bot_started_speaking",
    "bot_stopped_speaking",
    "bot_interrupted",
    "bot_backchannel",
    "bot_ended",
    "image",
]
EVENT_NAMES: tuple[str, ...] = get_args(EventName)
REPLIES = ("response", "llm_response", "tts_response")
"""Events that are what the agent says; ``response`` is whichever of them the judge hears."""
CALLS = ("function_call", "function_call_stopped")
_TEXTS = (*REPLIES, "user_transcription", "user_backchannel", "bot_backchannel", "llm_marker")
_JUDGED = (*REPLIES, "function_call", "user_transcription", "user_backchannel", "bot_backchannel")

_NEEDS = {
    **dict.fromkeys(("text_contains", "text_excludes"), _TEXTS),
    "eval": _JUDGED,
    **dict.fromkeys(("calls", "name", "args"), CALLS),
    **dict.fromkeys(("marker", "marker_first", "markers", "text_after"), ("llm_marker",)),
}
"""Keys that only some events can be held against, and those events."""


class CallPattern(BaseModel):
    """A tool call that is waited for."""

    model_config = STRICT

    name: Text | None = Field(default=None, description="The tool's name; without it, any tool.")
    args: Arguments = Field(
        default_factory=dict[str, Any],
        description="Arguments it must have, among others: values, or matchers such as !gte 2.",
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.name is None and not self.args:
            raise fault("a call needs a `name` or `args`; leave `calls` out for any call")
        return self


def _call(entry: Any) -> Any:
    if isinstance(entry, str):
        return {"name": entry}
    if not isinstance(entry, dict | CallPattern):
        hint = quote_hint(entry)
        raise fault(f"a call is a name, or a mapping with a `name`, not {shown(entry)}{hint}")
    return cast(Any, entry)


_Call = Annotated[CallPattern, BeforeValidator(_call, json_schema_input_type=CallPattern | str)]


class Expectation(BaseModel):
    """An event that must come, or must not."""

    model_config = STRICT

    event: EventName = Field(description="What is waited for.")
    within_ms: float | None = Field(
        default=None,
        gt=0,
        description="Milliseconds from the turn's input; by default the run's --timeout.",
    )
    text_contains: Text | None = Field(
        default=None, description="What its text must contain; runs of spaces count as one."
    )
    text_excludes: Text | None = Field(
        default=None, description="What its text must not contain anywhere."
    )
    eval: Text | None = Field(default=None, description="What the judge must find true of it.")
    calls: list[_Call] | None = Field(
        default=None, min_length=1, description="Tool calls that must all come, in any order."
    )
    name: Text | None = Field(default=None, description="Short for one call: the tool's name.")
    args: Arguments | None = Field(
        default=None, description="Short for one call: arguments it must have."
    )
    marker: Literal["complete", "short", "long", "incomplete"] | None = Field(
        default=None, description="The kind of turn-completion marker."
    )
    marker_first: bool | None = Field(
        default=None, description="Whether the response begins with the marker."
    )
    markers: int | None = Field(
        default=None, ge=0, description="How many markers the response holds."
    )
    text_after: bool | None = Field(default=None, description="Whether text follows the marker.")
    check_from: Literal["previous", "turn_start"] = Field(
        default="previous",
        description="Where it may lie: not before what the expectation above it matched, or "
        "anywhere in the turn.",
    )
    absent: bool = Field(
        default=False, description="The event must not come in the whole of its time."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if faults := [*self._misplaced(), *self._contradictions()]:
            raise all_of(faults)
        return self

    def _misplaced(self) -> Iterator[Fault]:
        for key in self._given:
            events = _NEEDS[key]
            if self.event not in events:
                yield Fault(f"{key!r} is for {listed(events)}, not {self.event}", (key,), True)

    def _contradictions(self) -> Iterator[Fault]:
        if self.absent:
            given = [*self._given, *(["check_from"] if self.check_from != "previous" else [])]
            for key in given:
                message = f"what is `absent` cannot have {key!r}: no such event may come"
                yield Fault(message, (key,), True)
        if self.calls is not None:
            for key in ("name", "args"):
                if getattr(self, key) is not None:
                    yield Fault(f"{key!r} is short for one call: put it into `calls`", (key,), True)

    @property
    def _given(self) -> list[str]:
        return [key for key in _NEEDS if getattr(self, key) is not None]

    @property
    def is_reply(self) -> bool:
        """Whether it is about what the agent says."""
        return self.event in REPLIES

    @property
    def patterns(self) -> list[CallPattern]:
        """The calls that are waited for; none for any one call."""
        if self.calls is not None:
            return self.calls
        if self.name is None and not self.args:
            return []
        return [CallPattern(name=self.name, args=self.args or {})]
