"""No slot idles that could be used, no cap is exceeded, the order is kept where it can be."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.suites.schedule import Schedule


@dataclass
class Clockwork:
    """Plays a schedule step by step: items go on until they are let go."""

    schedule: Schedule[str]
    workers: int
    going: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    begun: list[str] = field(default_factory=list[str])

    async def __aenter__(self) -> "Clockwork":
        self.tasks = [asyncio.create_task(self.schedule.work(self.do)) for _ in range(self.workers)]
        await self.settle()
        return self

    async def __aexit__(self, *exception: object) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def do(self, item: str) -> None:
        self.begun.append(item)
        self.going[item] = asyncio.Event()
        await self.going[item].wait()

    async def finish(self, item: str) -> None:
        self.going.pop(item).set()
        await self.settle()

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)


def schedule(items: str, **caps: int) -> Schedule[str]:
    """Items such as ``a1 a2 b1``, grouped by their letter."""
    return Schedule(items.split(), lambda item: item[0], dict(caps))


async def test_one_worker_keeps_the_order():
    async with Clockwork(schedule("a1 b1 a2"), 1) as clockwork:
        for item in ("a1", "b1", "a2"):
            assert list(clockwork.going) == [item]
            await clockwork.finish(item)
        assert all(task.done() for task in clockwork.tasks)


async def test_a_group_at_its_cap_holds_back_nobody_else():
    async with Clockwork(schedule("a1 a2 a3 b1 b2", a=1), 3) as clockwork:
        assert clockwork.begun == ["a1", "b1", "b2"]
        await clockwork.finish("b1")
        assert clockwork.begun == ["a1", "b1", "b2"]  # A slot is free, but only for others.
        await clockwork.finish("a1")
        assert clockwork.begun[3:] == ["a2"]


async def test_what_is_coming_keeps_to_the_caps_too():
    made = schedule("a1 a2 a3 b1 b2", a=1)
    assert made.upcoming(3) == ["a1", "b1", "b2"]
    async with Clockwork(made, 1) as clockwork:
        assert made.upcoming(9) == ["b1", "b2"]
        await clockwork.finish("a1")
        assert clockwork.begun == ["a1", "a2"]


async def test_after_stop_nothing_more_begins():
    made = schedule("a1 a2 a3 a4")
    async with Clockwork(made, 2) as clockwork:
        made.stop()
        await clockwork.finish("a1")
        assert clockwork.begun == ["a1", "a2"]
        await clockwork.finish("a2")
        assert all(task.done() for task in clockwork.tasks)


async def test_what_fails_gives_its_place_back():
    async def fails(item: str) -> None:
        raise ZeroDivisionError

    made = schedule("a1 a2", a=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await made.work(fails)
    assert made.waiting == 0


@given(
    items=st.lists(st.sampled_from("abc"), max_size=12),
    workers=st.integers(1, 4),
    caps=st.dictionaries(st.sampled_from("abc"), st.integers(1, 3)),
    order=st.randoms(),
)
async def test_everything_is_done_once_and_no_slot_idles(
    items: list[str], workers: int, caps: dict[str, int], order: random.Random
):
    named = [f"{group}{number}" for number, group in enumerate(items)]
    made: Schedule[str] = Schedule(named, lambda item: item[0], dict(caps))
    async with Clockwork(made, workers) as clockwork:
        while clockwork.going:
            counts = Counter(item[0] for item in clockwork.going)
            assert all(count <= caps.get(group, count) for group, count in counts.items())
            waiting = [item for item in named if item not in clockwork.begun]
            could = [w for w in waiting if counts[w[0]] < caps.get(w[0], len(named) + 1)]
            assert len(clockwork.going) == workers or not could
            await clockwork.finish(order.choice(sorted(clockwork.going)))
        assert sorted(clockwork.begun) == sorted(named)
