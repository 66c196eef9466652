"""Whatever a file holds: problems, never an exception; and what is good comes back the same."""

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.scenarios import Loaded, Simulation, json_schema, load
from sparring.scenarios.faults import nearest

NAMES = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=8)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), max_size=20).map(
    lambda text: f"a{text}z"
)
NUMBERS = st.integers(1, 10**6) | st.floats(0.001, 1e6, allow_nan=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
MAPPINGS = st.dictionaries(NAMES, JSON, max_size=2)


def mapping(needed: dict[str, Any], /, **optional: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {key: value if isinstance(value, st.SearchStrategy) else st.just(value)
         for key, value in needed.items()},
        optional=optional,
    )  # fmt: skip


FACTORY = st.builds(lambda more: {**more, "factory": "my_evals.make"}, MAPPINGS)
MODEL = (
    mapping({}, service=st.just("ollama"), model=WORDS, endpoint=WORDS, extra=MAPPINGS)
    | mapping({"service": "openai", "model": WORDS})
    | FACTORY
)
METRIC = (
    mapping({"name": NAMES, "criterion": WORDS}, min_score=st.floats(0, 1) | st.integers(0, 1))
    | mapping(
        {"name": NAMES, "measure": st.sampled_from(["turns", "duration", "words", "latency"])},
        min_value=st.just(0),
        max_value=NUMBERS,
    )
    | mapping(
        {
            "name": NAMES,
            "measure": "function_calls",
            "calls": st.lists(
                NAMES
                | mapping({"name": NAMES}, args=MAPPINGS, times=st.integers(1, 9) | st.just("2+")),
                max_size=2,
            ),
        }
    )
)
ITEM = mapping(
    {"id": NAMES, "hear": WORDS | st.lists(WORDS, min_size=1, max_size=2), "say": WORDS},
    when=WORDS,
    do=WORDS,
    done_when=WORDS,
    action=st.sampled_from(["answer", "correct", "wait", "finish"]),
    required=st.booleans(),
).map(lambda item: {k: v for k, v in item.items() if k != "say" or item.get("action") != "wait"})
SIMULATIONS = mapping(
    dict.fromkeys(("name", "persona", "goal", "success"), WORDS),
    simulator=MODEL | st.just({"service": "agenda"}),
    user=mapping(
        {"modality": st.sampled_from(["text", "audio"]),
         "speech": mapping({"service": "kokoro", "voice": NAMES}, speed=NUMBERS) | FACTORY},
    ),
    judge=mapping(
        {"transcription": mapping({}, service=st.just("whisper"), model=NAMES) | FACTORY},
        modality=st.sampled_from(["text", "audio"]),
        eval=MODEL | st.just(False),
    ),
    metrics=st.lists(METRIC, max_size=3, unique_by=lambda metric: metric["name"]),
    max_turns=st.integers(1, 99),
    max_duration_s=NUMBERS,
    max_silence_s=NUMBERS,
    runs=st.integers(1, 99),
    trigger_disconnect=st.booleans(),
    first_speaker=st.sampled_from(["agent", "caller"]),
    opening=WORDS,
    facts=st.dictionaries(NAMES, st.booleans() | st.integers() | NUMBERS | WORDS, max_size=2),
    agenda=st.lists(ITEM, max_size=2, unique_by=lambda item: item["id"]),
    seed=st.integers(),
    context=st.lists(mapping({"role": st.just("user")}, content=WORDS), max_size=1),
    tags=st.lists(NAMES, max_size=2),
)  # fmt: skip


@pytest.fixture(scope="module")
def path() -> Iterator[Path]:
    with TemporaryDirectory() as directory:
        yield Path(directory) / "a.yaml"


def loaded(path: Path, data: Any) -> Loaded:
    path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), "utf-8")
    return load([path])


@given(st.text(st.characters(codec="utf-8")) | st.binary())
@settings(max_examples=150)
def test_no_text_raises(path: Path, text: str | bytes):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    assert_in_the_file(path, load([path]))


def assert_in_the_file(path: Path, found: Loaded) -> None:
    """Each problem is one line about a place that an editor can go to."""
    lines = re.split(r"\r\n|\r|\n", path.read_bytes().decode("utf-8-sig", "replace"))
    assert bool(found.problems) != bool(found.scenarios)
    for problem in found.problems:
        assert problem.file == str(path) and problem.line and problem.column
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
        assert problem.message and str(problem).isprintable() and len(str(problem)) < 500


@given(st.text(st.sampled_from("&*a<:>{}[]-!?|%@'\"\\ \n\t#,=~1.x"), max_size=60))
@settings(max_examples=150)
def test_no_punctuation_raises(path: Path, text: str):
    facts = "name: n\npersona: p\ngoal: g\nsuccess: s\nfacts:\n "
    for before in ("", "name: ", facts):
        path.write_text(before + text, "utf-8")
        assert_in_the_file(path, load([path]))


