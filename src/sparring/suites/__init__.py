"""From scenarios to stored results: the plan of runs, playing them, the run directory."""

from sparring.suites.plan import Run, attempt_seed, identity_of, plan
from sparring.suites.selection import Selection, select
from sparring.suites.store import RunDirectory

__all__ = ["Run", "RunDirectory", "Selection", "attempt_seed", "identity_of", "plan", "select"]
