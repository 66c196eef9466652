"""Models that their server can fetch: what is missing may be had by asking for it."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class Progress:
    """How far a download is."""

    doing: str
    """What the server says it does, in its words."""
    part: str = ""
    """Which part of the model; a model has several."""
    done: int | None = None
    """Bytes of this part; None where it is no download."""
    total: int | None = None


@runtime_checkable
class Pullable(Protocol):
    """A model that its server can fetch."""

    def pull(self) -> AsyncGenerator[Progress]:
        """Fetch the model; over when it is there.

        Raises:
            ModelError: If it cannot be had.
        """
        ...
