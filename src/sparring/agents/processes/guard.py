"""The guard: a tiny process beside ours that ends our agents when we are gone, however we went.

It holds the other end of a pipe to us. A crash, ``kill -9`` and a power-hungry OOM killer have in
common that the pipe closes; the guard (``carriers`` as a script) then ends every process group that
it was told of and every process that carries one of our tokens, within seconds.
"""

import contextlib
import secrets
import subprocess
import sys

from sparring.agents.processes import carriers

_ENDS_WITHIN_S = sum(seconds for _, seconds in carriers.STEPS) + 1.0


class Guard:
    """One for each fleet, running while the fleet does.

    Tokens come from here, since the guard looks for what they have in common.
    """

    def __init__(self):
        self._family = f"{secrets.token_hex(8)}-"
        self._process = subprocess.Popen(
            # Without site packages and without the user's PYTHON… variables: 10 ms and 8 MB.
            [sys.executable, "-S", "-E", carriers.__file__, self._family],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # Ctrl-C and hang-ups go to our own group; the guard is there to outlive them.
            start_new_session=True,
        )

    def token(self) -> str:
        """A token for one process and all that it starts; all tokens are of one length."""
        return self._family + secrets.token_hex(8)

    def watch(self, group: int) -> None:
        """End this process group as well when we are gone."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """The group is gone; its number may soon be another's."""
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """Let the guard end whatever is still there, and go. Takes 5 s at most."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # Killed by somebody, or closed.
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
