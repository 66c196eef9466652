"""The live display: what goes on at the bottom, within the terminal, whatever its size."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from sparring.records import Ending, make_result
from sparring.records import events as ev
from sparring.reports.live import LiveReport
from sparring.reports.terminal import Output
from sparring.scenarios import Scenario, Simulation
from sparring.scoring import score
from sparring.suites import Run
from sparring.suites.agents import RunningAgent
from support.records import SIMULATION, bot, record, user

SAID = [ev.Ready(at=0.1), *bot(0.2, "Hello there."), user(0.5, 1, "A table.")]
END = ev.Ended(at=1, ending=Ending.END_CALL)


def runs(count: int) -> list[Run]:
    simulation = Simulation.model_validate(SIMULATION)
    return [
        Run(Scenario(f"scenario_{n}", Path("a.yaml"), simulation), RunningAgent("ws://x/ws"), 1, 1)
        for n in range(count)
    ]


def rendered(report: LiveReport, width: int = 80, height: int = 24) -> list[str]:
    """What the display would show on a terminal of this size."""
    output = report._console  # pyright: ignore[reportPrivateUsage]
    output.size = type(output.size)(width, height)
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    with console.capture() as capture:
        console.print(report._screen())  # pyright: ignore[reportPrivateUsage]
    return capture.get().splitlines()


def begun(count: int, planned: int) -> tuple[LiveReport, list[Run]]:
    report = LiveReport(Output(io.StringIO()), runs=planned, at_once=count)
    going = runs(count)
    for run in going:
        report.run_started(run)
        for event in SAID:
            report.event(run, event)
    return report, going


def test_it_shows_who_says_what_and_the_tally():
    report, _ = begun(2, planned=5)
    lines = rendered(report)
    assert "scenario_0" in lines[0] and "turn 1" in lines[0] and "user: A table." in lines[0]
    assert lines[-1].startswith("0/5 over · 3 waiting · 0:0")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 6), (20, 3), (300, 60)])
def test_two_hundred_at_once_fit_any_terminal(width: int, height: int):
    report, _ = begun(200, planned=200)
    lines = rendered(report, width, height)
    assert len(lines) <= max(height, 4)
    assert all(len(line) <= width for line in lines)


def test_a_run_that_is_over_leaves_a_line_and_the_estimate_appears():
    report, going = begun(1, planned=3)
    made = record(*SAID, END, metrics=[{"measure": "turns", "max_value": 9}])
    result = make_result(made, score(made))
    report.run_ended(going[0], result)
    output = report._console.file  # pyright: ignore[reportPrivateUsage]
    assert isinstance(output, io.StringIO)
    assert "✓ agent book end_call" in output.getvalue()
    (line,) = rendered(report, width=100)
    assert line.startswith("1/3 over · 1/1 passed · 2 waiting · ") and line.endswith(" left")
