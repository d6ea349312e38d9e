"""RCA's virtual memory, time-shared, demand paging system (Winograd, Morganstein, Herman)."""

from perfkit.systems.sim61.load import NToOneLoad, TaskClass, backing_store_load, n_to_1_load
from perfkit.systems.sim61.parameters import TABLE_2, Device, Parameters, n_to_1_parameters
from perfkit.systems.sim61.result import MEASURES, Result
from perfkit.systems.sim61.run import activation_policy, fault_policy, simulate

__all__ = [
    "MEASURES", "TABLE_2", "Device", "NToOneLoad", "Parameters", "Result", "TaskClass",
    "activation_policy", "backing_store_load", "fault_policy", "n_to_1_load", "n_to_1_parameters",
    "simulate",
]  # fmt: skip
