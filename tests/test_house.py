"""The house's own rules, as far as the linters do not hold them."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import sparring


def run(code: str) -> str:
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return made.stdout.strip()


@pytest.mark.parametrize("room", ["scenarios", "records", "scoring", "reports", "cli.app"])
def test_files_records_and_scores_never_load_pipecat(room: str):
    loaded = run(
        f"import sys, sparring.{room}; "
        "heavy = ('pipecat', 'openai', 'numpy', 'soxr', 'onnxruntime'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    assert loaded == "[]"


def test_a_text_call_loads_no_speech_model_and_no_llm_client():
    loaded = run(
        "import sys; from loguru import logger; logger.remove(); import sparring.suites.runs; "
        "print([m for m in ('openai', 'onnxruntime', 'numba') if m in sys.modules])"
    )
    assert loaded == "[]"


def test_the_version_is_the_packages():
    assert sparring.__version__ == version("sparring")


def test_a_text_call_has_nothing_to_do_with_sound():
    loaded = run(
        "import sys; from loguru import logger; logger.remove(); import sparring.suites.runs; "
        "print([m for m in sys.modules if m.startswith(('sparring.speech', 'soundfile'))"
        " or m in ('sparring.calls.sound', 'sparring.scoring.voice.voiced')])"
    )
    assert loaded == "[]"


def test_exported_names():
    assert sparring.__all__ == [
        "CallerError",
        "ConnectionFailed",
        "RecordError",
        "SparringError",
        "UsageError",
        "__version__",
    ]
    assert all(hasattr(sparring, name) for name in sparring.__all__)


def test_the_peers_harness_is_never_imported():
    source = Path(sparring.__file__).parent
    importing = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"^\s*(from|import) pipecat\.evals", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert importing == ["demo/agent.py"]  # An agent opts in with the transport's own params.
