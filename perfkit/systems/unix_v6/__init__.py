"""UNIX Sixth Edition on a PDP-11/34, swapping under disc saturation (Brachman 1983)."""

from perfkit.systems.unix_v6.measures import MEASURES
from perfkit.systems.unix_v6.observe import observe
from perfkit.systems.unix_v6.parameters import Parameters
from perfkit.systems.unix_v6.run import Result, simulate, victim_policy
from perfkit.systems.unix_v6.workload import Workload, draw_workload

__all__ = [
    "MEASURES",
    "Parameters",
    "Result",
    "Workload",
    "draw_workload",
    "observe",
    "simulate",
    "victim_policy",
]
