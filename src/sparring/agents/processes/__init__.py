"""Agents that we start: proved to be ours, watched, and ended with all that they started.

``Fleet`` gives every run an agent that is ready, whatever its entry's isolation; everything else
here is how.
"""

from sparring.agents.processes.fleet import Fleet, Lease
from sparring.agents.processes.isolation import AgentEntry, Isolation
from sparring.agents.processes.process import AgentProcess
from sparring.agents.processes.spawn import Spawn

__all__ = ["AgentEntry", "AgentProcess", "Fleet", "Isolation", "Lease", "Spawn"]
