"""Which of the loaded scenarios are wanted: by name, by kind, by tag, the first of them.

What is asked for and is not there is an error, since a misspelt name would otherwise be a test that
nobody plays any more.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sparring.errors import UsageError
from sparring.scenarios import Scenario
from sparring.scenarios.faults import listed, suggestion


@dataclass(frozen=True)
class Selection:
    """What is asked for; every part narrows it down further."""

    names: Sequence[str] = ()
    """Any of these: a full name (``file/scenario``), or one half of it."""
    kind: Literal["simulation", "script"] | None = None
    tags: Sequence[str] = ()
    """Any of these."""
    at_most: int | None = None
    """How many of what is left, from the first."""


def select(scenarios: Sequence[Scenario], wanted: Selection) -> list[Scenario]:
    """The scenarios that are wanted, in their order.

    Args:
        scenarios: All there are.
        wanted: What is asked for.

    Raises:
        UsageError: If a name or a tag is nobody's, or nothing is left; the text says what there is.
    """
    if not scenarios:
        return []
    left = list(scenarios)
    if wanted.names:
        left = _having(left, wanted.names, _names, "named")
    if wanted.tags:
        left = _having(left, wanted.tags, lambda scenario: scenario.definition.tags, "tagged")
    if wanted.kind is not None:
        left = [scenario for scenario in left if scenario.kind == wanted.kind]
    if not left:
        there = listed(f"{scenario.name} ({scenario.kind})" for scenario in scenarios)
        raise UsageError(f"no scenario is all that was asked for; there are: {there}")
    return left[: wanted.at_most]


def _names(scenario: Scenario) -> Iterator[str]:
    """A scenario's full name and every half of it; a name may hold a slash of its own."""
    parts = scenario.name.split("/")
    for cut in range(len(parts)):
        yield "/".join(parts[cut:])
        yield "/".join(parts[: cut or None])


def _having(
    scenarios: Sequence[Scenario],
    wanted: Collection[str],
    words_of: Callable[[Scenario], Collection[str] | Iterator[str]],
    called: str,
) -> list[Scenario]:
    """Those that have any of the words; each word must be somebody's."""
    words = {scenario.name: set(words_of(scenario)) for scenario in scenarios}
    known = sorted({word for own in words.values() for word in own})
    for word in wanted:
        if word not in known:
            there = listed(known) or "none"
            meant = suggestion(word, known) or "."
            raise UsageError(f"no scenario is {called} {word!r}{meant} There are: {there}")
    return [scenario for scenario in scenarios if not words[scenario.name].isdisjoint(wanted)]
