from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.scenarios import CallsMetric, JudgedMetric, RangeMetric, Simulation, load
from sparring.scenarios.yaml_source import read_source

BASE = "name: n\npersona: p\ngoal: g\nsuccess: s\n"
FULL: dict[str, Any] = {
    "name": "n",
    "persona": "p",
    "goal": "g",
    "success": "s",
    "simulator": {"service": "openai", "model": "m", "extra": {"temperature": 0.5}},
    "judge": {"eval": {"factory": "my.judge", "anything": [1]}},
    "metrics": [
        {"name": "a", "criterion": "b", "min_score": 1},
        {"measure": "words", "max_value": 3},
        {
            "measure": "function_calls",
            "calls": ["x", {"name": "y", "args": {"z": None}, "times": "1+"}],
        },
    ],
    "max_turns": 3,
    "max_duration_s": 10,
    "runs": 2,
    "first_speaker": "caller",
    "opening": "Hi.",
    "facts": {"a": 1, "b": True, "c": "x", "d": 1.5},
    "agenda": [{"id": "i", "hear": "x", "say": "y", "facts": ["a"], "required": False}],
    "seed": 7,
    "context": [{"role": "system", "content": "x"}],
    "tags": ["t"],
}  # fmt: skip


def write(directory: Path, **files: str) -> None:
    for name, text in files.items():
        path = directory / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def test_the_defaults(tmp_path: Path):
    write(tmp_path, a=BASE)
    (scenario,) = load([tmp_path / "a.yaml"]).scenarios
    simulation = scenario.definition
    assert (simulation.max_turns, simulation.max_duration_s, simulation.max_silence_s) == (
        20,
        300,
        30,
    )
    assert (simulation.runs, simulation.first_speaker, simulation.metrics) == (1, "agent", [])
    assert (simulation.user.modality, simulation.judge.modality) == ("text", "text")
    assert scenario.name == "n"


def test_everything_at_once(tmp_path: Path):
    write(tmp_path, a=yaml.safe_dump(FULL))
    (scenario,) = load([tmp_path / "a.yaml"]).scenarios
    judged, words, calls = scenario.definition.metrics
    assert isinstance(judged, JudgedMetric) and judged.min_score == 1
    assert isinstance(words, RangeMetric) and (words.name, words.max_value) == ("words", 3)
    assert isinstance(calls, CallsMetric)
    assert [(c.name, c.at_least, c.exactly) for c in calls.calls] == [
        ("x", 1, None),
        ("y", 1, None),
    ]
    assert scenario.definition.agenda[0].hear == ["x"]
    assert scenario.definition.facts == FULL["facts"]


def test_a_dumped_simulation_loads_the_same(tmp_path: Path):
    simulation = Simulation.model_validate(FULL)
    write(tmp_path, a=yaml.safe_dump(simulation.model_dump(mode="json")))
    (scenario,) = load([tmp_path / "a.yaml"]).scenarios
    assert scenario.definition == simulation
    assert Simulation.model_validate(simulation.model_dump(mode="json")) == simulation


def test_the_hash_is_of_the_content(tmp_path: Path):
    write(
        tmp_path,
        a=yaml.safe_dump(FULL),
        b=yaml.safe_dump(dict(reversed(FULL.items())), default_flow_style=True, width=20),
        c=yaml.safe_dump({**FULL, "goal": "other"}),
        d=yaml.safe_dump({**FULL, "max_silence_s": 30}),
    )
    a, b, c, d = [scenario.hash for scenario in load([tmp_path]).scenarios]
    assert a == b == d != c


def test_a_list_with_defaults(tmp_path: Path):
    text = "name: f\npersona: p\ngoal: g\nsuccess: s\ntags: [a, b]\nscenarios:\n- name: one\n"
    write(tmp_path, a=text + "- {name: two, goal: other, tags: [c]}\n")
    one, two = load([tmp_path / "a.yaml"]).scenarios
    assert (one.name, one.definition.name, one.definition.goal) == ("f/one", "one", "g")
    assert (two.name, two.definition.goal, two.definition.tags) == ("f/two", "other", ["c"])


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("scenarios: []", ["2:12: `scenarios` must be a list of scenarios"]),
        ("scenarios: x", ["2:12: `scenarios` must be a list of scenarios"]),
        ("scenarios: [x]", ["2:13: a scenario is a mapping with a `name`"]),
        ("scenarios: [{scenarios: []}]", ["2:14: a scenario cannot hold `scenarios` of its own"]),
        ("scenarios:\n- turns: []", ["3:3: scripts (`turns:`) cannot be played yet; simulations "
                                     "(`persona:`) can"]),
    ],
)  # fmt: skip
def test_faults_of_a_list(tmp_path: Path, text: str, problems: list[str]):
    write(tmp_path, a="name: f\n" + text)
    path = tmp_path / "a.yaml"
    assert list(map(str, load([path]).problems)) == [f"{path}:{problem}" for problem in problems]


def test_a_fault_in_a_default_is_told_once_and_where_it_stands(tmp_path: Path):
    text = BASE + "runs: 0\nscenarios:\n- name: a\n- name: b\n- {name: c, max_turns: x}\n"
    write(tmp_path, a=text)
    path = tmp_path / "a.yaml"
    assert list(map(str, load([path]).problems)) == [
        f"{path}:5:7: runs must be at least 1, not 0",
        f'{path}:9:24: max_turns must be a whole number, not the text "x"',
    ]


