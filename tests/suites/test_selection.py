from pathlib import Path

import pytest

from sparring.errors import UsageError
from sparring.scenarios import Scenario, Simulation
from sparring.suites import Selection, select
from support.records import SIMULATION


def scenario(name: str, *tags: str) -> Scenario:
    definition = Simulation(**{**SIMULATION, "name": name.rpartition("/")[2], "tags": list(tags)})
    return Scenario(name, Path("a.yaml"), definition)


ALL = [
    scenario("evening/plain", "smoke"),
    scenario("evening/short", "smoke", "slow"),
    scenario("morning/short", "slow"),
    scenario("book_table"),
]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Selection(), "evening/plain evening/short morning/short book_table"),
        (Selection(names=["evening/short"]), "evening/short"),
        (Selection(names=["evening"]), "evening/plain evening/short"),
        (Selection(names=["short"]), "evening/short morning/short"),
        (Selection(names=["book_table", "plain"]), "evening/plain book_table"),
        (Selection(kind="simulation", at_most=1), "evening/plain"),
        (Selection(tags=["slow"]), "evening/short morning/short"),
        (Selection(tags=["slow", "smoke"]), "evening/plain evening/short morning/short"),
        (Selection(names=["evening"], tags=["slow"]), "evening/short"),
        (Selection(tags=["slow"], at_most=5), "evening/short morning/short"),
    ],
)
def test_what_is_wanted(wanted: Selection, names: str):
    assert [one.name for one in select(ALL, wanted)] == names.split()


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (Selection(names=["book_tabel"]), "named 'book_tabel'. Did you mean 'book_table'?"),
        (Selection(names=["zzz"]), "no scenario is named 'zzz'. There are: book_table, evening"),
        (Selection(names=["plain", "zzz"]), "no scenario is named 'zzz'"),
        (Selection(names=["even"]), "no scenario is named 'even'"),
        (Selection(tags=["smok"]), "tagged 'smok'. Did you mean 'smoke'? There are: slow, smoke"),
        (Selection(names=["plain"], tags=["slow"]), "no scenario is tagged 'slow'"),
        (Selection(kind="script"), "there are: evening/plain (simulation)"),
    ],
)
def test_what_is_not_there(wanted: Selection, told: str):
    with pytest.raises(UsageError) as raised:
        select(ALL, wanted)
    assert told in str(raised.value)


def test_a_name_with_slashes_of_its_own():
    deep = [scenario("evening/by/phone")]
    for name in ("evening", "by/phone", "evening/by", "phone", "evening/by/phone"):
        assert select(deep, Selection(names=[name])) == deep
    with pytest.raises(UsageError):
        select(deep, Selection(names=["by"]))


def test_out_of_nothing_nothing_is_selected():
    assert select([], Selection(names=["a"])) == []
