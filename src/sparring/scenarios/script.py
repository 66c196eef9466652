"""A script: the caller's exact turns, and what the agent must do in each."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from sparring.scenarios.blocks import STRICT, Text
from sparring.scenarios.definition import Definition, role_faults
from sparring.scenarios.expectations import EventName, Expectation
from sparring.scenarios.faults import Fault, all_of, fault, quote_hint, quoted, shown

_KEYS = re.compile(r"[0-9*#]+\Z")


class Pause(BaseModel):
    """A silence in the caller's speech."""

    model_config = STRICT

    pause_ms: int = Field(gt=0, description="Milliseconds.")


def _parts(said: Any) -> Any:
    """A caller's words as a list of texts and pauses, each fault told once."""
    if said is None:
        return None
    if isinstance(said, str):
        return [said]
    if not isinstance(said, list):
        raise fault(
            f"user must be text, or a list of texts and pauses, not {shown(said)}{quote_hint(said)}"
        )
    parts = cast(list[Any], said)
    faults: list[Fault] = []
    for index, part in enumerate(parts):
        if isinstance(part, Pause) or (isinstance(part, str) and part.strip()):
            continue
        if not _is_pause(part):
            message = f"a part is text, or a pause such as {{pause_ms: 500}}, not {shown(part)}"
            faults.append(Fault(message + quote_hint(part), (index,)))
    if not faults and not any(isinstance(part, str) for part in parts):
        faults.append(
            Fault(
                "user must say something: there are only pauses"
                if parts
                else "user must not be empty"
            )
        )
    if faults:
        raise all_of(faults)
    return parts


def _is_pause(part: Any) -> bool:
    if not isinstance(part, dict) or list(cast(dict[str, Any], part)) != ["pause_ms"]:
        return False
    length = cast(dict[str, Any], part)["pause_ms"]
    return isinstance(length, int) and not isinstance(length, bool) and length > 0


def _keys(keys: Any) -> Any:
    """Keys as text; YAML takes ``dtmf: 12`` for a number."""
    text = str(keys) if isinstance(keys, int) and not isinstance(keys, bool) else keys
    if text is None:
        return None
    if not isinstance(text, str):
        raise fault(f"dtmf must be keys, not {shown(keys)}{quote_hint(keys)}")
    if not _KEYS.match(text):
        raise fault(f"dtmf takes the keys 0 to 9, * and #, not {quoted(text)}")
    return text


class SendAfter(BaseModel):
    """When the turn's input goes out, if not as soon as the agent has finished."""

    model_config = STRICT

    event: EventName | None = Field(
        default=None,
        description="The last such event since the turn before began; if there is none, the next.",
    )
    delay_ms: int = Field(
        default=0,
        ge=0,
        description="Milliseconds after it; without an event, after the turn before is settled.",
    )

    @model_validator(mode="after")
    def _waits(self) -> Self:
        if self.event is None and self.delay_ms == 0:
            raise fault("send_after needs an `event`, or a `delay_ms` above 0")
        return self


