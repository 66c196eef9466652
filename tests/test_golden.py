"""Records of earlier versions: every later one must load them and score them the same.

Made once with the demo agent; never edited, never made again. A new record format adds files here.
"""

from pathlib import Path

import pytest

from sparring.records import Kind, ScriptScore, Status, load_record, make_result
from sparring.scoring import score

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "status", "kind", "values"),
    [
        ("v1-good", Status.PASSED, None, {"words": 18, "latency": 0.019, "function_calls": 2}),
        ("v1-forgetful", Status.FAILED, Kind.FUNCTION_CALLS, {"words": 18, "function_calls": 2}),
        ("v1-crashing", Status.FAILED, Kind.AGENT_CRASHED, {"words": 18, "latency": 0.011}),
    ],
)
def test_a_record_of_an_earlier_version_scores_as_it_did(
    name: str, status: Status, kind: Kind | None, values: dict[str, float]
):
    record = load_record(GOLDEN / f"{name}.json")
    made = score(record)
    assert (made.status, made.kind) == (status, kind)
    scored = {metric.name: metric.value for metric in made.metrics}
    assert {key: scored[key] for key in values} == values
    assert make_result(record, made).scenario == "book_table"


def test_a_script_of_an_earlier_version_scores_as_it_did():
    made = score(load_record(GOLDEN / "v1-script.json"))
    assert isinstance(made, ScriptScore)
    assert (made.status, made.kind, made.failures) == (Status.PASSED, None, [])
    assert [turn.status for turn in made.turns] == ["passed"] * 5
    took = [one.matched for one in made.turns[3].expectations]
    assert took[0] is not None and took[0].startswith('book_table(date="tonight"')


def test_every_golden_record_is_checked():
    assert {path.stem for path in GOLDEN.iterdir()} == {
        *("v1-good", "v1-forgetful", "v1-crashing"),
        "v1-script",
    }
