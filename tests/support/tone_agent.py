"""A real Pipecat agent that speaks in tones: it greets, and answers once its caller is quiet.

Run it with ``python -m support.tone_agent --port 7860``. It has no model of any kind.
"""

import time
from typing import Any

import numpy as np
from pipecat.evals.transport import EvalTransportParams
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.runner.run import main
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.workers.runner import WorkerRunner

from support.sound import tone

_LOUD = 1000
"""An amplitude that only speech has."""
_QUIET_S = 0.4
_RATE = 24000

transport_params = {
    "eval": lambda: EvalTransportParams(audio_in_enabled=True, audio_out_enabled=True),
}


class Answers(FrameProcessor):
    """Says a tone when the caller has been loud and then quiet."""

    def __init__(self) -> None:
        super().__init__()
        self._loud_at: float | None = None

    async def say(self, ms: float) -> None:
        """Say a tone."""
        sound = tone(ms, _RATE).tobytes()
        await self.push_frame(TTSStartedFrame())
        await self.push_frame(TTSAudioRawFrame(audio=sound, sample_rate=_RATE, num_channels=1))
        await self.push_frame(TTSStoppedFrame())

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Listen."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            now = time.monotonic()
            samples = np.frombuffer(frame.audio, "<i2").astype(int)
            if len(samples) and np.abs(samples).max() > _LOUD:
                self._loud_at = now
            elif self._loud_at is not None and now - self._loud_at > _QUIET_S:
                self._loud_at = None
                await self.say(500)
        await self.push_frame(frame, direction)


async def bot(runner_args: RunnerArguments) -> None:
    """Serve one caller."""
    transport = await create_transport(runner_args, transport_params)
    answers = Answers()
    worker = PipelineWorker(Pipeline([transport.input(), answers, transport.output()]))

    @transport.event_handler("on_client_connected")
    async def on_client_connected(transport: Any, client: object) -> None:
        await answers.say(300)

    @transport.event_handler("on_client_disconnected")
    async def on_client_disconnected(transport: Any, client: object) -> None:
        await worker.cancel()

    runner = WorkerRunner(handle_sigint=runner_args.handle_sigint)
    await runner.add_workers(worker)
    await runner.run()


if __name__ == "__main__":
    main()
