"""The ``judge`` command: its options, the same as ``sparring judge`` and as ``pipecat eval judge``.

Imports only typer, since every ``pipecat`` command loads it.
"""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.process import load_environment


def judge(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORDS...",
            help="Saved records (.json), conversations (.conversation.json), run directories, or "
            "directories of those. A scenario file may come first.",
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
    concurrency: Annotated[
        int,
        typer.Option("--concurrency", "-c", metavar="N", min=1, help="Records judged at a time."),
    ] = 4,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every metric.")] = False,
) -> None:
    """Score saved records again, without calling the agent.

    Verdicts that a record has already, by the same judge on the same criterion, are used again;
    edited criteria are asked about anew, in one request, and kept with the record.

    Example: sparring judge eval-runs/*/records/*.json --scenario book_table.yaml
    """
    from sparring.cli.rejudge import rejudge

    load_environment()
    raise typer.Exit(rejudge(paths, scenario, fresh, not no_judge, output, verbose, concurrency))
