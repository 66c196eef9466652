"""The suite manifest: which agents to start, and which scenarios each is to play.

The format is pipecat's, and every manifest of its kind loads; what is ours is optional. Relative
paths are relative to the manifest. A top-level key that nobody knows is fine if it holds a list or
a mapping, since YAML anchors live in such keys, unless it looks like a misspelt one of ours.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from sparring.scenarios import Problem
from sparring.scenarios.blocks import STRICT, JsonMapping, Text
from sparring.scenarios.explain import explain
from sparring.scenarios.faults import (
    Fault,
    all_of,
    fault,
    listed,
    quote_hint,
    quoted,
    shown,
    unknown_key,
)
from sparring.scenarios.yaml_source import Source, read_source

Isolation = Literal["process", "fork", "session"]
_SERVICES = ("ollama", "openai")
_MISSPELT = 0.85
"""How alike an unknown top-level key must be to one of ours to be taken for it."""


class RunnerBody(BaseModel):
    """What the agent gets as ``runner_args.body``: a file of it, or the data itself."""

    model_config = STRICT

    path: Text | None = Field(default=None, description="A YAML or JSON file.")
    data: JsonMapping | None = Field(default=None, description="The body itself.")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.path is None) == (self.data is None):
            raise fault("a runner_body has a `path` or `data`, and only one of them")
        return self


def _body(value: Any) -> Any:
    return {"path": value} if isinstance(value, str) else value  # Pipecat's older way.


def _variable(value: Any) -> Any:
    if not isinstance(value, str):
        raise fault(f"an environment variable is text, not {shown(value)}{quote_hint(value)}")
    return value


def _limits(value: Any) -> Any:
    if isinstance(value, dict):
        faults = [
            Fault(unknown_key(str(key), _SERVICES), (key,), True)
            for key in cast(dict[str, Any], value)
            if key not in _SERVICES
        ]
        if faults:
            raise all_of(faults)
    return cast(Any, value)


def _values(value: Any) -> Any:
    if not isinstance(value, list) or not value:
        raise fault("a key of the matrix takes a list of the values it should have")
    return cast(Any, value)


class Entry(BaseModel):
    """An agent, and what is played against it."""

    model_config = STRICT

    bot: Text = Field(description="The agent's program, relative to `bots_dir`.")
    scenarios: list[Text] = Field(
        min_length=1,
        description="Names of files in `scenarios_dir`, without .yaml; or paths with it.",
    )
    name: Text | None = Field(default=None, description="How reports call it; else `bot`.")
    concurrency: int | None = Field(default=None, ge=1, description="Cap on its runs at a time.")
    runner_body: Annotated[RunnerBody | None, BeforeValidator(_body)] = Field(
        default=None, description="What it gets as `runner_args.body`."
    )
    spawn: Text | None = Field(default=None, description="How this one is started.")
    env: dict[str, Annotated[str, BeforeValidator(_variable)]] = Field(
        default_factory=dict[str, str], description="Environment variables, on top of ours."
    )
    cwd: Text | None = Field(default=None, description="The directory it is started in.")
    ready_timeout_s: float = Field(
        default=60, gt=0, description="How long it may take until it listens, in seconds."
    )
    isolation: Isolation | None = Field(default=None, description="How its runs are kept apart.")
    recycle_after: int = Field(
        default=50, ge=1, description="With `isolation: session`: calls per process."
    )
    matrix: dict[str, Annotated[list[Any], BeforeValidator(_values)]] = Field(
        default_factory=dict[str, list[Any]],
        description="Keys of the scenarios, dotted, each with the values it should have in turn.",
    )

    @property
    def label(self) -> str:
        """How reports call it."""
        return self.name or self.bot


class Manifest(BaseModel):
    """A suite manifest."""

    model_config = STRICT

    suite: list[Entry] = Field(default_factory=list[Entry], description="The agents.")
    bots_dir: Text = Field(default=".", description="Where the agents' programs are.")
    scenarios_dir: Text = Field(default="scenarios", description="Where the scenarios are.")
    runs_dir: Text | None = Field(default=None, description="Where run directories go.")
    spawn: Text = Field(
        default="{python} {bot} --port {port}", description="How an agent is started."
    )
    python: Text | None = Field(default=None, description="The agents' Python; else ours.")
    concurrency: int = Field(default=4, ge=1, description="Cap on runs at a time.")
    repeat: int | None = Field(
        default=None, ge=1, description="Play everything this often, as a measurement."
    )
    limits: Annotated[dict[str, Annotated[int, Field(ge=1)]], BeforeValidator(_limits)] = Field(
        default_factory=dict[str, int],
        description="Cap on requests at a time, by service: {ollama: 2}.",
    )
    isolation: Isolation = Field(
        default="process",
        description="A process per run, a fork of one per run, or a session of one per run.",
    )
    record: bool = Field(default=False, description="Whether to record the sound of calls.")
    cache_dir: Text | None = Field(default=None, description="Where synthesized speech is kept.")
    base_port: int | None = Field(
        default=None, ge=1, le=65535, description="Accepted and unused: ports are chosen free."
    )


@dataclass
class LoadedManifest:
    """What came of loading a manifest."""

    path: Path
    manifest: Manifest | None = None
    """None if there are problems."""
    problems: list[Problem] = field(default_factory=list[Problem])
    source: Source = field(default_factory=Source)
    """Where everything stands, for whoever finds more to say about it."""

    def problem(self, message: str, *at: str | int, at_key: bool = False) -> Problem:
        """A problem with what stands at this path."""
        place = self.source.place(at, at_key)
        return Problem(place.file, place.line, place.column, message)


def load_manifest(path: Path) -> LoadedManifest:
    """Load a manifest; all that is wrong with it is told at once. Nothing is raised."""
    source = read_source(path)
    loaded = LoadedManifest(path, source=source)
    if source.faults:
        loaded.problems = [Problem(p.file, p.line, p.column, text) for p, text in source.faults]
        return loaded
    if not isinstance(source.data, dict):
        what = "empty" if source.data is None else shown(source.data)
        loaded.problems = [loaded.problem(f"a manifest is a mapping with a `suite`, not {what}")]
        return loaded
    data = cast(dict[str, Any], source.data)
    known = {key: value for key, value in data.items() if key in Manifest.model_fields}
    loaded.problems = [
        loaded.problem(message, key, at_key=True)
        for key, value in data.items()
        if key not in known and (message := _unknown(key, value, known))
    ]
    try:
        manifest = Manifest.model_validate(known)
    except ValidationError as error:
        loaded.problems += [
            loaded.problem(found.message, *found.path, at_key=found.at_key)
            for found in explain(error, Manifest, known)
        ]
    else:
        if not manifest.suite and not loaded.problems:
            loaded.problems = [loaded.problem("its `suite` is empty: there is nothing to play")]
        loaded.manifest = None if loaded.problems else manifest
    return loaded


def _unknown(key: str, value: Any, given: Mapping[str, Any]) -> str:
    """What to say of a key that is none of ours; nothing, if anchors may live in it."""
    free = [name for name in Manifest.model_fields if name not in given]
    near = difflib.get_close_matches(key, free, 1, cutoff=_MISSPELT)
    if near:
        return f"unknown key {quoted(key)}. Did you mean {quoted(near[0])}?"
    if isinstance(value, list | dict):
        return ""
    return unknown_key(key, free) + f". A manifest has {listed(Manifest.model_fields)}"
