"""The load of a day: who logs on when, and what each will ask for, drawn beforehand.

Everything depends on the seed and the day only, and each session draws from streams of its
own: the same users ask for the same tasks whatever the version (common random numbers).
"""

from typing import NamedTuple

import numpy as np

from perfkit.core.tables import check_ranges
from perfkit.des.draws import stream
from perfkit.des.elementary import (
    each_cosine,
    each_exp,
    each_log,
    each_normal_quantile,
    each_poisson_quantile,
    interpolate,
    log1p,
)
from perfkit.des.records import records
from perfkit.des.supply import Supply
from perfkit.systems.cp67.state import SECOND_MS, SESSION, TASK

MINUTE_S = 60.0
ROUNDING = 1e-9  # of a session's end: thinks that are short by this little outlast it


class Load(NamedTuple):
    """What a day's users will do; a reader may build or edit one.

    Attributes
    ----------
    sessions : record array, shape (sessions,)
        Fields ``logon_ms``, ``logoff_ms``, ``first_task`` (a row of ``tasks``),
        ``locality_pages``, ``drive`` and ``first_cylinder``.
    tasks : record array, shape (tasks,)
        Fields ``think_ms`` (before it), ``cpu_ms`` and ``sios``; a session's stand in a row
        and their thinks outlast it, or the day.
    users_factor, heaviness : float
        The day's logged-on users and demand a task, against the mean.
    """

    sessions: np.recarray
    tasks: np.recarray
    users_factor: float
    heaviness: float


def checked_load(parameters, load):
    """Return a reader's load, refused in a sentence unless the parameters' machine can do it.

    Localities may be of any size that leaves a page of ``virtual_pages``; a session's tasks must
    not come to an end before it does.
    """
    if not isinstance(load, Load):
        raise TypeError(f"load must return a cp67.Load, not {type(load).__name__}.")
    for name, dtype in (("sessions", SESSION), ("tasks", TASK)):
        array = getattr(load, name)
        if getattr(array, "dtype", None) != dtype or array.ndim != 1:
            raise TypeError(f"load.{name} must be an array of one row of {dtype}.")
    if load.sessions.size and not load.tasks.size:
        raise ValueError("load.tasks must hold one task or more for each session; it is empty.")
    sessions, tasks = (np.ascontiguousarray(array).view(np.recarray) for array in load[:2])
    largest, p = np.finfo(float).max, parameters
    check_ranges(
        "load",
        ("sessions.logon_ms", sessions.logon_ms, 0, largest),
        ("sessions.logoff_ms", sessions.logoff_ms, 0, np.inf),
        ("sessions.first_task", sessions.first_task, 0, tasks.size - 1),
        ("sessions.locality_pages", sessions.locality_pages, 1, p.virtual_pages - 1),
        ("sessions.drive", sessions.drive, 0, p.discs - 1),
        ("sessions.first_cylinder", sessions.first_cylinder, 0, p.last_minidisk),
        ("tasks.think_ms", tasks.think_ms, 0, np.inf),
        ("tasks.cpu_ms", tasks.cpu_ms, 0, largest),
        ("tasks.sios", tasks.sios, 0, np.inf),
    )
    _check_lasting(parameters, sessions, tasks)
    return Load(sessions, tasks, load.users_factor, load.heaviness)


def _check_lasting(p, sessions, tasks):
    """Refuse sessions that end before they begin, or outlast the thinks of their own tasks."""
    backwards = sessions.logoff_ms < sessions.logon_ms
    if backwards.any():
        raise ValueError(
            f"load.sessions.logoff_ms must not be before logon_ms; that of session"
            f" {np.flatnonzero(backwards)[0]} is."
        )
    if not sessions.size:
        return
    first, row = np.unique(sessions.first_task, return_inverse=True)
    thinks_ms = np.add.reduceat(tasks.think_ms, first)[row]
    end_ms = np.minimum(sessions.logoff_ms, SECOND_MS * p.measured_s)
    short = sessions.logon_ms + thinks_ms < end_ms * (1.0 - ROUNDING)
    if short.any():
        raise ValueError(
            "load.tasks must hold thinks that outlast each session or the day, in a row from its"
            f" first_task to the next session's; those of session {np.flatnonzero(short)[0]}"
            " do not."
        )


def lognormal_factor(rng, sd):
    """Draw a positive factor of mean 1 and a relative standard deviation."""
    return _of_mean_1(rng.standard_normal(), sd)


def _of_mean_1(normal, sd):
    """Return the lognormal factors of mean 1 that standard normal numbers stand for."""
    # Less half the variance, or the mean would grow with the spread.
    shape = np.sqrt(log1p(sd * sd))
    return each_exp(shape * normal - 0.5 * shape * shape)


