"""Free ports, and who listens on a port."""

import os
import socket
import sys

import pytest

from sparring.agents.processes import ports

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the proof needs /proc")


def test_free_ports_are_free_and_never_the_same_soon():
    found = [ports.free_port() for _ in range(200)]
    assert len(set(found)) == 200
    assert all(port < 32768 for port in found)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1", "::"])
def test_a_port_with_a_listener_is_not_free_and_not_ours(host: str):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        port = server.getsockname()[1]
        assert not ports.is_free(port)
        found = ports.find(port, "no-such-token", 0)
    assert found is not None
    assert not found.ours
    assert f"(pid {os.getpid()})" in found.who


def test_nobody_listens():
    assert ports.find(ports.free_port(), "no-such-token", 0) is None


def test_a_connection_is_not_a_listener():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as connected,
    ):
        assert ports.find(connected.getsockname()[1], "no-such-token", 0) is None


def test_without_proc_whatever_answers_is_believed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ports, "_HAS_PROC", False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = ports.find(port, "no-such-token", 0)
        assert found is not None
        assert found.ours
    assert ports.find(port, "no-such-token", 0) is None
