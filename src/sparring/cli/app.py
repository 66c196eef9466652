"""The ``sparring`` command: arguments in, an exit code out.

What a command needs is imported when it runs, so that ``--help`` and ``check`` answer at once.

Exit codes: 0 all passed; 1 something failed; 2 bad usage or files, or nothing to run; 3 no failure,
but a run that ended in an error, was invalid or was interrupted.
"""

import io
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.exits import Exit
from sparring.errors import SparringError

app = typer.Typer(
    name="sparring",
    epilog="Exit codes: 0 all passed, 1 something failed, 2 bad usage or files or nothing to run, "
    "3 no failure but a run that ended in an error, was invalid or was interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"sparring {version('sparring')} (pipecat-ai {version('pipecat-ai')})")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the versions and exit."
        ),
    ] = False,
) -> None:
    """Simulated callers that test voice agents."""


Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES_OR_DIRS...",
        help="Scenario files, or directories of them (*.yaml, *.yml).",
        show_default=False,
    ),
]


@app.command()
def run(
    paths: Paths,
    agent: Annotated[
        str,
        typer.Option("--agent", metavar="URL", help="The agent's WebSocket, already running."),
    ] = "ws://localhost:7860/ws",
    offline: Annotated[
        bool,
        typer.Option(
            "--offline",
            help="Use no LLM: play the agenda word for word, and let the checks decide.",
        ),
    ] = False,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", help="Judge nothing; the measures decide.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the conversations as they happen.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", "-d", help="Keep pipecat's own log of every run as well.")
    ] = False,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency",
            "-c",
            metavar="N",
            min=1,
            help="Runs at a time; each has a session of its own with the agent.",
        ),
    ] = 1,
    json: Annotated[
        bool, typer.Option("--json", help="Print results as JSON lines, for programs.")
    ] = False,
    runs_dir: Annotated[
        Path, typer.Option("--runs-dir", metavar="DIR", help="Where run directories go.")
    ] = Path("eval-runs"),
    name: Annotated[
        str | None,
        typer.Option(
            "--name", "-n", metavar="NAME", help="The run directory's name; by default the time."
        ),
    ] = None,
) -> None:
    """Play simulations against a running agent.

    Each is played once; its record, logs and result go into a new run directory.

    Example: sparring run simulations/book_table.yaml --offline -v
    """
    from sparring.cli.play import Wanted, play

    _load_dotenv()
    wanted = Wanted(
        url=agent,
        offline=offline,
        judged=not no_judge,
        verbose=verbose,
        debug=debug,
        json=json,
        at_once=concurrency,
        runs_dir=runs_dir,
        name=name,
    )
    raise typer.Exit(play(paths, wanted))


@app.command()
def judge(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORDS...",
            help="Saved records (.json), conversations (.conversation.json), or run directories. "
            "A scenario file may come first.",
            show_default=False,
        ),
    ],
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            "-s",
            metavar="FILE|NAME",
            help="Score by this scenario file instead of the one in the record, or by the scenario "
            "of this name in the file that comes first.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask the judge again about everything.")
    ] = False,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", help="Ask nobody: use the verdicts that are there.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the results go.")
    ] = Path("judged.jsonl"),
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every metric.")] = False,
) -> None:
    """Score saved records again, without calling the agent.

    Verdicts that a record has already, by the same judge on the same criterion, are used again;
    edited criteria are asked about anew, in one request, and kept with the record.

    Example: sparring judge eval-runs/*/records/*.json --scenario book_table.yaml
    """
    from sparring.cli.rejudge import rejudge

    _load_dotenv()
    raise typer.Exit(rejudge(paths, scenario, fresh, not no_judge, output, verbose))


@app.command()
def check(paths: Paths) -> None:
    """Check scenario files without playing them.

    Every problem of every file is listed as file:line:column, with the way out; exits 2 if there is
    one.
    """
    from sparring.scenarios import load

    loaded = load(paths)
    for problem in loaded.problems:
        typer.echo(str(problem), err=True)
    scenarios = f"{len(loaded.scenarios)} scenario(s) in {len(loaded.files)} file(s)"
    if loaded.problems:
        typer.echo(f"{scenarios} are good; {len(loaded.problems)} problem(s)", err=True)
        raise typer.Exit(Exit.USAGE)
    typer.echo(f"{scenarios}, no problems")


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors.

    Point your editor at it with a first line such as
    # yaml-language-server: $schema=scenario.schema.json
    """
    import json

    from sparring.scenarios import json_schema

    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


def _load_dotenv() -> None:
    """Load the nearest .env upward from here; what the shell has set wins."""
    from dotenv import find_dotenv, load_dotenv

    load_dotenv(find_dotenv(usecwd=True))


def main() -> None:
    """Run the command; errors that sparring raises on purpose become one line and exit code 2."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # A terminal that cannot show é gets a ?.
    try:
        app()
    except SparringError as error:
        from sparring.records.redaction import redact

        typer.echo(redact(f"error: {error}"), err=True)
        sys.exit(Exit.USAGE)


def _stop(number: int, frame: object) -> None:
    """Stop at once where nothing is going on that would have to be ended in order."""
    typer.echo("interrupted", err=True)
    sys.exit(Exit.ERROR)
