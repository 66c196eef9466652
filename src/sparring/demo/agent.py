"""A Pipecat agent that can be tested: copy this file to learn how yours opts in to evals.

Run it with ``python -m sparring.demo.agent --port 7860`` and point sparring at
``ws://localhost:7860/ws``. Only one thing in here is about testing, and it is marked (1).
"""

# Pipecat leaves a parameter of `create_transport` untyped, and uses handlers by decorating them.
# pyright: reportUnknownVariableType=false, reportUnusedFunction=false

from pipecat.evals.transport import EvalTransportParams
from pipecat.frames.frames import LLMRunFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.dtmf_aggregator import DTMFAggregator
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.runner.run import main
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.transports.base_transport import BaseTransport
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

from sparring.demo import variants
from sparring.demo.llm import RuleLLM
from sparring.demo.restaurant import Restaurant
from sparring.demo.tools import (
    book_table,
    cancel_booking,
    check_availability,
    look_at_picture,
    show_menu,
)

# (1) The whole opt-in: beside the transports your callers use ("daily", "webrtc", "twilio", …),
# name one for evals. An eval connects to the runner's ordinary /ws route, says who it is in its
# first message, and `create_transport` picks this entry. Leave it out in production, or start the
# runner with `--ws-auth token`: whoever may run evals may also read tool calls and set the context.
transport_params = {
    "eval": lambda: EvalTransportParams(audio_in_enabled=True, audio_out_enabled=True),
}


async def bot(runner_args: RunnerArguments) -> None:
    """Serve one caller; the runner calls this anew for every connection."""
    transport = await create_transport(runner_args, transport_params)

    # Yours would be OpenAILLMService or the like. This one follows rules and needs no model.
    llm = RuleLLM(variants.chosen(runner_args))

    context = LLMContext(
        tools=[check_availability, book_table, cancel_booking, look_at_picture, show_menu]
    )
    hears, says = LLMContextAggregatorPair(
        context,
        # Pipecat's default loads a model to tell when a speaker is done; a pause will do here.
        user_params=LLMUserAggregatorParams(
            user_turn_strategies=UserTurnStrategies(stop=[SpeechTimeoutUserTurnStopStrategy()])
        ),
    )
    pipeline = Pipeline(
        [
            transport.input(),
            DTMFAggregator(),  # Keys that the caller presses, "5550142#" say, become words.
            # Speech to text goes here.
            hears,
            llm,
            # Text to speech goes here. Evals over text silence it by themselves.
            transport.output(),
            says,
        ]
    )
    # State belongs to the session, never to the module: many evals may talk to one process.
    # RTVI, the protocol evals speak, is on by default; an agent that turns it off cannot be heard.
    worker = PipelineWorker(
        pipeline,
        app_resources=Restaurant(),
        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,
    )

    @transport.event_handler("on_client_connected")
    async def on_client_connected(transport: BaseTransport, client: object) -> None:
        await worker.queue_frame(LLMRunFrame())  # The caller waits for a greeting.

    @transport.event_handler("on_client_disconnected")
    async def on_client_disconnected(transport: BaseTransport, client: object) -> None:
        await worker.cancel()

    runner = WorkerRunner(handle_sigint=runner_args.handle_sigint)
    await runner.add_workers(worker)
    await runner.run()


if __name__ == "__main__":
    main(variants.argument_parser())
