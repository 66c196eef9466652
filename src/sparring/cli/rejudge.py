"""``sparring judge``: saved records, scored again."""

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from sparring.cli.exits import Exit, exit_code
from sparring.cli.logs import log_into
from sparring.cli.saved import CONVERSATION, YAML, find_records, find_scenario, load_saved
from sparring.cli.stopping import until_told_to_stop
from sparring.errors import ModelError, RecordError, UsageError
from sparring.records import Kind, Record, Result, make_result, save_record
from sparring.records.json_text import json_of
from sparring.records.redaction import MASK, redact
from sparring.reports import TerminalReport
from sparring.scenarios import Definition, Scenario
from sparring.scoring import JudgeFailure, Verdicts, is_worth_judging, judge_record, score
from sparring.scoring.judging import definition_of, is_decided
from sparring.suites.casting import Casting


def rejudge(
    paths: Sequence[Path],
    scenario: str | None,
    fresh: bool,
    judged: bool,
    output: Path,
    verbose: bool,
    at_once: int = 4,
) -> Exit:
    """Score records again; one that cannot be scored does not stop the others."""
    chosen = find_scenario([path for path in paths if path.suffix in YAML], scenario)
    found = find_records([path for path in paths if path.suffix not in YAML])
    if not found.files:
        raise UsageError("there are no records to judge: name some, or a run directory")
    if output.resolve() in {file.resolve() for file in found.files}:
        raise UsageError(f"{output} is a record to be judged: choose another place with -o")
    results_file = ResultsFile(output)
    report = TerminalReport(verbose=verbose)
    if found.run_directories:
        report.note(f"run directories found: {found.run_directories}, records: {len(found.files)}")
    log_into(None)  # A judge of the user's own may bring pipecat in.
    rejudging = _Rejudging(
        chosen, fresh, Casting(offline=False, judged=judged), report, results_file
    )
    started = time.monotonic()
    stopped = False
    try:
        work = rejudging.all_of(found.files, at_once)
        asyncio.run(
            until_told_to_stop(work, lambda: report.note("stopping: what is scored is kept"))
        )
    except asyncio.CancelledError:
        stopped = True
    results = rejudging.results
    if stopped:
        missing = len(found.files) - len(results) - rejudging.unread
        report.note(f"interrupted: {missing} record(s) were not scored")
    if results:
        report.summary(results, time.monotonic() - started, output)
    elif not stopped:
        return Exit.USAGE
    code = exit_code(results)
    if code is Exit.PASSED and stopped:
        return Exit.ERROR
    return Exit.USAGE if code is Exit.PASSED and rejudging.unread else code


class ResultsFile:
    """Takes results as they come, each on disk before the next; the first replaces older ones."""

    def __init__(self, path: Path):
        """See that it can be written, before anything is spent on what goes in.

        Raises:
            UsageError: If it cannot.
        """
        self._path = path
        self._mode = "w"
        was_there = path.exists()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8"):
                pass
            if not was_there:
                path.unlink()
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written: {error.strerror}. Choose another place with -o"
            ) from None

    def add(self, result: Result) -> None:
        """Write a result; it is on disk when this returns."""
        with self._path.open(self._mode, encoding="utf-8") as file:
            file.write(json_of(result) + "\n")
            file.flush()
            if self._path.is_file():  # It may be a pipe.
                os.fsync(file.fileno())
        self._mode = "a"


class _Rejudging:
    """Scores records, each as soon as it can be."""

    def __init__(
        self,
        scenario: Scenario | None,
        fresh: bool,
        casting: Casting,
        report: TerminalReport,
        output: ResultsFile,
    ):
        self.results: list[Result] = []
        self.unread = 0
        """Records that could not be scored at all; why has been said."""
        self._scenario = scenario
        self._fresh = fresh
        self._casting = casting
        self._report = report
        self._output = output

    async def all_of(self, files: Sequence[Path], at_once: int) -> None:
        """Score records, a number of them at a time."""
        waiting = iter(files)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(at_once, len(files))):
                    group.create_task(self._some_of(waiting))
        finally:
            await self._casting.close()

    async def _some_of(self, files: Iterator[Path]) -> None:
        for path in files:
            try:
                result = await self._score(path)
                self._output.add(result)
            except RecordError as error:
                self._give_up(str(error))
            except Exception as error:  # One record's trouble is not the next one's.
                self._give_up(f"{path}: {type(error).__name__}: {error}")
            else:
                self.results.append(result)
                self._report.scored(result)

    def _give_up(self, why: str) -> None:
        typer.echo(redact(f"error: {why}"), err=True)
        self.unread += 1

    async def _score(self, path: Path) -> Result:
        record = load_saved(path, self._scenario)
        definition = definition_of(record)
        failure: JudgeFailure | None = None
        if self._is_to_be_judged(record, definition, path):
            before = record.judgements
            try:
                record, failure = await self._judge(record, definition, path)
            except ModelError as error:
                told = f"{error}. Or use the verdicts that are there: --no-judge"
                failure = JudgeFailure(Kind.JUDGE_UNAVAILABLE, told, Verdicts())
            if record.judgements != before and not path.name.endswith(CONVERSATION):
                self._keep(record, path)
        return make_result(record, score(record, failure), {"record": str(path)})

    def _is_to_be_judged(self, record: Record, definition: Definition, path: Path) -> bool:
        """Whether a judge is asked, be it to find that it has decided everything already.

        Raises:
            RecordError: If the judge is wanted, but what opens it was left out of the record.
        """
        if not self._casting.judges(definition) or not is_worth_judging(record):
            return False
        if self._scenario is not None or MASK not in definition.judge.model_dump_json():
            return True
        if is_decided(record) and not self._fresh:
            return False
        raise RecordError(
            f"{path}: its judge needs a secret, which no record holds: name the scenario file with "
            "--scenario, or use the verdicts that are there: --no-judge"
        )

    async def _judge(
        self, record: Record, definition: Definition, path: Path
    ) -> tuple[Record, JudgeFailure | None]:
        model = await self._casting.judge(definition)
        assert model is not None
        try:
            return await judge_record(
                record, model, self._fresh, lambda text: self._report.note(f"{path}: {text}")
            )
        finally:
            await model.close()

    def _keep(self, record: Record, path: Path) -> None:
        """Keep new verdicts with the record; what was asked of the agent back then stays."""
        kept = load_saved(path, None).model_copy(update={"judgements": record.judgements})
        try:
            save_record(kept, path)
        except OSError as error:
            self._report.note(f"{path}: its verdicts could not be kept: {error.strerror}")
