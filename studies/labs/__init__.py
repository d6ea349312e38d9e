"""What the course labs call: checks that hint, and a student's code run in a process apart."""

from studies.labs.calls import apart, check_call, run_apart
from studies.labs.checks import (
    FALSE_ALARM,
    Hint,
    check_choice,
    check_list,
    check_mean,
    check_number,
    check_prediction,
    check_runs,
    check_that,
    compare,
    score,
)
from studies.labs.practice import practice

__all__ = [
    "FALSE_ALARM", "Hint", "apart", "check_call", "check_choice", "check_list", "check_mean",
    "check_number", "check_prediction", "check_runs", "check_that", "compare", "practice",
    "run_apart", "score",
]  # fmt: skip
