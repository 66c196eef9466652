"""What text becomes which data, where it stands, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.scenarios import load, yaml_dialect, yaml_source
from sparring.scenarios.yaml_source import read_source


def write(directory: Path, **files: str) -> None:
    for name, text in files.items():
        path = directory / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@pytest.fixture(params=["c", "python"], autouse=True)
def dialect(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With libyaml and without."""
    if request.param == "python":
        monkeypatch.setattr(yaml_dialect, "_Loader", yaml_dialect._dialect(yaml.SafeLoader))


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


def test_text_that_yaml_has_plans_for(tmp_path: Path):
    write(tmp_path, a="a: =\nb: <<\nc: [=]\nd: ~\ne: !!str 5\nf: !!int 0x10\n")
    source = read_source(tmp_path / "a.yaml")
    assert source.faults == []
    assert source.data == {"a": "=", "b": "<<", "c": ["="], "d": None, "e": "5", "f": 16}


def test_what_a_mapping_says_itself_beats_what_it_merges(tmp_path: Path):
    write(tmp_path, a="a: &a {x: 1}\nb: {x: 2, <<: *a}\nc: {<<: [{x: 3, y: 3}, *a], z: 4}\n")
    data = read_source(tmp_path / "a.yaml").data
    assert (data["b"], data["c"]) == ({"x": 2}, {"x": 3, "y": 3, "z": 4})


def test_places_count_characters_from_one(tmp_path: Path):
    write(tmp_path, a="äöü😀: [x,\n  {y: z}]\n")
    source = read_source(tmp_path / "a.yaml")
    file = str(tmp_path / "a.yaml")
    assert {path: (p.line, p.column) for path, p in source.values.items()} == {
        (): (1, 1),
        ("äöü😀",): (1, 7),
        ("äöü😀", 0): (1, 8),
        ("äöü😀", 1): (2, 3),
        ("äöü😀", 1, "y"): (2, 7),
    }
    assert str(source.place(("äöü😀", 1, "y"), at_key=True)) == f"{file}:2:4"
    assert str(source.place(("äöü😀", 1, "gone", "deeper"))) == f"{file}:2:3"


def test_places_through_three_levels_of_includes(tmp_path: Path):
    write(
        tmp_path,
        top__a="x: 1\ny: !include ../one/b.yaml\n",
        one__b="# a comment\n- 1\n- !include ../two/c.yaml\n",
        two__c="deep:\n  deeper: !include d.yaml\n",
        top__d="\n\n  here\n",
    )
    source = read_source(tmp_path / "top" / "a.yaml")
    assert source.data == {"x": 1, "y": [1, {"deep": {"deeper": "here"}}]}
    places = {
        path: str(place).removeprefix(f"{tmp_path}/") for path, place in source.values.items()
    }
    assert places["y",] == "one/b.yaml:2:1"
    assert places["y", 1] == "two/c.yaml:1:1"
    assert places["y", 1, "deep", "deeper"] == "top/d.yaml:3:3"
    key = source.place(("y", 1, "deep", "deeper"), at_key=True)
    assert str(key) == f"{tmp_path}/two/c.yaml:2:3"


def test_an_included_file_may_be_empty_or_bad(tmp_path: Path):
    write(
        tmp_path,
        a="a: !include empty.yaml\nb: !include bad.yaml\nc: !include bad.yaml\nd: 2026-01-01\n",
        empty="# nothing\n",
        bad="x: 1\n\ty: 2\n",
    )
    source = read_source(tmp_path / "a.yaml")
    assert source.data["a"] is None
    assert str(source.values["a",]) == f"{tmp_path}/empty.yaml:1:1"
    assert [Path(place.file).name for place, _ in source.faults] == ["bad.yaml", "a.yaml"]


def test_a_link_is_no_way_around(tmp_path: Path):
    """`link/..` is where the link leads, so the path that is told must not be shortened."""
    write(tmp_path, far__x__c="a: 1", a="!include link/../c.yaml", far__c="b: 2")
    (tmp_path / "link").symlink_to(tmp_path / "far" / "x")
    source = read_source(tmp_path / "a.yaml")
    assert source.data == {"b": 2}
    assert source.values["b",].file == f"{tmp_path}/link/../c.yaml"


def test_a_circle_through_a_link_is_a_circle(tmp_path: Path):
    write(tmp_path, a="!include b.yaml")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    (fault,) = read_source(tmp_path / "a.yaml").faults
    assert fault[1] == "!include goes in a circle: a.yaml → b.yaml"


@pytest.mark.parametrize(
    "text", ["[" * 1100, "- " * 1100, "".join(" " * n + "a:\n" for n in range(900))]
)
def test_absurd_nesting_is_one_fault(tmp_path: Path, text: str):
    write(tmp_path, a=text)
    (fault,) = read_source(tmp_path / "a.yaml").faults
    assert "nest" in fault[1]


def test_a_character_that_yaml_does_not_allow(tmp_path: Path):
    write(tmp_path, a="name: äöü\nx: 😀\x07\n")
    (fault,) = read_source(tmp_path / "a.yaml").faults
    assert str(fault[0]) == f"{tmp_path}/a.yaml:2:5"
    assert fault[1] == "not YAML: the character #x0007 is not allowed"


def test_includes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_source, "_MAX_INCLUDES", 20)
    write(
        tmp_path, a="[!include b.yaml, !include b.yaml]", b=f"[{'!include c.yaml, ' * 10}]", c="1"
    )
    (fault,) = read_source(tmp_path / "a.yaml").faults
    assert fault[1] == "more than 20 includes"


def test_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_dialect, "MAX_BYTES", 2**20)
    write(tmp_path, a="x" * (2**20 + 1))
    assert [message for _, message in read_source(tmp_path / "a.yaml").faults] == [
        "larger than 1 MiB"
    ]


def test_an_include_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, a="x: !include b.yaml", b="1")

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", refuse)
    (fault,) = read_source(tmp_path / "a.yaml").faults
    assert fault[1] == "!include b.yaml: cannot be read: Permission denied"


def test_a_fault_of_an_alias_is_told_once(tmp_path: Path):
    write(tmp_path, a="a: &a {x: !no 1, y: 1, y: 2}\nb: *a\nc: {<<: *a}\n")
    assert [place.column for place, _ in read_source(tmp_path / "a.yaml").faults] == [24, 11]


def test_neither_loader_minds_the_other_way_lines_end(tmp_path: Path):
    (tmp_path / "a.yaml").write_bytes(b"name: n\r\npersona: p\r\ngoal: g\r\nsuccess: s\r\nx: 1\r\n")
    (problem,) = load([tmp_path / "a.yaml"]).problems
    assert (problem.line, problem.column) == (5, 1)