def test_names_in_a_list(tmp_path: Path):
    write(tmp_path, a=BASE + "scenarios:\n- {name: a}\n- {name: a}\n- {goal: g}\n")
    loaded = load([tmp_path / "a.yaml"])
    assert [problem.message for problem in loaded.problems] == [
        "a scenario named 'a' is there already",
        "the key 'name' is missing",
    ]
    assert [scenario.name for scenario in loaded.scenarios] == ["n/a"]


def test_includes_are_relative_to_the_top_level_file(tmp_path: Path):
    write(
        tmp_path,
        a=BASE + "metrics: !include 'parts\\metrics.yaml'\nuser: !include parts/user.yaml\n",
        parts__metrics="- !include parts/words.yaml\n",
        parts__words="measure: words\nmax_value: !include number.yaml\n",
        number="60\n",
        parts__user="modality: audio\nspeach: {}\n",
    )
    loaded = load([tmp_path / "a.yaml"])
    user = tmp_path / "parts" / "user.yaml"
    assert list(map(str, loaded.problems)) == [
        f"{user}:2:1: unknown key 'speach'. Did you mean 'speech'?"
    ]
    assert read_source(tmp_path / "a.yaml").data["metrics"] == [
        {"measure": "words", "max_value": 60}
    ]


def test_a_circle_of_includes_is_shown(tmp_path: Path):
    write(tmp_path, a="x: !include b.yaml\n", b="y: !include c.yaml\n", c="z: !include b.yaml\n")
    (problem,) = load([tmp_path / "a.yaml"]).problems
    assert str(problem) == (
        f"{tmp_path}/c.yaml:1:4: !include goes in a circle: a.yaml → b.yaml → c.yaml → b.yaml"
    )


def test_integers_are_decimal_only(tmp_path: Path):
    text = "a: 012\nb: 0x10\nc: 1_000\nd: 12:30\ne: on\nf: 1e3\ng: '*#'\nh: -5\ni: 1.5\nj: 0\n"
    write(tmp_path, a=text)
    assert read_source(tmp_path / "a.yaml").data == {
        "a": "012", "b": "0x10", "c": 1000, "d": "12:30", "e": True, "f": "1e3", "g": "*#",
        "h": -5, "i": 1.5, "j": 0,
    }  # fmt: skip


def test_merges_anchors_and_aliases(tmp_path: Path):
    text = "a: &a {x: 1, y: 2}\nb: &b {<<: *a, y: 3}\nc: *b\nd: {<<: *b, z: 4}\ne: {<<: [*b, *a]}\n"
    write(tmp_path, a=text)
    data = read_source(tmp_path / "a.yaml").data
    assert data["b"] == data["c"] == data["e"] == {"x": 1, "y": 3}
    assert data["d"] == {"x": 1, "y": 3, "z": 4}


def test_directories(tmp_path: Path):
    write(
        tmp_path, b=BASE, a=BASE.replace("n\n", "m\n", 1), fragment="modality: text\n", bad="x: ["
    )
    write(tmp_path, deeper__c=BASE)
    (tmp_path / "c.yml").write_text(BASE.replace("n\n", "o\n", 1))
    (tmp_path / "notes.txt").write_text("name: x")
    loaded = load([tmp_path, tmp_path / "a.yaml"])
    assert [scenario.name for scenario in loaded.scenarios] == ["m", "n", "o"]
    assert [Path(problem.file).name for problem in loaded.problems] == ["bad.yaml"]


def test_what_is_not_there(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    loaded = load([tmp_path / "nope.yaml", tmp_path / "empty"])
    assert list(map(str, loaded.problems)) == [
        f"{tmp_path}/nope.yaml: there is no such file",
        f"{tmp_path}/empty: there are no scenario files in this directory (*.yaml, *.yml)",
    ]


def test_a_named_fragment_is_no_scenario_file(tmp_path: Path):
    write(tmp_path, user="modality: text\n")
    (problem,) = load([tmp_path / "user.yaml"]).problems
    assert "needs a `persona:`" in problem.message


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.text(st.characters(codec="utf-8")) | st.binary())
def test_no_text_raises(tmp_path: Path, text: str | bytes):
    path = tmp_path / "a.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    for problem in load([path]).problems:
        assert problem.message and problem.line is not None and problem.line >= 1


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from([*FULL, "measure", "criterion", "service", "factory", "id"])
                      | st.text(min_size=1, max_size=5), inner, max_size=4),
    max_leaves=6,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.dictionaries(st.sampled_from(sorted(FULL)), junk, max_size=4), st.data())
def test_no_mutation_raises_and_every_problem_reads_well(
    tmp_path: Path, mutation: dict[str, Any], data: st.DataObject
):
    path = tmp_path / "a.yaml"
    path.write_text(yaml.safe_dump({**FULL, **mutation}, allow_unicode=True), "utf-8")
    for problem in load([path]).problems:
        assert "Input should" not in problem.message and "validat" not in problem.message


@given(st.sampled_from(sorted(FULL)), st.sampled_from("abcxyz_"))
def test_a_misspelt_key_is_one_fault_at_the_key(key: str, letter: str):
    from tempfile import TemporaryDirectory

    wrong = key + letter
    if wrong in Simulation.model_fields:
        return
    with TemporaryDirectory() as directory:
        path = Path(directory) / "a.yaml"
        lines = [
            *(
                f"{k}: {v}"
                for k, v in {"name": "n", "persona": "p", "goal": "g", "success": "s"}.items()
            )
        ]
        path.write_text("\n".join([*lines, f"{wrong}: 1"]))
        (problem,) = load([path]).problems
    assert (problem.line, problem.column) == (5, 1)
    assert problem.message == f"unknown key {wrong!r}. Did you mean {key!r}?"
