"""Scripts scored: from a call's events to what became of every expectation."""

from sparring.scoring.scripts.judging import is_decided, judge_script
from sparring.scoring.scripts.score import score_script
from sparring.scoring.scripts.settling import may_continue, settle
from sparring.scoring.scripts.turns import TurnState

__all__ = [
    "TurnState",
    "is_decided",
    "judge_script",
    "may_continue",
    "score_script",
    "settle",
]
