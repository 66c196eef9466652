"""How well time is kept with many spoken calls in one process and a speech model beside them.

.venv/bin/python benchmarks/audio_load.py [CALLS] [SECONDS] [model|bare]

The agents answer in tones, from a process of their own. The model is pipecat's turn detector, asked
again and again in one thread. Prints how late the frames of the calls were, against the budget, and
what a call costs.
"""

import asyncio
import multiprocessing
import os
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparring.records import Record

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

BUDGET = "no tick later than 60 ms, 20 ms at the 99th percentile, errors of 50 ms at the 95th"


def serve(pipe: Connection) -> None:
    """The agents, until the pipe closes; tells their URL, then what each answer really took."""
    from support.fake_agent import FakeAgent, Session
    from support.fake_sound import Ear, Voice

    truths: dict[str, list[float]] = {}

    async def script(session: Session) -> None:
        ear, voice = Ear(session), Voice(session)
        truth = truths.setdefault(session.query["call"], [])
        await session.ready()
        await voice.talk(0.3)
        turns = 0
        while True:
            turns += 1
            turn = await ear.turn(turns)
            answer = await voice.talk(1.5, turn.end + 0.3 + 0.041 * (turns % 5))
            truth.append(float(answer.start - turn.end) * 1000)

    async def main() -> None:
        async with FakeAgent(script) as agent:
            pipe.send(agent.url)
            await asyncio.to_thread(pipe.recv)
            pipe.send(truths)

    asyncio.run(main())


def think(stop: threading.Event, thoughts: list[float]) -> None:
    """Ask the model, again and again."""
    import numpy as np
    import onnxruntime
    import pipecat

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    folder = Path(pipecat.__file__).parent / "audio" / "turn" / "smart_turn" / "data"
    model = onnxruntime.InferenceSession(next(folder.glob("*.onnx")), sess_options=options)
    inputs = {
        one.name: np.zeros([d if isinstance(d, int) else 1 for d in one.shape], np.float32)
        for one in model.get_inputs()
    }
    while not stop.is_set():
        began = time.perf_counter()
        model.run(None, inputs)
        thoughts.append(time.perf_counter() - began)


async def play(url: str, calls: int, seconds: float) -> list[list[float]]:
    """Make the calls, print how time was kept, and give the latencies that were reported."""
    from sparring.scoring import measure
    from support.tone_call import Say, ToneCall

    turns = [Say(1.0, after=n) for n in range(1, max(2, int(seconds / 3.2)))]

    async def one(number: int) -> "Record":
        await asyncio.sleep(number * 0.037)
        return await ToneCall(turns, linger=2.5).play(f"{url}?call={number}")

    cpu, wall = time.process_time(), time.perf_counter()
    loop_cpu = time.thread_time()
    records = await asyncio.gather(*(one(number) for number in range(calls)))
    wall = time.perf_counter() - wall
    cpu, loop_cpu = time.process_time() - cpu, time.thread_time() - loop_cpu
    tracks = [record.soundtrack for record in records]
    late = [track.lateness for track in tracks if track is not None]
    print(
        f"{calls} calls of {wall:.0f} s: {sum(one.ticks for one in late)} ticks, "
        f"latest {max(one.max_ms for one in late):.1f} ms, "
        f"99th percentile at worst {max(one.p99_ms for one in late):.1f} ms, "
        f"{sum(one.over_20_ms for one in late)} over 20 ms, "
        f"{sum(one.over_60_ms for one in late)} over 60 ms, "
        f"{sum(one.skipped for one in late)} left out"
    )
    print(
        f"the loop's CPU {loop_cpu / wall:.0%}, {loop_cpu / wall / calls * 60:.1f} s a minute of "
        f"call; the process's {cpu / wall:.0%}"
    )
    return [measure("response_rate", record).details["latencies_ms"] for record in records]


def main() -> None:
    """Run it."""
    from loguru import logger

    from sparring.scoring.voice.percentiles import percentile

    logger.remove()
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    with_model = "bare" not in sys.argv[3:]
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    agents = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,))
    agents.start()
    stop, thoughts = threading.Event(), list[float]()
    thinking = threading.Thread(target=think, args=(stop, thoughts))
    try:
        url = ours.recv()
        if with_model:
            thinking.start()
            while not thoughts:  # The model is there before the calls are.
                time.sleep(0.05)
        latencies = asyncio.run(play(url, calls, seconds))
        stop.set()
        ours.send("done")
        truths = ours.recv()
    finally:
        stop.set()
        agents.join(5)
        agents.kill()
    if thoughts:
        print(f"the model beside them answered {len(thoughts)} time(s)")
    errors = [
        abs(told - true)
        for number, one in enumerate(latencies)
        for told, true in zip(one, truths[str(number)], strict=False)
    ]
    print(
        f"{len(errors)} answers: reported latencies off by {percentile(errors, 0.5):.1f} ms at the "
        f"median, {percentile(errors, 0.95):.1f} ms at the 95th percentile"
    )
    print(f"budget: {BUDGET}")


if __name__ == "__main__":
    main()
