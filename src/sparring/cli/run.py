"""The ``run`` command: its options, the same as ``sparring run`` and as ``pipecat eval run``.

Whatever is not in the file is asked for here, and handed on as one ``Wanted``. Imports only typer,
since every ``pipecat`` command loads it.
"""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.exits import Exit
from sparring.cli.process import load_environment, loading

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES_OR_DIRS...",
        help="Scenario files, or directories of them (*.yaml, *.yml).",
        show_default=False,
    ),
]


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
    ] = options.USUAL_AGENT,
    scenario: options.Scenarios = None,
    kind: options.Kind = None,
    tags: options.Tags = "",
    max_examples: options.MaxExamples = None,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat",
            "-r",
            metavar="N",
            min=1,
            help="Play each N times, with a seed of its own each time. Of more than once, that is "
            "a measurement: exits 0 whatever the rates, unless no run was valid.",
            rich_help_panel=options.HOW,
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
            rich_help_panel=options.HOW,
        ),
    ] = 1,
    offline: options.Offline = False,
    no_judge: options.NoJudge = False,
    bot_ready_timeout: Annotated[
        float,
        typer.Option(
            "--bot-ready-timeout",
            metavar="SECONDS",
            min=0.1,
            help="How long a connected agent may take to be ready.",
            rich_help_panel=options.HOW,
        ),
    ] = 60,
    timeout: options.Timeout = 60,
    verbose: options.Verbose = False,
    json: options.Json = False,
    debug: options.Debug = False,
    runs_dir: Annotated[
        Path,
        typer.Option(
            "--runs-dir",
            metavar="DIR",
            help="Where run directories go.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = Path("eval-runs"),
    name: options.Name = None,
    logs_dir: Annotated[
        Path | None,
        typer.Option(
            "--logs-dir",
            metavar="DIR",
            help="Put copies of the logs here, as pipecat names them: FILE__SCENARIO.eval.log, "
            ".conversation.json, .debug.log.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    audio: options.Audio = False,
    record_dir: Annotated[
        Path | None,
        typer.Option("--record-dir", metavar="DIR", help="Where recordings go.", hidden=True),
    ] = None,
    cache_dir: options.CacheDir = None,
    no_cache: options.NoCache = False,
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
    with loading():
        from sparring.agents import check_url
        from sparring.cli.play import Wanted, play
        from sparring.suites.agents import RunningAgent

    if audio:
        typer.echo("error: calls cannot be recorded as audio yet: leave out --audio", err=True)
        raise typer.Exit(Exit.USAGE)
    if stop_bot:
        _warn("--stop-bot has no effect: a run ends its own session and no other")
    if trigger_disconnect:
        _warn("--trigger-disconnect is deprecated: set `trigger_disconnect: true` in the scenario")
    load_environment()
    wanted = Wanted(
        offline=offline,
        judged=not no_judge,
        measured=repeat > 1,
        at_once=concurrency,
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
    selection = options.selection(scenario, kind, tags, max_examples)
    raise typer.Exit(play(paths, RunningAgent(check_url(agent)), wanted, selection, repeat))


def _warn(text: str) -> None:
    typer.secho(f"warning: {text}", err=True, fg="yellow")
