"""From a record to a score: measures, checks, the judge's verdicts, and what they come to."""

from sparring.scoring.function_calls import check_calls
from sparring.scoring.judge import JudgeFailure
from sparring.scoring.judging import is_worth_judging, judge_record, known_verdicts
from sparring.scoring.measurement import Measurement
from sparring.scoring.measures import measure, response_deadline_ms
from sparring.scoring.score import score, unscored
from sparring.scoring.verdicts import Verdicts
from sparring.scoring.words import count_words

__all__ = [
    "JudgeFailure",
    "Measurement",
    "Verdicts",
    "check_calls",
    "count_words",
    "is_worth_judging",
    "judge_record",
    "known_verdicts",
    "measure",
    "response_deadline_ms",
    "score",
    "unscored",
]
