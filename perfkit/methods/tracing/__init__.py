"""Event traces, as EMAS kept them, and programs that read nothing else.

A trace is a record array (time, kind, actor, two numbers) and the names of its kinds. The
programs know events by name, so that they work on the trace of any system that emits them. What
each event's two numbers must hold stands in ``EVENTS``. A program's documentation says which
records it needs; it refuses a trace whose system has none of them, or whose mask left out any that
it reads. Where a program takes ``found``, these are the trace's ``visits`` if they are at hand;
else it needs what ``visits`` needs. Where it takes ``by``, that is "category" or "awake", as
``groups`` says, and the results' index has one level more, the group, before the others.

Examples
--------
Process 7 waits in core queue 2 for 100 ms, is loaded with 8 pages in 200 ms, demands another, and
leaves core after 380 ms:

>>> import numpy as np
>>> rows = [
...     (0, "queued", 2, 4), (100, "preload_begins", 10, 4), (300, "preload_ends", 8, 4),
...     (300, "queued", 6, 4), (310, "exit_from_supervisor", 6, 4), (330, "demand_drum", 3, 4),
...     (390, "demanded_page_arrives", 3, 4), (390, "queued", 6, 4),
...     (395, "exit_from_supervisor", 6, 4), (450, "sleeps", 0, 4),
...     (450, "page_leaves_at_removal", 3, 17), (480, "removed_from_core", 70_000, 1),
...     (900, "wakes", 0, 5), (900, "queued", 3, 5), (1000, "preload_begins", 0, 5),
... ]
>>> kinds = list(EVENTS)
>>> events = [(ms, kinds.index(kind), 7, value, detail) for ms, kind, value, detail in rows]
>>> fields = [("time_ms", float), *((f, int) for f in ("kind", "actor", "value", "detail"))]
>>> trace = Trace(np.array(events, fields), dict(enumerate(kinds)))
>>> visits(trace).head(2)["time_ms"].tolist()
[100.0, 200.0]
>>> station_waits(trace).loc["run queue 0", ["entries", "mean_ms"]].tolist()  # 10 ms, 5 ms
[2.0, 7.5]
>>> wait_distribution(trace, quantiles=[0.5]).loc["run queue 0"].tolist()
[7.5]
>>> length_distribution(trace).loc["preload"].tolist()  # 200 ms of a second
[0.8, 0.2]
>>> residence_stages(trace.between(0, 0.9))["page_wait"].item()
60.0
>>> residences(trace)[["begins_s", "ends_s"]].to_numpy().tolist()
[[0.1, 0.48]]
>>> category_transitions(trace, 6)[4, 5].item()
1
>>> groups(trace, "category")[[0, -1]].tolist()
[4, 5]
>>> traffic(trace)[["preloaded", "preload_transfers", "demand_drum"]].tolist()
[10, 8, 1]
>>> demand_waits(trace)["wait_ms"].tolist(), preload_times(trace)["duration_ms"].tolist()
([60.0], [200.0])
>>> write_times(trace)["duration_ms"].tolist()
[30.0]
>>> transfer_times(trace)[["prepaged", "demand_drum", "written"]].tolist()  # 200 ms over 8 pages
[25.0, 60.0, 30.0]
>>> compactions(trace)["attempts"].item()
0.0
>>> rates = paging_rates(trace, 0.5)  # s; 8 pages and a demanded one, then none
>>> rates["rate"].tolist(), rate_classes(rates, [0, 10, 20])["intervals"].tolist()
([18.0, 0.0], [1, 1])
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     save(trace, f"{folder}/trace.npz")
...     load(f"{folder}/trace.npz").counts()["queued"].item()
4
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
