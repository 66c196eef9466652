"""``python -m sparring.demo``: starts the demo agent, plays a simulation against it, ends it."""

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from sparring.agents.processes.isolation import AgentEntry, Isolation
from sparring.agents.processes.spawn import Spawn
from sparring.cli.exits import Exit
from sparring.cli.play import Wanted, play
from sparring.demo.variants import VARIANTS
from sparring.errors import SparringError
from sparring.scenarios import load
from sparring.suites.agents import StartedAgent

_RUNS_DIR = Path("demo-runs")


def demo(
    simulations: Annotated[
        list[Path], typer.Argument(metavar="FILES_OR_DIRS...", help="Simulations to play.")
    ],
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            metavar="|".join(variant.name for variant in VARIANTS.values()),
            help="Which demo agent to call: the good one, or one that is broken on purpose.",
        ),
    ] = "good",
    runs_dir: Annotated[
        Path, typer.Option("--runs-dir", metavar="DIR", help="Where run directories go.")
    ] = _RUNS_DIR,
) -> None:
    """Play simulations against the demo agent, with no LLM, no key and no model."""
    if agent not in VARIANTS:
        names = ", ".join(variant.name for variant in VARIANTS.values())
        typer.echo(f"error: there is no demo agent {agent!r}; choose one of {names}", err=True)
        raise typer.Exit(Exit.USAGE)
    loaded = load(simulations)
    if not loaded.scenarios:
        for problem in loaded.problems:
            typer.echo(str(problem), err=True)
        raise typer.Exit(Exit.USAGE)
    typer.echo(f"starting the demo agent ({agent}: {VARIANTS[agent].summary}) …")
    command = f"{{python}} -m sparring.demo.agent --port {{port}} --agent {agent}"
    spawn = Spawn(Path(__file__).with_name("agent.py"), command)
    entry = AgentEntry("demo", spawn, Isolation.SESSION)
    wanted = Wanted(offline=True, verbose=True, runs_dir=runs_dir)
    raise typer.Exit(play(simulations, StartedAgent(f"demo agent ({agent})", entry), wanted))


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    # So that the agent is ended with us, whichever way we are asked to go.
    signal.signal(signal.SIGTERM, _leave)
    try:
        typer.run(demo)
    except SparringError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(Exit.ERROR)
