"""The blocks that scenarios share: the caller's model, how it is heard, how the agent is judged.

``simulator:`` and ``judge.eval:`` name a model, ``user:`` and ``judge:`` a modality each. A block
with ``factory:`` is handed whole to the user's own function, so it may hold any further key.
"""

import math
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    model_validator,
)

from sparring.scenarios.faults import Fault, all_of, fault, nearest_spelling, unknown_key

STRICT = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
OPEN = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def _speakable(text: str) -> str:
    if found := _CONTROL.search(text):
        raise fault(f"text cannot hold the control character U+{ord(found[0]):04X}")
    return text


Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_speakable)
]
"""Text that says something."""
DottedPath = Annotated[str, StringConstraints(pattern=r"^[^\W\d]\w*(\.[^\W\d]\w*)+$")]


def _not_finite(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[Fault]:
    if isinstance(value, float) and not math.isfinite(value):
        yield Fault("only finite numbers can be sent", path)
    elif isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield from _not_finite(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[Any], value)):
            yield from _not_finite(item, (*path, index))


def _json(mapping: dict[str, Any]) -> dict[str, Any]:
    if faults := list(_not_finite(mapping)):
        raise all_of(faults)
    return mapping


JsonMapping = Annotated[dict[str, Any], AfterValidator(_json)]
"""A mapping that goes to someone else as JSON."""

DEFAULT_MODEL = "gemma4:12b"
DEFAULT_EXTRA = {"reasoning_effort": "none"}


# Tags of variants begin with #, so that they cannot be taken for keys when a fault is located.
def by_factory(block: Any) -> str:
    """Which variant a block is: one with a ``factory``, or one of our own services."""
    is_factory = "factory" in block if isinstance(block, dict) else hasattr(block, "factory")
    return "#factory" if is_factory else "#service"


def _by_factory_or_absent(block: Any) -> str:
    return "#none" if block is None else by_factory(block)


def _by_factory_or_false(block: Any) -> str:
    return "#none" if block is None or block is False else by_factory(block)


def _with_factory_spelt_right(block: Any) -> Any:
    """A misspelt ``factory`` would make faults of all the keys that only it may have."""
    if isinstance(block, dict) and "factory" not in block:
        for key in cast(dict[str, Any], block):
            if nearest_spelling(key, ("factory",)):
                raise fault(unknown_key(key, ("factory",)), key, at_key=True)
    return cast(Any, block)


_SPELT_RIGHT = BeforeValidator(_with_factory_spelt_right)


class FactoryBlock(BaseModel):
    """A service of the user's own: a function that takes this block and returns the service."""

    model_config = OPEN

    factory: DottedPath = Field(description="Dotted path to a callable that takes this block.")


class _Model(BaseModel):
    """An LLM of a service of ours; ollama has a default model, with a default ``extra``."""

    model_config = STRICT

    model: Text | None = Field(
        default=None, description=f"The model; with ollama, {DEFAULT_MODEL} by default."
    )
    endpoint: Text | None = Field(default=None, description="Base URL of the server.")
    extra: JsonMapping | None = Field(
        default=None,
        description="Request parameters, forwarded as they are; for the default model, "
        "reasoning_effort: none by default.",
    )

    @model_validator(mode="before")
    @classmethod
    def _with_default_model(cls, block: Any) -> Any:
        if not isinstance(block, dict):
            return block
        keys = cast(dict[str, Any], block)
        if keys.get("model") is not None or keys.get("service", "ollama") != "ollama":
            return keys
        extra = DEFAULT_EXTRA if keys.get("extra") is None else keys["extra"]
        return {**keys, "model": DEFAULT_MODEL, "extra": extra}

    @model_validator(mode="after")
    def _has_model(self) -> Self:
        if getattr(self, "service", None) == "openai" and self.model is None:
            raise fault("`service: openai` needs a `model`")
        return self


class SimulatorModel(_Model):
    """The LLM that plays the caller."""

    service: Literal["ollama", "openai", "agenda"] = Field(
        default="ollama",
        description="Who serves the model; `agenda` plays the agenda word for word, without one.",
    )

    @model_validator(mode="after")
    def _agenda_has_no_model(self) -> Self:
        given = [k for k in ("model", "endpoint", "extra") if getattr(self, k) is not None]
        if self.service == "agenda" and given:
            raise all_of(
                [
                    Fault(f"`service: agenda` uses no LLM, so it takes no `{key}`", (key,), True)
                    for key in given
                ]
            )
        return self


class ExplainerModel(_Model):
    """The LLM that explains verdicts."""

    service: Literal["ollama", "openai"] = Field(
        default="ollama", description="Who serves the model."
    )


