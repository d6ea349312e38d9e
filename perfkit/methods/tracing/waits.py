"""Waits and lengths by station: entries, means, distributions."""

import numpy as np
import pandas as pd

from perfkit.core.values import is_number
from perfkit.methods.tracing.groups import groups
from perfkit.methods.tracing.stations import QUEUES, STATIONS, visits

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


def station_waits(trace, found=None, by=None):
    """Return entries, mean time and mean number at every station of Figure 2.

    Needs what ``visits`` needs, if it has to find them. A visit whose end is not in the trace
    counts nowhere, nor does its time.

    Parameters
    ----------
    trace : Trace
    found : pandas.DataFrame, optional
        The visits of this trace, if they are at hand.
    by : str, optional
        "category" or "awake", as ``groups`` says, when the visit begins.

    Returns
    -------
    pandas.DataFrame
        Indexed by station: ``entries``, ``mean_ms``, ``mean_length``. A stay in one station that
        several records tell of is one visit. With ``by``, the index has one level more: the
        group, before the station. ``mean_length`` is the number of the group's processes that
        are at the station, over the whole trace; by "awake" it is that of all processes, over
        the time during which so many were awake (where no visit began, ``mean_ms`` is missing).
    """
    rows = _ended(visits(trace) if found is None else found)
    first = ~rows["stay"].duplicated()
    keys = [rows["station"]]
    if by is not None:
        labels = groups(trace, by)
        begins = rows["record"][first].to_numpy()
        keys.insert(0, pd.Series(labels[begins][rows["stay"] - 1], rows.index, name=by))
    total = rows.groupby(keys)["time_ms"].sum()
    entries = first.groupby(keys).sum()
    frame = pd.DataFrame({"entries": entries, "mean_ms": total / entries})
    frame["mean_length"] = total / (1000.0 * trace.seconds)
    if by == "awake" and len(frame):
        frame = _over_levels(trace, rows, labels, frame)
    return frame.rename(index=dict(enumerate(STATIONS)), level=-1)


def _ended(found):
    """Return the visits that end in the trace, numbered from 1 as ``stay``.

    Successive ones of a process in one station, other than a queue, are one stay.
    """
    found = found.dropna(subset="time_ms")
    new = (found["station"] != found["station"].shift()) | (
        found["session"] != found["session"].shift()
    )
    new |= found["station"] < len(QUEUES)
    return found.assign(stay=new.cumsum())


def _lengths(trace, rows):
    """Yield each station and how many are there from each record to the next."""
    size = trace.records.size
    for station, part in rows.groupby("station"):
        enter, leave = (np.bincount(part[c], minlength=size) for c in ("record", "until_record"))
        yield station, np.cumsum(enter - leave)[:-1]


def _over_levels(trace, rows, level, frame):
    """Return a frame with mean lengths over the time that each level lasts, all that are any."""
    held_ms, level = np.diff(trace.records["time_ms"]), level[:-1]
    at_ms = {place: np.bincount(level, held_ms * n) for place, n in _lengths(trace, rows)}
    lengths = pd.DataFrame(at_ms).div(np.bincount(level, held_ms), axis=0).T.unstack()
    lengths.index.names = frame.index.names
    frame = frame.reindex(frame.index.union(lengths.index[lengths > 0.0]))
    entries = frame["entries"].fillna(0).astype(np.int64)
    return frame.assign(entries=entries, mean_length=lengths.reindex(frame.index))


def wait_distribution(trace, found=None, quantiles=QUANTILES):
    """Return quantiles of the time of a visit, by station.

    The visits are those of ``station_waits``: those that end in the trace, a stay that several
    records tell of as one. Needs what ``visits`` needs, if it has to find them.

    Parameters
    ----------
    trace : Trace
    found : pandas.DataFrame, optional
        The visits of this trace, if they are at hand.
    quantiles : sequence of float
        From 0 to 1.

    Returns
    -------
    pandas.DataFrame
        In ms; indexed by station, one column per quantile. Between two visits' times it is
        interpolated.
    """
    for share in quantiles:
        if not is_number(share) or not 0.0 <= share <= 1.0:
            raise ValueError(f"quantiles must be numbers from 0 to 1; {share!r} is not.")
    rows = _ended(visits(trace) if found is None else found)
    stays = rows.groupby("stay").agg({"station": "first", "time_ms": "sum"})
    by_station = stays.groupby("station")["time_ms"]
    frame = pd.DataFrame({float(share): by_station.quantile(share) for share in quantiles})
    frame.columns.name = "quantile"
    return frame.rename(index=dict(enumerate(STATIONS)))


def length_distribution(trace, found=None):
    """Return for which share of the time there are 0, 1, 2, ... processes at each station.

    They are counted as in ``station_waits``, so that the mean is its ``mean_length``: only
    during visits that begin and end in the trace. To find these it needs what ``visits`` needs.

    Parameters
    ----------
    trace : Trace
    found : pandas.DataFrame, optional
        The visits of this trace, if they are at hand.

    Returns
    -------
    pandas.DataFrame
        Indexed by station, one column per number of processes; a row's shares add up to 1.
    """
    rows = _ended(visits(trace) if found is None else found)
    held_ms = np.diff(trace.records["time_ms"])
    lasts_ms = {
        STATIONS[station]: pd.Series(np.bincount(number, held_ms))
        for station, number in _lengths(trace, rows)
    }
    frame = pd.DataFrame(lasts_ms).T.fillna(0.0) / held_ms.sum()
    return frame.rename_axis(index="station", columns="processes")
