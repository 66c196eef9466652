"""``python -m sparring`` is the ``sparring`` command."""

from sparring.cli import main

main()
