"""CP-67 at the Cambridge Scientific Center, observed and switched by DUSETIMR (Bard 1973)."""

from perfkit.systems.cp67.load import Load, draw_load
from perfkit.systems.cp67.parameters import POLICY_FIELDS, Parameters
from perfkit.systems.cp67.result import MEASURES, Result
from perfkit.systems.cp67.run import replacement_policy, simulate

__all__ = [
    "MEASURES", "POLICY_FIELDS", "Load", "Parameters", "Result", "draw_load", "replacement_policy",
    "simulate",
]  # fmt: skip
