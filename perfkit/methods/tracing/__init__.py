"""Event traces, as EMAS kept them, and programs that read nothing else.

A trace is a record array (time, kind, actor, two numbers) and the names of its kinds. The
programs know events by name, so that they work on the trace of any system that emits them. What
each event's two numbers must hold stands in ``EVENTS``. A program's documentation says which
records it needs; it refuses a trace whose system has none of them, or whose mask left out any that
it reads.
"""

from perfkit.methods.tracing.groups import groups
from perfkit.methods.tracing.paging import (
    compactions,
    demand_waits,
    preload_times,
    traffic,
    transfer_times,
    write_times,
)
from perfkit.methods.tracing.rates import paging_rates, rate_classes
from perfkit.methods.tracing.records import EVENTS, Trace, load, save
from perfkit.methods.tracing.stations import (
    STATIONS,
    category_transitions,
    residence_stages,
    residences,
    visits,
)
from perfkit.methods.tracing.timelines import events_until, levels
from perfkit.methods.tracing.waits import length_distribution, station_waits, wait_distribution

__all__ = [
    "EVENTS", "STATIONS", "Trace", "category_transitions", "compactions", "demand_waits",
    "events_until", "groups", "length_distribution", "levels", "load", "paging_rates",
    "preload_times", "rate_classes", "residence_stages", "residences", "save", "station_waits",
    "traffic", "transfer_times", "visits", "wait_distribution", "write_times",
]  # fmt: skip
