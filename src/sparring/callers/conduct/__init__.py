"""What a caller must not do, and how it is told from what callers do say."""

from sparring.callers.conduct.examine import Fault, Reply, examine

__all__ = ["Fault", "Reply", "examine"]
