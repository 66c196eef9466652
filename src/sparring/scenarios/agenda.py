"""The agenda: what the caller has in its head besides persona and goal."""

import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from sparring.scenarios.blocks import STRICT, Text
from sparring.scenarios.faults import (
    Fault,
    all_of,
    fault,
    quote_hint,
    shortened,
    shown,
    suggestion,
)

_LATER = ("interrupt", "backchannel")


def _as_list(value: Any) -> Any:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        hint = quote_hint(value)
        raise fault(f"hear must be a phrase or a list of phrases, not {shown(value)}{hint}")
    return cast(list[Any], value)


def _known_action(value: Any) -> Any:
    if value in _LATER:
        raise fault(f"action {value!r} needs spoken calls, which are not here yet")
    return value


class AgendaItem(BaseModel):
    """One thing the caller means to do in the call."""

    model_config = STRICT

    id: Text = Field(description="A name for it, unique in the agenda.")
    when: Text | None = Field(
        default=None, description="When to do it, in words, for an LLM caller."
    )
    hear: Annotated[
        list[Text], BeforeValidator(_as_list, json_schema_input_type=list[Text] | Text)
    ] = Field(
        default_factory=list[str],
        description="Phrases of the agent's that call for it, any of them, whatever the case; "
        "/…/ is a regular expression. For the agenda caller.",
    )
    do: Text | None = Field(default=None, description="What to do, in words, for an LLM caller.")
    say: Text | None = Field(default=None, description="The exact words, for the agenda caller.")
    done_when: Text | None = Field(
        default=None, description="When it counts as done, for the judge."
    )
    facts: list[Text] = Field(default_factory=list[str], description="Names of facts it needs.")
    after: list[Text] = Field(
        default_factory=list[str], description="Ids of items that must be done first."
    )
    action: Annotated[
        Literal["answer", "correct", "wait", "finish"], BeforeValidator(_known_action)
    ] = Field(
        default="answer", description="`wait` says nothing; `finish` goes out with the hang-up."
    )
    required: bool = Field(default=True, description="Whether the call is not done without it.")

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if self.say is None and self.do is None and self.action != "wait":
            raise fault(f"agenda item {self.id!r} needs a `say` or a `do`")
        if self.action == "wait" and not self.hear:
            raise fault(f"agenda item {self.id!r} waits, so it needs a `hear`: what to wait after")
        faults: list[Fault] = []
        for index, phrase in enumerate(self.hear):
            try:
                _pattern(phrase)
            except ValueError as error:
                message = f"{shortened(phrase)!r} is no good regular expression: {error}"
                faults.append(Fault(message, ("hear", index)))
        if faults:
            raise all_of(faults)
        return self

    def hears(self, text: str) -> bool:
        """Whether these words of the agent's call for the item."""
        return any(pattern.search(text) for pattern in self._patterns)

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [_pattern(phrase) for phrase in self.hear]


def agenda_faults(agenda: Sequence[AgendaItem], facts: Collection[str]) -> list[Fault]:
    """An agenda's references held against each other and against the facts; within a simulation."""
    faults: list[Fault] = []
    after: dict[str, list[str]] = {}
    for item in agenda:
        after.setdefault(item.id, item.after)
    seen: set[str] = set()
    for index, item in enumerate(agenda):
        at = ("agenda", index)
        if item.id in seen:
            faults.append(Fault(f"agenda item {item.id!r} is there twice", (*at, "id")))
        seen.add(item.id)
        for step, name in enumerate(item.facts):
            if name not in facts:
                hint = suggestion(name, list(facts)) or f" ({', '.join(facts) or 'none'})"
                message = f"agenda item {item.id!r} needs the fact {name!r}, not among `facts`"
                faults.append(Fault(message + hint, (*at, "facts", step)))
        for step, earlier in enumerate(item.after):
            if earlier not in after:
                message = f"agenda item {item.id!r} comes after {earlier!r}, which is no item"
                hint = suggestion(earlier, list(after))
                faults.append(Fault(message + hint, (*at, "after", step)))
    return [*faults, *_circles(agenda, after)]


def _circles(agenda: Sequence[AgendaItem], after: Mapping[str, list[str]]) -> Iterator[Fault]:
    told: set[str] = set()
    for index, item in enumerate(agenda):
        circle = _way_back(after, item.id)
        if circle and item.id not in told:
            told.update(circle)
            message = f"agenda item {item.id!r} comes after itself: {' after '.join(circle)}"
            yield Fault(message, ("agenda", index, "after"))


def _way_back(after: Mapping[str, list[str]], start: str) -> list[str]:
    """The shortest way from an item over what it comes after back to it; empty if there is none."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:  # It grows as we go: breadth first.
        for earlier in after.get(way[-1], []):
            if earlier == start:
                return [*way, start]
            if earlier not in seen:
                seen.add(earlier)
                ways.append([*way, earlier])
    return []


def _pattern(phrase: str) -> re.Pattern[str]:
    """A phrase as a pattern.

    Raises:
        ValueError: If it is a regular expression that is wrong, or of doubtful meaning.
    """
    is_expression = len(phrase) > 2 and phrase.startswith("/") and phrase.endswith("/")
    expression = phrase[1:-1] if is_expression else re.escape(phrase)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return re.compile(expression, re.IGNORECASE)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        except (re.error, OverflowError, Warning) as error:
            raise ValueError(str(error)) from None
