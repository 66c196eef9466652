"""The ``sparring`` command: arguments in, an exit code out.

What a command needs is imported when it runs, so that ``--help`` and ``check`` answer at once.

Exit codes: 0 all passed; 1 something failed; 2 bad usage or files, or nothing to run; 3 no failure,
but a run that ended in an error, was invalid or was interrupted.
"""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.exits import Exit
from sparring.cli.export import export
from sparring.cli.judge import judge
from sparring.cli.process import Commands, load_environment, take_over
from sparring.cli.run import Paths, run
from sparring.cli.suite import suite

app = typer.Typer(
    name="sparring",
    cls=Commands,
    epilog="Exit codes: 0 all passed, 1 something failed, 2 bad usage or files or nothing to run, "
    "3 no failure but a run that ended in an error, was invalid or was interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from sparring import __version__

        typer.echo(f"sparring {__version__} (pipecat-ai {version('pipecat-ai')})")
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


app.command()(run)
app.command()(suite)
app.command()(judge)
app.command()(export)


@app.command()
def check(paths: Paths) -> None:
    """Check scenario files without playing them.

    Every problem of every file is listed as file:line:column, with the way out; exits 2 if there is
    one.
    """
    from sparring.records.redaction import redact
    from sparring.scenarios import load

    load_environment()  # What is secret in it must not be quoted.
    loaded = load(paths)
    for problem in loaded.problems:
        typer.echo(redact(str(problem)), err=True)
    scenarios = f"{len(loaded.scenarios)} scenario(s) in {len(loaded.files)} file(s)"
    if loaded.problems:
        typer.echo(f"{scenarios} are good; {len(loaded.problems)} problem(s)", err=True)
        raise typer.Exit(Exit.USAGE)
    typer.echo(f"{scenarios}, no problems")


@app.command()
def doctor(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILES_OR_DIRS...]",
            help="Scenario files that are to be played; without any, what most need.",
            show_default=False,
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            "--bot-url",
            metavar="URL",
            help="The agent's WebSocket; by default ws://localhost:7860/ws, which may be absent.",
        ),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="They are to be played without an LLM.")
    ] = False,
    runs_dir: Annotated[
        Path, typer.Option("--runs-dir", metavar="DIR", help="Where run directories shall go.")
    ] = Path("eval-runs"),
    pull: Annotated[
        bool, typer.Option("--pull", help="Have Ollama pull the models that are missing.")
    ] = False,
) -> None:
    """See whether everything is there that a run needs, and what to do where it is not.

    Exits 2 if a given file could not be played. Nothing is played, and no key is printed.

    Example: sparring doctor simulations/book_table.yaml --pull
    """
    from sparring.cli.doctor import Asked
    from sparring.cli.doctor import doctor as examine

    load_environment()
    raise typer.Exit(examine(Asked(files or [], agent, offline, runs_dir, pull)))


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors.

    Point your editor at it with a first line such as
    # yaml-language-server: $schema=scenario.schema.json
    """
    import json

    from sparring.scenarios import json_schema

    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


def main() -> None:
    """Run the command."""
    take_over()
    app()
