"""A matrix multiplies scenarios: every key takes each of its values in turn, over any keys.

``{conditions: [clean, noisy], judge.eval.model: [a, b]}`` makes four scenarios of one. Each is a
scenario of its own, with its values in its name and its own hash.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic import ValidationError

from sparring.scenarios import Scenario
from sparring.scenarios.explain import explain
from sparring.scenarios.faults import Fault, shown


def variations(
    scenario: Scenario, matrix: Mapping[str, Sequence[Any]]
) -> Iterator[Scenario | Fault]:
    """A scenario with every combination of the matrix's values; itself, if there is no matrix.

    Args:
        scenario: The scenario.
        matrix: Dotted keys of it, each with its values.

    Yields:
        The scenarios; and for a combination that makes none, what is wrong with it.
    """
    if not matrix:
        yield scenario
        return
    for values in itertools.product(*matrix.values()):
        chosen = dict(zip(matrix, values, strict=True))
        data = scenario.definition.model_dump(mode="json", exclude_unset=True)
        for key, value in chosen.items():
            _set(data, key.split("."), value)
        kind = type(scenario.definition)
        written = ", ".join(f"{key}={_written(value)}" for key, value in chosen.items())
        try:
            definition = kind.model_validate(data)
        except ValidationError as error:
            for found in explain(error, kind, data):
                yield Fault(f"{scenario.name} with {written}: {found.message}")
        else:
            yield replace(scenario, name=f"{scenario.name} [{written}]", definition=definition)


def _set(data: dict[str, Any], steps: Sequence[str], value: Any) -> None:
    for step in steps[:-1]:
        inner = data.get(step)
        data[step] = cast(dict[str, Any], inner) if isinstance(inner, dict) else {}
        data = data[step]
    data[steps[-1]] = value


def _written(value: Any) -> str:
    return value if isinstance(value, str) else shown(value).removeprefix("the boolean ")
