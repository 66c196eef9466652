"""The script: plays a scenario's exact turns, and decides only when to go on.

What it does follows from where the script stands (``scoring.scripts.settling``): a turn begins when
everything expected of the one before is settled, or waits for nothing but the judge. The agent is
not kept waiting for a judge: it has ``PATIENCE_S``, so that a quick ``not_yet`` can be heeded, and
its ``no`` stops the script whenever it comes. Only after the last turn, when the agent waits for
nothing any more, the judge has as long as the turn has.
"""

import math
import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sparring.records import CallerIdentity, ExpectationVerdict
from sparring.scenarios import Script
from sparring.scoring.scripts import TurnState, may_continue, settle
from sparring.scoring.scripts.settling import DEFAULT_TIMEOUT_S
from sparring.scoring.scripts.sightings import Sightings
from sparring.scoring.scripts.states import quoted

PATIENCE_S = 0.5
"""How long a judge that may answer ``not_yet`` holds the next turn back."""


@dataclass(frozen=True)
class Say:
    """The caller's words."""

    text: str


@dataclass(frozen=True)
class Press:
    """Keys that the caller presses, all at once."""

    keys: str


@dataclass(frozen=True)
class Show:
    """What the caller's camera sees from now on."""

    name: str
    """Its path, as the scenario gives it."""
    data: bytes
    """The file's content."""
    format: str
    """Its media type, such as image/jpeg."""


Act: TypeAlias = Say | Press | Show


@dataclass(frozen=True)
class Begin:
    """The next turn begins."""

    turn: int
    """From 0."""
    acts: Sequence[Act] = ()
    """What is done at once: a turn that only listens may show an image."""


@dataclass(frozen=True)
class Send:
    """The turn's input goes out."""

    acts: Sequence[Act]


@dataclass(frozen=True)
class Leave:
    """The script is over."""

    success: bool
    reason: str


@dataclass(frozen=True)
class Listen:
    """Nothing is to be done until something happens, or until a time on the call clock."""

    until: float | None


Step: TypeAlias = Begin | Send | Leave | Listen


class ScriptCaller:
    """Plays one script, once."""

    def __init__(
        self, script: Script, directory: Path, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> None:
        """Prepare to play a script.

        Args:
            script: What is played.
            directory: What the paths of its files are relative to.
            timeout_s: Seconds for expectations that do not say how long they have.
        """
        self._script = script
        self._directory = directory
        self._timeout_s = timeout_s
        self.identity = CallerIdentity(service="script", params={"timeout_s": timeout_s})

    @property
    def waited_for(self) -> set[str]:
        """The events that the script is about, which the agent must report."""
        turns = self._script.turns
        expected = {expectation.event for turn in turns for expectation in turn.expect}
        return expected | {
            turn.send_after.event
            for turn in turns
            if turn.send_after is not None and turn.send_after.event is not None
        }

    def turns(
        self,
        sightings: Sightings,
        now: float,
        verdicts: Mapping[str, ExpectationVerdict],
        judged: bool,
    ) -> list[TurnState]:
        """Where the script's turns stand (``scoring.scripts.settle``)."""
        return settle(self._script, sightings, now, verdicts, self._timeout_s, judged)

    def next(self, turns: Sequence[TurnState], now: float, judged: bool) -> Step:
        """What is to be done.

        Args:
            turns: Where the turns stand.
            now: The time, in call seconds.
            judged: Whether there is a judge whose verdict may come.

        Raises:
            OSError: If a turn's image cannot be read.
        """
        if not turns:
            return self._begin(0)
        current = turns[-1]
        lost = [turn.index for turn in turns if turn.is_lost and self._script.stop_on_failure]
        if current.anchor is None and current.unsent is None:
            if lost:
                return _stopped(lost[0])
            if now >= current.due:
                return Send(self._input(current.index))
            return Listen(_sooner(now, current.due, current.given_up))
        if current.is_open:
            return Listen(_sooner(now, *(state.at for state in current.states if state.is_open)))
        if lost:
            return _stopped(lost[0])
        is_last = current.index == len(self._script.turns) - 1
        if judged and current.is_asking and may_continue(self._script):
            patience = self._time_up(current) if is_last else current.settled_at + PATIENCE_S
            if now < patience:
                return Listen(patience)
        if is_last:
            failed = any(turn.failed for turn in turns)
            return Leave(not failed, "the script was played to its end")
        return self._begin(current.index + 1)

    def _begin(self, turn: int) -> Begin:
        is_observing = self._script.turns[turn].is_observing
        return Begin(turn, self._image(turn) if is_observing else ())

    def told(self, turn: TurnState) -> list[str]:
        """What has come of a turn so far, in words for the log."""
        expected = self._script.turns[turn.index].expect
        lines = [
            f"{expectation.event} {state.standing}{f' {state.kind}' if state.kind else ''} "
            f"at {state.at:.3f}: {quoted(state.reason)}"
            for expectation, state in zip(expected, turn.states, strict=False)
        ]
        if turn.unsent is not None:
            lines.append(f"not sent: {turn.unsent.reason}")
        return [f"turn {turn.index + 1}: {line}" for line in lines]

    def _input(self, turn: int) -> list[Act]:
        played = self._script.turns[turn]
        act = Say(played.text) if played.dtmf is None else Press(played.dtmf)
        return [*self._image(turn), act]

    def _image(self, turn: int) -> list[Act]:
        name = self._script.turns[turn].image
        if name is None:
            return []
        path = self._directory / name
        format = mimetypes.guess_type(path.name)[0] or "image/jpeg"
        return [Show(name, path.read_bytes(), format)]

    def _time_up(self, turn: TurnState) -> float:
        """When the last of the expectations that wait for a verdict has no more time."""
        assert turn.anchor is not None
        times = [
            self._timeout_s if expectation.within_ms is None else expectation.within_ms / 1000
            for expectation, state in zip(
                self._script.turns[turn.index].expect, turn.states, strict=True
            )
            if state.questions
        ]
        return turn.anchor + max(times, default=0.0)


def _stopped(turn: int) -> Leave:
    return Leave(False, f"turn {turn + 1} failed")


def _sooner(now: float, *times: float) -> float | None:
    """The first of these times that is still to come; None if none is."""
    first = min((time for time in times if time > now), default=math.inf)
    return None if first == math.inf else first
