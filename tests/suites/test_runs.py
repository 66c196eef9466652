"""Many runs: each has its result, whatever becomes of the others, the disk and the display."""

import asyncio
import errno
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from sparring.agents.processes.ports import free_port
from sparring.records import Event, Kind, Result, Status, write_atomically
from sparring.scenarios import Scenario, Simulation
from sparring.suites import Run, RunDirectory
from sparring.suites import attempt as attempt_module
from sparring.suites.agents import RunningAgent
from sparring.suites.casting import Casting
from sparring.suites.runs import PlayOptions, RunPlayer
from support.fake_agent import FakeAgent, Session, full, polite_booking
from support.play import BOOKING


@dataclass
class Seen:
    """A reporter that keeps what it is told."""

    started: list[str] = field(default_factory=list[str])
    ended: list[Result] = field(default_factory=list[Result])
    retried: list[Result] = field(default_factory=list[Result])
    notes: list[str] = field(default_factory=list[str])

    def run_started(self, run: Run) -> None:
        self.started.append(run.scenario.name)

    def event(self, run: Run, event: Event) -> None:
        pass

    def note(self, text: str) -> None:
        self.notes.append(text)

    def run_retried(self, run: Run, result: Result) -> None:
        self.retried.append(result)

    def run_ended(self, run: Run, result: Result) -> None:
        self.ended.append(result)


def bookings(url: str, *names: str) -> Sequence[Run]:
    metrics = [{"measure": "words", "max_value": 60}]
    booking = Simulation(**{**BOOKING, "metrics": metrics})
    agent = RunningAgent(url)
    return [Run(Scenario(name, Path("a.yaml"), booking), agent, 1, 1) for name in names]


