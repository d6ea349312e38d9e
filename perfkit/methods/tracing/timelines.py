"""What a timeline needs of any system's run: its events as far as wanted, and levels over time."""

import pandas as pd


def events_until(result, until_s, end_s):
    """Return the events of a traced run, which must be known up to a time.

    A trace that was not full may be silent until the run's end.

    Parameters
    ----------
    result : Result
        Of any system: ``events()`` and, in ``counts``, ``trace_full``.
    until_s : float
    end_s : float
        When the run, or the part of it that is traced, ended.

    Returns
    -------
    pandas.DataFrame
        All events, also later ones.
    """
    if not until_s <= end_s:
        raise ValueError(f"until_s must be at most {end_s:g}, the run's end; {until_s!r} is not.")
    events = result.trace_frame()
    if events.empty or (events["time_s"].iloc[-1] < until_s and result.values["trace_full"]):
        raise ValueError("The trace ends too soon; simulate with a larger trace.")
    return events


def levels(events, changes, from_s, until_s):
    """Return how many there are of some things after each event.

    Parameters
    ----------
    events : pandas.DataFrame
        Columns ``time_s`` and ``kind``, from time zero, when there is none of anything.
    changes : dict
        A level's name to a dictionary: the kinds that change it, and by how much.
    from_s, until_s : float

    Returns
    -------
    pandas.DataFrame
        Indexed by time in s, one row per event, one column per level.
    """
    found = pd.DataFrame({name: events["kind"].map(by).fillna(0) for name, by in changes.items()})
    found = found.cumsum().set_index(events["time_s"].rename("time (s)"))
    return found.loc[from_s:until_s]
