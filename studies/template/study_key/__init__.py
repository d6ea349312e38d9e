"""Users who share one server: a small machine, to be replaced by the paper's own."""

from study_key.parameters import Parameters
from study_key.result import MEASURES, Result
from study_key.run import simulate

__all__ = ["MEASURES", "Parameters", "Result", "simulate"]
