"""Where each user is, moment by moment, read from a trace."""

import pandas as pd

from perfkit.methods.tracing import events_until

PLACES = {
    "enter_q1": "Q1",
    "candidate": "candidate",
    "enter_q2": "Q2",
    "fault": "waits for a page",
    "page_in": None,
    "sio": "waits for a disc",
    "sio_end": None,
    "leave": "",
}


def whereabouts(result, from_s, until_s):
    """Return when each user was in Q1 or Q2, a candidate, or waiting for page or disc.

    Columns ``process`` (the user; 0 is DUSETIMR), ``place``, ``from_s``, ``to_s``. Users who only
    think are left out.
    """
    events = events_until(result, until_s, result.parameters.measured_s)
    events = events[(events["time_s"] <= until_s) & events["kind"].isin(PLACES)]
    rows = []
    for user, own in events.groupby("actor"):
        since, place, queue = 0.0, "", ""
        for event in own.itertuples():
            if place:
                rows.append((user, place, since, event.time_s))
            to = PLACES[event.kind]
            queue = to if event.kind in ("enter_q1", "enter_q2", "leave", "candidate") else queue
            since, place = event.time_s, queue if to is None else to
        if place:
            rows.append((user, place, since, until_s))
    places = pd.DataFrame(rows, columns=["process", "place", "from_s", "to_s"])
    places = places[places["to_s"] > from_s]
    return places.assign(from_s=places["from_s"].clip(lower=from_s)).reset_index(drop=True)
