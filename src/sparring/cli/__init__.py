"""The command line: ``sparring``, and ``pipecat eval`` where pipecat's own command is installed."""
