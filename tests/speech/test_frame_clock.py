from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.speech.frame_clock import FRAME_S, FrameClock
from support.virtual_time import VirtualTime

Ticks = list[tuple[int, float]]


async def run(
    time: VirtualTime, count: int, busy: Callable[[int], float] = lambda _: 0
) -> tuple[FrameClock, Ticks]:
    """The first ticks of a clock and when they came; each keeps us busy for a while."""
    clock, ticks = time.clock(), []
    async for number in clock.frames():
        ticks.append((number, time.now()))
        time.time += busy(number)
        if len(ticks) == count:
            break
    return clock, ticks


async def test_a_frame_is_due_at_its_end():
    clock, ticks = await run(VirtualTime(), 3)
    assert ticks == [(n, pytest.approx((n + 1) * 0.02)) for n in range(3)]
    assert (clock.lateness().ticks, clock.lateness().max_ms) == (3, 0)


async def test_a_late_tick_is_recorded_and_delays_no_other():
    late = {1: 0.015}
    time = VirtualTime(lambda until: late.get(round(until / FRAME_S) - 1, 0))
    clock, ticks = await run(time, 4)
    assert [at for _, at in ticks] == pytest.approx([0.02, 0.055, 0.06, 0.08])
    lateness = clock.lateness()
    assert (lateness.max_ms, lateness.over_20_ms, lateness.skipped) == (15, 0, 0)


@pytest.mark.parametrize(
    ("stall", "following"), [(0.019, 1), (0.021, 2), (0.039, 2), (0.041, 3), (0.201, 11)]
)
async def test_after_a_stall_frames_are_left_out_and_none_comes_at_once(
    stall: float, following: int
):
    clock, ticks = await run(VirtualTime(), 2, busy=lambda number: stall if number == 0 else 0)
    assert [number for number, _ in ticks] == [0, following]
    assert ticks[1][1] == pytest.approx((following + 1) * FRAME_S)
    assert clock.lateness().skipped == following - 1


async def test_a_clock_that_is_read_late_begins_with_the_frame_under_way():
    time = VirtualTime()
    clock = time.clock()
    time.time = 0.13
    assert await anext(clock.frames()) == 6
    assert (clock.lateness().max_ms, clock.lateness().skipped) == (0, 0)


async def test_being_late_is_counted_by_how_much():
    late = {2: 0.025, 5: 0.07}
    time = VirtualTime(lambda until: late.get(round(until / FRAME_S) - 1, 0))
    clock, ticks = await run(time, 5)
    assert [number for number, _ in ticks] == [0, 1, 2, 4, 5]
    lateness = clock.lateness(unsent=3)
    assert lateness.max_ms == pytest.approx(70)
    assert (lateness.over_20_ms, lateness.over_60_ms, lateness.unsent) == (2, 1, 3)
    assert lateness.p99_ms == pytest.approx(70, abs=2)


@given(st.lists(st.floats(0, 0.3), min_size=1, max_size=30))
async def test_no_two_ticks_come_sooner_than_time_allows(delays: list[float]):
    remaining = iter(delays)
    time = VirtualTime(lambda _: next(remaining, 0.0))
    _, ticks = await run(time, len(delays))
    numbers = [number for number, _ in ticks]
    assert numbers == sorted(set(numbers))
    for number, at in ticks:
        assert at >= (number + 1) * FRAME_S - 1e-9
    for count in range(1, len(ticks) + 1):  # Never more frames than have passed.
        assert count <= ticks[count - 1][1] / FRAME_S + 1e-6
