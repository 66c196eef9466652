from pathlib import Path

import numpy as np
import pytest
import soundfile

from sparring.errors import CallerError
from sparring.scoring.voice.voiced import voiced
from sparring.speech.clips import Pause, load_clip, with_pauses
from support.sound import quiet, tone


@pytest.mark.parametrize(
    ("name", "subtype"),
    [
        ("a.wav", "PCM_16"),
        ("a.wav", "PCM_U8"),
        ("a.wav", "PCM_24"),
        ("a.wav", "FLOAT"),
        ("a.wav", "ULAW"),
        ("a.flac", "PCM_16"),
        ("a.ogg", "VORBIS"),
        ("a.mp3", "MPEG_LAYER_III"),
    ],
)
@pytest.mark.parametrize("rate", [8000, 44100])
def test_any_format_and_rate(tmp_path: Path, name: str, subtype: str, rate: int):
    sound = np.concatenate([quiet(300, rate), tone(400, rate), quiet(300, rate)])
    soundfile.write(tmp_path / name, sound / 32768, rate, subtype=subtype)
    clip = load_clip(tmp_path / name, 16000)
    heard = voiced(clip, 16000)
    assert heard[0].start == pytest.approx(300, abs=40)
    assert heard[-1].end == pytest.approx(700, abs=40)
    assert len(clip) == pytest.approx(16000, abs=1000)
    level = np.sqrt(np.mean(clip[6400:9600].astype(float) ** 2))
    assert level == pytest.approx(3000, rel=0.1)


def test_a_clip_of_our_own_kind_is_taken_as_it_is(tmp_path: Path):
    soundfile.write(tmp_path / "a.wav", tone(200, 16000), 16000, subtype="PCM_16")
    assert np.array_equal(load_clip(tmp_path / "a.wav", 16000), tone(200, 16000))


def test_channels_are_mixed(tmp_path: Path):
    both = np.stack([tone(100, 16000), quiet(100, 16000)], axis=1)
    soundfile.write(tmp_path / "a.wav", both, 16000)
    mixed = load_clip(tmp_path / "a.wav", 16000)
    assert np.abs(mixed - tone(100, 16000) / 2).max() <= 1


def test_the_loudest_sound_is_not_wrapped_around(tmp_path: Path):
    soundfile.write(tmp_path / "a.wav", np.full(160, 1.5, np.float32), 16000, subtype="FLOAT")
    assert set(load_clip(tmp_path / "a.wav", 16000).tolist()) == {32767}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "No such file"),
        (b"", "no sound that can be read"),
        (b"hello", "no sound that can be read"),
    ],
)
def test_what_is_no_sound(tmp_path: Path, content: bytes | None, problem: str):
    path = tmp_path / "a.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CallerError, match=problem):
        load_clip(path, 16000)


def test_a_directory_is_no_sound(tmp_path: Path):
    with pytest.raises(CallerError, match="Is a directory"):
        load_clip(tmp_path, 16000)


@pytest.mark.parametrize("samples", [0, 16000])
def test_silence_says_nothing(tmp_path: Path, samples: int):
    soundfile.write(tmp_path / "a.wav", np.zeros(samples, np.int16), 16000)
    with pytest.raises(CallerError, match=r"a\.wav: there is no sound in it"):
        load_clip(tmp_path / "a.wav", 16000)


def test_a_recording_of_hours_is_no_turn(tmp_path: Path):
    soundfile.write(tmp_path / "a.wav", np.zeros(8000 * 601, np.int16), 8000)
    with pytest.raises(CallerError, match="longer than 10 minutes"):
        load_clip(tmp_path / "a.wav", 16000)


def test_pauses():
    said = with_pauses([tone(100, 16000), Pause(250), tone(60, 16000), Pause(40)], 16000)
    assert np.array_equal(said[:1600], tone(100, 16000))
    assert not said[1600:5600].any()
    assert np.array_equal(said[5600:6560], tone(60, 16000))
    assert len(said) == 7200
    assert len(with_pauses([], 16000)) == 0
