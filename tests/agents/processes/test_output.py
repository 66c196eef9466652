"""An agent's output, redacted on its way to the log."""

import asyncio
import os
from pathlib import Path

import pytest

from sparring.agents.processes.output import Output

SECRET = "planted\nover two lines"


@pytest.fixture
def output(log: Path, monkeypatch: pytest.MonkeyPatch) -> Output:
    monkeypatch.setenv("OUTPUT_TEST_KEY", SECRET)
    return Output(log)


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_no_piece_of_a_secret_is_written_however_it_arrives(
    output: Output, log: Path, size: int
):
    text = f"a planter says: {SECRET}; {SECRET[:9]} grün\n".encode() * 3
    writing = await output.open_pipe()
    seen = ""
    for start in range(0, len(text), size):
        os.write(writing, text[start : start + size])
        await asyncio.sleep(0)
        seen = log.read_text()  # noqa: ASYNC240 (a file this small blocks nobody)
        assert "over" not in seen
    os.close(writing)
    await output.drained(20)
    output.close()
    expected = "a planter says: [redacted]; planted\no grün\n" * 3
    assert log.read_text() == expected  # noqa: ASYNC240


async def test_a_line_that_was_not_finished_is_kept(output: Output, log: Path):
    writing = await output.open_pipe()
    os.write(writing, b"first\nand pla\xff")
    os.close(writing)
    await output.drained(20)
    output.add(" p")
    assert output.last_lines() == "  first\n  and pla\N{REPLACEMENT CHARACTER} p"
    output.close()
    assert log.read_text() == "first\nand pla\N{REPLACEMENT CHARACTER} p"  # noqa: ASYNC240


async def test_last_lines_are_few_and_short_of_nothing(output: Output):
    assert output.last_lines() == "  (it printed nothing)"
    output.add("".join(f"line {number}\n" for number in range(2000)))
    assert output.last_lines().splitlines() == [f"  line {n}" for n in range(1995, 2000)]
    output.close()


async def test_a_pipe_that_somebody_keeps_open_is_not_waited_for(output: Output):
    writing = await output.open_pipe()
    await output.drained(0.01)
    output.close()
    os.close(writing)
