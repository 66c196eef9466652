import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.scenarios import CallsMetric, JudgedMetric, RangeMetric, Simulation, load, loader
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


def hashed(directory: Path, text: str) -> str:
    write(directory, hashed=text)
    (scenario,) = load([directory / "hashed.yaml"]).scenarios
    return scenario.hash


@pytest.mark.parametrize(
    "same",
    [
        "metrics: []\ntags: []\nfacts: {}\ncontext: []\nagenda: []",
        "user: {modality: text}\njudge: {modality: text, eval: {service: ollama}}",
        "simulator: {model: 'gemma4:12b', extra: {reasoning_effort: none}}",
        "max_duration_s: 300.0\nopening: ~\nseed:",
        "# a comment",
        "<<: {runs: 1}",
    ],
)
def test_what_is_written_out_but_the_default_does_not_change_the_hash(tmp_path: Path, same: str):
    assert hashed(tmp_path, BASE + same) == hashed(tmp_path, BASE)


def test_whatever_is_said_differently_has_a_hash_of_its_own(tmp_path: Path):
    different = [
        "",
        "judge: {eval: false}",
        "judge: {eval: {explainer: false}}",
        "judge: {eval: {explain_below: 0}}",
        "simulator: {service: agenda}",
        "simulator: {factory: a.b}",
        "simulator: {factory: a.b, c: 1}",
        "seed: 0",
        "facts: {a: 1}",
        "facts: {a: 1.0}",
        "facts: {a: true}",
        "facts: {a: '1'}",
        "metrics: [{measure: words}]",
        "metrics: [{measure: words, max_value: 0}]",
        "metrics: [{measure: function_calls, calls: []}]",
        "metrics: [{measure: function_calls, calls: [a, b]}]",
        "metrics: [{measure: function_calls, calls: [b, a]}]",
        "metrics: [{measure: function_calls, calls: [{name: a, times: 1}]}]",
        "metrics: [{measure: function_calls, calls: [{name: a, times: 1+}]}]",
    ]
    assert len({hashed(tmp_path, BASE + more) for more in different}) == len(different)


def test_an_included_part_is_the_same_content(tmp_path: Path):
    write(tmp_path, parts__words="[{measure: words}]")
    included = hashed(tmp_path, BASE + "metrics: !include parts/words.yaml")
    assert included == hashed(tmp_path, BASE + "metrics:\n- measure: words\n")


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
        ("scenarios: [x]", ["2:13: a scenario is a mapping with a `name`, not the text \"x\""]),
        ("scenarios: [{scenarios: []}]", ["2:14: a scenario cannot hold `scenarios` of its own"]),
        ("scenarios:\n- {name: a, turns: []}", ["3:20: turns must not be empty"]),
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


def test_a_name_that_is_no_text_is_that_and_no_second_one(tmp_path: Path):
    names = "- name:\n- name:\n- {name: 5}\n- {name: 5}\n- {name: yes}\n- {name: []}\n"
    write(tmp_path, a=f"{BASE}scenarios:\n{names}- {{name: None}}\n- {{name: ' '}}\n")
    loaded = load([tmp_path / "a.yaml"])
    assert [str(problem).split(".yaml:")[1] for problem in loaded.problems] == [
        "6:8: name must be text, not nothing",
        "7:8: name must be text, not nothing",
        "8:10: name must be text, not 5: quote it",
        "9:10: name must be text, not 5: quote it",
        "10:10: name must be text, not the boolean true: quote it",
        "11:10: name must be text, not a list",
        "13:10: name must not be empty",
    ]
    assert [scenario.name for scenario in loaded.scenarios] == ["n/None"]


def test_defaults_of_two_kinds_are_one_fault(tmp_path: Path):
    write(tmp_path, a="name: n\nturns: []\npersona: p\nscenarios:\n- {name: a}\n- {name: b}\n")
    (problem,) = load([tmp_path / "a.yaml"]).problems
    assert str(problem).endswith("a.yaml:2:1: a scenario has a `persona:` or `turns:`, not both")


def test_a_default_that_a_scenario_replaces_is_not_its_fault(tmp_path: Path):
    write(tmp_path, a=BASE + "runs: 0\nscenarios:\n- {name: a, runs: 2}\n- {name: b, runs: x}\n")
    (problem,) = load([tmp_path / "a.yaml"]).problems
    assert str(problem).endswith('a.yaml:8:19: runs must be a whole number, not the text "x"')


