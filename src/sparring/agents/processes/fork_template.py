"""The far end of ``fork``: imports an agent's modules once, then forks an agent for each request.

Run as a script by the agent's own interpreter, which need not have sparring installed; so: the
standard library only. Its one argument is a JSON object:

- ``control``: the descriptor of a packet socket to sparring;
- ``module``: whether ``target`` is a module (``-m``) or a script;
- ``argv``: what ``sys.argv`` is while modules are imported;
- ``token``: the name of the variable that holds the token;
- ``restore``: variables that were set for the template only, and what an agent has in their place.

It says ``{"ready": true}`` or ``{"odd": "why no agent can be forked"}``. Then each request
``{"argv": […], "token": "…"}``, with the descriptor to print to, is answered by ``{"forked": pid,
"token": "…"}``, and each exit told as ``{"exited": pid, "code": n}``. When sparring closes the
socket, the template goes.
"""

import gc
import importlib
import json
import os
import runpy
import select
import socket
import sys
from contextlib import suppress
from typing import Any

_PACKET_BYTES = 65536
_LAZY = (
    # What pipecat's runner imports only when it is about to serve.
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
    "pipecat.evals.transport",
)


def import_all(order: dict[str, Any]) -> None:
    """Import what the agent imports, without running it."""
    sys.argv = list(order["argv"])
    if not order["module"]:
        order["target"] = os.path.abspath(order["target"])
    if not sys.flags.safe_path:
        script = os.path.realpath(order["target"])
        sys.path[0] = os.getcwd() if order["module"] else os.path.dirname(script)
    run(order, "__sparring_preload__")
    if "pipecat" in sys.modules:
        for name in _LAZY:
            with suppress(ImportError):
                importlib.import_module(name)


def run(order: dict[str, Any], name: str) -> None:
    """Run the agent's script or module under a name."""
    if order["module"]:
        runpy.run_module(order["target"], run_name=name, alter_sys=True)
    else:
        runpy.run_path(order["target"], run_name=name)


def oddity(control: int) -> "str | None":
    """Why this process, with all that is imported, must not be forked."""
    threads = os.listdir("/proc/self/task")
    if len(threads) > 1:
        return f"its imports start threads ({len(threads) - 1})"
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            what = os.readlink(f"/proc/self/fd/{name}")
            if int(name) != control and what.startswith(("socket:", "anon_inode:[eventpoll]")):
                return "its imports open a socket or an event loop"
    return None


def serve(order: "dict[str, Any]", control: socket.socket) -> None:
    """Fork for each request; returns in the forks, once they are agents, and never here."""
    children: dict[int, int] = {}
    poller = select.poll()
    poller.register(control, select.POLLIN)
    while True:
        for ready, _ in poller.poll():
            if ready != control.fileno():
                poller.unregister(ready)
                os.close(ready)
                pid = children.pop(ready)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                say(control, {"exited": pid, "code": code})
                continue
            packet, descriptors, _, _ = socket.recv_fds(control, _PACKET_BYTES, 1)
            if not packet:
                os._exit(0)
            request = json.loads(packet)
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                for other in (control.detach(), reading, *children):
                    os.close(other)
                become_agent(order, request, descriptors[0])
                os.close(writing)
                return
            os.close(descriptors[0])
            os.close(writing)
            os.read(reading, 1)  # Until it is found by its token, or gone.
            os.close(reading)
            watched = os.pidfd_open(pid)
            children[watched] = pid
            poller.register(watched, select.POLLIN)
            say(control, {"forked": pid, "token": request["token"]})


def say(control: socket.socket, message: "dict[str, Any]") -> None:
    """Tell sparring, or go if it is gone."""
    try:
        control.send(json.dumps(message).encode())
    except OSError:
        os._exit(0)


def become_agent(order: "dict[str, Any]", request: "dict[str, Any]", output: int) -> None:
    """Make a fork look like a process that was started for the agent."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(null)
    os.close(output)
    _carry(os.environ[order["token"]], request["token"])
    os.environ[order["token"]] = request["token"]
    for name, value in order["restore"].items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    sys.argv = list(request["argv"])
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()  # Python reseeds its own generator after a fork; numpy does not.


def _carry(old: str, new: str) -> None:
    """Carry a token of our own where others look for it.

    ``/proc/PID/environ`` shows the memory that a process was started with, which a fork shares with
    its template and ``os.environ`` does not write to. All tokens are of one length.
    """
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])  # env_start and env_end of proc(5).
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(start)
        place = memory.read(end - start).index(old.encode())
        memory.seek(start + place)
        memory.write(new.encode())


def main() -> None:
    """Import, tell whether that went well, and fork; returns never but in a fork that has ended."""
    order: dict[str, Any] = json.loads(sys.argv[1])
    control = socket.socket(fileno=order["control"])
    try:
        import_all(order)
        gc.collect()
        odd = oddity(control.fileno())
    except SystemExit:
        odd = 'it ends while it is imported (is `if __name__ == "__main__":` missing?)'
    except BaseException as error:
        odd = f"it cannot be imported ({type(error).__name__}: {error})"
    say(control, {"ready": True} if odd is None else {"odd": odd})
    gc.freeze()  # Collections in the forks do not touch, and so copy, what they share.
    sys.stdout.flush()
    sys.stderr.flush()
    serve(order, control)
    # Whatever ends it (its exception, ``sys.exit``, its last line) ends this process as it should.
    run(order, "__main__")


if __name__ == "__main__":
    main()
