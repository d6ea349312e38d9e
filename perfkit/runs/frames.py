"""The frame of a sweep: its runs in order, with their parameters, built by column."""

from itertools import chain

import numpy as np
import pandas as pd

from perfkit.runs.store import OWN


def in_order(request, ends, kept):
    """Return the kept runs of each point below its last seed, in order, with their parameters."""
    # A store may hold more than is asked for: an earlier call may have had more replications.
    frames = [
        frame[frame["seed"].to_numpy(int) < ends[frame["point"].to_numpy(int)]]
        for frame in kept.batches()
    ]
    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return pd.DataFrame()
    frames.sort(key=lambda frame: (frame["point"].iloc[0], frame["seed"].iloc[0]))
    places = [np.concatenate([frame[name].to_numpy(int) for frame in frames]) for name in OWN]
    order = np.lexsort(places[::-1])
    once = np.any(np.diff([place[order] for place in places], prepend=-1), axis=0)
    order = order[once]  # two workers may have kept one run: one was lost before it could say so
    point, seed = (place[order] for place in places)
    columns = {"point": point, "seed": seed} | _values(request, point)
    for name in dict.fromkeys(name for frame in frames for name in frame if name not in OWN):
        parts = [frame.get(name, pd.Series(np.nan, frame.index)) for frame in frames]
        columns[name] = _joined(parts)[order]
    return pd.DataFrame(columns)


def _values(request, point):
    """Return the levers and parameters of runs in columns, by the points that they are of."""
    parameters, design = request.parameters, request.design
    used, places = np.unique(point, return_inverse=True)
    moved = [name for each in design for name in parameters.sets(each)]
    rows = [[getattr(one, name) for name in moved] for one in request.points(used)]
    found = {name: design[name].iloc[used] for name in design if name in parameters.levers}
    found |= {name: [value] for name, value in parameters.as_dict().items()}
    found |= dict(zip(moved, zip(*rows, strict=True)))  # noqa: B905 - of no column there are no rows
    alike = np.zeros(len(point), int)
    return {name: _inferred(v)[places if len(v) > 1 else alike] for name, v in found.items()}


def _joined(columns):
    """Return one column of those of several frames, of the type that all their values have."""
    kinds = {column.dtype.kind for column in columns}
    if kinds <= {"i", "f"} or kinds == {"b"}:
        return np.concatenate(columns)
    return _inferred(chain.from_iterable(columns))


def _inferred(values):
    """Return values in a column of the type that a frame of rows finds for them."""
    return pd.DataFrame([(value,) for value in values])[0].array
