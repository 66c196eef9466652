"""The ``suite`` command: its options, as ``sparring suite`` and as ``pipecat eval suite``.

Imports only typer, since every ``pipecat`` command loads it.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.cli import options
from sparring.cli.exits import Exit
from sparring.cli.process import load_environment, loading

_AGENTS = "How agents are started"
_GOING_ON = "What is played again"


def suite(
    manifest: Annotated[
        Path, typer.Argument(metavar="MANIFEST", help="The suite.", show_default=False)
    ],
    pattern: Annotated[
        str | None,
        typer.Option(
            "--pattern",
            "-p",
            metavar="TEXT",
            help="Only agents with this in their name or path.",
            rich_help_panel=options.WHICH,
        ),
    ] = None,
    scenario: options.Scenarios = None,
    kind: options.Kind = None,
    tags: options.Tags = "",
    max_examples: options.MaxExamples = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="1/4",
            help="Only this part of what is left, for several machines.",
            rich_help_panel=options.WHICH,
        ),
    ] = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            "--repeat",
            "-r",
            metavar="N",
            min=1,
            help="Play everything N times, whatever `runs:` says. That is a measurement: exits 0 "
            "whatever the rates, unless no run was valid.",
            rich_help_panel=options.HOW,
        ),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            "-c",
            metavar="N",
            min=1,
            help="Runs at a time.",
            rich_help_panel=options.HOW,
        ),
    ] = None,
    retries: Annotated[
        int,
        typer.Option(
            "--retries",
            metavar="N",
            min=0,
            help="Play a run again that ended in an error or was invalid, N times at most; never "
            "one that failed.",
            rich_help_panel=options.HOW,
        ),
    ] = 0,
    fail_fast: Annotated[
        bool,
        typer.Option(
            "--fail-fast",
            help="Begin nothing more after the first failure.",
            rich_help_panel=options.HOW,
        ),
    ] = False,
    max_failures: Annotated[
        int | None,
        typer.Option(
            "--max-failures",
            metavar="N",
            min=1,
            help="Begin nothing more after N failures.",
            rich_help_panel=options.HOW,
        ),
    ] = None,
    offline: options.Offline = False,
    no_judge: options.NoJudge = False,
    timeout: options.Timeout = 60,
    isolation: Annotated[
        Literal["process", "fork", "session"] | None,
        typer.Option(
            "--isolation",
            help="How runs are kept apart: a process each, a fork each of one that has imported "
            "the agent, or a session each with one process.",
            rich_help_panel=_AGENTS,
        ),
    ] = None,
    spawn: Annotated[
        str | None,
        typer.Option(
            "--spawn",
            metavar="COMMAND",
            help="How an agent is started: {python}, {bot} and {port} are put in.",
            rich_help_panel=_AGENTS,
        ),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            "--python", metavar="PATH", help="The agents' Python.", rich_help_panel=_AGENTS
        ),
    ] = None,
    bots_dir: Annotated[
        Path | None,
        typer.Option(
            "--bots-dir", metavar="DIR", help="Where agents are.", rich_help_panel=_AGENTS
        ),
    ] = None,
    scenarios_dir: Annotated[
        Path | None,
        typer.Option(
            "--scenarios-dir",
            metavar="DIR",
            help="Where scenarios are.",
            rich_help_panel=_AGENTS,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with the run of this name (-n): play what has no result, or ended in an "
            "error; an edited scenario is played again.",
            rich_help_panel=_GOING_ON,
        ),
    ] = False,
    rerun_failed: Annotated[
        Path | None,
        typer.Option(
            "--rerun-failed",
            metavar="RUN_DIR",
            help="Only what was played there and did not pass.",
            rich_help_panel=_GOING_ON,
        ),
    ] = None,
    verbose: options.Verbose = False,
    json: options.Json = False,
    debug: options.Debug = False,
    runs_dir: Annotated[
        Path | None,
        typer.Option(
            "--runs-dir",
            metavar="DIR",
            help="Where run directories go.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    name: options.Name = None,
    audio: options.Audio = False,
    cache_dir: options.CacheDir = None,
    no_cache: options.NoCache = False,
    base_port: Annotated[
        int | None,
        typer.Option("--base-port", help="No effect: ports are chosen free.", hidden=True),
    ] = None,
) -> None:
    """Start the agents of a manifest and play their scenarios.

    Example: sparring suite suites/demo.yaml --offline -n nightly --resume
    """
    with loading():
        from sparring.agents.processes.isolation import Isolation
        from sparring.cli.play import Wanted
        from sparring.cli.play_suite import SuiteWanted, play_suite
        from sparring.suites.suite import Choice, Starting

    if audio:
        typer.echo("error: calls cannot be recorded as audio yet: leave out --audio", err=True)
        raise typer.Exit(Exit.USAGE)
    load_environment()
    asked = SuiteWanted(
        choice=Choice(pattern, options.selection(scenario, kind, tags, max_examples), shard),
        starting=Starting(spawn, python, Isolation(isolation) if isolation else None),
        repeat=repeat,
        at_once=concurrency,
        bots_dir=bots_dir,
        scenarios_dir=scenarios_dir,
        runs_dir=runs_dir,
        rerun_failed=rerun_failed,
    )
    how = Wanted(
        offline=offline,
        judged=not no_judge,
        timeout_s=timeout,
        retries=retries,
        max_failures=1 if fail_fast else max_failures,
        verbose=verbose,
        debug=debug,
        json=json,
        name=name,
        resume=resume,
    )
    raise typer.Exit(play_suite(manifest, asked, how))
