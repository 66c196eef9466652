"""Spoken calls in real time, against agents of which everything is known."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sparring.agents import EvalWebSocket, SessionOptions
from sparring.calls.log import CallLog
from sparring.calls.sound import Sound
from sparring.records import CallClock, Record
from sparring.records import events as ev
from sparring.scoring import measure
from sparring.scoring.voice.percentiles import percentile
from sparring.scoring.voice.responses import Opportunity, responses
from sparring.scoring.voice.speech import speech_of
from sparring.scoring.voice.voiced import Samples
from support.demo_agent import start_agent
from support.fake_agent import FakeAgent, Session
from support.fake_sound import Ear, Voice
from support.sound import tone
from support.tone_call import Say, ToneCall


@dataclass
class Truth:
    """What an agent knows of the call: how long each answer really took, in milliseconds."""

    latencies: list[float | None] = field(default_factory=list[float | None])


Script = Callable[[Session, Truth], Awaitable[None]]


def answering(*delays: float, rate: int = 24000, ms: float = 40, seconds: float = 0.5) -> Script:
    """Greets, then answers each turn after such a delay from its end."""

    async def script(session: Session, truth: Truth) -> None:
        ear = Ear(session)
        await session.ready()
        voice = Voice(session, rate, ms)
        await voice.talk(0.3)
        for number, delay in enumerate(delays, 1):
            turn = await ear.turn(number)
            answer = await voice.talk(seconds, turn.end + delay)
            truth.latencies.append((answer.start - turn.end) * 1000)

    return script


async def filler(session: Session, truth: Truth) -> None:
    """Says something short at once, and the answer later: the filler is what is heard first."""
    ear, voice = Ear(session), Voice(session)
    await session.ready()
    await voice.talk(0.3)
    turn = await ear.turn(1)
    short = await voice.talk(0.2, turn.end + 0.3, report=False)
    truth.latencies.append((short.start - turn.end) * 1000)
    await session.tool("look", {}, took=0.6)
    await voice.talk(0.4)


async def cutting_in(session: Session, truth: Truth) -> None:
    """Begins to speak while the caller still is, and stops after it."""
    ear, voice = Ear(session), Voice(session)
    await session.ready()
    await voice.talk(0.3)
    began = await ear.begins()
    await voice.talk(1.2, began + 0.4)


async def yielding(session: Session, truth: Truth) -> None:
    """Stops speaking a while after the caller has come in."""
    ear, voice = Ear(session), Voice(session)
    await session.ready()
    greeting = await voice.talk(5, going_on=lambda: ear.speaking_for < 0.35)
    await session.send("bot-interrupted")
    turn = await ear.turn(1)
    truth.latencies.append((greeting.end - turn.start) * 1000)


async def hanging(session: Session, truth: Truth) -> None:
    """Speaks before it is ready, answers once, and never again."""
    ear, voice = Ear(session), Voice(session, 22050)
    await session.wait_for("client-ready")
    await voice.talk(0.2, report=False)
    await session.ready()
    await session.wait(0.3)
    await voice.talk(0.2)
    turn = await ear.turn(1)
    answer = await voice.talk(0.3, turn.end + 0.5)
    truth.latencies.append((answer.start - turn.end) * 1000)


async def ready(session: Session) -> None:
    await session.ready()


@dataclass
class Played:
    """A call, and the truth about it."""

    record: Record
    truth: Truth
    opportunities: list[Opportunity]

    @property
    def errors(self) -> list[float]:
        """How far reported latencies are from the true ones, in milliseconds."""
        told = [one.latency_ms for one in self.opportunities if one.latency_ms is not None]
        true = [latency for latency in self.truth.latencies if latency is not None]
        assert len(told) == len(true)
        return [abs(one - other) for one, other in zip(told, true, strict=True)]


async def play(script: Script, call: ToneCall) -> Played:
    truth = Truth()
    async with FakeAgent(lambda session: script(session, truth)) as agent:
        record = await call.play(agent.url)
    speech = speech_of(record)
    assert speech is not None
    return Played(record, truth, list(responses(speech).opportunities))


async def in_time(make: Callable[[], Awaitable[Sequence[Played]]]) -> Sequence[Played]:
    """Calls during which we kept time; what we claim is claimed of no others."""
    for _ in range(3):
        made = await make()
        tracks = [played.record.soundtrack for played in made]
        if not any(track is None or track.lateness.overloaded for track in tracks):
            return made
    pytest.skip("this machine is too busy to keep time")


async def test_reported_latencies_are_the_true_ones_with_several_calls_at_once(tmp_path: Path):
    turns = [Say(after=n) for n in (1, 2, 3)]
    once = [Say(after=1)]

    def make() -> Awaitable[Sequence[Played]]:
        return asyncio.gather(
            play(answering(0.207, 0.713, 1.531), ToneCall(turns, linger=2.2)),
            play(answering(0.253, 1.009, 2.517, rate=8000, ms=20), ToneCall(turns, linger=3.2)),
            play(answering(0.511, 0.299, rate=44100, ms=100), ToneCall(turns[:2], linger=1.0)),
            play(answering(4.013, rate=48000, ms=10), ToneCall(once, linger=4.7)),
            play(filler, ToneCall(once, linger=1.8)),
            play(hanging, ToneCall([*once, Say(after=2)], recording=tmp_path / "call.wav")),
        )

    made = await in_time(make)
    errors = [error for played in made for error in played.errors]
    assert len(errors) == 11
    assert (percentile(errors, 0.95) or 0) <= 50, errors
    filled, hung = made[4], made[5]
    held = measure("floor_hold_silence_ms", filled.record).value
    assert held == pytest.approx(600, abs=60)
    assert [one.status for one in hung.opportunities] == ["answered", "censored"]
    assert (tmp_path / "call.wav").stat().st_size > 44
    track = hung.record.soundtrack
    assert track is not None and len(track.agent or []) == 3  # The first of it before it was ready.


async def test_an_agent_that_cuts_in_is_heard_to():
    call = ToneCall([Say(1.0, after=1)], linger=0.8)
    [cut] = await in_time(lambda: asyncio.gather(play(cutting_in, call)))
    assert measure("interruptions", cut.record).value == 1
    assert measure("overlap_ms", cut.record).value == pytest.approx(600, abs=60)
    assert [one.reason for one in cut.opportunities] == ["agent_active_at_request_end"]


async def test_an_agent_that_gives_way_is_heard_to():
    call = ToneCall([Say(1.0, after=1, patience=1.0)])
    [gave_way] = await in_time(lambda: asyncio.gather(play(yielding, call)))
    assert measure("yield_rate", gave_way.record).value == 1
    latency = measure("yield_latency_ms", gave_way.record).value
    assert latency == pytest.approx(gave_way.truth.latencies[0], abs=50)


async def test_leaving_stops_what_is_being_said():
    async with FakeAgent(ready) as agent:
        log, connection = CallLog(CallClock()), EvalWebSocket(agent.url)
        await connection.open(log.clock, SessionOptions(skip_tts=False))
        async with Sound(connection, log) as sound:
            said, unsaid = sound.say(tone(9000, 16000), "Well,", 1), sound.say(tone(90), "then")
            await (await agent.session()).wait_for_audio(10)
        await asyncio.gather(said.over(), unsaid.over())
        await connection.close()
    [spoke] = [event for event in log.events if isinstance(event, ev.CallerSpoke)]
    assert (spoke.text, spoke.stopped, unsaid.stopped) == ("Well,", True, True)
    assert 0.2 < spoke.ended - spoke.began < 5
    with pytest.raises(RuntimeError, match="not open"):
        sound.begin("Hello?")


async def test_a_recording_that_cannot_be_kept_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")
    call = ToneCall([], linger=0.1, recording=tmp_path / "file" / "deep" / "call.wav")
    played = await play(answering(), call)
    notes = [event.text for event in played.record.events if isinstance(event, ev.Note)]
    assert notes == ["the recording could not be written: Not a directory"]
    assert played.record.soundtrack is not None and played.record.soundtrack.path is None


async def test_a_listener_that_fails_is_our_fault():
    def deaf(samples: Samples) -> None:
        raise ValueError("no ears")

    async with FakeAgent(ready) as agent:
        log, connection = CallLog(CallClock()), EvalWebSocket(agent.url)
        await connection.open(log.clock, SessionOptions(skip_tts=False))
        async with Sound(connection, log, deaf):
            while not any(isinstance(event, ev.CallerFailed) for event in log.events):
                await log.change()
        await connection.close()
    [failed] = [event for event in log.events if isinstance(event, ev.CallerFailed)]
    assert failed.error == "the sound failed: ValueError: no ears"


async def test_what_the_log_holds_of_sound():
    played = await play(answering(0.2), ToneCall([Say(after=1)], linger=0.9))
    events = played.record.events
    [spoke] = [event for event in events if isinstance(event, ev.CallerSpoke)]
    assert (spoke.text, spoke.turn, spoke.stopped) == ("Turn 1.", 1, False)
    assert 0.4 <= round(spoke.ended - spoke.began, 3) < 2  # Longer if we were late.
    assert not any(isinstance(event, ev.BotAudio) for event in events)
    track = played.record.soundtrack
    assert track is not None and events[-2] is track
    assert (track.path, track.lateness.unsent) == (None, 0)


async def test_a_real_pipecat_agent_is_heard():
    agent = start_agent(module="support.tone_agent")
    try:
        turns = [Say(0.6, after=1), Say(0.6, after=2)]
        record = await ToneCall(turns, linger=1.8).play(agent.url)
    finally:
        agent.stop()
    answers = measure("response_rate", record)
    assert (answers.value, answers.details["answered"]) == (1.0, 2)
    assert all(380 <= ms <= 2000 for ms in answers.details["latencies_ms"])  # It waits for 0.4 s.
    track = record.soundtrack
    assert track is not None and track.agent is not None
    spoken = sum(end - start for start, end in track.agent)
    assert spoken == pytest.approx(300 + 2 * 500, abs=100)
