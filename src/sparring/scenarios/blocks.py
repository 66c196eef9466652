"""The blocks that simulations share: the caller's model, how it is heard, how the agent is judged.

``simulator:`` and ``judge.eval:`` name a model, ``user:`` and ``judge:`` a modality each. A block
with ``factory:`` is handed whole to the user's own function, so it may hold any further key.
"""

from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    model_validator,
)

from sparring.scenarios.faults import fault

STRICT = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
OPEN = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that says something."""
DottedPath = Annotated[str, StringConstraints(pattern=r"^\w+(\.\w+)+$")]

DEFAULT_MODEL = "gemma4:12b"


# Tags of variants begin with #, so that they cannot be taken for keys when a fault is located.
def by_factory(block: Any) -> str:
    """Which variant a block is: one with a ``factory``, one of our own services, or none."""
    if block is None or block is False:
        return "#none"
    is_factory = "factory" in block if isinstance(block, dict) else hasattr(block, "factory")
    return "#factory" if is_factory else "#service"


class FactoryBlock(BaseModel):
    """A service of the user's own: a function that takes this block and returns the service."""

    model_config = OPEN

    factory: DottedPath = Field(description="Dotted path to a callable that takes this block.")


class _Model(BaseModel):
    model_config = STRICT

    model: Text | None = Field(default=None, description=f"The model; with ollama {DEFAULT_MODEL}.")
    endpoint: Text | None = Field(default=None, description="Base URL of the server.")
    extra: dict[str, Any] | None = Field(
        default=None, description="Request parameters, forwarded as they are."
    )


M = TypeVar("M", bound=_Model)


def _needs_model(block: M, service: str) -> M:
    if service == "openai" and block.model is None:
        raise fault("`service: openai` needs a `model`")
    return block


class SimulatorModel(_Model):
    """The LLM that plays the caller."""

    service: Literal["ollama", "openai", "agenda"] = Field(
        default="ollama", description="`agenda` plays the agenda word for word, without an LLM."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.service == "agenda":
            for key in ("model", "endpoint", "extra"):
                if getattr(self, key) is not None:
                    raise fault(f"`service: agenda` uses no LLM, so it takes no {key}", key)
        return _needs_model(self, self.service)


class JudgeModel(_Model):
    """The LLM that judges."""

    service: Literal["ollama", "openai"] = Field(
        default="ollama", description="Who serves the model."
    )
    explainer: "Explainer" = Field(
        default=None, description="A second LLM that gives reasons for verdicts; false for none."
    )
    explain_below: float | None = Field(default=None, ge=0, le=1)
    allow_continue: bool = True

    @model_validator(mode="after")
    def _fits(self) -> Self:
        return _needs_model(self, self.service)


class JudgeFactory(FactoryBlock):
    """A judge of the user's own."""

    explainer: "Explainer" = None
    explain_below: float | None = Field(default=None, ge=0, le=1)
    allow_continue: bool = True


class ExplainerModel(_Model):
    """The LLM that explains verdicts."""

    service: Literal["ollama", "openai"] = Field(
        default="ollama", description="Who serves the model."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        return _needs_model(self, self.service)


Explainer = Annotated[
    Annotated[FactoryBlock, Tag("#factory")]
    | Annotated[ExplainerModel, Tag("#service")]
    | Annotated[Literal[False] | None, Tag("#none")],
    Discriminator(by_factory),
]
Simulator = Annotated[
    Annotated[FactoryBlock, Tag("#factory")] | Annotated[SimulatorModel, Tag("#service")],
    Discriminator(by_factory),
]
JudgeEval = Annotated[
    Annotated[JudgeFactory, Tag("#factory")]
    | Annotated[JudgeModel, Tag("#service")]
    | Annotated[Literal[False] | None, Tag("#none")],
    Discriminator(by_factory),
]


class SpeechService(BaseModel):
    """How the caller's words become sound."""

    model_config = STRICT

    service: Literal["kokoro", "piper", "openai"] = Field(description="The TTS service.")
    voice: Text = Field(description="The voice, by the service's own name for it.")
    language: Text | None = None
    speed: float | None = Field(default=None, gt=0)
    sample_rate: int = Field(default=16000, gt=0, description="Hertz.")
    model: Text | None = None


Speech = Annotated[
    Annotated[FactoryBlock, Tag("#factory")]
    | Annotated[SpeechService, Tag("#service")]
    | Annotated[None, Tag("#none")],
    Discriminator(by_factory),
]


class User(BaseModel):
    """How the caller's turns reach the agent."""

    model_config = STRICT

    modality: Literal["text", "audio"] = Field(
        default="text", description="Text, or synthesized speech."
    )
    speech: Speech = Field(default=None, description="The caller's voice; needed for audio.")

    @model_validator(mode="after")
    def _has_voice(self) -> Self:
        if self.modality == "audio" and self.speech is None:
            raise fault("`modality: audio` needs a `speech:` block with a service and a voice")
        return self


class TranscriptionService(BaseModel):
    """How the agent's sound becomes words."""

    model_config = STRICT

    service: Literal["moonshine", "whisper", "openai"] = Field(
        default="moonshine", description="The STT service."
    )
    model: Text | None = None
    language: Text | None = None
    device: Text | None = None
    compute_type: Text | None = None
    padding_secs: float | None = Field(default=None, ge=0, description="Read by nothing; accepted.")


Transcription = Annotated[
    Annotated[FactoryBlock, Tag("#factory")]
    | Annotated[TranscriptionService, Tag("#service")]
    | Annotated[None, Tag("#none")],
    Discriminator(by_factory),
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
    eval: JudgeEval = Field(default=None, description="The judge's LLM; false to judge nothing.")

    @model_validator(mode="after")
    def _can_hear(self) -> Self:
        if self.modality == "audio" and self.transcription is None:
            raise fault("`modality: audio` needs a `transcription:` block")
        return self
