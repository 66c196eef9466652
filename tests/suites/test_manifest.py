"""Manifests: what loads, what is wrong with one and where, what it expands to."""

from pathlib import Path

import pytest
import yaml

from sparring.suites.expansion import Expanded, expand
from sparring.suites.manifest import Manifest, load_manifest
from support.play import BOOKING

PIPECATS = """
bots_dir: bots
scenarios_dir: scenarios
concurrency: 4
runs_dir: test-runs
record: true
base_port: 7900
cache_dir: cache
spawn: "{python} {bot} --port {port}"
scenario_files: &all [book, more/late]
suite:
  - bot: one.py
    scenarios: *all
  - bot: one.py
    name: one again
    concurrency: 1
    runner_body: {path: body.yaml}
    scenarios: [book]
  - bot: two.py
    runner_body: body.yaml
    scenarios: [scenarios/book.yaml]
"""


def write(directory: Path, manifest: str) -> Path:
    for bot in ("one.py", "two.py"):
        (directory / "bots").mkdir(exist_ok=True)
        (directory / "bots" / bot).write_text("")
        (directory / bot).write_text("")
    (directory / "scenarios" / "more").mkdir(parents=True, exist_ok=True)
    for name in ("book", "more/late"):
        text = yaml.safe_dump({**BOOKING, "name": Path(name).name})
        (directory / "scenarios" / f"{name}.yaml").write_text(text)
    (directory / "body.yaml").write_text("{}")
    path = directory / "manifest.yaml"
    path.write_text(manifest)
    return path


def expanded(directory: Path, manifest: str) -> Expanded:
    return expand(load_manifest(write(directory, manifest)), None, None)


def problems(directory: Path, manifest: str) -> list[str]:
    found = expanded(directory, manifest).problems
    return [str(problem).replace(f"{directory}/", "") for problem in found]


def test_pipecats_manifests_load_and_expand(tmp_path: Path):
    made = expanded(tmp_path, PIPECATS)
    assert made.problems == []
    assert [(e.entry.label, [s.name for s in e.scenarios]) for e in made.entries] == [
        ("one.py", ["book", "late"]),
        ("one again", ["book"]),
        ("two.py", ["book"]),
    ]
    assert {e.bot.relative_to(tmp_path).as_posix() for e in made.entries} == {
        "bots/one.py",
        "bots/two.py",
    }


def test_what_is_left_out_has_pipecats_defaults(tmp_path: Path):
    manifest = load_manifest(write(tmp_path, "suite: [{bot: a, scenarios: [b]}]")).manifest
    assert manifest is not None
    chosen = (manifest.concurrency, manifest.repeat, manifest.isolation, manifest.scenarios_dir)
    assert chosen == (4, None, "process", "scenarios")
    assert manifest.spawn == Manifest().spawn == "{python} {bot} --port {port}"


