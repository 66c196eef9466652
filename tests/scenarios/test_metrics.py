import pytest

from sparring.scenarios import CallExpectation, CallsMetric, RangeMetric, Simulation

BASE = {"name": "n", "persona": "p", "goal": "g", "success": "s"}


@pytest.mark.parametrize(
    ("times", "at_least", "exactly"), [(None, 1, None), (1, 1, 1), (3, 3, 3), ("2+", 2, None)]
)
def test_how_often_a_call_is_asked_for(times: int | str | None, at_least: int, exactly: int | None):
    call = CallExpectation(name="a", times=times)
    assert (call.at_least, call.exactly) == (at_least, exactly)


@pytest.mark.parametrize("times", [0, -1, True, 1.5, "1", "0+", "1 +", "1+\n", "٣+", "", []])
def test_how_often_it_cannot_be(times: object):
    with pytest.raises(ValueError, match="times must be"):
        CallExpectation.model_validate({"name": "a", "times": times})


def test_a_measure_is_named_after_itself_unless_it_has_a_name():
    metrics = [
        {"measure": "words"},
        {"measure": "words", "name": "short", "max_value": 3},
        {"measure": "function_calls", "calls": []},
    ]
    made = Simulation.model_validate({**BASE, "metrics": metrics}).metrics
    assert [metric.name for metric in made] == ["words", "short", "function_calls"]
    assert isinstance(made[0], RangeMetric) and made[0].max_value is None
    assert isinstance(made[2], CallsMetric) and made[2].calls == []


def test_metrics_that_are_made_already_are_taken_as_they_are():
    metric = RangeMetric(name="w", measure="words", min_value=2, max_value=2)
    assert Simulation.model_validate({**BASE, "metrics": [metric]}).metrics == [metric]
