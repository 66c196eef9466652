"""The command line: ``sparring run``, ``check`` and ``schema``."""

from sparring.cli.app import main

__all__ = ["main"]
