from typing import Any

import pytest

from sparring.scenarios import (
    ExplainerModel,
    FactoryBlock,
    JudgeFactory,
    JudgeModel,
    Simulation,
    SimulatorModel,
    SpeechService,
    TranscriptionService,
)

BASE = {"name": "n", "persona": "p", "goal": "g", "success": "s"}
DEFAULT = {"service": "ollama", "model": "gemma4:12b", "extra": {"reasoning_effort": "none"}}


def simulation(**keys: Any) -> Simulation:
    return Simulation.model_validate({**BASE, **keys})


@pytest.mark.parametrize(
    ("block", "model", "extra"),
    [
        ({}, "gemma4:12b", {"reasoning_effort": "none"}),
        ({"model": None, "extra": None}, "gemma4:12b", {"reasoning_effort": "none"}),
        ({"endpoint": "http://x"}, "gemma4:12b", {"reasoning_effort": "none"}),
        ({"extra": {"temperature": 0}}, "gemma4:12b", {"temperature": 0}),
        ({"model": "qwen3:8b"}, "qwen3:8b", None),
        ({"service": "openai", "model": "gpt-5-mini"}, "gpt-5-mini", None),
    ],
)
def test_only_the_default_model_has_defaults(
    block: dict[str, Any], model: str, extra: dict[str, Any] | None
):
    made = simulation(simulator=block, judge={"eval": {**block, "explainer": block}})
    judge = made.judge.eval
    assert isinstance(judge, JudgeModel) and isinstance(judge.explainer, ExplainerModel)
    assert isinstance(made.simulator, SimulatorModel)
    for asked in (made.simulator, judge, judge.explainer):
        assert (asked.model, asked.extra) == (model, extra)


def test_a_block_left_out_is_the_default_written_out():
    assert simulation() == simulation(simulator=DEFAULT, judge={"eval": DEFAULT})
    assert simulation() == simulation(simulator={}, judge={"eval": None})


def test_the_agenda_has_no_model():
    made = simulation(simulator={"service": "agenda"}).simulator
    assert made.model_dump(exclude_none=True) == {"service": "agenda"}


def test_a_factory_gets_its_whole_block():
    block = {"factory": "a.b", "service": "mine", "voice": 3, "nested": {"x": [1]}}
    made = simulation(
        simulator=block,
        user={"modality": "audio", "speech": block},
        judge={"modality": "audio", "transcription": block, "eval": {**block, "explainer": block}},
    )
    judge = made.judge.eval
    assert isinstance(judge, JudgeFactory)
    for made_block in (
        made.simulator,
        made.user.speech,
        made.judge.transcription,
        judge.explainer,
    ):
        assert isinstance(made_block, FactoryBlock)
        assert made_block.model_dump() == block


def test_services_have_their_defaults():
    made = simulation(
        user={"modality": "audio", "speech": {"service": "kokoro", "voice": "af_heart"}},
        judge={"modality": "audio", "transcription": {}, "eval": False},
    )
    assert isinstance(made.user.speech, SpeechService)
    assert made.user.speech.sample_rate == 16000
    assert made.judge.transcription == TranscriptionService(service="moonshine")
    assert made.judge.eval is False


def test_nothing_can_be_changed_afterwards():
    with pytest.raises(ValueError, match="frozen"):
        simulation().name = "other"  # type: ignore[misc]
