"""``python -m sparring.demo``: starts the demo agent, plays a simulation against it, ends it."""

import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from anyio.from_thread import start_blocking_portal

from sparring.agents.fleet import Fleet
from sparring.agents.isolation import AgentEntry
from sparring.agents.process import AgentProcess
from sparring.agents.spawn import Spawn
from sparring.cli.exits import Exit
from sparring.cli.play import Wanted, play
from sparring.demo.variants import VARIANTS
from sparring.errors import SparringError
from sparring.scenarios import load

_RUNS_DIR = Path("demo-runs")
_EXIT_S = 1.0
"""How long an agent whose call failed is given to turn out to have crashed."""


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
    with start_blocking_portal() as portal:
        running = portal.wrap_async_context_manager(_running(agent, runs_dir / "agent.log"))
        with running as process:
            files = " ".join(map(str, simulations))
            typer.echo(f"$ sparring run {files} --offline --agent {process.url} -v\n")
            wanted = Wanted(process.url, offline=True, verbose=True, runs_dir=runs_dir)
            code = play(simulations, wanted)
            exited = portal.call(process.exit_within, 0.0 if code is Exit.PASSED else _EXIT_S)
            if exited is not None:
                typer.echo(f"the demo agent {exited}; its last lines:")
                typer.echo(process.last_lines())
    raise typer.Exit(code)


@asynccontextmanager
async def _running(variant: str, log: Path) -> AsyncGenerator[AgentProcess]:
    """The demo agent, in an event loop beside the one that plays."""
    command = f"{{python}} -m sparring.demo.agent --port {{port}} --agent {variant}"
    entry = AgentEntry("demo", Spawn(Path(__file__).with_name("agent.py"), command))
    async with Fleet(log.parent, notice=typer.echo) as fleet, fleet.agent(entry, log) as agent:
        yield agent


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
