"""Options that more than one command takes. Imports only typer, as the commands themselves."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from sparring.suites import Selection

USUAL_AGENT = "ws://localhost:7860/ws"
WHICH = "Which scenarios"
HOW = "How they are played"
OUTPUT = "What is shown and kept"

Scenarios = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        "-s",
        metavar="NAME",
        help="Only scenarios of this name: the full one, the file's, or the scenario's own. "
        "May be given again.",
        rich_help_panel=WHICH,
    ),
]
Kind = Annotated[
    Literal["simulation", "script"] | None,
    typer.Option("--kind", "-k", help="Only this kind.", rich_help_panel=WHICH),
]
Tags = Annotated[
    str,
    typer.Option(
        "--tags",
        metavar="A,B",
        help="Only scenarios with any of these tags.",
        rich_help_panel=WHICH,
    ),
]
MaxExamples = Annotated[
    int | None,
    typer.Option(
        "--max-examples",
        metavar="N",
        min=1,
        help="Only the first N of them.",
        rich_help_panel=WHICH,
    ),
]
Offline = Annotated[
    bool,
    typer.Option(
        "--offline",
        help="Use no LLM: play the agenda word for word, and let the checks decide.",
        rich_help_panel=HOW,
    ),
]
NoJudge = Annotated[
    bool,
    typer.Option("--no-judge", help="Judge nothing; the measures decide.", rich_help_panel=HOW),
]
Timeout = Annotated[
    int,
    typer.Option(
        "--timeout",
        "-t",
        metavar="SECONDS",
        min=1,
        help="For scripts: how long an expectation without within_ms waits. Simulations have "
        "caps of their own.",
        rich_help_panel=HOW,
    ),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Show the conversations as they happen.",
        rich_help_panel=OUTPUT,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print results as JSON lines, for programs.", rich_help_panel=OUTPUT
    ),
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        "-d",
        help="Keep pipecat's own log of every run as well.",
        rich_help_panel=OUTPUT,
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        "--name",
        "-n",
        metavar="NAME",
        help="The run directory's name; by default the time.",
        rich_help_panel=OUTPUT,
    ),
]
Audio = Annotated[bool, typer.Option("--audio", "-a", help="Record the calls.", hidden=True)]
CacheDir = Annotated[
    Path | None,
    typer.Option("--cache-dir", metavar="DIR", help="Where speech is kept.", hidden=True),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Keep no speech.", hidden=True)]


def selection(
    names: Sequence[str] | None,
    kind: Literal["simulation", "script"] | None,
    tags: str,
    max_examples: int | None,
) -> "Selection":
    """What the options that choose scenarios come to."""
    from sparring.suites import Selection

    return Selection(
        names=tuple(names or ()),
        kind=kind,
        tags=tuple(tag.strip() for tag in tags.split(",") if tag.strip()),
        at_most=max_examples,
    )
