"""The processes that carry a token in their environment, and the guard that ends them without us.

What we start has ``SPARRING_AGENT_TOKEN`` in its environment, and so has everything it starts,
also behind ``uv run``, a shell script or ``setsid``. Finding it again needs ``/proc`` (Linux);
elsewhere (macOS) nothing is found by its token, and process groups, which ``setsid`` leaves, are
all there is to end.

Run as a script, this is the guard: ``carriers.py TOKEN`` reads ``+GROUP`` and ``-GROUP`` lines
until its input ends, which it does when sparring is gone, however that went. Then it ends those
groups and all that carries the token. No site packages there, so: the standard library only.
"""

import os
import signal
import sys
import time
from collections.abc import Collection

VARIABLE = "SPARRING_AGENT_TOKEN"
STEPS = ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0))
"""How the guard ends what is left: a signal, and how many seconds it is given."""
_POLL_S = 0.05
_EXEC_S = 0.1


def carriers(token: str) -> list[int]:
    """The running processes, other than this one, whose token begins with this one."""
    mark = f"\0{VARIABLE}={token}".encode()
    return [pid for pid in process_ids() if mark in b"\0" + _environment(pid)]


def process_ids() -> list[int]:
    """Every other process there is; none without ``/proc``."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    return [int(name) for name in names if name.isdigit() and int(name) != os.getpid()]


def living(token: str, groups: Collection[int]) -> list[int]:
    """What still runs of these groups, and of what carries the token.

    Returns:
        Targets as ``os.kill`` takes them: groups as negative numbers, then processes outside them.
    """
    outside = [pid for pid in carriers(token) if _group(pid) not in groups]
    return [-group for group in groups if send(0, -group)] + outside


def send(number: int, target: int) -> bool:
    """Send a signal, 0 to ask only; whether there was anything to take it."""
    try:
        os.kill(target, number)
    except OSError:
        return False
    return True


def _environment(pid: int) -> bytes:
    """What it was started with; nothing if it is gone, a zombie, or another user's."""
    deadline = time.monotonic() + _EXEC_S
    try:
        while True:
            with open(f"/proc/{pid}/environ", "rb") as file:
                environment = file.read()
            if environment or time.monotonic() > deadline or not _is_between_programs(pid):
                return environment
            time.sleep(_EXEC_S / 100)
    except OSError:
        return b""


def _is_between_programs(pid: int) -> bool:
    """Whether a process is just becoming another program, when its environment looks empty."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    state, memory, end_of_environment = fields[0], fields[20], fields[48]  # See proc(5).
    return state not in "ZX" and memory != "0" and end_of_environment == "0"


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def _groups_until_the_end() -> set[int]:
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    return groups


def _guard(token: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups = _groups_until_the_end()
    for number, patience_s in STEPS:
        deadline = time.monotonic() + patience_s
        told: set[int] = set()
        while (left := living(token, groups)) and time.monotonic() < deadline:
            for target in left:
                if target not in told or number == signal.SIGKILL:
                    send(number, target)
            told.update(left)
            time.sleep(_POLL_S)


if __name__ == "__main__":
    _guard(sys.argv[1])
