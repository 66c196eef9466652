"""Every exception that sparring raises on purpose, in one tree.

::

    SparringError
    ├── UsageError       the request itself makes no sense (bad URL, name in use, nothing to run)
    ├── RecordError      a saved record cannot be read
    ├── ConnectionFailed the agent could not be reached
    │   └── AgentExited  because the process that we started is gone
    ├── ModelError       an LLM of ours cannot be used, or gave no answer
    └── CallerError      our own caller could not go on

An error's text is one sentence for the person at the terminal: what is wrong, where, and the way
out. Whatever goes wrong *during a call* is not raised but recorded, with a ``Kind``
(``records.kinds``).
"""


class SparringError(Exception):
    """The base of all errors that sparring raises on purpose."""


class UsageError(SparringError):
    """What was asked for cannot be done as asked: a bad URL, a name in use, nothing to run."""


class RecordError(SparringError):
    """A saved record or result cannot be read."""


class ConnectionFailed(SparringError):
    """The agent could not be reached; the text is the cause."""


class AgentExited(ConnectionFailed):
    """An agent that we started exited before it was ready; the text has its code and last lines."""


class ModelError(SparringError):
    """An LLM that plays the caller or judges cannot be used, or gave no answer."""


class CallerError(SparringError):
    """Our own caller could not go on; never the agent's fault."""
