"""``sparring doctor``: a line for everything a run needs, each that is amiss with its way out."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from sparring.cli.doctor import surroundings
from sparring.cli.doctor.finding import Finding, Level
from sparring.cli.doctor.scenarios import ScenarioExamination
from sparring.cli.exits import Exit
from sparring.reports.lines import clean
from sparring.reports.terminal import Output

_SIGNS = {Level.OK: ("✓", "green"), Level.WARN: ("!", "yellow"), Level.BAD: ("✗", "red")}


@dataclass(frozen=True)
class Asked:
    """What shall be looked at."""

    files: Sequence[Path]
    """Scenario files that are to be played; none for any run."""
    agent: str | None
    """The agent's URL; None for the usual one, which need not be there yet."""
    offline: bool
    """Whether they are to be played without an LLM."""
    runs_dir: Path
    pull: bool
    """Whether to have missing models fetched."""


def doctor(asked: Asked) -> Exit:
    """Print the findings as they are made; a bad one makes the exit code that of bad usage."""
    return asyncio.run(_print(_findings(asked), Output()))


async def _findings(asked: Asked) -> AsyncIterator[Finding]:
    for finding in (
        *surroundings.versions(),
        surroundings.environment(),
        surroundings.openai_key(),
    ):
        yield finding
    async for finding in ScenarioExamination(asked.files, asked.offline, asked.pull).findings():
        yield finding
    yield Finding(Level.OK, "speech models", "not needed: calls are text")
    yield await surroundings.agent(asked.agent)
    yield surroundings.runs_dir(asked.runs_dir)


async def _print(findings: AsyncIterator[Finding], output: Output) -> Exit:
    bad = 0
    async for finding in findings:
        bad += finding.level is Level.BAD
        line = clean(f"{finding.what}: {finding.state}")
        output.say(Text.assemble(_SIGNS[finding.level], f" {line}"))
        if finding.way_out:
            output.say(Text(f"    → {finding.way_out}"))
    if bad:
        output.say(Text(f"{bad} of these must be put right first", style="bold"))
    return Exit.USAGE if bad else Exit.PASSED