@pytest.fixture
def directory(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(tmp_path, "a")


async def play(directory: RunDirectory, at_once: int = 1, names: str = "abc") -> Seen:
    seen = Seen()
    async with FakeAgent(polite_booking) as agent:
        player = RunPlayer(directory, Casting(offline=True), seen, PlayOptions(at_once=at_once))
        await player.play(bookings(agent.url, *names))
    assert player.results == seen.ended
    return seen


def refuse(error: int, *nth: int) -> Any:
    """A function that raises the n-th times it is called, in place of another."""
    calls = 0

    def around(original: Any) -> Any:
        def function(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls in nth:
                raise OSError(error, "No space left on device", "/full/disk")
            return original(*args, **kwargs)

        return function

    return around


async def test_a_result_that_cannot_be_stored_is_an_error_and_the_others_go_on(
    directory: RunDirectory, monkeypatch: pytest.MonkeyPatch
):
    full = refuse(errno.ENOSPC, 2)
    monkeypatch.setattr(RunDirectory, "add", full(RunDirectory.add))
    seen = await play(directory)
    assert [result.status for result in seen.ended] == ["passed", "error", "passed"]
    assert seen.ended[1].kind is Kind.INTERNAL_ERROR and not seen.ended[1].passed
    assert "could not be stored: /full/disk: No space left" in seen.ended[1].reason
    assert [r.scenario for r in directory.results()] == ["a", "c"]


async def test_a_record_that_cannot_be_written_is_an_error_with_all_that_was_said(
    directory: RunDirectory, monkeypatch: pytest.MonkeyPatch
):
    full = refuse(errno.ENOSPC, 1)
    monkeypatch.setattr("sparring.records.storage.write_atomically", full(write_atomically))
    seen = await play(directory, names="ab")
    assert [result.status for result in seen.ended] == ["error", "passed"]
    assert seen.ended[0].reason == "/full/disk: No space left on device"
    assert seen.ended[0].messages == seen.ended[1].messages
    assert "record" not in seen.ended[0].artifacts
    assert list(directory.results()) == seen.ended


async def test_a_fault_in_scoring_is_that_runs_own(
    directory: RunDirectory, monkeypatch: pytest.MonkeyPatch
):
    def broken(*args: Any) -> Any:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(attempt_module, "score", broken)
    seen = await play(directory, names="ab")
    assert {(r.status, r.kind) for r in seen.ended} == {(Status.ERROR, Kind.INTERNAL_ERROR)}
    assert seen.ended[0].reason == "ZeroDivisionError: of ours"
    assert len(list(directory.results())) == 2


async def test_a_directory_that_vanishes_is_made_again(directory: RunDirectory):
    class Tidies(Seen):
        def run_ended(self, run: Run, result: Result) -> None:
            super().run_ended(run, result)
            if len(self.ended) == 1:
                for path in sorted(directory.path.rglob("*"), reverse=True):
                    path.rmdir() if path.is_dir() else path.unlink()
                directory.path.rmdir()

    seen = Tidies()
    async with FakeAgent(polite_booking) as agent:
        player = RunPlayer(directory, Casting(offline=True), seen)
        await player.play(bookings(agent.url, *"abc"))
    assert [result.status for result in seen.ended] == ["passed"] * 3
    assert [result.scenario for result in directory.results()] == ["b", "c"]


async def test_several_at_once_have_sessions_of_their_own(directory: RunDirectory):
    together = asyncio.Barrier(3)

    async def meets_the_others(session: Session) -> None:
        async with asyncio.timeout(20):
            await together.wait()
        await polite_booking(session)

    seen = Seen()
    async with FakeAgent(meets_the_others) as agent:
        player = RunPlayer(directory, Casting(offline=True), seen, PlayOptions(at_once=3))
        await player.play(bookings(agent.url, *"abcdef"))
    assert seen.started == list("abcdef")
    assert [result.status for result in seen.ended] == ["passed"] * 6
    assert len({result.artifacts["record"] for result in seen.ended}) == 6


async def test_cancelled_runs_have_results_and_the_rest_were_not_begun(directory: RunDirectory):
    talking = asyncio.Event()

    async def waits(session: Session) -> None:
        await session.ready()
        await session.say("Hello.")
        await session.hear()
        talking.set()
        await session.hang()

    seen = Seen()
    async with FakeAgent(waits) as agent:
        player = RunPlayer(directory, Casting(offline=True), seen, PlayOptions(at_once=2))
        playing = asyncio.create_task(player.play(bookings(agent.url, *"abcd")))
        await talking.wait()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
    assert [result.status for result in seen.ended] == ["interrupted"] * 2
    assert len(list(directory.results())) == 2
    summary = (directory.path / "summary.json").read_text()
    assert '"planned": 4' in summary and '"executed": 2' in summary


async def dies(session: Session) -> None:
    await session.ready()
    await session.say("Hello.")
    await session.hear()
    await session.abort()


def unreachable() -> RunningAgent:
    return RunningAgent(f"ws://127.0.0.1:{free_port()}/ws")


async def test_what_says_nothing_about_the_agent_is_retried_with_another_seed(
    directory: RunDirectory,
):
    seen = Seen()
    run = replace(bookings("", "a")[0], agent=unreachable())
    player = RunPlayer(directory, Casting(offline=True), seen, PlayOptions(retries=2))
    await player.play([run])
    (result,) = directory.results()
    assert result.status is Status.ERROR and len(result.retried) == 2
    assert all(reason.startswith("connect_failed: nothing answers") for reason in result.retried)
    assert [one.scenario for one in seen.retried] == ["a", "a"]
    seeds = {one.seed for one in [*seen.retried, *seen.ended]}
    assert len(seeds) == 3
    records = {one.artifacts["record"] for one in [*seen.retried, *seen.ended]}
    assert records == {"records/a.json", "records/a-2.json", "records/a-3.json"}


async def test_a_failed_run_is_not_retried(directory: RunDirectory):
    seen = Seen()
    async with FakeAgent(full) as agent:
        run = replace(bookings(agent.url, "a")[0])
        player = RunPlayer(directory, Casting(offline=True), seen, PlayOptions(retries=1))
        await player.play([run])
    assert len(seen.retried) == 1  # Closed before it was ready: an error.
    async with FakeAgent(dies) as agent:
        run = replace(bookings(agent.url, "b")[0])
        player = RunPlayer(directory, Casting(offline=True), seen, PlayOptions(retries=1))
        await player.play([run])
    assert seen.ended[-1].status is Status.FAILED and len(seen.retried) == 1


async def test_after_so_many_failures_nothing_more_is_begun(directory: RunDirectory):
    seen = Seen()
    async with FakeAgent(dies) as agent:
        player = RunPlayer(directory, Casting(offline=True), seen, PlayOptions(max_failures=2))
        await player.play(bookings(agent.url, *"abcde"))
    assert [result.scenario for result in seen.ended] == ["a", "b"]
    assert seen.notes == ["2 failed: 3 run(s) are not begun"]


async def test_an_agent_keeps_to_its_cap(directory: RunDirectory):
    going, most = 0, 0

    async def counts(session: Session) -> None:
        nonlocal going, most
        going += 1
        most = max(most, going)
        await polite_booking(session)
        going -= 1

    async with FakeAgent(counts) as agent:
        one = RunningAgent(agent.url, concurrency=2)
        runs = [replace(run, agent=one) for run in bookings(agent.url, *"abcdef")]
        options = PlayOptions(at_once=4)
        player = RunPlayer(directory, Casting(offline=True), Seen(), options)
        await player.play(runs)
    assert most == 2 and len(player.results) == 6
