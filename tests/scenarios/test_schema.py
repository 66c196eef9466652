import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sparring.scenarios import json_schema, load

ROOT = Path(__file__).parents[2]
SIMULATIONS = sorted((ROOT / "simulations").glob("*.yaml"))
BASE = {"name": "n", "persona": "p", "goal": "g", "success": "s"}


def valid(document: Any) -> bool:
    return jsonschema.Draft202012Validator(json_schema()).is_valid(document)


def test_the_file_is_the_schema():
    saved = json.loads((ROOT / "schemas" / "scenario.schema.json").read_text("utf-8"))
    assert saved == json_schema(), "run `make schema`"


@pytest.mark.parametrize("path", SIMULATIONS, ids=lambda path: path.stem)
def test_the_examples_load_fit_the_schema_and_name_it(path: Path):
    text = path.read_text("utf-8")
    assert load([path]).problems == []
    assert valid(yaml.safe_load(text))
    assert text.startswith("# yaml-language-server: $schema=../schemas/scenario.schema.json\n")


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"scenarios": [{"name": "a"}]},
        {"agenda": [{"id": "a", "hear": "x", "say": "y"}]},
        {"metrics": [{"measure": "function_calls", "calls": ["a", {"name": "b", "times": "1+"}]}]},
        {"simulator": {"factory": "a.b", "anything": 1}},
        {"judge": {"eval": False}},
    ],
)
def test_it_accepts(more: dict[str, Any]):
    assert valid({**BASE, **more})


@pytest.mark.parametrize(
    "more",
    [
        {"max_turn": 1},
        {"runs": 0},
        {"metrics": [{"measure": "wrods"}]},
        {"metrics": [{"name": "a"}]},
        {"scenarios": []},
        {"scenarios": [{"goal": "a"}]},
        {"agenda": [{"id": "a", "hears": "x"}]},
        {"simulator": {"servce": "ollama"}},
    ],
)
def test_it_refuses(more: dict[str, Any]):
    assert not valid({**BASE, **more})


def test_it_refuses_what_lacks_the_required():
    assert not valid({"name": "n"})
    assert valid({"name": "n", "scenarios": [{**BASE, "name": "a"}]})