class ScriptTurn(BaseModel):
    """One turn: what the caller does, if anything, and what the agent must do then."""

    model_config = STRICT

    user: Annotated[
        list[Text | Pause] | None,
        BeforeValidator(_parts, json_schema_input_type=Text | list[Text | Pause]),
    ] = Field(default=None, description="What the caller says; in speech, with pauses.")
    dtmf: Annotated[
        str | None,
        BeforeValidator(
            _keys,
            json_schema_input_type=Annotated[str, Field(pattern=r"^[0-9*#]+$")]
            | Annotated[int, Field(ge=0)],
        ),
    ] = Field(default=None, description="Keys that the caller presses: 0 to 9, * and #.")
    audio: Text | None = Field(
        default=None, description="A recording of the words, relative to this file."
    )
    image: Text | None = Field(
        default=None,
        description="What the caller's camera sees from now on: an image, relative to this file.",
    )
    send_after: SendAfter | None = Field(
        default=None, description="When the input goes out; by default once the agent is done."
    )
    expect: list[Expectation] = Field(
        default_factory=list[Expectation], description="What must happen, in this order."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if faults := list(self._faults()):
            raise all_of(faults)
        return self

    def _faults(self) -> Iterator[Fault]:
        if self.user is not None and self.dtmf is not None:
            yield Fault("a turn has `user` or `dtmf`, not both", ("dtmf",), True)
        if self.audio is not None:
            if self.user is None:
                yield Fault("`audio` needs `user`: the words of the recording", ("audio",), True)
            elif self.has_pauses:
                yield Fault("a recording has its own pauses: give `user` as text", ("user",))
        if self.send_after is not None and self.is_observing:
            yield Fault(
                "`send_after` needs `user` or `dtmf`: a turn to send", ("send_after",), True
            )

    @property
    def is_observing(self) -> bool:
        """Whether the caller only listens."""
        return self.user is None and self.dtmf is None

    @property
    def has_pauses(self) -> bool:
        """Whether the caller's words hold pauses."""
        return any(isinstance(part, Pause) for part in self.user or ())

    @property
    def text(self) -> str:
        """The caller's words, without the pauses."""
        return " ".join(part for part in self.user or () if isinstance(part, str))


class Script(Definition):
    """A scripted scenario, as one entry of a file describes it."""

    turns: list[ScriptTurn] = Field(
        min_length=1, description="The caller's turns, with what is expected in each."
    )
    stop_on_failure: bool = Field(
        default=True, description="Whether the turns after one that failed are left out."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        faults = [
            *role_faults(self.context),
            *self._unheard(),
            *self._unspoken(),
            *self._voiceless(),
        ]
        if not any(turn.expect for turn in self.turns):
            faults.append(Fault("no turn has an `expect`: nothing would be checked", ("turns",)))
        if faults:
            raise all_of(faults)
        return self

    def _unheard(self) -> Iterator[Fault]:
        """Expectations that nobody can hear."""
        if self.judge.modality == "audio":
            return
        for index, turn in enumerate(self.turns):
            for position, expectation in enumerate(turn.expect):
                if expectation.event == "tts_response":
                    yield Fault(
                        "tts_response needs `judge: {modality: audio}`; in text there is response",
                        ("turns", index, "expect", position, "event"),
                    )

    def _unspoken(self) -> Iterator[Fault]:
        """What only a caller that speaks can do."""
        if self.user.modality == "audio":
            return
        for index, turn in enumerate(self.turns):
            if turn.audio is not None:
                message = "`audio` needs `user: {modality: audio}`"
                yield Fault(message, ("turns", index, "audio"), True)
            if turn.has_pauses:
                message = "pauses need `user: {modality: audio}`"
                yield Fault(message, ("turns", index, "user"), True)

    def _voiceless(self) -> Iterator[Fault]:
        """A caller that must speak, without a voice or a recording."""
        if self.user.modality == "text" or self.user.speech is not None:
            return
        silent = [
            str(index) for index, turn in enumerate(self.turns) if turn.user and not turn.audio
        ]
        if silent:
            yield Fault(
                "`modality: audio` needs a `speech:` block with a service and a voice, or an "
                f"`audio:` file in every turn that speaks; turn {', '.join(silent)} has none",
                ("user",),
            )

    @property
    def asks_judge(self) -> bool:
        """Whether anything in it is for a judge."""
        return any(one.eval is not None for turn in self.turns for one in turn.expect)

    def missing_files(self, directory: Path) -> Iterator[Fault]:
        """Files that its turns name and that are not there.

        Args:
            directory: The scenario file's, which their paths are relative to.
        """
        for index, turn in enumerate(self.turns):
            for key in _FILES:
                name: str | None = getattr(turn, key)
                if name is not None and not (directory / name).is_file():
                    yield Fault(f"there is no file {directory / name}", ("turns", index, key))


_FILES: tuple[Literal["audio", "image"], ...] = ("audio", "image")
