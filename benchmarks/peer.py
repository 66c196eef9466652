"""The same text simulation through sparring and through pipecat's own ``eval``, side by side.

Both call the same demo agent, both ask the same stub of an LLM that answers at once, both run from
compiled bytecode, by turns, on the machine at hand; so the ratios say something, and the seconds
only as much as the machine does.

.venv/bin/python benchmarks/peer.py [--runs N]
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.demo_agent import start_agent  # noqa: E402, the path is set first
from support.fake_llm import Chat, FakeLLM, Reply, agreeing, end_call  # noqa: E402

LINES = ["Hi, I'd like to book a table for two tonight at 6 PM.", "It's Jamie Lee.", "555-0142."]
SIMULATION = {
    "persona": "Jamie Lee, booking dinner for two tonight at 6 PM. Phone 555-0142.",
    "goal": "Book a table for two at 6 PM, then end the call.",
    "success": "the bot confirmed a reservation for two at 6 PM",
    "metrics": [{"name": "polite", "criterion": "the reply is courteous", "min_score": 1}],
}
FURTHER = 10
"""How many more calls are played to learn what one of them costs."""
SIDES = ("peer", "ours")

PYTHON = [sys.executable, "-m"]
OURS = [*PYTHON, "sparring", "run"]
PEER = [*PYTHON, "pipecat.evals", "run"]
PIPECAT = [*PYTHON, "pipecat.cli.main", "eval", "run"]


@dataclass(frozen=True)
class Cost:
    """What a process took."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds, of all its threads."""
    memory: float
    """MB, at most."""


def measure(command: Sequence[str], cwd: str, own: bool) -> Cost:
    """Run a command that must succeed.

    Args:
        command: The program and its arguments.
        cwd: Where.
        own: Whether ``pipecat eval`` is pipecat's own.
    """
    env = {**os.environ, "SPARRING_PIPECAT_EVAL": "0" if own else "1"}
    started = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=cwd, env=env, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            sys.exit(f"{' '.join(command)}\n{output.read().decode()}")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def answer(chat: Chat) -> Reply | str:
    """A caller that says its lines and hangs up, and a judge that finds everything well."""
    if chat.is_judge:
        assert chat.schema is not None
        return json.dumps(agreeing(chat.schema))
    said = sum(message["role"] == "assistant" for message in chat.messages)
    return LINES[said] if said < len(LINES) else end_call("Perfect, thank you!")


class Bench:
    """Plays one side and the other, and remembers what it took."""

    def __init__(self, llm: FakeLLM, url: str, directory: str, runs: int):
        self._llm = llm
        self._url = url
        self._directory = directory
        self._runs = runs
        block = {"endpoint": llm.endpoint}
        common = {**SIMULATION, "simulator": block, "judge": {"eval": block}}
        self.one = self._write("one.yaml", common, 1)
        self.many = self._write("many.yaml", common, 1 + FURTHER)

    def _write(self, name: str, common: dict[str, Any], count: int) -> str:
        scenarios = [{"name": f"call_{number}"} for number in range(count)]
        path = Path(self._directory) / name
        path.write_text(yaml.safe_dump({"name": path.stem, **common, "scenarios": scenarios}))
        return str(path)

    async def play(self, command: list[str], file: str, own: bool = False) -> Cost:
        """Play a file once; what the LLM was asked is in the stub."""
        self._llm.chats.clear()
        whole = [*command, file, "--bot-url", self._url]
        return await asyncio.to_thread(measure, whole, self._directory, own)

    async def compare(
        self, sides: dict[str, tuple[list[str], str, bool]]
    ) -> dict[str, tuple[Cost, int, int]]:
        """The medians of each side, after a first run that compiles and warms up.

        Returns:
            For each side its cost, and the judge requests and the characters of them in a run.
        """
        costs: dict[str, list[Cost]] = {side: [] for side in sides}
        asked: dict[str, tuple[int, int]] = {}
        for number in range(self._runs + 1):
            for side, (command, file, own) in sides.items():
                cost = await self.play(command, file, own)
                if number:
                    costs[side].append(cost)
                judge = self._llm.judge
                asked[side] = len(judge), sum(len(json.dumps(chat.body)) for chat in judge)
        return {side: (_median(found), *asked[side]) for side, found in costs.items()}


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.memory for cost in costs),
    )


def row(what: str, peer: float, ours: float, unit: str, budget: float | None = None) -> None:
    """Print a line of the table."""
    told = ""
    if budget is not None:
        told = f"at most {budget:g} {unit}".strip() + ("" if ours <= budget else "  MISSED")
    sides = f"{peer:9.2f} {ours:9.2f} {unit:4}"
    print(f"{what:44} {sides} {peer / ours:7.1f} x   {told}".rstrip())


async def main(runs: int) -> None:
    """Play and print."""
    agent = start_agent()
    try:
        async with FakeLLM(answer) as llm:
            with tempfile.TemporaryDirectory() as directory:
                bench = Bench(llm, agent.url, directory, runs)
                costs = await bench.compare(
                    {
                        "ours": (OURS, bench.one, False),
                        "peer": (PEER, bench.one, True),
                        "pipecat ours": (PIPECAT, bench.one, False),
                        "pipecat peer": (PIPECAT, bench.one, True),
                        "ours many": (OURS, bench.many, False),
                        "peer many": (PEER, bench.many, True),
                    }
                )
                for side, own in (("ours help", False), ("peer help", True)):
                    command = [*PYTHON, "pipecat.evals" if own else "sparring", "--help"]
                    found = [measure(command, directory, own) for _ in range(runs + 1)]
                    costs[side] = _median(found[1:]), 0, 0
    finally:
        agent.stop()
    show(costs)


def show(costs: dict[str, tuple[Cost, int, int]]) -> None:
    """Print the table."""
    print(f"{'':44} {'pipecat':>9} {'sparring':>9}      {'ratio':>7}     budget")
    peer, ours = costs["peer"][0], costs["ours"][0]
    row("--help, wall", costs["peer help"][0].wall, costs["ours help"][0].wall, "s", 0.3)
    row("one simulation of 4 turns, wall", peer.wall, ours.wall, "s", 2)
    row("one simulation of 4 turns, CPU", peer.cpu, ours.cpu, "s", 1.8)
    row("one simulation of 4 turns, memory", peer.memory, ours.memory, "MB")
    by_pipecat = costs["pipecat peer"][0].wall, costs["pipecat ours"][0].wall
    row("the same as `pipecat eval run`, wall", *by_pipecat, "s")
    further = ((costs[f"{side} many"][0].cpu - costs[side][0].cpu) / FURTHER for side in SIDES)
    row("CPU of one more call", *further, "s", 0.1)
    grown = (costs[f"{side} many"][0].memory - costs[side][0].memory for side in SIDES)
    row(f"memory of {FURTHER} more calls, one by one", *(max(mb, 0.1) for mb in grown), "MB")
    row("judge requests", costs["peer"][1], costs["ours"][1], "", 1)
    row("characters in judge requests", costs["peer"][2], costs["ours"][2], "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    asyncio.run(main(parser.parse_args().runs))
