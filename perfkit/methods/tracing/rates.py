"""Paging rates over intervals of a trace, and intervals of like rates taken together."""

import numpy as np
import pandas as pd

from perfkit.methods.tracing.paging import demand_waits, preload_times

INTERVAL_S, ROUNDING = 2.0, 1e-9


def paging_rates(trace, interval_s=INTERVAL_S):
    """Divide the trace into intervals: paging rates and mean transfer times in each.

    Needs the records "demanded_page_arrives" and the three kinds of demands; a system that does not
    preload has no prepaging.

    Parameters
    ----------
    trace : Trace
    interval_s : float
        Length of an interval, above 0.

    Returns
    -------
    pandas.DataFrame
        One row per interval: ``rate`` (transfers into core per s), ``prepaging`` and ``demand``
        (their parts), ``prepaging_ms`` and ``demand_ms`` (missing where there was none), and
        ``demand_drum`` and ``demand_drum_ms`` of the pages from drum alone. Transfers count in
        the interval in which they are asked for.

        ``rate`` and ``demand`` leave out the shared pages that a process demanded and waited for
        while another's transfer brought them ("demand_in_core" with "demanded_page_arrives"
        after it; about 12 % of all awaited demands on EMAS): they are no transfers of their own.
        ``demand_shared`` counts them, a second, and ``demand_shared_ms`` is their mean wait.
    """
    if not 0.0 < interval_s <= trace.seconds:
        raise ValueError(
            f"interval_s must be above 0 and at most the trace's {trace.seconds:g} s;"
            f" {interval_s!r} is not."
        )
    pages = {name: _gathered(trace, interval_s, *part) for name, part in _parts(trace).items()}
    columns = {"rate": (pages["prepaging"][0] + pages["demand"][0]) / interval_s}
    for names in (("prepaging", "demand"), ("demand_drum",), ("demand_shared",)):
        columns |= {name: pages[name][0] / interval_s for name in names}
        columns |= {f"{name}_ms": pages[name][1] for name in names}
    return pd.DataFrame(columns)


def _parts(trace):
    """Return times, numbers of pages and times taken of the transfers of each column."""
    preloads, waits = preload_times(trace), demand_waits(trace)
    shared = waits["kind"] == "demand_in_core"
    drum = waits["kind"] == "demand_drum"
    parts = {"prepaging": (preloads["time_ms"], preloads["transfers"], preloads["duration_ms"])}
    for name, of in (("demand", ~shared), ("demand_drum", drum), ("demand_shared", shared)):
        parts[name] = waits["time_ms"][of], np.ones(of.sum()), waits["wait_ms"][of]
    return parts


def _gathered(trace, interval_s, times, pages, taken_ms):
    """Return how many pages each interval has and their mean time in ms."""
    start_ms = float(trace.records["time_ms"][0])
    count = int(trace.seconds / interval_s + ROUNDING)
    place = ((times.to_numpy() - start_ms) / (1000.0 * interval_s)).astype(int)
    inside = place < count
    number, total_ms = (
        np.bincount(place[inside], np.asarray(weights, float)[inside], count)
        for weights in (pages, taken_ms)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return number, total_ms / number


def rate_classes(rates, edges):
    """Average intervals by their paging rate, as the paper's Figure 5 shows them.

    Parameters
    ----------
    rates : pandas.DataFrame
        As ``paging_rates`` returns.
    edges : array_like of float
        Limits of the classes, in transfers per second, rising. A class holds its upper limit, the
        first one its lower limit too. A last limit of infinity takes in all that are left.

    Returns
    -------
    pandas.DataFrame
        One row per class that holds intervals: ``intervals``, mean ``rate``, ``prepaging`` and
        ``demand`` rates, mean transfer times weighted by transfers.
    """
    edges = np.asarray(edges, float)
    rate = rates["rate"]
    if edges.ndim != 1 or edges.size < 2 or not (np.diff(edges) > 0).all():
        raise ValueError("edges must be two or more rising numbers.")
    outside = int((~rate.between(edges[0], edges[-1])).sum())
    if outside:
        raise ValueError(
            f"edges leave out {outside} of {rate.size} intervals: they must reach from"
            f" {rate.min()} or less to {rate.max()} or more, such as infinity."
        )
    classes = pd.cut(rate, edges, include_lowest=True)
    groups = rates.groupby(classes, observed=True)
    frame = groups[["rate", "prepaging", "demand", "demand_drum"]].mean()
    frame.insert(0, "intervals", groups.size())
    for kind in ("prepaging", "demand", "demand_drum"):
        weighted = rates[kind] * rates[f"{kind}_ms"].fillna(0.0)
        total = weighted.groupby(classes, observed=True).sum()
        frame[f"{kind}_ms"] = total / groups[kind].sum()
    return frame
