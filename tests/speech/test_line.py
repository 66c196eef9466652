import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.records import Soundtrack
from sparring.scoring.voice.voiced import Samples, voiced
from sparring.speech.line import AudioLine, LineOptions
from sparring.speech.pcm import from_bytes, to_bytes
from sparring.speech.utterances import Utterance
from support.sound import pieces, tone
from support.virtual_time import VirtualTime


class Call:
    """A line in virtual time, with what went out at either end and when."""

    def __init__(self, late: Callable[[float], float] = lambda _: 0.0, **options: Any):
        self.time = VirtualTime(late)
        self.sent: list[tuple[float, bytes]] = []
        self.heard: list[Samples] = []
        self.spoken: list[Utterance] = []
        self.stuck = self.broken = False
        self.line = AudioLine(
            self.time.clock(),
            self.send,
            lambda samples: self.hear(samples),
            self.spoken.append,
            LineOptions(**options),
        )

    async def send(self, pcm: bytes) -> None:
        if self.broken:
            raise OSError("broken")
        if self.stuck:
            await asyncio.Event().wait()
        self.sent.append((self.time.now(), pcm))

    def hear(self, samples: Samples) -> None:
        self.heard.append(samples)

    def at(self, ms: float, do: Callable[[], object]) -> None:
        """Do something at that time of the call."""
        self.time.at(ms / 1000, do)

    async def run(self, ms: float) -> Soundtrack:
        """Run for so long."""
        running = asyncio.create_task(self.line.run())
        self.time.at(ms / 1000, running.cancel)
        await asyncio.wait({running})
        if not running.cancelled():
            running.result()
        return self.line.close()

    def agent_says(self, sound: Samples, ms: float, rate: int = 24000, every: float = 40) -> None:
        """The agent's sound arrives at the pace of time."""
        for number, piece in enumerate(pieces(sound, every, rate)):
            pcm = to_bytes(piece)
            at = ms + number * every
            self.at(at, lambda pcm=pcm, at=at: self.line.heard(pcm, rate, at / 1000))


async def test_silence_is_sent_every_40_ms_from_the_first_moment():
    call = Call()
    await call.run(400)
    assert [at for at, _ in call.sent] == pytest.approx([0.04 * n for n in range(1, 11)], abs=0.001)
    assert {len(pcm) for _, pcm in call.sent} == {1280}
    assert not any(from_bytes(pcm).any() for _, pcm in call.sent)


async def test_what_is_said_goes_out_whole_with_the_next_frame():
    call = Call()
    call.at(105, lambda: call.line.say(tone(330, 16000)))
    track = await call.run(800)
    out = np.concatenate([from_bytes(pcm) for _, pcm in call.sent])
    assert np.array_equal(out[120 * 16 : 450 * 16], tone(330, 16000))
    assert not out[: 120 * 16].any() and not out[450 * 16 :].any()
    [said] = call.spoken
    assert (said.began, said.ended) == (pytest.approx(0.12), pytest.approx(0.45))
    assert track.caller == [(120, 460)]
    # A microphone sends sound when it has been captured, never before it was spoken.
    first = next(at for at, pcm in call.sent if from_bytes(pcm).any())
    assert first == pytest.approx(0.16)


async def test_utterances_follow_each_other():
    call = Call()
    call.at(0, lambda: (call.line.say(tone(50, 16000)), call.line.say(tone(50, 16000))))
    track = await call.run(400)
    assert [said.began for said in call.spoken] == pytest.approx([0.02, 0.08])
    assert track.caller == [(20, 140)]


async def test_sound_may_come_while_it_is_said():
    call = Call()
    held: list[Utterance] = []
    call.at(0, lambda: held.append(call.line.begin()))
    call.at(45, lambda: held[0].add(tone(100, 16000)))
    call.at(205, lambda: held[0].add(tone(60, 16000)))
    call.at(210, lambda: held[0].complete())
    track = await call.run(500)
    assert track.caller == [(40, 140), (200, 260)]
    assert (held[0].began, held[0].ended) == (pytest.approx(0.04), pytest.approx(0.26))
    assert held[0].is_over and not held[0].stopped


async def test_what_is_stopped_ends_with_the_frame():
    call = Call()
    held: list[Utterance] = []
    call.at(0, lambda: held.append(call.line.say(tone(1000, 16000))))
    call.at(130, lambda: held[0].stop())
    call.at(130, lambda: call.line.say(tone(40, 16000)))
    track = await call.run(400)
    assert track.caller == [(20, 120), (140, 180)]
    assert held[0].stopped and held[0].ended == pytest.approx(0.12)
    assert [said.stopped for said in call.spoken] == [True, False]


