"""Paging read from a trace: traffic by kind, transfer times, rates, compactions."""

import numpy as np
import pandas as pd

TOUCHED, WRITTEN, PRELOADED, SHARED = 1, 2, 4, 8
INTERVAL_S, ROUNDING = 2.0, 1e-9
DEMANDS = ("demand_disc", "demand_drum", "demand_in_core")


def traffic(trace):
    """Count pages by what they move for, as the paper's Figure 4 does.

    Returns
    -------
    pandas.Series
        Preloads and their pages, demands by kind, pages out of core by marks.
    """
    begun, ended = trace.having("preload_begins"), trace.having("preload_ends")
    removed = trace.having("page_leaves_at_removal")
    compacted = trace.having("page_leaves_at_compaction")
    marks = np.concatenate([removed["detail"], compacted["detail"]])
    preloaded = marks & PRELOADED > 0
    counts = {
        "preloads": begun.size,
        "preloaded": int(begun["value"].sum()),
        "preload_transfers": int(ended["value"].sum()),
        **{name: trace.having(name).size for name in DEMANDS},
        "removed_at_removal": removed.size,
        "removed_at_compaction": compacted.size,
        "written_at_removal": int((removed["detail"] & WRITTEN > 0).sum()),
        "written_at_compaction": int((compacted["detail"] & WRITTEN > 0).sum()),
        "preloaded_not_used": int((preloaded & (marks & TOUCHED == 0)).sum()),
        "preloaded_written": int((preloaded & (marks & WRITTEN > 0)).sum()),
        "demanded_written": int((~preloaded & (marks & WRITTEN > 0)).sum()),
        "preloaded_out": int(preloaded.sum()),
        "demanded_out": int((~preloaded).sum()),
    }
    return pd.Series(counts, name="pages")


def demand_waits(trace):
    """Return each wait for a demanded page that was not in core.

    Returns
    -------
    pandas.DataFrame
        ``process``, ``kind`` ("demand_disc", "demand_drum", "demand_in_core"), ``time_ms`` (of
        the request), ``wait_ms``.
    """
    records = trace.having(*DEMANDS, "demanded_page_arrives")
    records = records[np.argsort(records["actor"], kind="stable")]
    arrives = records["kind"] == trace.number("demanded_page_arrives")
    pair = np.flatnonzero(~arrives[:-1] & arrives[1:])
    pair = pair[records["actor"][pair] == records["actor"][pair + 1]]
    first, last = records[pair], records[pair + 1]
    return pd.DataFrame(
        {
            "process": first["actor"],
            "kind": [trace.kinds[int(kind)] for kind in first["kind"]],
            "time_ms": first["time_ms"],
            "wait_ms": last["time_ms"] - first["time_ms"],
        }
    )


def preload_times(trace):
    """Return each preload that needed a transfer: ``time_ms``, ``duration_ms``, ``transfers``."""
    records = trace.having("preload_begins", "preload_ends")
    records = records[np.argsort(records["actor"], kind="stable")]
    begins = records["kind"] == trace.number("preload_begins")
    pair = np.flatnonzero(begins[:-1] & ~begins[1:])
    pair = pair[records["actor"][pair] == records["actor"][pair + 1]]
    first, last = records[pair], records[pair + 1]
    frame = pd.DataFrame(
        {
            "time_ms": first["time_ms"],
            "duration_ms": last["time_ms"] - first["time_ms"],
            "transfers": last["value"],
        }
    )
    return frame[frame["transfers"] > 0]


def write_times(trace):
    """Return each removal from core that wrote pages: ``duration_ms``, ``written``."""
    ends = ("sleeps", "overruns", "begins_log_out")
    records = trace.having(*ends, "removed_from_core")
    records = records[np.argsort(records["actor"], kind="stable")]
    done = records["kind"] == trace.number("removed_from_core")
    pair = np.flatnonzero(~done[:-1] & done[1:])
    pair = pair[records["actor"][pair] == records["actor"][pair + 1]]
    first, last = records[pair], records[pair + 1]
    frame = pd.DataFrame(
        {"duration_ms": last["time_ms"] - first["time_ms"], "written": last["detail"]}
    )
    return frame[frame["written"] > 0]


