"""The agenda: what the caller has in its head besides persona and goal."""

import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self, cast

import regex
from pydantic import BaseModel, BeforeValidator, Field, model_validator

from sparring.errors import CallerError
from sparring.scenarios.blocks import STRICT, Text
from sparring.scenarios.faults import (
    Fault,
    all_of,
    fault,
    listed,
    quote_hint,
    quoted,
    shown,
    suggestion,
)

_LATER = ("interrupt", "backchannel")
_MATCH_S = 0.5
"""What a regular expression may take; one that backtracks without end would stop everything."""


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
            raise fault(f"agenda item {quoted(self.id)} needs a `say` or a `do`")
        if self.action == "wait" and not self.hear:
            raise fault(
                f"agenda item {quoted(self.id)} waits, so it needs a `hear`: what to wait after"
            )
        if self.action == "wait" and self.say is not None:
            raise fault(
                f"agenda item {quoted(self.id)} waits, so it has nothing to `say`: leave it out, "
                "or make it another action",
                "say",
                at_key=True,
            )
        faults: list[Fault] = []
        for index, phrase in enumerate(self.hear):
            try:
                _pattern(phrase)
            except ValueError as error:
                message = f"{quoted(phrase)} is no good regular expression: {error}"
                faults.append(Fault(message, ("hear", index)))
        if faults:
            raise all_of(faults)
        return self

    def hears(self, text: str) -> bool:
        """Whether these words of the agent's call for the item.

        Raises:
            CallerError: If one of its regular expressions cannot be matched in any decent time.
        """
        for phrase, pattern in zip(self.hear, self._patterns, strict=True):
            try:
                if pattern.search(text, timeout=_MATCH_S):
                    return True
            except TimeoutError:
                raise CallerError(
                    f"agenda item {quoted(self.id)}: the regular expression {quoted(phrase)} takes "
                    f"more than {_MATCH_S:g} s on what the agent said; write it so that it cannot "
                    "match in many ways"
                ) from None
        return False

    @cached_property
    def _patterns(self) -> list[regex.Pattern[str]]:
        return [_pattern(phrase) for phrase in self.hear]


def agenda_faults(agenda: Sequence[AgendaItem], facts: Collection[str]) -> list[Fault]:
    """An agenda's references held against each other and against the facts; within a simulation."""
    faults: list[Fault] = []
    after: dict[str, list[str]] = {}
    for item in agenda:
        after.setdefault(item.id, item.after)
    finishing = {item.id for item in agenda if item.action == "finish"}
    seen: set[str] = set()
    for index, item in enumerate(agenda):
        at = ("agenda", index)
        name = f"agenda item {quoted(item.id)}"
        if item.id in seen:
            faults.append(Fault(f"{name} is there twice", (*at, "id")))
        seen.add(item.id)
        for step, fact in enumerate(item.facts):
            if fact not in facts:
                hint = suggestion(fact, facts) or f" ({listed(facts) or 'none'})"
                message = f"{name} needs the fact {quoted(fact)}, not among `facts`"
                faults.append(Fault(message + hint, (*at, "facts", step)))
        for step, earlier in enumerate(item.after):
            if earlier not in after:
                message = f"{name} comes after {quoted(earlier)}, which is no item"
                hint = suggestion(earlier, after)
                faults.append(Fault(message + hint, (*at, "after", step)))
            elif earlier in finishing:
                message = f"{name} comes after {quoted(earlier)}, with which the caller hangs up"
                faults.append(Fault(message, (*at, "after", step)))
    return [*faults, *_circles(agenda, after)]


def _circles(agenda: Sequence[AgendaItem], after: Mapping[str, list[str]]) -> Iterator[Fault]:
    after = _entangled(after)
    told: set[str] = set()
    for index, item in enumerate(agenda):
        circle = [] if item.id in told else _way_back(after, item.id)
        if circle:
            told.update(circle)
            way = listed(circle, " after ")
            message = f"agenda item {quoted(item.id)} comes after itself: {way}"
            yield Fault(message, ("agenda", index, "after"))


def _entangled(after: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """What is left when items that come after none of those left are taken away, one by one."""
    waiting = {item: len(earlier) for item, earlier in after.items()}
    later: dict[str, list[str]] = {}
    for item, earlier_items in after.items():
        for earlier in earlier_items:
            if earlier in after:
                later.setdefault(earlier, []).append(item)
            else:
                waiting[item] -= 1
    free = [item for item, number in waiting.items() if number == 0]
    for item in free:  # It grows as we go.
        for dependent in later.get(item, []):
            waiting[dependent] -= 1
            if waiting[dependent] == 0:
                free.append(dependent)
    return {item: after[item] for item, number in waiting.items() if number}


def _way_back(after: Mapping[str, list[str]], start: str) -> list[str]:
    """The shortest way from an item over what it comes after back to it; empty if there is none."""
    reached_from: dict[str, str] = {}
    reached = [start]
    for item in reached:  # It grows as we go: breadth first.
        for earlier in after.get(item, []):
            if earlier == start:
                way = [item, start]
                while way[0] != start:
                    way.insert(0, reached_from[way[0]])
                return way
            if earlier not in reached_from:
                reached_from[earlier] = item
                reached.append(earlier)
    return []


def _pattern(phrase: str) -> regex.Pattern[str]:
    """A phrase as a pattern.

    Raises:
        ValueError: If it is a regular expression that is wrong, or of doubtful meaning.
    """
    is_expression = len(phrase) > 1 and phrase.startswith("/") and phrase.endswith("/")
    expression = phrase[1:-1] if is_expression else re.escape(phrase)
    if not expression:
        raise ValueError("it is empty, so it would hear everything")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            re.compile(expression)  # Its warnings and its words for what is wrong are the better.
            return regex.compile(expression, regex.IGNORECASE)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        except (re.error, regex.error, OverflowError, Warning) as error:
            raise ValueError(str(error)) from None
