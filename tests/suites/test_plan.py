from pathlib import Path

from sparring.scenarios import Scenario, Simulation
from sparring.suites import plan
from sparring.suites.agents import RunningAgent
from support.play import BOOKING


def scenario(name: str) -> Scenario:
    return Scenario(name, Path("a.yaml"), Simulation(**{**BOOKING, "name": name}))


def test_attempts_are_draws_of_their_own_and_come_in_rounds():
    runs = plan(
        [scenario("a"), scenario("b")], RunningAgent("ws://x/ws"), lambda _: True, attempts=3
    ).runs
    assert [run.label for run in runs] == ["a 1/3", "b 1/3", "a 2/3", "b 2/3", "a 3/3", "b 3/3"]
    assert [run.stem for run in runs][:3] == ["a__001", "b__001", "a__002"]
    assert len({run.seed for run in runs}) == 6


def test_the_first_of_many_attempts_is_the_only_one_of_one():
    (only,) = plan([scenario("a")], RunningAgent("ws://x/ws"), lambda _: True).runs
    first, *_ = plan([scenario("a")], RunningAgent("ws://x/ws"), lambda _: True, attempts=5).runs
    assert (only.label, only.stem) == ("a", "a")
    assert only.seed == first.seed
