"""A model being fetched: bars on a terminal, elsewhere a plain line for each step."""

import sys

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TransferSpeedColumn
from rich.progress import Progress as Bars

from sparring.models.pulling import Progress, Pullable
from sparring.reports.lines import clean


async def pull(model: Pullable, name: str) -> None:
    """Fetch a model and show how far it is.

    Raises:
        ModelError: If it cannot be had.
    """
    console = Console(file=sys.stderr, highlight=False, markup=False)
    if console.is_terminal:
        await _with_bars(model, name, console)
        return
    said = ""
    async for progress in model.pull():
        if progress.doing != said:
            said = progress.doing
            console.print(f"pulling {name}: {clean(said)}", soft_wrap=True)


async def _with_bars(model: Pullable, name: str, console: Console) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Bars(*columns, TransferSpeedColumn(), console=console, transient=True) as bars:
        parts: dict[str, TaskID] = {}
        async for progress in model.pull():
            if progress.total is not None:
                part = parts.get(progress.part)
                if part is None:
                    part = parts[progress.part] = bars.add_task("", total=None)
                bars.update(
                    part,
                    description=_described(name, progress),
                    total=progress.total,
                    completed=progress.done or 0,
                )


def _described(name: str, progress: Progress) -> str:
    return f"{name}: {clean(progress.doing)}"
