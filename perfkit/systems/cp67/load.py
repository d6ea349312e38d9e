"""The load of a day: who logs on when, and what each will ask for, drawn beforehand.

Everything depends on the seed and the day only, and each session draws from streams of its
own: the same users ask for the same tasks whatever the version (common random numbers).
"""

from typing import NamedTuple

import numpy as np

from perfkit.des.draws import stream
from perfkit.systems.cp67.machine import SECOND_MS, TASK

MINUTE_S = 60.0
SESSION = np.dtype(
    [
        ("logon_ms", "f8"),
        ("logoff_ms", "f8"),
        ("first_task", "i8"),
        ("locality_pages", "i8"),
        ("drive", "i8"),
        ("first_cylinder", "i8"),
    ],
    align=True,
)


class Load(NamedTuple):
    """What a day's users will do; a reader may build or edit one.

    Attributes
    ----------
    sessions : record array, shape (sessions,)
        Fields ``logon_ms``, ``logoff_ms``, ``first_task`` (a row of ``tasks``),
        ``locality_pages``, ``drive`` and ``first_cylinder``.
    tasks : record array, shape (tasks,)
        Fields ``think_ms`` (before it), ``cpu_ms`` and ``sios``; a session's stand in a row
        and their thinks outlast it.
    users_factor, heaviness : float
        The day's logged-on users and demand a task, against the mean.
    """

    sessions: np.recarray
    tasks: np.recarray
    users_factor: float
    heaviness: float


def lognormal_factor(rng, sd, count=None):
    """Draw positive factors of mean 1 and a relative standard deviation."""
    shape = np.sqrt(np.log1p(sd**2))
    return np.exp(shape * rng.standard_normal(count) - 0.5 * shape**2)


def draw_load(parameters, seed, day=0):
    """Draw the load of one day.

    Parameters
    ----------
    parameters : Parameters
    seed, day : int

    Returns
    -------
    Load
    """
    p = parameters
    rng = stream(seed, "day", day)
    users_factor = float(lognormal_factor(rng, p.day_users_sd))
    heaviness = float(lognormal_factor(rng, p.day_heaviness_sd))
    logon_s, logoff_s = draw_sessions(p, users_factor, stream(seed, "session", day))
    sessions = np.zeros(logon_s.size, SESSION).view(np.recarray)
    sessions.logon_ms[:] = SECOND_MS * logon_s
    sessions.logoff_ms[:] = SECOND_MS * logoff_s
    place = stream(seed, "minidisk", day)
    sessions.drive[:] = place.integers(p.drives, size=sessions.size)
    last = p.cylinders - p.minidisk_cylinders
    sessions.first_cylinder[:] = place.integers(last + 1, size=sessions.size)
    parts, first = [], 0
    for number, session in enumerate(sessions):
        own = stream(seed, "task", day, number)
        session.locality_pages = own.integers(p.locality_pages[0], p.most_pages + 1)
        session.first_task = first
        parts.append(draw_tasks(p, heaviness, logoff_s[number] - logon_s[number], own))
        first += parts[-1].size
    tasks = np.concatenate([np.zeros(0, TASK), *parts]).view(np.recarray)
    return Load(sessions, tasks, users_factor, heaviness)


def logged_on_target(parameters, share_of_day):
    """Return the mean number logged on by the time of day, over its mean over the day."""
    return 1.0 - parameters.swing * np.cos(2.0 * np.pi * np.asarray(share_of_day))


def draw_sessions(parameters, users_factor, rng):
    """Draw when users log on and off: Poisson arrivals, exponential stays, a mean that moves.

    Returns
    -------
    logon_s, logoff_s : ndarray of float64
        In the order of logon; some are logged on when the day begins.
    """
    p = parameters
    grid_s = np.linspace(0.0, p.day_s, max(2, int(p.day_s / MINUTE_S) + 1))
    mean = p.usual_users * users_factor * logged_on_target(p, grid_s / p.day_s)
    rate_per_s = np.maximum(mean / p.session_s + np.gradient(mean, grid_s), 0.0)
    steps = 0.5 * (rate_per_s[1:] + rate_per_s[:-1]) * np.diff(grid_s)
    arrived = np.concatenate(([0.0], np.cumsum(steps)))
    there, coming = rng.poisson(mean[0]), rng.poisson(arrived[-1])
    logon_s = np.interp(np.sort(rng.random(coming)) * arrived[-1], arrived, grid_s)
    logon_s = np.concatenate((np.zeros(there), logon_s))
    return logon_s, logon_s + p.session_s * rng.standard_exponential(logon_s.size)


def draw_tasks(parameters, heaviness, session_s, rng):
    """Draw the tasks of one session: thinks that outlast it, demands that are skewed.

    Returns
    -------
    ndarray of dtype TASK
    """
    p = parameters
    think_s = draw_thinks(p, session_s, rng)
    tasks = np.zeros(think_s.size, TASK)
    tasks["think_ms"] = SECOND_MS * think_s
    own = heaviness * float(lognormal_factor(rng, p.user_heaviness_sd))
    sios_per_ms = float(lognormal_factor(rng, p.user_io_sd)) / p.sio_interval_ms
    logs = p.task_shape * rng.standard_normal(think_s.size) - 0.5 * p.task_shape**2
    tasks["cpu_ms"] = np.maximum(own * p.task_ms * np.exp(logs), 0.1)
    tasks["sios"] = rng.poisson(tasks["cpu_ms"] * sios_per_ms)
    return tasks


def draw_thinks(parameters, session_s, rng):
    """Draw thinks until they outlast a session; the odd one is an absence."""
    p = parameters
    mean_s = (1.0 - p.absence_share) * p.think_s + p.absence_share * p.absence_s
    expected = session_s / max(mean_s, 1e-3)
    count = int(expected + 6.0 * np.sqrt(expected)) + 10
    parts, left_s = [], session_s
    while left_s > 0.0 or not parts:
        away = rng.random(count) < p.absence_share
        thinks_s = np.where(away, p.absence_s, p.think_s) * rng.standard_exponential(count)
        parts.append(thinks_s)
        left_s -= thinks_s.sum()
    think_s = np.concatenate(parts)
    return think_s[: 1 + int(np.searchsorted(np.cumsum(think_s), session_s))]
