"""Results made readable: lines on a terminal, a live display, JSON lines."""

from sparring.reports.json_lines import JsonReport
from sparring.reports.live import LiveReport
from sparring.reports.terminal import TerminalReport

__all__ = ["JsonReport", "LiveReport", "TerminalReport"]