Explainer = Annotated[
    Annotated[FactoryBlock, Tag("#factory")]
    | Annotated[ExplainerModel, Tag("#service")]
    | Annotated[Literal[False] | None, Tag("#none")],
    Discriminator(_by_factory_or_false),
    _SPELT_RIGHT,
]
_EXPLAINER = "A second LLM that gives the reasons for verdicts; false for none."
_EXPLAIN_BELOW = "The confidence below which a verdict is explained."
_ALLOW_CONTINUE = "Whether the judge may wait for more of a reply; for scripts."


class JudgeModel(_Model):
    """The LLM that judges."""

    service: Literal["ollama", "openai"] = Field(
        default="ollama", description="Who serves the model."
    )
    explainer: Explainer = Field(default=None, description=_EXPLAINER)
    explain_below: float | None = Field(default=None, ge=0, le=1, description=_EXPLAIN_BELOW)
    allow_continue: bool = Field(default=True, description=_ALLOW_CONTINUE)


class JudgeFactory(FactoryBlock):
    """A judge of the user's own."""

    explainer: Explainer = Field(default=None, description=_EXPLAINER)
    explain_below: float | None = Field(default=None, ge=0, le=1, description=_EXPLAIN_BELOW)
    allow_continue: bool = Field(default=True, description=_ALLOW_CONTINUE)


Simulator = Annotated[
    Annotated[FactoryBlock, Tag("#factory")] | Annotated[SimulatorModel, Tag("#service")],
    Discriminator(by_factory),
    _SPELT_RIGHT,
]


def _default_if_empty(block: Any) -> Any:
    return {} if block is None else block


_JudgeEval = Annotated[
    Annotated[JudgeFactory, Tag("#factory")]
    | Annotated[JudgeModel, Tag("#service")]
    | Annotated[Literal[False], Tag("#none")],
    Discriminator(_by_factory_or_false),
    _SPELT_RIGHT,
]
JudgeEval = Annotated[
    _JudgeEval, BeforeValidator(_default_if_empty, json_schema_input_type=_JudgeEval | None)
]


class SpeechService(BaseModel):
    """How the caller's words become sound."""

    model_config = STRICT

    service: Literal["kokoro", "piper", "openai"] = Field(description="The TTS service.")
    voice: Text = Field(description="The voice, by the service's own name for it.")
    language: Text | None = Field(default=None, description="Language code, such as en.")
    speed: float | None = Field(default=None, gt=0, description="1 is the voice's own speed.")
    sample_rate: int = Field(default=16000, gt=0, description="Hertz.")
    model: Text | None = Field(default=None, description="The service's model.")


Speech = Annotated[
    Annotated[FactoryBlock, Tag("#factory")]
    | Annotated[SpeechService, Tag("#service")]
    | Annotated[None, Tag("#none")],
    Discriminator(_by_factory_or_absent),
    _SPELT_RIGHT,
]


class User(BaseModel):
    """How the caller's turns reach the agent."""

    model_config = STRICT

    modality: Literal["text", "audio"] = Field(
        default="text", description="Text, or synthesized speech."
    )
    speech: Speech = Field(default=None, description="The caller's voice; needed for audio.")


class TranscriptionService(BaseModel):
    """How the agent's sound becomes words."""

    model_config = STRICT

    service: Literal["moonshine", "whisper", "openai"] = Field(
        default="moonshine", description="The STT service."
    )
    model: Text | None = Field(default=None, description="The service's model.")
    language: Text | None = Field(default=None, description="Language code, such as en.")
    device: Text | None = Field(default=None, description="Whisper: cpu or cuda.")
    compute_type: Text | None = Field(default=None, description="Whisper: such as int8.")
    padding_secs: float | None = Field(
        default=None, ge=0, description="Accepted for pipecat's sake; nothing reads it."
    )


Transcription = Annotated[
    Annotated[FactoryBlock, Tag("#factory")]
    | Annotated[TranscriptionService, Tag("#service")]
    | Annotated[None, Tag("#none")],
    Discriminator(_by_factory_or_absent),
    _SPELT_RIGHT,
]


class Judge(BaseModel):
    """What is judged, by whom."""

    model_config = STRICT

    modality: Literal["text", "audio"] = Field(
        default="text", description="Whether the agent's text or its sound is heard."
    )
    transcription: Transcription = Field(
        default=None, description="What transcribes the agent's sound; needed for audio."
    )
    eval: JudgeEval = Field(
        default=JudgeModel(),
        description="The judge's LLM; false to judge nothing.",
    )

    @model_validator(mode="after")
    def _can_hear(self) -> Self:
        if self.modality == "audio" and self.transcription is None:
            raise fault("`modality: audio` needs a `transcription:` block")
        return self
