"""Playing runs: in their order, several at a time, each whatever becomes of the others."""

import asyncio
import os
from collections.abc import Generator, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field, replace

from sparring.agents.processes.fleet import Fleet
from sparring.calls import CallOptions
from sparring.records import Kind, Result, Status
from sparring.suites.agents import Reached
from sparring.suites.attempt import Attempt, why
from sparring.suites.casting import Casting
from sparring.suites.plan import Run, attempt_seed
from sparring.suites.reporting import Reporter
from sparring.suites.schedule import Schedule
from sparring.suites.store import RunDirectory
from sparring.suites.tally import tallies

_SAYS_NOTHING = (Status.ERROR, Status.INVALID)


@dataclass(frozen=True)
class PlayOptions:
    """How runs are played."""

    at_once: int = 1
    """How many of them at a time."""
    ahead: int = 0
    """How many agents to start before their runs begin."""
    retries: int = 0
    """How often a run that ended in an error or was invalid is played again."""
    max_failures: int | None = None
    """After this many failed runs nothing more is begun."""
    call: CallOptions = field(default_factory=CallOptions)


class RunPlayer:
    """Plays runs into a run directory.

    Every run that began has its result in ``results``, and as far as the disk allows in the
    directory, also when the playing is cancelled.
    """

    def __init__(
        self,
        directory: RunDirectory,
        casting: Casting,
        reporter: Reporter,
        options: PlayOptions | None = None,
        known: Sequence[Result] = (),
    ):
        """Prepare.

        Args:
            directory: Where everything goes.
            casting: Who plays the callers, and who judges.
            reporter: Told of what happens.
            options: How runs are played.
            known: Results that the directory holds of earlier, for runs that need not be played.
        """
        self.results: list[Result] = list(known)
        """Those known, then the others in the order in which their runs ended."""
        self._directory = directory
        self._casting = casting
        self._reporter = reporter
        self._options = options or PlayOptions()
        self._failures = 0
        self._asked: dict[int, _Asked] = {}
        # Agents get the environment as it is now, before we set anything in it for ourselves.
        self._fleet = Fleet(directory.path / "logs", reporter.note, dict(os.environ))
        self._schedule: Schedule[Run] = Schedule((), _agent, {})

    async def play(self, runs: Sequence[Run], planned: Sequence[Run] | None = None) -> None:
        """Play runs; those that go on at a time have sessions of their own with their agents.

        Args:
            runs: What is played.
            planned: What the summary is of, if some of it has its result already.
        """
        options = self._options
        caps: dict[Hashable, int] = {
            _agent(run): cap for run in runs if (cap := run.agent.concurrency) is not None
        }
        self._schedule = Schedule(runs, _agent, caps)
        try:
            async with self._fleet, asyncio.TaskGroup() as group:
                for _ in range(min(options.at_once, len(runs))):
                    group.create_task(self._schedule.work(self._play))
        finally:
            with self._telling("the summary could not be written"):
                self._directory.save_summary(tallies(self.results, planned or runs))
            await self._casting.close()

    async def _play(self, run: Run) -> None:
        """Play a run, and again if it says nothing about the agent and that is wanted."""
        retried: list[str] = []
        while True:
            self._reporter.run_started(run)
            asked = self._asked.pop(id(run), None) or self._ask(run)
            for coming in self._schedule.upcoming(self._options.ahead):
                if id(coming) not in self._asked:
                    self._asked[id(coming)] = self._ask(coming)
            attempt = Attempt(run, asked.stem, self._directory, self._reporter, self._options.call)
            try:
                await attempt.play(self._casting, asked.agent)
            except asyncio.CancelledError:
                self._keep(run, attempt.result(retried=retried))
                raise
            result = attempt.result(retried=retried)
            if result.status not in _SAYS_NOTHING or len(retried) >= self._options.retries:
                self._keep(run, result)
                return
            retried = [*retried, f"{result.kind}: {result.reason}"]
            self._reporter.run_retried(run, result)
            run = replace(run, seed=attempt_seed(run.seed, "retry", len(retried)))

    def _ask(self, run: Run) -> "_Asked":
        stem = self._directory.stem(run.stem)
        return _Asked(stem, run.agent.ask(self._fleet, self._directory.agent_log_path(stem)))

    def _keep(self, run: Run, result: Result) -> None:
        """Store a result; one that cannot be stored is an error, whatever it was."""
        try:
            self._directory.add(result)
        except Exception as error:  # One result's trouble is not the next one's.
            told = f"its result could not be stored: {why(error)}"
            update = {"status": Status.ERROR, "passed": False, "kind": Kind.INTERNAL_ERROR}
            result = result.model_copy(update={**update, "reason": told, "error": told})
        self.results.append(result)
        self._reporter.run_ended(run, result)
        self._failures += result.status is Status.FAILED
        most = self._options.max_failures
        if most is not None and self._failures >= most and self._schedule.waiting:
            left = self._schedule.waiting
            self._reporter.note(f"{self._failures} failed: {left} run(s) are not begun")
            self._schedule.stop()

    @contextmanager
    def _telling(self, what: str) -> Generator[None]:
        """Tell of what the disk refuses, and go on."""
        try:
            yield
        except OSError as error:
            self._reporter.note(f"{what}: {why(error)}")


def _agent(run: Run) -> int:
    """Runs of one agent are those of one entry; two entries may have one label."""
    return id(run.agent)


@dataclass(frozen=True)
class _Asked:
    """What a run was given, maybe before it began."""

    stem: str
    agent: AbstractAsyncContextManager[Reached]
