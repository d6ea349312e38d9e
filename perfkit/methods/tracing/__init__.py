"""Event traces, as EMAS kept them, and programs that read nothing else.

A trace is a record array (time, kind, actor, two numbers) and the names of its kinds. The
programs know events by name, so that they work on the trace of any system that emits them; where
a system calls an event otherwise, say so when the trace is made (``rename``). What each event's
two numbers must hold stands in ``EVENTS``.
"""

from perfkit.methods.tracing.paging import (
    compactions,
    paging_rates,
    rate_classes,
    traffic,
    transfer_times,
)
from perfkit.methods.tracing.records import EVENTS, Trace, load, save
from perfkit.methods.tracing.stations import (
    STATIONS,
    category_transitions,
    queue_samples,
    residence_stages,
    residences,
    station_waits,
    visits,
)
from perfkit.methods.tracing.timelines import events_until, levels

__all__ = [
    "EVENTS",
    "STATIONS",
    "Trace",
    "category_transitions",
    "compactions",
    "events_until",
    "levels",
    "load",
    "paging_rates",
    "queue_samples",
    "rate_classes",
    "residence_stages",
    "residences",
    "save",
    "station_waits",
    "traffic",
    "transfer_times",
    "visits",
]
