"""``sparring export``: a record as JSON lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer


def export(
    record: Annotated[
        Path, typer.Argument(metavar="RECORD", help="A saved record.", show_default=False)
    ],
    turns: Annotated[
        bool, typer.Option("--turns", help="A line for every turn, with what was measured of it.")
    ] = False,
    ticks: Annotated[
        bool, typer.Option("--ticks", help="A line for every tick of the recording.")
    ] = False,
    tick_ms: Annotated[
        int, typer.Option("--tick-ms", metavar="MS", min=1, help="How long a tick is.")
    ] = 200,
) -> None:
    """Print a record's turns, or its recording tick by tick, as JSON lines.

    Times are milliseconds of the recording, or of the call if it has none.

    Example: sparring export eval-runs/last/records/book_table.json --turns
    """
    from sparring.errors import UsageError
    from sparring.records.json_text import json_of_data

    if not turns and not ticks:
        raise UsageError("say what to export: --turns, --ticks, or both")
    for row in _rows(record, turns, ticks, tick_ms):
        typer.echo(json_of_data(row))


def _rows(path: Path, turns: bool, ticks: bool, tick_ms: int) -> Iterator[dict[str, Any]]:
    from sparring.records import load_record
    from sparring.scoring import response_deadline_ms
    from sparring.scoring.voice.timeline import tick_rows, turn_rows

    record = load_record(path)
    if turns:
        yield from turn_rows(record, response_deadline_ms(record))
    if ticks:
        yield from tick_rows(record, tick_ms)
