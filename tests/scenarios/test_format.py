"""docs/format.md says what the loader does."""

import re
from pathlib import Path
from typing import Any

import pytest

from sparring.scenarios import Simulation, json_schema, load

DOCUMENT = (Path(__file__).parents[2] / "docs" / "format.md").read_text("utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)
EXAMPLES = [block for block in BLOCKS if re.search(r"^name:", block, re.MULTILINE)]
SCRIPTS = (Path(__file__).parents[2] / "docs" / "scripts.md").read_text("utf-8")
TABLE = DOCUMENT.split("## All keys of a simulation")[1].split("\n## ")[0]
SCHEMA = json_schema()


def keys_of(block: dict[str, Any]) -> set[str]:
    return set(block.get("properties", {}))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.split("\n")[1])
def test_every_example_loads_and_names_the_schema(example: str, tmp_path: Path):
    assert example.startswith(
        "# yaml-language-server: $schema=../schemas/scenario.schema.json\nname: "
    )
    (tmp_path / "a.yaml").write_text(example, "utf-8")
    assert load([tmp_path / "a.yaml"]).problems == []


def test_every_key_is_shown():
    keys = keys_of(SCHEMA).union(*map(keys_of, SCHEMA["$defs"].values()))
    assert {key for key in keys if not re.search(rf"\b{key}\b", DOCUMENT + SCRIPTS)} == set()


@pytest.mark.parametrize("key", sorted(Simulation.model_fields))
def test_every_key_of_a_simulation_has_its_row(key: str):
    (default,) = re.findall(rf"^\| `{key}` \| ([^|]+) \|", TABLE, re.MULTILINE)
    schema = SCHEMA["properties"][key]
    if key in SCHEMA["anyOf"][0]["required"]:
        assert default == "required"
    elif isinstance(schema.get("default"), int | str):
        assert default.strip("`") == str(schema["default"]).lower()
    elif schema.get("default") is None:
        assert default == "none"
