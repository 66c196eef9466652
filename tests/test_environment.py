"""``.env.example`` names every variable of the environment that the code reads."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
READ = re.compile(r"(?:\benviron(?:\.get\(|\[)|getenv\(|_from_environment\()\s*([\w\"]+)")
NAMED = re.compile(r"^ENVIRONMENT_VARIABLE = (\"\w+\")$", re.MULTILINE)
PASSED_ON = {"name", "order"}
"""Variables whose names come from elsewhere: from a call that is found too, or from a process that
started this one and set them itself."""
NOBODY_SETS = {"TERM": "the terminal says what it is"}


def read_by_the_code() -> set[str]:
    names: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        source = path.read_text("utf-8")
        names.update(READ.findall(source), NAMED.findall(source))
    constants = {name for name in names if not name.startswith('"')} - PASSED_ON
    assert constants <= {"ENVIRONMENT_VARIABLE"}, "name what is read, so that it can be found"
    return {name.strip('"') for name in names if name.startswith('"')} - set(NOBODY_SETS)


def test_every_variable_is_in_the_example():
    example = (ROOT / ".env.example").read_text("utf-8")
    told = re.findall(r"^(?:# )?([A-Z][A-Z_]+)=", example, re.MULTILINE)
    assert sorted(told) == sorted(read_by_the_code())
    assert {"OPENAI_API_KEY", "OLLAMA_HOST", "SPARRING_PIPECAT_EVAL"} <= set(told)
