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
    saved = (ROOT / "schemas" / "scenario.schema.json").read_text("utf-8")
    expected = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    assert saved == expected, "run `make schema`"


def test_it_is_a_schema_without_a_host():
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "//" not in schema["$id"]


def test_every_key_is_described():
    schema = json_schema()
    blocks = [schema, *schema["$defs"].values()]
    assert [
        key
        for block in blocks
        for key, value in block.get("properties", {}).items()
        if not value.get("description")
    ] == []


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
        {"judge": {"eval": None}},
        {"judge": {"eval": {"explainer": False}, "transcription": {}}},
        {"user": {"modality": "audio", "speech": {"service": "kokoro", "voice": "a"}}},
        {"agenda": [{"id": "a", "hear": ["x", "/y/"], "do": "z", "action": "finish"}]},
        {"facts": {"a": 1, "b": True, "c": "x", "d": 1.5}, "context": [{"role": "system"}]},
    ],
)
def test_it_accepts_what_loads(more: dict[str, Any], tmp_path: Path):
    assert valid({**BASE, **more})
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({**BASE, **more}))
    loaded = load([tmp_path / "a.yaml"])
    assert loaded.problems == []


def test_metrics_are_of_one_of_three_sorts():
    sorts = json_schema()["properties"]["metrics"]["items"]
    assert sorts == {
        "oneOf": [
            {"$ref": f"#/$defs/{name}"} for name in ("JudgedMetric", "RangeMetric", "CallsMetric")
        ]
    }


def test_it_leaves_to_the_loader_what_a_schema_cannot_say(tmp_path: Path):
    unknown_fact = {**BASE, "agenda": [{"id": "a", "say": "b", "facts": ["x"]}]}
    assert valid(unknown_fact)
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(unknown_fact))
    assert load([tmp_path / "a.yaml"]).problems


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
        {"simulator": None},
        {"simulator": {"factory": "nodots"}},
        {"simulator": {"factory": "1.2"}},
        {"metrics": [{"name": "a", "criterion": "b", "measure": "words"}]},
        {"metrics": [{"measure": "function_calls"}]},
        {"metrics": [{"measure": "function_calls", "calls": [5]}]},
        {"judge": {"eval": {"explainer": {"servce": "x"}}}},
        {"judge": {"transcription": {"modle": "x"}}},
        {"user": {"speech": {"service": "kokoro"}}},
        {"metrics": [{"measure": "words", "min_score": 1}]},
        {"metrics": [{"measure": "function_calls", "calls": [{"name": "a", "times": "many"}]}]},
        {"metrics": [{"measure": "function_calls", "calls": [{"name": "a", "times": 0}]}]},
        {"agenda": [{"id": "a", "say": "b", "action": "interrupt"}]},
        {"facts": {"a": []}},
        {"behavior": {}},
    ],
)
def test_it_refuses_what_does_not_load(more: dict[str, Any], tmp_path: Path):
    assert not valid({**BASE, **more})
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({**BASE, **more}))
    assert load([tmp_path / "a.yaml"]).problems


def test_exported_names_are_sorted_and_there():
    from sparring import scenarios

    assert scenarios.__all__ == sorted(scenarios.__all__)
    assert all(hasattr(scenarios, name) for name in scenarios.__all__)


def test_it_refuses_what_lacks_the_required():
    assert not valid({"name": "n"})
    assert valid({"name": "n", "scenarios": [{**BASE, "name": "a"}]})
