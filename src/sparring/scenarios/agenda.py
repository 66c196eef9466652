"""The agenda: what the caller has in its head besides persona and goal."""

import re
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from sparring.scenarios.blocks import STRICT, Text
from sparring.scenarios.faults import fault

_LATER = ("interrupt", "backchannel")


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


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
        for index, phrase in enumerate(self.hear):
            try:
                _pattern(phrase)
            except re.error as error:
                raise fault(
                    f"{phrase!r} is no regular expression: {error}", "hear", index
                ) from None
        return self

    def hears(self, text: str) -> bool:
        """Whether these words of the agent's call for the item."""
        return any(pattern.search(text) for pattern in self._patterns)

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [_pattern(phrase) for phrase in self.hear]


def check_agenda(agenda: list[AgendaItem], facts: dict[str, Any]) -> None:
    """Hold an agenda's references against each other.

    Raises:
        PydanticCustomError: For the first that does not fit, placed within a simulation.
    """
    ids = [item.id for item in agenda]
    for index, item in enumerate(agenda):
        if item.id in ids[:index]:
            raise fault(f"agenda item {item.id!r} is there twice", "agenda", index, "id")
        for step, name in enumerate(item.facts):
            if name not in facts:
                known = ", ".join(facts) or "none"
                raise fault(
                    f"agenda item {item.id!r} needs the fact {name!r}, which is not among `facts` "
                    f"({known})",
                    *("agenda", index, "facts", step),
                )
        for step, earlier in enumerate(item.after):
            if earlier not in ids:
                raise fault(
                    f"agenda item {item.id!r} comes after {earlier!r}, which is no item",
                    *("agenda", index, "after", step),
                )
    after = {item.id: item.after for item in agenda}
    for index, item in enumerate(agenda):
        if _reaches(after, item.id, item.id):
            raise fault(f"agenda item {item.id!r} comes after itself", "agenda", index, "after")


def _reaches(after: dict[str, list[str]], start: str, goal: str) -> bool:
    seen: set[str] = set()
    waiting = list(after[start])
    while waiting:
        item = waiting.pop()
        if item == goal:
            return True
        if item not in seen:
            seen.add(item)
            waiting += after[item]
    return False


def _pattern(phrase: str) -> re.Pattern[str]:
    expression = len(phrase) > 2 and phrase.startswith("/") and phrase.endswith("/")
    return re.compile(phrase[1:-1] if expression else re.escape(phrase), re.IGNORECASE)
