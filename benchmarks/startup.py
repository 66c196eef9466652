"""What commands cost to start, as ratios to a bare Python: noise of the machine cancels out.

.venv/bin/python benchmarks/startup.py
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS = 7


def seconds(*command: str) -> float:
    """Median wall time of a command, over several runs."""
    times: list[float] = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    """Print the table."""
    python = sys.executable
    source = (ROOT / "simulations" / "book_table.yaml").read_text("utf-8")
    with tempfile.TemporaryDirectory() as many:
        for number in range(78):
            (Path(many) / f"{number:02}.yaml").write_text(source, "utf-8")
        bare = seconds(python, "-c", "pass")
        rows = {
            "python -c pass": bare,
            "sparring --help": seconds(python, "-m", "sparring", "--help"),
            "sparring check, 78 files": seconds(python, "-m", "sparring", "check", many),
            "import of a text call": seconds(python, "-c", "import sparring.suites.runs"),
            "import of pipecat's pipeline": seconds(
                python, "-c", "import pipecat.pipeline.worker, pipecat.workers.runner"
            ),
        }
    for name, wall in rows.items():
        print(f"{name:30} {wall:6.2f} s {wall / bare:7.1f} x a bare python")


if __name__ == "__main__":
    main()