def draw_load(parameters, seed, day=0):
    """Draw the load of one day.

    Examples
    --------
    >>> from perfkit.systems.cp67 import Parameters
    >>> load = draw_load(Parameters(users=5.0, measured_s=600.0), seed=0)
    >>> load.sessions.size
    13
    """
    p = parameters
    rng = stream(seed, "day", day)
    users_factor = float(lognormal_factor(rng, p.day_users_sd))
    heaviness = float(lognormal_factor(rng, p.day_heaviness_sd))
    logon_s, logoff_s = draw_sessions(p, users_factor, stream(seed, "session", day))
    sessions = records(logon_s.size, SESSION)
    sessions.logon_ms[:] = SECOND_MS * logon_s
    sessions.logoff_ms[:] = SECOND_MS * logoff_s
    place = stream(seed, "minidisk", day)
    sessions.drive[:] = place.integers(p.discs, size=sessions.size)
    sessions.first_cylinder[:] = place.integers(p.last_minidisk + 1, size=sessions.size)
    streams = [stream(seed, "task", day, number) for number in range(sessions.size)]
    fewest = p.locality_pages[0]
    sessions.locality_pages[:] = [rng.integers(fewest, p.most_pages + 1) for rng in streams]
    thinks_s = draw_thinks(p, logoff_s - logon_s, streams)
    sizes = [one.size for one in thinks_s]
    sessions.first_task[:] = np.cumsum([0, *sizes])[:-1]
    tasks = draw_tasks(p, heaviness, thinks_s, streams)
    return Load(sessions, tasks, users_factor, heaviness)


def draw_sessions(parameters, users_factor, rng):
    """Draw when users log on and off: Poisson arrivals, exponential stays, a mean that moves."""
    p = parameters
    grid_s = np.linspace(0.0, p.measured_s, max(2, int(p.measured_s / MINUTE_S) + 1))
    by_time_of_day = 1.0 - p.swing * each_cosine(grid_s / p.measured_s)
    mean = p.users * users_factor * by_time_of_day
    rate_per_s = np.maximum(mean / p.session_s + np.gradient(mean, grid_s), 0.0)
    steps = 0.5 * (rate_per_s[1:] + rate_per_s[:-1]) * np.diff(grid_s)
    arrived = np.concatenate(([0.0], np.cumsum(steps)))
    there, coming = rng.poisson(mean[0]), rng.poisson(arrived[-1])
    logon_s = interpolate(np.sort(rng.random(coming)) * arrived[-1], arrived, grid_s)
    logon_s = np.concatenate((np.zeros(there), logon_s))
    return logon_s, logon_s + p.session_s * rng.standard_exponential(logon_s.size)


def draw_tasks(parameters, heaviness, thinks_s, streams):
    """Draw the sessions' tasks (dtype TASK) after their thinks, with demands that are skewed."""
    p = parameters
    sizes = np.array([one.size for one in thinks_s], int)
    raw = [rng.random(2 + 2 * size) for rng, size in zip(streams, sizes.tolist(), strict=True)]
    tasks = records(sizes.sum(), TASK)
    if not tasks.size:
        return tasks
    heavy, io = each_normal_quantile([one[:2] for one in raw]).T
    mean_ms = heaviness * _of_mean_1(heavy, p.user_heaviness_sd) * p.task_ms
    sios_per_ms = _of_mean_1(io, p.user_io_sd) / p.sio_interval_ms
    normals = each_normal_quantile(np.concatenate([one[2 : 2 + one.size // 2 - 1] for one in raw]))
    logs = p.task_shape * normals - 0.5 * p.task_shape * p.task_shape
    tasks.think_ms[:] = SECOND_MS * np.concatenate(thinks_s)
    tasks.cpu_ms[:] = np.maximum(np.repeat(mean_ms, sizes) * each_exp(logs), 0.1)
    uniforms = np.concatenate([one[1 + one.size // 2 :] for one in raw])
    means = tasks.cpu_ms * np.repeat(sios_per_ms, sizes)
    tasks.sios[:] = each_poisson_quantile(uniforms, means)
    return tasks


def draw_thinks(parameters, sessions_s, streams):
    """Draw thinks that outlast each session, an array per session; the odd one is an absence."""
    p = parameters
    # Whole batches are drawn, and a user's tasks from where they end: batches of another size are
    # another load.
    expected = sessions_s / p.mean_think_s
    counts = (expected + 6.0 * np.sqrt(expected)).astype(int) + 10
    thinks = [np.zeros(0)] * len(streams)
    left_s = np.array(sessions_s)
    wanted = np.arange(len(streams))
    while wanted.size:
        drawn = [streams[n].random((2, counts[n])) for n in wanted.tolist()]
        away, gaps = np.concatenate(drawn, axis=1)
        thinks_s = np.where(away < p.absence_share, p.absence_s, p.think_s) * -each_log(1.0 - gaps)
        parts = np.split(thinks_s, np.cumsum(counts[wanted])[:-1])
        for n, part in zip(wanted.tolist(), parts, strict=True):
            thinks[n] = np.concatenate((thinks[n], part))
            left_s[n] -= part.sum()
        wanted = wanted[left_s[wanted] > 0.0]
    ends = zip(thinks, sessions_s.tolist(), strict=True)
    return [one[: 1 + int(np.searchsorted(np.cumsum(one), end_s))] for one, end_s in ends]


def new_supply(seed, day):
    """Return the supply of a day's draws."""
    return Supply([stream(seed, "place", day), stream(seed, "gap", day)])
