"""Free ports, and the proof that what listens on one is ours.

With ``/proc`` (Linux) the proof is: the port's listening sockets → the processes that hold them →
their environment, which must carry the agent's token, or their session, which must be the agent's.
Without it (macOS) there is no proof: the port was free when the agent was started, and whatever
answers there afterwards is believed.
"""

import os
import pwd
import random
import socket
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from sparring.agents.processes.carriers import carriers, process_ids

_HAS_PROC = os.path.exists("/proc/net/tcp")
# Below the ports that systems hand to outgoing connections (from 32768 on Linux), since one of
# those could take a port between our looking and the agent's listening.
_PORTS = range(20000, 32768)
_recent: deque[int] = deque(maxlen=1000)

_LISTENS = "0A"
_V4 = {"0100007F": "127.0.0.1", "00000000": "127.0.0.1"}
_V6 = {
    "00000000000000000000000001000000": "[::1]",
    "00000000000000000000000000000000": "[::1]",
    "0000000000000000FFFF00000100007F": "127.0.0.1",
    "0000000000000000FFFF000000000000": "127.0.0.1",
}


@dataclass(frozen=True)
class Listening:
    """Something listens on a port of this machine."""

    host: str
    """Where it is reached: ``127.0.0.1`` or ``[::1]``."""
    ours: bool
    holders: frozenset[int] = frozenset()
    """The processes that hold the socket, as far as they can be seen."""
    who: str = "an unknown process"
    """Who they are, for people."""


@dataclass(frozen=True)
class _Socket:
    host: str
    user: int
    inode: str


def free_port() -> int:
    """A TCP port that nothing listens on, and that was not handed out a short while ago."""
    while True:
        port = random.choice(_PORTS)
        if port not in _recent and is_free(port):
            _recent.append(port)
            return port


def is_free(port: int) -> bool:
    """Whether an agent could listen on this port of the loopback interface."""
    return all(_can_bind(family, host, port) for family, host in _loopback())


def find(port: int, token: str, session: int) -> Listening | None:
    """Who listens on a port, if anybody does.

    Args:
        port: The port.
        token: What our agent carries in its environment.
        session: The session that our agent was started in; what lost the token (``env -i``) may
            still be in there.
    """
    if not _seems_taken(port):
        return None
    if not _HAS_PROC:
        return Listening("127.0.0.1", ours=True) if _answers(port) else None
    sockets = _listening_sockets(port)
    if not sockets:
        return None
    inodes = {found.inode for found in sockets}
    held = _holders(inodes, [session])  # Nearly always; the rest looks at every process there is.
    if held.keys() != inodes:
        in_session = {pid for pid in process_ids() if _session(pid) == session}
        held = _holders(inodes, {*carriers(token), *in_session})
    host = min(found.host for found in sockets)  # IPv4 where it listens on both.
    if held.keys() == inodes:
        return Listening(host, True, frozenset(pid for pids in held.values() for pid in pids))
    strangers = [found for found in sockets if found.inode not in held]
    return Listening(host, False, who=_describe(strangers))


def listens_anywhere(token: str) -> bool:
    """Whether something that carries a token listens on any port at all."""
    inodes = {found.inode for found in _listening_sockets()}
    return bool(_holders(inodes, carriers(token)))


def is_running(pid: int) -> bool:
    """Whether a process seen in ``/proc`` still runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _seems_taken(port: int) -> bool:
    """Whether it is worth looking who listens.

    The kernel's table of connections takes it milliseconds to write; this takes microseconds, and
    with ``SO_REUSEADDR`` on both sides it is not in the way of a server that begins to listen.
    """
    return not all(_can_bind(family, host, port, reuse=True) for family, host in _loopback())


@cache
def _loopback() -> list[tuple[socket.AddressFamily, str]]:
    """The loopback addresses that this machine has."""
    addresses = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]
    return [address for address in addresses if _can_bind(*address, port=0)]


def _can_bind(family: socket.AddressFamily, host: str, port: int, *, reuse: bool = False) -> bool:
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
            probe.bind((host, port))
    except OSError:
        return False
    return True


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _listening_sockets(port: int | None = None) -> list[_Socket]:
    """The sockets that connections to this port, or any, of the loopback interface may reach."""
    found: list[_Socket] = []
    for table, hosts in (("/proc/net/tcp", _V4), ("/proc/net/tcp6", _V6)):
        for line in _lines(table):
            columns = line.split()
            address, _, number = columns[1].rpartition(":")
            wanted = port is None or int(number, 16) == port
            if columns[3] == _LISTENS and wanted and address in hosts:
                found.append(_Socket(hosts[address], int(columns[7]), columns[9]))
    return found


def _lines(table: str) -> list[str]:
    try:
        with open(table, encoding="ascii") as file:
            return file.read().splitlines()[1:]
    except OSError:  # No IPv6, say.
        return []


def _holders(inodes: Collection[str], pids: Iterable[int]) -> dict[str, set[int]]:
    """Which of these processes hold which of these sockets."""
    links = {f"socket:[{inode}]": inode for inode in inodes}
    held: dict[str, set[int]] = {}
    for pid in pids:
        for target in _descriptors(pid):
            inode = links.get(target)
            if inode is not None:
                held.setdefault(inode, set()).add(pid)
    return held


def _descriptors(pid: int) -> Iterator[str]:
    """What a process has open; nothing if it is gone, or another user's."""
    directory = f"/proc/{pid}/fd"
    try:
        names = os.listdir(directory)
    except OSError:
        return
    for name in names:
        with suppress(OSError):  # Closed meanwhile.
            yield os.readlink(f"{directory}/{name}")


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def _describe(sockets: Collection[_Socket]) -> str:
    """Name the processes behind sockets, without their arguments: those may hold secrets."""
    held = _holders({found.inode for found in sockets}, [*process_ids(), os.getpid()])
    names = {f"{_name(pid)} (pid {pid})" for pids in held.values() for pid in pids}
    unseen = {found.user for found in sockets if found.inode not in held}
    names |= {f"a process of {_user(number)}" for number in unseen}
    return " and ".join(sorted(names))


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "a process that is gone"


def _user(number: int) -> str:
    try:
        return f"user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"user {number}"
