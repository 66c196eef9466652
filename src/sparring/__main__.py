"""``python -m sparring`` is the ``sparring`` command."""

from sparring.cli.app import main

main()
