"""The Edinburgh Multi-Access System on the System 4/75 (Adams and Millard 1975)."""

from perfkit.systems.emas.load import KINDS, TABLE_6, CommandKind, ScriptCommand
from perfkit.systems.emas.memory.categories import Category, category_table
from perfkit.systems.emas.parameters import Parameters, configuration_a
from perfkit.systems.emas.result import MEASURES, Result
from perfkit.systems.emas.run import core_queue_policy, simulate
from perfkit.systems.emas.state import Event

__all__ = [
    "KINDS", "MEASURES", "TABLE_6", "Category", "CommandKind", "Event", "Parameters", "Result",
    "ScriptCommand", "category_table", "configuration_a", "core_queue_policy", "simulate",
]  # fmt: skip
