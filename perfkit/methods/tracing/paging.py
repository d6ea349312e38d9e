"""Paging read from a trace: traffic by kind, transfer times, rates, compactions."""

import numpy as np
import pandas as pd

from perfkit.methods.tracing.chains import pairs
from perfkit.methods.tracing.groups import groups, one_a_group

TOUCHED, WRITTEN, PRELOADED, GOES_OUT = 1, 2, 4, 16
DEMANDS = ("demand_disc", "demand_drum", "demand_in_core")
TRAFFIC = ("preload_begins", "preload_ends", "page_leaves_at_removal")
COMPACTED = "page_leaves_at_compaction"


def traffic(trace):
    """Count pages by what they move for, as the paper's Figure 4 does.

    Needs the records "preload_begins", "preload_ends", "page_leaves_at_removal" and the three
    kinds of demands; a system that has no compaction counts none of it.

    Preloads and their pages, demands by kind, pages out of core by marks.
    """
    trace.need(*TRAFFIC, *DEMANDS)
    begun, ended = (trace.column("value")[trace.places(name)] for name in TRAFFIC[:2])
    removed, compacted = (
        trace.column("detail")[trace.places(name)] for name in (TRAFFIC[2], COMPACTED)
    )
    marks = np.concatenate([removed, compacted])
    preloaded = marks & PRELOADED > 0
    counts = {
        "preloads": begun.size,
        "preloaded": int(begun.sum()),
        "preload_transfers": int(ended.sum()),
        **{name: trace.places(name).size for name in DEMANDS},
        "removed_at_removal": removed.size,
        "removed_at_compaction": compacted.size,
        "written_at_removal": int((removed & GOES_OUT > 0).sum()),
        "written_at_compaction": int((compacted & GOES_OUT > 0).sum()),
        "preloaded_not_used": int((preloaded & (marks & TOUCHED == 0)).sum()),
        "preloaded_written": int((preloaded & (marks & WRITTEN > 0)).sum()),
        "demanded_written": int((~preloaded & (marks & WRITTEN > 0)).sum()),
        "preloaded_out": int(preloaded.sum()),
        "demanded_out": int((~preloaded).sum()),
    }
    return pd.Series(counts, name="pages")


def demand_waits(trace):
    """Return each wait for a demanded page.

    Needs the records "demanded_page_arrives" and the three kinds of demands.

    Columns ``process``, ``kind`` ("demand_disc", "demand_drum" or, for a shared page that was on
    its way, "demand_in_core"), ``time_ms`` (of the request), ``wait_ms``, ``record`` (place of the
    request in the trace). A demand of a page that was in core is no wait.
    """
    trace.need("demanded_page_arrives", *DEMANDS)
    begins, ends = pairs(trace, DEMANDS, ("demanded_page_arrives",))
    times = trace.column("time_ms")
    names = pd.array([trace.kinds.get(n, "") for n in range(max(trace.kinds) + 1)], "str")
    return pd.DataFrame(
        {
            "process": trace.column("actor")[begins].astype(np.int64),
            "kind": names.take(trace.column("kind")[begins]),
            "time_ms": times[begins],
            "wait_ms": times[ends] - times[begins],
            "record": begins,
        }
    )


def preload_times(trace):
    """Return each preload that needed a transfer; none of a system that does not preload.

    Columns ``time_ms`` (of its beginning), ``duration_ms``, ``transfers``, ``record`` (place of its
    beginning in the trace).
    """
    begins, ends = pairs(trace, ("preload_begins",), ("preload_ends",))
    first, last = trace.records[begins], trace.records[ends]
    frame = pd.DataFrame(
        {
            "time_ms": first["time_ms"],
            "duration_ms": last["time_ms"] - first["time_ms"],
            "transfers": last["value"],
            "record": begins,
        }
    )
    return frame[frame["transfers"] > 0]


def write_times(trace):
    """Return each removal from core that wrote pages; none of a system that tells of none.

    Columns ``duration_ms``, ``written`` (pages), ``record`` (place of its beginning in the trace).
    """
    begins, ends = pairs(trace, ("sleeps", "overruns", "begins_log_out"), ("removed_from_core",))
    first, last = trace.records[begins], trace.records[ends]
    frame = pd.DataFrame(
        {
            "duration_ms": last["time_ms"] - first["time_ms"],
            "written": last["detail"],
            "record": begins,
        }
    )
    return frame[frame["written"] > 0]


def transfer_times(trace, by=None):
    """Return mean transfer times in ms.

    Prepaged pages and pages written back go together, so that their time is that of the whole
    preload, or removal, over its pages; a demanded page's is from request to arrival.

    Needs the records "demanded_page_arrives" and the three kinds of demands.

    Parameters
    ----------
    trace : Trace
    by : str, optional
        "category" or "awake", as ``groups`` says, when the transfer begins.

    Returns
    -------
    pandas.Series
        ``prepaged``, ``demand_drum``, ``demand_disc``, ``demand_in_core``, ``written``; not a
        number where there was none. With ``by``, the index has one level more: the group, before
        these.
    """
    frames = demand_waits(trace), preload_times(trace), write_times(trace)
    if by is None:
        return _mean_times(*frames)
    labels = groups(trace, by)
    of = [labels[frame["record"]] for frame in frames]
    found = {
        g: _mean_times(*(frame[group == g] for frame, group in zip(frames, of, strict=True)))
        for g in np.unique(np.concatenate(of))
    }
    return one_a_group(found, by).rename("ms")


def _mean_times(waits, preloads, writes):
    waits = waits.groupby("kind")["wait_ms"].mean().reindex(DEMANDS)
    return pd.Series(
        {
            "prepaged": _per_page(preloads["duration_ms"], preloads["transfers"]),
            **waits,
            "written": _per_page(writes["duration_ms"], writes["written"]),
        },
        name="ms",
    )


def _per_page(duration_ms, pages):
    return duration_ms.sum() / pages.sum() if pages.sum() else np.nan


def compactions(trace):
    """Return attempts at compaction before removal, their successes and the pages removed.

    Needs the records "compaction" and "page_leaves_at_compaction".

    Has ``attempts``, ``successes``, ``success_percent`` (not a number without attempts),
    ``pages_removed``, ``pages_a_success`` (not a number without successes).
    """
    trace.need("compaction", COMPACTED)
    tried = trace.having("compaction")
    removed = trace.places(COMPACTED).size
    succeeded = int((tried["value"] > 0).sum())
    return pd.Series(
        {
            "attempts": tried.size,
            "successes": succeeded,
            "success_percent": 100.0 * succeeded / tried.size if tried.size else np.nan,
            "pages_removed": removed,
            "pages_a_success": removed / succeeded if succeeded else np.nan,
        }
    )