async def test_what_is_stopped_before_it_began_was_never_said():
    call = Call()
    call.at(10, lambda: call.line.begin().stop())
    track = await call.run(100)
    [said] = call.spoken
    assert (said.began, said.stopped, track.caller) == (None, True, [])


async def test_waiting_for_an_utterance():
    call = Call()
    said = call.line.say(tone(100, 16000))
    waiting = asyncio.create_task(said.over())
    await call.run(300)
    await waiting
    assert said.ended == pytest.approx(0.12)


async def test_the_agent_is_recorded_where_it_arrived_and_handed_on_without_a_gap():
    call = Call()
    call.agent_says(tone(300), 150)
    track = await call.run(800)
    assert track.agent == [(140, 460)]
    stream = np.concatenate(call.heard)
    assert {len(frame) for frame in call.heard} == {480}
    assert np.array_equal(stream[150 * 24 : 450 * 24], tone(300))
    assert track.duration_ms == 800


async def test_both_are_on_one_clock_in_the_file(tmp_path: Path):
    path = tmp_path / "recordings" / "call.wav"
    call = Call(recording=path)
    call.at(95, lambda: call.line.say(tone(200, 16000)))
    call.agent_says(tone(200, 8000), 500, rate=8000, every=20)
    track = await call.run(1000)
    assert track.caller == [(100, 300)]
    assert track.agent == [(500, 700)]
    assert track.path == "recordings/call.wav"
    assert path.stat().st_size == 44 + 1000 * 24 * 2 * 2


async def test_an_interrupted_agent_stops_in_the_recording():
    call = Call()
    call.at(100, lambda: call.line.heard(to_bytes(tone(1000)), 24000, 0.1))
    call.at(300, lambda: call.line.interrupted(0.3))
    track = await call.run(800)
    assert track.agent == [(100, 300)]


async def test_a_stall_is_silent_in_the_recording_and_no_burst_on_the_wire():
    late = {0.2: 0.31}
    call = Call(lambda until: late.get(round(until, 3), 0))
    call.at(0, lambda: call.line.say(tone(400, 16000)))
    track = await call.run(1000)
    assert track.caller == [(20, 200), (500, 720)]
    gaps = np.diff([at for at, _ in call.sent])
    assert min(gaps) > 0.019
    out = np.concatenate([from_bytes(pcm) for _, pcm in call.sent])
    assert voiced(out, 16000) == [(20, 420)]
    assert (track.lateness.max_ms, track.lateness.skipped) == (pytest.approx(310), 15)


async def test_without_a_voice_nothing_is_sent():
    call = Call(speaks=False)
    call.agent_says(tone(100), 100)
    track = await call.run(400)
    assert (call.sent, track.caller, track.agent) == ([], None, [(100, 200)])


async def test_without_an_ear_the_agent_is_unknown():
    call = Call(hears=False)
    call.agent_says(tone(100), 100)
    track = await call.run(400)
    assert (track.agent, track.caller) == (None, [])


async def test_an_agent_that_takes_nothing_holds_up_nothing():
    call = Call()
    call.stuck = True
    track = await call.run(4000)
    assert (track.lateness.ticks, track.lateness.skipped) == (200, 0)
    assert track.lateness.unsent == 49


async def test_a_fault_of_sending_is_no_secret():
    call = Call()
    call.broken = True
    with pytest.raises(OSError, match="broken"):
        await call.run(400)


async def test_a_fault_of_the_ear_is_no_secret():
    call = Call()

    def deaf(samples: Samples) -> None:
        raise RuntimeError("deaf")

    call.hear = deaf
    with pytest.raises(RuntimeError, match="deaf"):
        await call.run(400)


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 24000, 48000])
async def test_any_rate_of_the_callers(rate: int):
    call = Call(caller_rate=rate)
    call.at(95, lambda: call.line.say(tone(200, rate)))
    track = await call.run(600)
    assert track.caller == [(100, pytest.approx(300, abs=0.1))]


async def test_nothing_happened():
    track = await Call().run(0)
    assert (track.duration_ms, track.caller, track.agent) == (0, [], [])


@pytest.mark.parametrize("pace", [0.999, 1, 1.001])
async def test_five_minutes_of_talk_end_when_they_end(pace: float):
    """Also if the agent's clock does not run as ours does."""
    call, piece = Call(), to_bytes(tone(40))
    for number in range(7500):
        at = (100 + number * 40 * pace) / 1000
        call.time.at(at, lambda at=at: call.line.heard(piece, 24000, at))
    track = await call.run(302_000)
    assert track.agent is not None
    assert track.agent[0][0] == 100
    end = max(100 + 7500 * 40 * pace, 300_100)
    assert track.agent[-1][1] == pytest.approx(end, abs=100)
    assert sum(stop - start for start, stop in track.agent) == pytest.approx(300_000, abs=200)
