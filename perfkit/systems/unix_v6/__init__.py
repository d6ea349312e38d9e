"""UNIX Sixth Edition on a PDP-11/34, swapping under disc saturation (Brachman 1983)."""

from perfkit.systems.unix_v6.load import Workload, draw_workload
from perfkit.systems.unix_v6.parameters import Parameters
from perfkit.systems.unix_v6.result import MEASURES, Result
from perfkit.systems.unix_v6.run import observe, simulate, victim_policy

__all__ = [
    "MEASURES", "Parameters", "Result", "Workload", "draw_workload", "observe", "simulate",
    "victim_policy",
]  # fmt: skip
