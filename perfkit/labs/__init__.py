"""What the course labs call: checks that hint, and a student's code run in a process apart."""

from perfkit.labs.apart import apart, run_apart
from perfkit.labs.checks import (
    FALSE_ALARM,
    Hint,
    check_choice,
    check_mean,
    check_number,
    check_prediction,
    check_that,
    compare,
)

__all__ = [
    "FALSE_ALARM", "Hint", "apart", "check_choice", "check_mean", "check_number",
    "check_prediction", "check_that", "compare", "run_apart",
]  # fmt: skip
