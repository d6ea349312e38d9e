"""What happened, event by event: a record array that a run fills until it is full."""

import numpy as np

from perfkit.core.values import is_whole
from perfkit.des.compiling import inlined

EVENT = np.dtype(
    [("time_ms", "f8"), ("kind", "i8"), ("actor", "i8"), ("value", "i8"), ("detail", "i8")],
    align=True,
)
MOST_RECORDS = 10**8


def new_trace(records):
    """Return an empty trace (dtype EVENT) with room for so many records; 0 for no trace."""
    if not is_whole(records) or not 0 <= records <= MOST_RECORDS:
        raise ValueError(
            f"trace must be a whole number of records from 0 to {MOST_RECORDS}; {records!r} is not."
        )
    return np.zeros(records, EVENT).view(np.recarray)


@inlined
def note(m, kind, actor, value):
    """Add what happened, to whom, and a number to a machine's trace; see ``note_pair``."""
    note_pair(m, kind, actor, value, 0)


@inlined
def note_pair(m, kind, actor, value, detail):
    """Add a record of two numbers to a trace, or mark the trace full; return 1 if it was written.

    Its machine has ``trace`` and a ``kernel`` record of ``now_ms``, ``traced`` and ``trace_full``.
    """
    if m.trace.size == 0:
        return 0
    k = m.kernel
    if k.traced == m.trace.size:
        k.trace_full = 1
        return 0
    record = m.trace[k.traced]
    record.time_ms = k.now_ms
    record.kind = kind
    record.actor = actor
    record.value = value
    record.detail = detail
    k.traced += 1
    return 1
