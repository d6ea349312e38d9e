"""The TSS/360 installation at Yorktown Heights (Anderson, Reiser and Galati, 1975)."""

from perfkit.systems.tss360.measures import MEASURES
from perfkit.systems.tss360.parameters import Parameters
from perfkit.systems.tss360.result import Result
from perfkit.systems.tss360.run import entrance_policy, simulate
from perfkit.systems.tss360.schedule import schedule_table

__all__ = ["MEASURES", "Parameters", "Result", "entrance_policy", "schedule_table", "simulate"]
