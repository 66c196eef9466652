"""Results made readable."""

from sparring.reports.terminal import TerminalReport

__all__ = ["TerminalReport"]
