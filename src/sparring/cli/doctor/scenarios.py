"""Whether scenario files can be played: the files themselves, and the models they need."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparring.cli.doctor.finding import Finding, Level
from sparring.cli.doctor.pulling import pull
from sparring.cli.options import USUAL_AGENT
from sparring.errors import ModelError
from sparring.models import ChatModel
from sparring.models.opening import Block, Models
from sparring.models.pulling import Pullable
from sparring.scenarios import Loaded, Scenario, SimulatorModel, load
from sparring.suites import plan
from sparring.suites.agents import RunningAgent
from sparring.suites.casting import Casting

_PATIENCE_S = 10.0


@dataclass
class _Needed:
    """A model, and who needs it."""

    model: ChatModel
    by: list[str]


class ScenarioExamination:
    """Looks at the files that are to be played; without any, at the model most files need."""

    def __init__(self, files: Sequence[Path], offline: bool, pulls: bool):
        """Prepare to look.

        Args:
            files: Scenario files and directories; none for any run.
            offline: Whether they are to be played without an LLM.
            pulls: Whether to have missing models fetched.
        """
        self._files = files
        self._offline = offline
        self._pulls = pulls
        self._casting = Casting(offline)
        self._missing = Level.BAD if files else Level.WARN

    async def findings(self) -> AsyncIterator[Finding]:
        """The files first, then the models."""
        loaded = load(self._files)
        for finding in self._playable(loaded):
            yield finding
        if self._offline:
            yield Finding(Level.OK, "models", "not needed offline")
            return
        models = Models()
        try:
            async for finding in self._models(models, self._blocks(loaded.scenarios)):
                yield finding
        finally:
            await models.close()

    def _playable(self, loaded: Loaded) -> Iterator[Finding]:
        planned = plan(loaded.scenarios, RunningAgent(USUAL_AGENT), self._casting.plays_agenda)
        for problem in [*map(str, loaded.problems), *planned.problems]:
            yield Finding(Level.BAD, "scenario", problem)
        if planned.runs:
            state = f"{len(planned.runs)} in {len(loaded.files)} file(s) can be played"
            yield Finding(Level.OK, "scenarios", state)

    def _blocks(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[str, Block]]:
        """Who needs a model, and which."""
        if not self._files:
            yield "most scenarios", SimulatorModel()
        for scenario in scenarios:
            for role, block in self._casting.blocks(scenario.definition):
                yield f"the {role} of {scenario.name}", block

    async def _models(
        self, models: Models, blocks: Iterator[tuple[str, Block]]
    ) -> AsyncIterator[Finding]:
        """A line for each model, however many need it."""
        needed: dict[str, _Needed] = {}
        for by, block in blocks:
            try:
                model = await models.open(block)
            except ModelError as error:
                yield Finding(self._missing, f"model for {by}", str(error))
            else:
                # The same model of another server is another one.
                key = repr((model.identity, getattr(block, "endpoint", None)))
                needed.setdefault(key, _Needed(model, [])).by.append(by)
        for one in needed.values():
            yield await self._model(one)
            await one.model.close()

    async def _model(self, needed: _Needed) -> Finding:
        """Whether a model can be asked; one that can be pulled is, if that is wanted."""
        identity = needed.model.identity
        others = f" and {len(needed.by) - 1} more" if len(needed.by) > 1 else ""
        what = f"{identity.service} {identity.model or ''}".strip()
        what = f"model {what} for {needed.by[0]}{others}"
        try:
            try:
                await _check(needed.model)
            except ModelError:
                if not self._pulls or not isinstance(needed.model, Pullable):
                    raise
                await pull(needed.model, str(identity.model))
                await _check(needed.model)
        except ModelError as error:
            way_out = "`--offline` needs no LLM"
            if isinstance(needed.model, Pullable) and not self._pulls:
                way_out = f"`sparring doctor --pull` has Ollama pull what is missing; {way_out}"
            return Finding(self._missing, what, str(error), way_out)
        return Finding(Level.OK, what, "there")


async def _check(model: ChatModel) -> None:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            await model.check()
    except TimeoutError:
        raise ModelError(f"its server did not answer within {_PATIENCE_S:g} s") from None
