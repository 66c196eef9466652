"""The ``run`` command: its options, the same as ``sparring run`` and as ``pipecat eval run``.

Whatever is not in the file is asked for here, and handed on as one ``Wanted``. Imports only typer,
since every ``pipecat`` command loads it.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.cli.exits import Exit
from sparring.cli.process import load_environment

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES_OR_DIRS...",
        help="Scenario files, or directories of them (*.yaml, *.yml).",
        show_default=False,
    ),
]

_WHICH = "Which scenarios"
_HOW = "How they are played"
_OUTPUT = "What is shown and kept"


def run(
    paths: Paths,
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            "--bot-url",
            metavar="URL",
            help="The agent's WebSocket, already running.",
        ),
    ] = "ws://localhost:7860/ws",
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario",
            "-s",
            metavar="NAME",
            help="Only scenarios of this name: the full one, the file's, or the scenario's own. "
            "May be given again.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    kind: Annotated[
        Literal["simulation", "script"] | None,
        typer.Option("--kind", "-k", help="Only this kind.", rich_help_panel=_WHICH),
    ] = None,
    tags: Annotated[
        str,
        typer.Option(
            "--tags",
            metavar="A,B",
            help="Only scenarios with any of these tags.",
            rich_help_panel=_WHICH,
        ),
    ] = "",
    max_examples: Annotated[
        int | None,
        typer.Option(
            "--max-examples",
            metavar="N",
            min=1,
            help="Only the first N of them.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat",
            "-r",
            metavar="N",
            min=1,
            help="Play each N times, with a seed of its own each time. Of more than once, that is "
            "a measurement: exits 0 whatever the rates, unless no run was valid.",
            rich_help_panel=_HOW,
        ),
    ] = 1,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency",
            "-c",
            metavar="N",
            min=1,
            help="Runs at a time; each has a session of its own with the agent.",
            rich_help_panel=_HOW,
        ),
    ] = 1,
    offline: Annotated[
        bool,
        typer.Option(
            "--offline",
            help="Use no LLM: play the agenda word for word, and let the checks decide.",
            rich_help_panel=_HOW,
        ),
    ] = False,
    no_judge: Annotated[
        bool,
        typer.Option(
            "--no-judge", help="Judge nothing; the measures decide.", rich_help_panel=_HOW
        ),
    ] = False,
    bot_ready_timeout: Annotated[
        float,
        typer.Option(
            "--bot-ready-timeout",
            metavar="SECONDS",
            min=0.1,
            help="How long a connected agent may take to be ready.",
            rich_help_panel=_HOW,
        ),
    ] = 60,
    timeout: Annotated[
        int,
        typer.Option(
            "--timeout",
            "-t",
            metavar="SECONDS",
            min=1,
            help="For scripts: how long an expectation without within_ms waits. Simulations have "
            "caps of their own.",
            rich_help_panel=_HOW,
        ),
    ] = 60,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Show the conversations as they happen.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print results as JSON lines, for programs.", rich_help_panel=_OUTPUT
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            "-d",
            help="Keep pipecat's own log of every run as well.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    runs_dir: Annotated[
        Path,
        typer.Option(
            "--runs-dir",
            metavar="DIR",
            help="Where run directories go.",
            rich_help_panel=_OUTPUT,
        ),
    ] = Path("eval-runs"),
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            "-n",
            metavar="NAME",
            help="The run directory's name; by default the time.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    logs_dir: Annotated[
        Path | None,
        typer.Option(
            "--logs-dir",
            metavar="DIR",
            help="Put copies of the logs here, as pipecat names them: FILE__SCENARIO.eval.log, "
            ".conversation.json, .debug.log.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    audio: Annotated[
        bool, typer.Option("--audio", "-a", help="Record the calls.", hidden=True)
    ] = False,
    record_dir: Annotated[
        Path | None,
        typer.Option("--record-dir", metavar="DIR", help="Where recordings go.", hidden=True),
    ] = None,
    cache_dir: Annotated[
        Path | None,
        typer.Option("--cache-dir", metavar="DIR", help="Where speech is kept.", hidden=True),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Keep no speech.", hidden=True)
    ] = False,
    stop_bot: Annotated[bool, typer.Option("--stop-bot", help="No effect.", hidden=True)] = False,
    trigger_disconnect: Annotated[
        bool,
        typer.Option(
            "--trigger-disconnect",
            help="Close without cancelling the agent first. Deprecated: say it in the scenario.",
            hidden=True,
        ),
    ] = False,
) -> None:
    """Play scenarios against a running agent.

    Each is played once, whatever its `runs:` says; its record, logs and result go into a new run
    directory.

    Example: sparring run simulations/book_table.yaml --offline -v
    """
    from sparring.cli.play import Wanted, play
    from sparring.suites import Selection

    if audio:
        typer.echo("error: calls cannot be recorded as audio yet: leave out --audio", err=True)
        raise typer.Exit(Exit.USAGE)
    if stop_bot:
        _warn("--stop-bot has no effect: a run ends its own session and no other")
    if trigger_disconnect:
        _warn("--trigger-disconnect is deprecated: set `trigger_disconnect: true` in the scenario")
    load_environment()
    wanted = Wanted(
        url=agent,
        selection=Selection(
            names=tuple(scenario or ()),
            kind=kind,
            tags=tuple(tag.strip() for tag in tags.split(",") if tag.strip()),
            at_most=max_examples,
        ),
        repeat=repeat,
        at_once=concurrency,
        offline=offline,
        judged=not no_judge,
        timeout_s=timeout,
        ready_timeout_s=bot_ready_timeout,
        trigger_disconnect=trigger_disconnect,
        verbose=verbose,
        json=json,
        debug=debug,
        runs_dir=runs_dir,
        name=name,
        logs_dir=logs_dir,
    )
    raise typer.Exit(play(paths, wanted))


def _warn(text: str) -> None:
    typer.secho(f"warning: {text}", err=True, fg="yellow")
