"""The examples in the documents are true."""

import re
from pathlib import Path

import pytest

from sparring.callers import unplayable
from sparring.scenarios import Simulation, load

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
BLOCKS = [
    pytest.param(block, id=f"{document.stem}-{number}")
    for document in DOCUMENTS
    for number, block in enumerate(YAML.findall(document.read_text("utf-8")))
    if re.search(r"^name:", block, re.MULTILINE)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_scenario_loads(block: str, tmp_path: Path):
    path = tmp_path / "example.yaml"
    path.write_text(block, "utf-8")
    for name in re.findall(r"(?:image|audio): (\w+/\S+)", block):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    loaded = load([path])
    assert loaded.problems == []
    for scenario in loaded.scenarios:
        definition = scenario.definition
        if isinstance(definition, Simulation) and definition.agenda:
            assert unplayable(definition) is None


def test_there_are_examples():
    assert len(BLOCKS) >= 4


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text("utf-8")):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target
