"""The TSS/360 installation at Yorktown Heights (Anderson, Reiser and Galati, 1975)."""

from perfkit.systems.tss360.load import schedule_table
from perfkit.systems.tss360.parameters import Parameters
from perfkit.systems.tss360.result import MEASURES, Result
from perfkit.systems.tss360.run import entrance_policy, simulate

__all__ = ["MEASURES", "Parameters", "Result", "entrance_policy", "schedule_table", "simulate"]