@pytest.mark.parametrize(
    ("manifest", "problem"),
    [
        ("", "1:1: a manifest is a mapping with a `suite`, not empty"),
        ("[]", "1:1: a manifest is a mapping with a `suite`, not a list"),
        ("suite: []", "1:1: its `suite` is empty: there is nothing to play"),
        ("suite: [", "1:9: "),
        ("suite: [{scenarios: [book]}]", "1:9: the key 'bot' is missing"),
        ("suite: [{bot: one.py}]", "1:9: the key 'scenarios' is missing"),
        (
            "concurrency: 0\nsuite: [{bot: one.py, scenarios: [book]}]",
            "1:14: concurrency must be at least 1, not 0",
        ),
        (
            'concurrency: "4"\nsuite: [{bot: one.py, scenarios: [book]}]',
            '1:14: concurrency must be a whole number, not the text "4"',
        ),
        (
            "concurency: 4\nsuite: [{bot: one.py, scenarios: [book]}]",
            "1:1: unknown key 'concurency'. Did you mean 'concurrency'?",
        ),
        (
            "timeout: 4\nsuite: [{bot: one.py, scenarios: [book]}]",
            "1:1: unknown key 'timeout'. A manifest has suite, bots_dir, scenarios_dir, ",
        ),
        (
            "suite: [{bot: one.py, scenarios: [book], concurency: 2}]",
            "1:42: unknown key 'concurency'. Did you mean 'concurrency'?",
        ),
        (
            "limits: {ollama: 0}\nsuite: [{bot: one.py, scenarios: [book]}]",
            "1:18: limits.ollama must be at least 1, not 0",
        ),
        (
            "limits: {olama: 2}\nsuite: [{bot: one.py, scenarios: [book]}]",
            "1:10: unknown key 'olama'. Did you mean 'ollama'?",
        ),
        (
            "suite: [{bot: one.py, scenarios: [book], runner_body: {path: a, data: {}}}]",
            "1:55: a runner_body has a `path` or `data`, and only one of them",
        ),
        (
            "suite: [{bot: one.py, scenarios: [book], env: {PORT: 5}}]",
            "1:54: an environment variable is text, not 5: quote it",
        ),
        (
            "suite: [{bot: on.py, scenarios: [book]}]",
            "1:15: there is no agent on.py. Did you mean 'one.py'?",
        ),
        (
            "suite: [{bot: one.py, scenarios: [bok]}]",
            "1:35: there is no scenario file scenarios/bok.yaml. Did you mean 'book.yaml'?",
        ),
        (
            "suite: [{bot: one.py, scenarios: [book, book]}]",
            "1:41: 'one.py' plays 'book' already: give one of them a `name` of its own",
        ),
        (
            "suite: [{bot: one.py, scenarios: [book], cwd: nowhere}]",
            "1:47: there is no directory nowhere",
        ),
        (
            "suite: [{bot: one.py, scenarios: [book], runner_body: bdy.yaml}]",
            "1:55: there is no file bdy.yaml. Did you mean 'body.yaml'?",
        ),
        (
            "suite: [{bot: one.py, scenarios: [book], matrix: {max_turns: 3}}]",
            "1:62: a key of the matrix takes a list of the values it should have",
        ),
        (
            "suite: [{bot: one.py, scenarios: [book], matrix: {max_turn: [3]}}]",
            "1:50: book with max_turn=3: unknown key 'max_turn'. Did you mean 'max_turns'?",
        ),
    ],
)
def test_one_fault_is_one_line_with_its_place(tmp_path: Path, manifest: str, problem: str):
    (found,) = problems(tmp_path, manifest)
    assert found.startswith(f"manifest.yaml:{problem}")


def test_what_cannot_be_played_stops_nothing_else(tmp_path: Path):
    manifest = """
bots_dir: bots
suite:
  - {bot: gone.py, scenarios: [book]}
  - {bot: one.py, scenarios: [gone, book, bad]}
"""
    path = write(tmp_path, manifest)
    (tmp_path / "scenarios" / "bad.yaml").write_text("name: [\n")
    made = expand(load_manifest(path), None, None)
    assert len(made.problems) == 3
    assert [(e.startable, len(e.scenarios)) for e in made.entries] == [(False, 1), (True, 1)]


def test_other_directories_may_be_chosen(tmp_path: Path):
    path = write(tmp_path, "suite: [{bot: one.py, scenarios: [late]}]")
    made = expand(load_manifest(path), tmp_path / "bots", tmp_path / "scenarios" / "more")
    assert made.problems == [] and made.entries[0].scenarios[0].name == "late"


def test_a_manifest_that_is_not_there():
    (problem,) = load_manifest(Path("nowhere.yaml")).problems
    assert str(problem) == "nowhere.yaml:1:1: cannot be read: No such file or directory"


def test_a_matrix_multiplies_scenarios(tmp_path: Path):
    manifest = """
bots_dir: bots
suite:
  - bot: one.py
    scenarios: [book]
    matrix: {max_turns: [3, 5], judge.eval.model: [a, b]}
"""
    made = expanded(tmp_path, manifest)
    scenarios = made.entries[0].scenarios
    assert [scenario.name for scenario in scenarios] == [
        "book [max_turns=3, judge.eval.model=a]",
        "book [max_turns=3, judge.eval.model=b]",
        "book [max_turns=5, judge.eval.model=a]",
        "book [max_turns=5, judge.eval.model=b]",
    ]
    assert [scenario.definition.max_turns for scenario in scenarios] == [3, 3, 5, 5]
    models = [getattr(scenario.definition.judge.eval, "model", None) for scenario in scenarios]
    assert models == ["a", "b", "a", "b"]
    assert len({scenario.hash for scenario in scenarios}) == 4
