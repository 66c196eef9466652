"""Who plays the caller, and who judges: from a scenario's blocks to something that does it."""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sparring.callers import AgendaCaller, Caller, PersonaCaller, ScriptCaller
from sparring.errors import ModelError
from sparring.models import ChatModel
from sparring.scenarios import (
    Definition,
    FactoryBlock,
    JudgeModel,
    Script,
    Simulation,
    SimulatorModel,
)
from sparring.scoring.scripts.settling import DEFAULT_TIMEOUT_S
from sparring.suites.plan import Run

if TYPE_CHECKING:
    from sparring.models.opening import Block, Models


@dataclass(frozen=True)
class Cast:
    """Who takes part in a run."""

    caller: Caller | ScriptCaller
    judge: ChatModel | None
    """None if nothing is judged."""


class Casting:
    """Finds caller and judge for every run; all use one set of clients."""

    def __init__(
        self,
        offline: bool,
        judged: bool = True,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        limits: Mapping[str, int] | None = None,
    ):
        """Decide how runs are cast.

        Args:
            offline: Use no LLM: the agenda is played, and nothing is judged.
            judged: Whether goals and criteria are judged, where the scenario does not say no.
            timeout_s: Seconds for a script's expectations that do not say how long they have.
            limits: Requests to a server at a time, by service.
        """
        self._limits = limits
        self._timeout_s = timeout_s
        self._offline = offline
        self._judged = judged and not offline
        self._models: Models | None = None

    def plays_agenda(self, simulation: Simulation) -> bool:
        """Whether the agenda caller plays it."""
        simulator = simulation.simulator
        return self._offline or (
            isinstance(simulator, SimulatorModel) and simulator.service == "agenda"
        )

    def judges(self, definition: Definition) -> bool:
        """Whether its record will be judged."""
        if isinstance(definition, Script) and not definition.asks_judge:
            return False
        return self._judged and definition.judge.eval is not False

    async def check(self, definitions: Sequence[Definition]) -> None:
        """See that everybody who is needed can be had, before any call is made.

        Raises:
            ModelError: For the first that cannot; the text says whose, and the way out.
        """
        checked: set[str] = set()
        for definition in definitions:
            for role, block in self.blocks(definition):
                key = _what_is_used(block)
                if key not in checked:
                    checked.add(key)
                    try:
                        model = await self._open(block)
                        await model.check()
                        await model.close()
                    except ModelError as error:
                        raise ModelError(f"{definition.name}: the {role}: {error}") from error

    @asynccontextmanager
    async def cast(self, run: Run) -> AsyncGenerator[Cast]:
        """Caller and judge of a run, for as long as it lasts."""
        definition = run.scenario.definition
        async with AsyncExitStack() as models:
            caller: Caller | ScriptCaller
            if isinstance(definition, Script):
                caller = ScriptCaller(definition, run.scenario.file.parent, self._timeout_s)
            elif self.plays_agenda(definition):
                caller = AgendaCaller(definition)
            else:
                model = await self._open(definition.simulator)
                models.push_async_callback(model.close)
                caller = PersonaCaller(definition, model, run.seed)
            judge = await self.judge(definition)
            if judge is not None:
                models.push_async_callback(judge.close)
            yield Cast(caller, judge)

    async def judge(self, definition: Definition) -> ChatModel | None:
        """The judge of a scenario; None if nothing is judged."""
        block = self._judge_block(definition)
        return None if block is None else await self._open(block)

    async def close(self) -> None:
        """Let go of all clients."""
        if self._models is not None:
            await self._models.close()

    def blocks(self, definition: Definition) -> "Iterator[tuple[str, Block]]":
        """Whom a scenario needs a model for, ``caller`` or ``judge``, and which."""
        if isinstance(definition, Simulation) and not self.plays_agenda(definition):
            yield "caller", definition.simulator
        judge = self._judge_block(definition)
        if judge is not None:
            yield "judge", judge

    def _judge_block(self, definition: Definition) -> "Block | None":
        return (definition.judge.eval or JudgeModel()) if self.judges(definition) else None

    async def _open(self, block: "Block") -> ChatModel:
        if self._models is None:
            from sparring.models.opening import Models  # Its clients take a while to import.

            self._models = Models(self._limits)
        return await self._models.open(block)


def _what_is_used(block: "Block") -> str:
    """All of a block that makes a model another one; what only judges have does not."""
    if isinstance(block, FactoryBlock):
        return repr(block)
    return repr((block.service, block.model, block.endpoint, block.extra))
