"""One call, from connecting to hanging up: our part and an agent in, a record out."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.workers.runner import WorkerRunner

from sparring.agents import AgentConnection, SessionOptions, SetContext
from sparring.callers import Caller, ScriptCaller
from sparring.calls.endings import Endings, Limits
from sparring.calls.log import CallLog, Listener
from sparring.calls.parts import Part, ScriptPart, SimulationPart
from sparring.calls.transport import ConnectionInput, ConnectionOutput
from sparring.errors import AgentExited, ConnectionFailed
from sparring.records import CallClock, Ending, Header, Kind, Record
from sparring.records import events as ev
from sparring.scenarios import Definition, Simulation
from sparring.scoring.scripts.live_judge import LiveJudge

_TEARDOWN_S = 5.0


@dataclass(frozen=True)
class CallOptions:
    """How a call is made, whatever the scenario."""

    connect_timeout_s: float = 10.0
    ready_timeout_s: float = 60.0
    trigger_disconnect: bool = False
    """Close without cancelling the agent first, also where the scenario does not ask for it."""


class Call:
    """Plays one scenario against one agent, once.

    ``record`` can be read at any time: after ``play`` it is complete, after a cancelled ``play`` it
    says that the call was interrupted.
    """

    def __init__(
        self,
        definition: Definition,
        connection: AgentConnection,
        caller: Caller | ScriptCaller,
        header: Header,
        listeners: Sequence[Listener] = (),
        options: CallOptions | None = None,
        judge: LiveJudge | None = None,
    ):
        """Prepare a call.

        Args:
            definition: What is played.
            connection: The agent, not opened yet.
            caller: Who plays.
            header: The record's header.
            listeners: Told of every event as it happens.
            options: How the call is made.
            judge: Who decides, while a script plays, what it must know to go on.
        """
        self._definition = definition
        self._connection = connection
        self._header = header
        self._options = options or CallOptions()
        self._log = CallLog(CallClock())
        self._part: Part
        if isinstance(caller, ScriptCaller):
            self._part = ScriptPart(caller, judge, self._log)
        else:
            assert isinstance(definition, Simulation)
            self._part = SimulationPart(definition, caller, self._log)
        floor = self._part.floor
        limits = Limits(
            ready_s=self._options.ready_timeout_s,
            duration_s=self._part.duration_s,
            silence_s=self._part.silence_s,
        )
        self._endings = Endings(self._log.conversation, floor, limits)
        for listener in (floor.fold, self._endings.fold, *listeners):
            self._log.listen(listener)
        self._input = ConnectionInput(connection, self._log)
        output = ConnectionOutput(connection, floor, self._log)
        self._processors = [self._input, *self._part.processors, output]

    @property
    def record(self) -> Record:
        """The record so far."""
        return self._log.record(self._header)

    async def play(self) -> Record:
        """Make the call.

        Whatever goes wrong ends the call and is in the record; only cancellation is raised on,
        after the record says so.
        """
        try:
            await self._converse()
        except asyncio.CancelledError:
            self._end(Ending.INTERRUPTED, Kind.INTERRUPTED, "the call was interrupted")
            raise
        except AgentExited as error:
            self._end(Ending.ERROR, Kind.AGENT_EXITED, str(error))
        except ConnectionFailed as error:
            self._end(Ending.ERROR, Kind.CONNECT_FAILED, str(error))
        except Exception as error:  # A fault of ours must not look like anybody else's.
            self._end(Ending.ERROR, Kind.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        return self.record

    async def _converse(self) -> None:
        async with _Running(self._processors, self._log):
            try:
                await self._connection.open(self._log.clock, self._session_options())
                self._log.add(ev.Connected(at=self._log.clock.now(), url=self._connection.url))
                self._input.listen()
                setting_up = asyncio.create_task(self._set_up())
                try:
                    self._log.add(await self._endings.wait(self._log))
                finally:
                    setting_up.cancel()
            finally:
                await self._connection.close()

    async def _set_up(self) -> None:
        """Once the agent is ready, say what we need of it; then our part begins."""
        while not any(isinstance(event, ev.Ready) for event in self._log.events):
            await self._log.change()
        await self._connection.send(self._part.configure)
        if self._definition.context:
            await self._connection.send(SetContext(self._definition.context))
        await self._part.begin()

    def _session_options(self) -> SessionOptions:
        return SessionOptions(
            trigger_disconnect=self._options.trigger_disconnect
            or self._definition.trigger_disconnect,
            capture_bot_images=self._part.wants_images,
            connect_timeout_s=self._options.connect_timeout_s,
        )

    def _end(self, ending: Ending, kind: Kind, reason: str) -> None:
        self._log.add(ev.Ended(at=self._log.clock.now(), ending=ending, kind=kind, reason=reason))


class _Running:
    """A pipeline that runs inside a ``with``, started when it is entered and gone when left."""

    def __init__(self, processors: Sequence[Any], log: CallLog):
        self._worker = PipelineWorker(
            Pipeline(list(processors)),
            params=PipelineParams(),
            enable_rtvi=False,
            enable_turn_tracking=False,
            cancel_on_idle_timeout=False,
            idle_timeout_secs=None,
        )
        self._log = log
        self._runner = WorkerRunner(handle_sigint=False, handle_sigterm=False)
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        started = asyncio.Event()

        async def on_started(worker: Any, frame: Any) -> None:
            started.set()

        async def on_error(worker: Any, frame: Any) -> None:
            self._log.add(ev.CallerFailed(at=self._log.clock.now(), error=str(frame.error)))

        self._worker.add_event_handler("on_pipeline_started", on_started)
        self._worker.add_event_handler("on_pipeline_error", on_error)
        await self._runner.add_workers(self._worker)
        self._running = asyncio.create_task(self._runner.run())
        waiting = asyncio.create_task(started.wait())
        await asyncio.wait({waiting, self._running}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    async def __aexit__(self, *exception: object) -> None:
        if self._running is None:
            return
        await self._worker.cancel()
        _, late = await asyncio.wait({self._running}, timeout=_TEARDOWN_S)
        for task in late:
            task.cancel()
