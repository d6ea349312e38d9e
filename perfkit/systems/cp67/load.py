"""The load of a day: who logs on when, and what each will ask for, drawn beforehand.

Everything depends on the seed and the day only, and each session draws from streams of its
own: the same users ask for the same tasks whatever the version (common random numbers).
"""

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from perfkit.core.tables import check_ranges
from perfkit.des.compiling import assembly, kernel
from perfkit.des.draws import (
    STREAM,
    exponential,
    normal,
    seeded,
    stream,
    stream_key,
    uniform,
    whole,
)
from perfkit.des.elementary import (
    cosine,
    evenly,
    exp,
    interpolate,
    log1p,
    poisson_quantile,
    slope,
)
from perfkit.des.records import records, viewed
from perfkit.systems.cp67.state import SECOND_MS, SESSION, TASK, settings_of

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


@kernel
def lognormal_factor(normal, sd):
    """Return the factor of mean 1 and a relative standard deviation that a normal number is."""
    # Less half the variance, or the mean would grow with the spread.
    shape = math.sqrt(log1p(sd * sd))
    return exp(shape * normal - 0.5 * shape * shape)


def draw_load(parameters, seed, day=0):
    """Draw the load of one day.

    Examples
    --------
    >>> from perfkit.systems.cp67 import Parameters
    >>> load = draw_load(Parameters(users=5.0, measured_s=600.0), seed=0)
    >>> load.sessions.size
    13
    """
    settings, *_ = settings_of(parameters)
    drawn = (stream(seed, purpose, day) for purpose in ("day", "session", "minidisk"))
    key = stream_key(seed, "task", day, 0)
    return viewed(Load(*draw(settings, *drawn, key)))


@assembly
def draw(settings, spread, session, place, task_key):
    """Return the fields of a day's Load; every session's tasks have a stream of their own."""
    s = settings
    users_factor = lognormal_factor(normal(spread), s.day_users_sd)
    heaviness = lognormal_factor(normal(spread), s.day_heaviness_sd)
    logon_s, stays_s = draw_sessions(s, users_factor, session)
    sessions = records(logon_s.size, SESSION)
    for n in range(sessions.size):
        logoff_s = logon_s[n] + stays_s[n]
        sessions[n].logon_ms, sessions[n].logoff_ms = SECOND_MS * logon_s[n], SECOND_MS * logoff_s
        stays_s[n] = logoff_s - logon_s[n]
        sessions[n].drive = whole(place, s.discs)
    for n in range(sessions.size):
        sessions[n].first_cylinder = whole(place, s.last_minidisk + 1)
    ahead, count = records(1, STREAM), 0
    for _ in range(2):  # first it is seen how many tasks there are
        own, tasks = seeded(task_key.copy(), sessions.size), records(count, TASK)
        count = _draw_tasks(own, ahead, stays_s, s, heaviness, sessions, tasks)
    return sessions, tasks, users_factor, heaviness


@register_jitable
def draw_sessions(settings, users_factor, rng):
    """Draw when users log on, and for how long: Poisson arrivals, exponential stays.

    The mean of those logged on moves over the day.
    """
    s = settings
    at_s = evenly(0.0, s.measured_s, max(2, int(s.measured_s / MINUTE_S) + 1))
    mean = np.zeros(at_s.size)
    for n in range(at_s.size):
        mean[n] = s.users * users_factor * (1.0 - s.swing * cosine(at_s[n] / s.measured_s))
    rate_per_s, arrived = slope(mean, at_s), np.zeros(at_s.size)
    for n in range(at_s.size):
        rate_per_s[n] = max(mean[n] / s.session_s + rate_per_s[n], 0.0)
    for n in range(1, at_s.size):
        step = 0.5 * (rate_per_s[n] + rate_per_s[n - 1]) * (at_s[n] - at_s[n - 1])
        arrived[n] = arrived[n - 1] + step
    there = int(poisson_quantile(uniform(rng), mean[0]))
    coming = int(poisson_quantile(uniform(rng), arrived[-1]))
    drawn = np.zeros(coming)
    for n in range(coming):
        drawn[n] = uniform(rng)
    drawn.sort()
    logon_s, stays_s = np.zeros(there + coming), np.zeros(there + coming)
    for n in range(coming):
        logon_s[there + n] = interpolate(drawn[n] * arrived[-1], arrived, at_s)
    for n in range(stays_s.size):
        stays_s[n] = s.session_s * exponential(rng)
    return logon_s, stays_s


@kernel
def _draw_tasks(streams, ahead, stays_s, settings, heaviness, sessions, tasks):
    """Draw each session's locality, and its tasks, with thinks that outlast it and skewed demands.

    It writes what there is room for (in place) and returns how many tasks there are. The odd think
    is an absence; a task of a heavy user is long, of one who does much I/O has many SIOs.
    """
    at, room = 0, tasks.size > 0
    for n in range(streams.size):
        s, session = streams[n], sessions[n]
        sizes = settings.most_pages + 1 - settings.fewest_pages
        session.locality_pages = settings.fewest_pages + whole(s, sizes)
        session.first_task = first = at
        # Whole batches are drawn, and a user's tasks from where they end: batches of another size
        # are another load. A batch has first all absences, then all lengths.
        expected = stays_s[n] / settings.mean_think_s
        batch = int(expected + 6.0 * math.sqrt(expected)) + 10
        passed_s = drawn_s = 0.0
        ended = False
        while drawn_s == 0.0 or drawn_s < stays_s[n]:
            ahead[0] = streams[n]
            for _ in range(batch):
                uniform(ahead[0])
            for _ in range(batch):
                is_away = uniform(s) < settings.absence_share
                mean_s = settings.absence_s if is_away else settings.think_s
                think_s = mean_s * exponential(ahead[0])
                drawn_s += think_s
                if not ended:
                    if room:
                        tasks[at].think_ms = SECOND_MS * think_s
                    at += 1
                    passed_s += think_s
                    ended = passed_s >= stays_s[n]
            streams[n] = ahead[0]
        if room:
            heavy = lognormal_factor(normal(s), settings.user_heaviness_sd)
            mean_ms = heaviness * heavy * settings.task_ms
            sios_per_ms = (
                lognormal_factor(normal(s), settings.user_io_sd) / settings.sio_interval_ms
            )
            shape = settings.task_shape
            for task in range(first, at):
                spread = exp(shape * normal(s) - 0.5 * shape * shape)
                tasks[task].cpu_ms = max(mean_ms * spread, 0.1)
            for task in range(first, at):
                mean = tasks[task].cpu_ms * sios_per_ms
                tasks[task].sios = poisson_quantile(uniform(s), mean)
    return at