@given(SIMULATIONS)
@settings(max_examples=60)
def test_a_simulation_comes_back_the_same(path: Path, data: dict[str, Any]):
    simulation = Simulation.model_validate(data)
    as_written = loaded(path, data)
    assert as_written.problems == []
    dumped = loaded(path, simulation.model_dump(mode="json"))
    (one,), (other,) = as_written.scenarios, dumped.scenarios
    assert one.definition == other.definition == simulation
    assert one.hash == other.hash


def keys_of(data: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The mappings in which any other key is unknown."""
    if isinstance(data, list):
        return [found for n, item in enumerate(data) for found in keys_of(item, (*at, n))]
    if not isinstance(data, dict) or "factory" in data or (at and at[-1] in FREE) or "role" in data:
        return []
    return [at, *(found for key, value in data.items() for found in keys_of(value, (*at, key)))]


FREE = ("extra", "args", "facts")


@given(SIMULATIONS, st.data())
@settings(max_examples=100)
def test_an_unknown_key_anywhere_is_one_problem_at_the_key(
    path: Path, data: dict[str, Any], draw: st.DataObject
):
    wrong = copy.deepcopy(data)
    inside: Any = wrong
    for step in draw.draw(st.sampled_from(keys_of(wrong))):
        inside = inside[step]
    inside["qqqq_zzzz"] = 1
    found = loaded(path, wrong)
    (problem,) = found.problems
    assert problem.message == "unknown key 'qqqq_zzzz'"
    line = path.read_text("utf-8").split("\n")[(problem.line or 0) - 1]
    assert line[(problem.column or 0) - 1 :].startswith("qqqq_zzzz: 1")


@given(SIMULATIONS, st.data())
@settings(max_examples=100)
def test_a_misspelt_key_anywhere_is_one_problem_with_the_right_spelling(
    path: Path, data: dict[str, Any], draw: st.DataObject
):
    wrong = copy.deepcopy(data)
    inside: Any = wrong
    for step in draw.draw(
        st.sampled_from([at for at in keys_of(wrong) if at == () or at[-1] != 0])
    ):
        inside = inside[step]
    key = draw.draw(
        st.sampled_from(
            sorted(Simulation.model_fields.keys() & inside.keys()) or sorted(inside) or [""]
        )
    )
    if nearest(key + "_", [key]) is None:
        return
    inside[key + "_"] = inside.pop(key)
    problems = loaded(path, wrong).problems
    assert [p.message for p in problems if "unknown" in p.message] == [
        f"unknown key {key + '_'!r}. Did you mean {key!r}?"
    ]


def places_in(data: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to every value but the whole."""
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    return [
        found
        for key, value in inner
        for found in (
            (*at, key),
            *(places_in(value, (*at, key)) if isinstance(value, dict | list) else ()),
        )
    ]


@given(SIMULATIONS, st.data())
@settings(max_examples=150)
def test_no_change_of_a_good_file_raises(path: Path, data: dict[str, Any], draw: st.DataObject):
    """Values of other types, keys of other names, a few of them."""
    data = copy.deepcopy(data)
    for _ in range(draw.draw(st.integers(1, 3))):
        *way, last = draw.draw(st.sampled_from(places_in(data)))
        inside: Any = data
        for step in way:
            inside = inside[step]
        if isinstance(last, str) and draw.draw(st.booleans()):
            inside[draw.draw(st.text(max_size=5) | st.sampled_from(KEYS))] = inside.pop(last)
        else:
            inside[last] = draw.draw(JUNK)
        if not data:
            break
    assert_in_the_file(path, loaded(path, data))


@given(SIMULATIONS)
@settings(max_examples=60)
def test_what_loads_fits_the_schema(path: Path, data: dict[str, Any]):
    assert loaded(path, data).problems == []
    assert SCHEMA.is_valid(data)
    own = {key: data[key] for key in ("name", "goal")}
    defaults = {key: value for key, value in data.items() if key != "goal"}
    assert SCHEMA.is_valid({**defaults, "name": "file", "scenarios": [own]})


SCHEMA = jsonschema.Draft202012Validator(json_schema())
KEYS = [*Simulation.model_fields, "measure", "criterion", "service", "factory",
        "id", "calls", "times", "hear", "modality", "eval", "speech", "#service"]  # fmt: skip
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(KEYS)
        | st.text(min_size=1, max_size=5),
        inner, max_size=4),
    max_leaves=6,
)  # fmt: skip
NESTED = ("user", "judge", "simulator")


@given(
    st.dictionaries(st.sampled_from(sorted(Simulation.model_fields)), JUNK, max_size=4),
    st.dictionaries(st.sampled_from(["eval", "explainer", "transcription", "modality"]), JUNK),
)
@settings(max_examples=60)
def test_every_problem_is_told_as_a_person_would(
    path: Path, junk: dict[str, Any], judge: dict[str, Any]
):
    base = dict.fromkeys(("name", "persona", "goal", "success"), "x")
    for data in ({**base, **junk}, {**base, "judge": judge}, {**base, "metrics": [judge, junk]}):
        problems = loaded(path, data).problems
        assert len({(p.line, p.column, p.message) for p in problems}) == len(problems)
        for problem in problems:
            for word in ("Input", "valid", "tag '", "union", "function-", "#", "instance"):
                assert word not in problem.message.split(", not ")[0].split("unknown key")[0]