def transfer_times(trace):
    """Return mean transfer times in ms.

    Prepaged pages and pages written back go together, so that their time is that of the whole
    preload, or removal, over its pages; a demanded page's is from request to arrival.

    Returns
    -------
    pandas.Series
        ``prepaged``, ``demand_drum``, ``demand_disc``, ``demand_in_core``, ``written``; not a
        number where there was none.
    """
    preloads, writes = preload_times(trace), write_times(trace)
    waits = demand_waits(trace).groupby("kind")["wait_ms"].mean().reindex(DEMANDS)
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


def paging_rates(trace, interval_s=INTERVAL_S):
    """Divide the trace into intervals: paging rates and mean transfer times in each.

    Parameters
    ----------
    trace : Trace
    interval_s : float
        Length of an interval, above 0.

    Returns
    -------
    pandas.DataFrame
        A row an interval: ``rate`` (transfers into core a second), ``prepaging`` and ``demand``
        (their parts), ``prepaging_ms`` and ``demand_ms`` (missing where there was none), and
        ``demand_drum`` and ``demand_drum_ms`` of the pages from drum alone. Transfers count in
        the interval in which they are asked for.

    Raises
    ------
    ValueError
        If the interval is not above 0 or longer than the trace.
    """
    if not 0.0 < interval_s <= trace.seconds:
        raise ValueError(
            f"interval_s must be above 0 and at most the trace's {trace.seconds:g} s;"
            f" {interval_s!r} is not."
        )
    start_ms = float(trace.records["time_ms"][0])
    count = int(trace.seconds / interval_s + ROUNDING)
    preloads, waits = preload_times(trace), demand_waits(trace)
    waits = waits[waits["kind"] != "demand_in_core"]
    drum = waits[waits["kind"] == "demand_drum"]

    def gathered(times, weights):
        place = ((times.to_numpy() - start_ms) / (1000.0 * interval_s)).astype(int)
        inside = place < count
        return np.bincount(place[inside], np.asarray(weights, float)[inside], count)

    prepaged = gathered(preloads["time_ms"], preloads["transfers"])
    demanded = gathered(waits["time_ms"], np.ones(len(waits)))
    with np.errstate(invalid="ignore", divide="ignore"):
        prepaging_ms = gathered(preloads["time_ms"], preloads["duration_ms"]) / prepaged
        demand_ms = gathered(waits["time_ms"], waits["wait_ms"]) / demanded
        from_drum = gathered(drum["time_ms"], np.ones(len(drum)))
        demand_drum_ms = gathered(drum["time_ms"], drum["wait_ms"]) / from_drum
    return pd.DataFrame(
        {
            "rate": (prepaged + demanded) / interval_s,
            "prepaging": prepaged / interval_s,
            "demand": demanded / interval_s,
            "prepaging_ms": prepaging_ms,
            "demand_ms": demand_ms,
            "demand_drum": from_drum / interval_s,
            "demand_drum_ms": demand_drum_ms,
        }
    )


def rate_classes(rates, edges):
    """Average intervals by their paging rate, as the paper's Figure 5 shows them.

    Parameters
    ----------
    rates : pandas.DataFrame
        As ``paging_rates`` returns.
    edges : array_like of float
        Limits of the classes, in transfers a second, rising.

    Returns
    -------
    pandas.DataFrame
        A row a class that holds intervals: ``intervals``, mean ``rate``, ``prepaging`` and
        ``demand`` rates, mean transfer times weighted by transfers.
    """
    groups = rates.groupby(pd.cut(rates["rate"], edges), observed=True)
    frame = groups[["rate", "prepaging", "demand", "demand_drum"]].mean()
    frame.insert(0, "intervals", groups.size())
    for kind in ("prepaging", "demand", "demand_drum"):
        weighted = (rates[kind] * rates[f"{kind}_ms"].fillna(0.0)).groupby(
            pd.cut(rates["rate"], edges), observed=True
        )
        frame[f"{kind}_ms"] = weighted.sum() / groups[kind].sum()
    return frame


def compactions(trace):
    """Return attempts at compaction before removal, their successes and the pages removed."""
    tried = trace.having("compaction")
    removed = trace.having("page_leaves_at_compaction").size
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
