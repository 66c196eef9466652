"""From a record to a score: measures, checks and the verdict, as pure functions."""

from sparring.scoring.function_calls import check_calls
from sparring.scoring.measures import Measurement, measure
from sparring.scoring.score import score
from sparring.scoring.words import count_words

__all__ = ["Measurement", "check_calls", "count_words", "measure", "score"]