def test_what_defaults_unfold_into_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loader, "MAX_VALUES", 50)
    scenarios = "scenarios:\n" + "".join(f"- name: s{number}\n" for number in range(9))
    write(tmp_path, a=BASE + scenarios, b=BASE + "tags: [a, b, c, d]\n" + scenarios)
    loaded = load([tmp_path])
    assert len(loaded.scenarios) == 9
    (problem,) = loaded.problems
    assert str(problem) == (
        f"{tmp_path}/b.yaml:7:1: with its defaults in each scenario, the file holds more than 50 "
        "values"
    )


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
    (tmp_path / "loop").symlink_to("loop")
    loaded = load([tmp_path / name for name in ("nope.yaml", "empty", "x" * 300, "loop", "a\0")])
    assert [str(problem).removeprefix(f"{tmp_path}/") for problem in loaded.problems] == [
        "a\\x00: there is no such file",
        "empty: there are no scenario files in this directory (*.yaml, *.yml)",
        "loop: there is no such file",
        "nope.yaml: there is no such file",
        f"{'x' * 300}: cannot be read: File name too long",
    ]


def test_what_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, a=BASE)

    def refuse(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        (problem,) = load([tmp_path / "a.yaml"]).problems
    assert str(problem) == f"{tmp_path}/a.yaml:1:1: cannot be read: Permission denied"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "iterdir", refuse)
        (problem,) = load([tmp_path]).problems
    assert str(problem) == f"{tmp_path}: cannot be read: Permission denied"


def test_a_directory_may_hold_more_than_files(tmp_path: Path):
    write(tmp_path, a=BASE, **{"sub.yaml__b": BASE})
    (tmp_path / "gone.yaml").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.yaml")  # To read it would be to wait for ever.
    loaded = load([tmp_path])
    assert [scenario.name for scenario in loaded.scenarios] == ["n"]
    assert list(map(str, loaded.problems)) == [
        f"{tmp_path}/gone.yaml:1:1: cannot be read: No such file or directory"
    ]
    (problem,) = load([tmp_path / "pipe.yaml"]).problems
    assert problem.message == "cannot be read: it is no regular file"


def test_problems_are_told_once_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shared = BASE + "judge: !include ../parts/judge.yaml\nmax_turn: 1\n"
    write(tmp_path, s__b=shared, s__a=shared, parts__judge="modalty: text\n")
    monkeypatch.chdir(tmp_path)
    assert list(map(str, load(["s/b.yaml", "./s/a.yaml", "s"]).problems)) == [
        "parts/judge.yaml:1:1: unknown key 'modalty'. Did you mean 'modality'?",
        "s/a.yaml:6:1: unknown key 'max_turn'. Did you mean 'max_turns'?",
        "s/b.yaml:6:1: unknown key 'max_turn'. Did you mean 'max_turns'?",
    ]


def test_a_bad_file_does_not_stop_the_others(tmp_path: Path):
    write(tmp_path, a="name: [", b=BASE, c="x: 1\n")
    loaded = load([tmp_path / f"{name}.yaml" for name in "abc"])
    assert [scenario.name for scenario in loaded.scenarios] == ["n"]
    assert [Path(problem.file).name for problem in loaded.problems] == ["a.yaml", "c.yaml"]
    assert [file.name for file in loaded.files] == ["a.yaml", "b.yaml", "c.yaml"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "1:1: the key 'name' is missing"),
        ("name: 5\n", "1:7: name must be text, not 5: quote it"),
        ("name: ' '\n", "1:7: name must not be empty"),
    ],
)
def test_the_name_of_a_file_with_a_list(tmp_path: Path, name: str, message: str):
    text = "scenarios: [{name: a, persona: p, goal: g, success: s}]\n"
    write(tmp_path, a=name + text)
    path = tmp_path / "a.yaml"
    assert list(map(str, load([path]).problems)) == [f"{path}:{message}"]


def test_a_name_is_taken_by_a_scenario_that_is_wrong_too(tmp_path: Path):
    write(tmp_path, a=BASE + "scenarios:\n- {name: a, runs: 0}\n- {name: a}\n")
    assert [problem.message for problem in load([tmp_path / "a.yaml"]).problems] == [
        "runs must be at least 1, not 0",
        "a scenario named 'a' is there already",
    ]


def test_a_named_fragment_is_no_scenario_file(tmp_path: Path):
    write(tmp_path, user="modality: text\n")
    (problem,) = load([tmp_path / "user.yaml"]).problems
    assert "needs a `persona:`" in problem.message
