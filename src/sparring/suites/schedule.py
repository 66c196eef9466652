"""Which run is next: in their order, within the caps, with no slot idle that could be used."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")


class Schedule(Generic[T]):
    """Hands out items to several workers.

    The next item is always the first one left whose group is below its cap, so a group that has
    used up its cap holds back nobody else.
    """

    def __init__(
        self,
        items: Iterable[T],
        group_of: Callable[[T], Hashable],
        caps: Mapping[Hashable, int],
    ):
        """Plan.

        Args:
            items: What is to be done, in its order.
            group_of: Which group an item belongs to.
            caps: How many of a group may go on at a time; a group without a cap is not bounded.
        """
        self._waiting = list(items)
        self._group_of = group_of
        self._caps = caps
        self._going: Counter[Hashable] = Counter()
        self._changed = asyncio.Event()

    @property
    def waiting(self) -> int:
        """How many have not been begun."""
        return len(self._waiting)

    def upcoming(self, count: int) -> list[T]:
        """The first of those that have not been begun and could be, beside those that go on."""
        going, coming = self._going.copy(), list[T]()
        for item in self._waiting:
            group = self._group_of(item)
            if len(coming) < count and going[group] < self._caps.get(group, going[group] + 1):
                going[group] += 1
                coming.append(item)
        return coming

    def stop(self) -> None:
        """Begin nothing more; what goes on goes on."""
        self._waiting.clear()
        self._changed.set()

    async def work(self, do: Callable[[T], Awaitable[None]]) -> None:
        """One worker: does items as their groups allow, until none is left to begin."""
        while (item := await self._next()) is not None:
            try:
                await do(item)
            finally:
                self._going[self._group_of(item)] -= 1
                self._changed.set()

    async def _next(self) -> T | None:
        while self._waiting:
            for index, item in enumerate(self._waiting):
                if self._may_begin(item):
                    self._going[self._group_of(item)] += 1
                    return self._waiting.pop(index)
            self._changed.clear()
            await self._changed.wait()
        return None

    def _may_begin(self, item: T) -> bool:
        group = self._group_of(item)
        return group not in self._caps or self._going[group] < self._caps[group]
