"""``sparring judge``: saved records, scored again."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from sparring.cli.exits import Exit, exit_code
from sparring.errors import ModelError, RecordError, UsageError
from sparring.records import (
    Record,
    Result,
    load_record,
    make_result,
    record_of_conversation,
    save_record,
    write_atomically,
)
from sparring.records.json_text import json_of
from sparring.reports import TerminalReport
from sparring.scenarios import Scenario, load
from sparring.scoring import JudgeFailure, is_worth_judging, judge_record, score
from sparring.scoring.judging import simulation_of
from sparring.suites import identity_of
from sparring.suites.casting import Casting

_YAML = (".yaml", ".yml")
_CONVERSATION = ".conversation.json"


def rejudge(
    paths: Sequence[Path],
    scenario: str | None,
    fresh: bool,
    judged: bool,
    output: Path,
    verbose: bool,
) -> Exit:
    """Score records again; one that cannot be read does not stop the others."""
    chosen = _scenario([path for path in paths if path.suffix in _YAML], scenario)
    files = _files([path for path in paths if path.suffix not in _YAML])
    if not files:
        raise UsageError("there are no records to judge: name some, or a run directory")
    report = TerminalReport(verbose=verbose)
    started = time.monotonic()
    results, unread = asyncio.run(_judge_all(files, chosen, fresh, judged, report))
    if not results:
        return Exit.USAGE  # And whatever the output file holds stays.
    lines = "".join(json_of(result) + "\n" for result in results)
    write_atomically(output, lines)
    report.summary(results, time.monotonic() - started, output)
    code = exit_code(results)
    return Exit.USAGE if unread and code is Exit.PASSED else code


async def _judge_all(
    files: Sequence[Path],
    scenario: Scenario | None,
    fresh: bool,
    judged: bool,
    report: TerminalReport,
) -> tuple[list[Result], int]:
    casting = Casting(offline=False, judged=judged)
    results: list[Result] = []
    unread = 0
    try:
        for path in files:
            try:
                result = await _judge_one(path, scenario, fresh, casting, report.note)
            except RecordError as error:
                typer.echo(f"error: {error}", err=True)
                unread += 1
            else:
                results.append(result)
                report.scored(result)
    finally:
        await casting.close()
    return results, unread


async def _judge_one(
    path: Path,
    scenario: Scenario | None,
    fresh: bool,
    casting: Casting,
    note: Callable[[str], None],
) -> Result:
    record = _load(path, scenario)
    failure: JudgeFailure | None = None
    try:
        model = await casting.judge(simulation_of(record))
    except ModelError as error:
        raise UsageError(f"{error}. Or use the verdicts that are there: --no-judge") from error
    if model is not None and is_worth_judging(record):
        known = len(record.judgements)
        record, failure = await judge_record(record, model, fresh, note)
        if len(record.judgements) != known and not path.name.endswith(_CONVERSATION):
            save_record(record, path)
    return make_result(record, score(record, failure), {"record": str(path)})


def _load(path: Path, scenario: Scenario | None) -> Record:
    """The record in a file, by the scenario it shall be scored by."""
    if path.name.endswith(_CONVERSATION):
        if scenario is None:
            raise UsageError(f"{path} does not say what was asked: name its scenario file first")
        return record_of_conversation(path, identity_of(scenario))
    record = load_record(path)
    if scenario is None:
        return record
    return record.model_copy(update={"scenario": identity_of(scenario)})


def _scenario(files: Sequence[Path], wanted: str | None) -> Scenario | None:
    """The one scenario to score by; None for each record's own."""
    name = wanted
    if wanted is not None and Path(wanted).suffix in _YAML:
        files, name = [*files, Path(wanted)], None
    if not files:
        if name is not None:
            raise UsageError(f"--scenario {name} needs a scenario file: name it first")
        return None
    loaded = load(files)
    if loaded.problems:
        raise UsageError("\n".join(map(str, loaded.problems)))
    found = [s for s in loaded.scenarios if name in (None, s.name, *s.name.split("/"))]
    if len(found) != 1:
        names = ", ".join(s.name for s in loaded.scenarios)
        raise UsageError(f"choose one scenario with --scenario NAME: {names}")
    return found[0]


def _files(paths: Sequence[Path]) -> list[Path]:
    """The records among these paths; a run directory gives all of its own."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            records = path / "records" if (path / "records").is_dir() else path
            files += sorted([*records.glob("*.json"), *records.glob("*.jsonl")])
        else:
            files.append(path)
    return files
