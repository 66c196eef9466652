"""The agent starts without what it does not need."""

import subprocess
import sys

HEAVY = "openai onnxruntime numba nltk transformers aiortc".split()  # noqa: SIM905 -- reads better


def loaded_after(code):
    """The heavy packages in memory after some code ran in a fresh interpreter."""
    probe = f"{code}\nimport sys; print(*[m for m in {HEAVY!r} + ['pipecat'] if m in sys.modules])"
    ended = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )
    return ended.stdout.split()


def test_the_agent_loads_no_model_and_no_provider():
    code = "from sparring.demo import agent; agent.RuleLLM()"
    assert loaded_after(code) == ["pipecat"]


def test_rules_and_variants_do_without_pipecat():
    assert loaded_after("import sparring.demo.variants, sparring.demo.rules") == []
