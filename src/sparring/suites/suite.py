"""A manifest's runs: its entries as agents, its scenarios chosen and planned."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sparring.agents.processes.isolation import AgentEntry, Isolation
from sparring.agents.processes.spawn import Spawn
from sparring.errors import UsageError
from sparring.scenarios import Scenario
from sparring.suites.agents import StartedAgent
from sparring.suites.expansion import SuiteEntry
from sparring.suites.manifest import Manifest
from sparring.suites.selection import Selection, select

_SHARD = re.compile(r"([1-9]\d*)/([1-9]\d*)")


@dataclass(frozen=True)
class Choice:
    """What of a manifest is played."""

    pattern: str | None = None
    """Only agents that have this in their label or path."""
    scenarios: Selection = field(default_factory=Selection)
    shard: str | None = None
    """``1/4``: the first quarter of what is left, dealt out one by one."""


@dataclass(frozen=True)
class Starting:
    """How agents are started, where the manifest is overruled."""

    spawn: str | None = None
    python: str | None = None
    isolation: Isolation | None = None


def choose(entries: Sequence[SuiteEntry], choice: Choice) -> list[SuiteEntry]:
    """The entries that are wanted, with those of their scenarios that are.

    Raises:
        UsageError: If nothing is left; the text says what there is.
    """
    if choice.pattern is not None:
        wanted = choice.pattern
        entries = [one for one in entries if wanted in one.entry.label or wanted in one.entry.bot]
        if not entries:
            raise UsageError(f"no agent of the manifest has {wanted!r} in its name or path")
    everything = {id(s): s for one in entries for s in one.scenarios}
    chosen = {id(scenario) for scenario in select(list(everything.values()), choice.scenarios)}
    pairs = [(one, s) for one in entries for s in one.scenarios if id(s) in chosen]
    if choice.shard is not None:
        number, of = _shard(choice.shard)
        pairs = pairs[number - 1 :: of]
    return list(_gathered(pairs))


def agent_of(
    one: SuiteEntry, number: str, manifest: Manifest, starting: Starting, bodies: Path
) -> StartedAgent:
    """The agent of an entry.

    Args:
        one: The entry.
        number: What tells its shared files from those of an entry with the same label.
        manifest: Its manifest.
        starting: What overrules the manifest.
        bodies: A directory for the bodies that the manifest holds itself.

    Raises:
        UsageError: If it cannot be started as the manifest says.
    """
    entry = one.entry
    name = f"{number}-" + re.sub(r"[^\w.-]+", "_", entry.label)
    cwd, arguments = one.cwd, ()
    if one.body is not None:
        cwd = cwd or one.body.parent
        arguments = ("--runner-body", str(one.body.resolve()))
    elif entry.runner_body is not None:
        body = bodies / f"{name}.json"
        body.write_text(json.dumps(entry.runner_body.data), "utf-8")
        arguments = ("--runner-body", str(body.resolve()))
    spawn = Spawn(
        bot=one.bot.resolve(),
        command=starting.spawn or entry.spawn or manifest.spawn,
        arguments=arguments,
        env=entry.env,
        cwd=cwd,
        ready_timeout_s=entry.ready_timeout_s,
    )
    python = starting.python or manifest.python
    return StartedAgent(
        entry.label,
        AgentEntry(
            name,
            replace(spawn, python=python) if python else spawn,
            starting.isolation or Isolation(entry.isolation or manifest.isolation),
            entry.recycle_after,
        ),
        prefix=f"{entry.label}__",
        concurrency=entry.concurrency,
    )


def _shard(text: str) -> tuple[int, int]:
    found = _SHARD.fullmatch(text)
    if not found or int(found[1]) > int(found[2]):
        raise UsageError(f"{text!r} is no shard: the first of four is 1/4, the last 4/4")
    return int(found[1]), int(found[2])


def _gathered(pairs: Sequence[tuple[SuiteEntry, Scenario]]) -> Iterator[SuiteEntry]:
    for one in dict.fromkeys(id(one) for one, _ in pairs):
        entry = next(other for other, _ in pairs if id(other) == one)
        yield replace(entry, scenarios=[s for other, s in pairs if id(other) == one])
