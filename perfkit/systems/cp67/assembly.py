"""Put a machine together from parameters and a day's load: storage empty, nobody in queue."""

import numpy as np

from perfkit.des.alarms import new_alarms, set_alarm
from perfkit.des.draws import stream
from perfkit.des.elementary import each_exp, log
from perfkit.des.lists import new_lists
from perfkit.des.storage import Disc
from perfkit.des.tallies import new_levels
from perfkit.des.trace import new_trace
from perfkit.systems.cp67.dusetimr import table_1_wait
from perfkit.systems.cp67.machine import (
    DRIVE,
    DUSETIMR,
    FIRST_DRIVE_ACTOR,
    FRAME,
    KERNEL,
    NOBODY,
    OBSERVATION,
    PAGE,
    SECOND_MS,
    SETTINGS,
    TASK,
    USER,
    VERSION,
    Estimator,
    IoWait,
    Level,
    Machine,
    Queue,
    State,
)
from perfkit.systems.cp67.paging import MOST_TRIPS
from perfkit.systems.cp67.parameters import BENCHMARKS, POLICY_FIELDS

FEWEST_DRAWS = 2**15


def new_machine(p, load, versions, order, seed, day=0, trace=0):
    """Return a machine at the beginning of a day, its draws all used.

    Parameters
    ----------
    p : Parameters
    load : Load
    versions : record array
        As ``version_records`` returns.
    order : ndarray of int64
        The version of each observation; repeats.
    seed, day : int
        Draw the phases of drum and drives and the places of pages.
    trace : int
        How many trace records to have room for.

    Returns
    -------
    Machine
    """
    users = 1 + load.sessions.size
    places = stream(seed, "phase", day)
    draws = max(FEWEST_DRAWS, 8 * _draws_an_event(p))
    machine = Machine(
        settings=_settings(p),
        kernel=_records(1, KERNEL)[0],
        before=_records(1, KERNEL)[0],
        versions=versions,
        order=order,
        users=_records(users, USER),
        pages=_records((users, p.virtual_pages), PAGE),
        rates_per_ms=_rates(p),
        frames=_records(p.frames, FRAME),
        tasks=np.concatenate((_benchmarks(p), load.tasks, _last_think())).view(np.recarray),
        ready=new_lists(len(Queue)),
        waiting_for_frame=new_lists(1)[0],
        drum_queue=new_lists(1)[0],
        drive_queues=new_lists(p.drives),
        levels=new_levels(len(Level)),
        areas_before=np.zeros(len(Level)),
        drum=_drum(p),
        disc=_disc(p),
        drives=_records(p.drives, DRIVE),
        benchmark_pages=np.array(_benchmark_pages(p)),
        waits_ms=SECOND_MS * np.array(p.observation_wait_s, float),
        observations=_records(int(p.day_s / min(p.observation_wait_s)) + 2, OBSERVATION),
        exponentials=np.zeros(draws),
        uniforms=np.zeros(draws),
        alarms=new_alarms(FIRST_DRIVE_ACTOR + p.drives + users),
        trace=new_trace(trace),
    )
    _clear(machine, p, places)
    _place_pages(machine, p, places)
    _admit(machine, p, load)
    return machine


def version_records(p, versions):
    """Return the rules of each version.

    Parameters
    ----------
    p : Parameters
        What the versions do not change.
    versions : sequence of dict, optional
        Changes of fields in POLICY_FIELDS; without, there is one version: ``p`` itself.

    Returns
    -------
    record array
        Dtype VERSION.

    Raises
    ------
    ValueError
        If a version changes what can't be switched, or a value is impossible.
    """
    chosen = [p]
    if versions is not None:
        if isinstance(versions, dict) or not all(isinstance(one, dict) for one in versions):
            raise ValueError(
                "versions must be a list of dictionaries of changes, one a version, such as"
                f" [{{'algorithm': 1}}, {{'algorithm': 2}}]; {versions!r} is not."
            )
        chosen = [_version(p, changes) for changes in versions]
    if not chosen:
        raise ValueError("versions must hold at least one dictionary of changes.")
    records = _records(len(chosen), VERSION)
    for record, rules in zip(records, chosen, strict=True):
        for name in POLICY_FIELDS:
            record[name] = _number(name, getattr(rules, name))
    return records


def _version(p, changes):
    for name in changes:
        if name == "replacement":
            raise ValueError(
                "A version's own replacement is algorithm 3; the policy is handed over beside the"
                " versions, as replacement=."
            )
        if name in p.names() and name not in POLICY_FIELDS:
            raise ValueError(
                f"'{name}' can't be switched while the system runs; what can is"
                f" {', '.join(POLICY_FIELDS)}."
            )
    return p.replace(**changes)


def _number(name, value):
    if name == "estimator":
        return Estimator[value.upper()]
    if name == "io_wait":
        return IoWait[value.upper()]
    return value


def _records(shape, dtype):
    return np.zeros(shape, dtype).view(np.recarray)


def _draws_an_event(p):
    return (2 * MOST_TRIPS + 4) * p.frames + 4 * p.virtual_pages + 64


def _settings(p):
    settings = _records(1, SETTINGS)[0]
    for name in set(SETTINGS.names) & set(p.names()):
        settings[name] = getattr(p, name)
    settings.draws_an_event = _draws_an_event(p)
    return settings


def _benchmarks(p):
    """Return the benchmarks as tasks."""
    tasks = np.zeros(len(BENCHMARKS), TASK)
    tasks["cpu_ms"] = p.benchmark_cpu_ms
    tasks["sios"] = p.benchmark_sios
    return tasks


def _last_think():
    """Return a task that no one begins, for thinks that outlast a session but for rounding."""
    return np.array([(np.inf, 0.0, 0)], TASK)


def _benchmark_pages(p):
    """Return each benchmark's pages, those of the I/O routines added where it does I/O."""
    return [
        pages + (p.io_routine_pages if sios else 0)
        for pages, sios in zip(p.benchmark_pages, p.benchmark_sios, strict=True)
    ]


def _rates(p):
    """Return rates of reference: a row a benchmark, then a row a size of locality."""
    rows = np.zeros((len(BENCHMARKS) + p.virtual_pages, p.virtual_pages))
    for row, pages in enumerate(_benchmark_pages(p)):
        rows[row, :pages] = p.benchmark_touch_per_ms
    for pages in range(1, p.virtual_pages):
        rates = each_exp(np.linspace(log(p.hottest_per_ms), log(p.coldest_per_ms), pages))
        rows[len(BENCHMARKS) + pages, :pages] = rates
    return rows


def _drum(p):
    turn_ms = p.drum_revolution_ms
    return Disc(np.zeros(2), 1, p.drum_pages_per_track, turn_ms, 0.0, 0.0, 0.0)


def _disc(p):
    turn_ms = p.disc_revolution_ms
    seeks_ms = np.array(p.seek_times_ms())
    return Disc(seeks_ms, p.heads, p.records_per_track, turn_ms, 0.0, 0.0, 0.0)


def _clear(machine, p, places):
    """Free all frames, mark all draws as used, set the platters turning."""
    k, frames = machine.kernel, machine.frames
    k.running = k.drum_frame = NOBODY
    frames.owner[:] = NOBODY
    frames.next[:] = np.arange(1, frames.size + 1)
    frames.next[-1] = NOBODY
    k.exponentials_used = machine.exponentials.size
    k.uniforms_used = machine.uniforms.size
    k.drum_phase_ms = places.random() * p.drum_revolution_ms
    machine.drives.serving[:] = NOBODY
    machine.drives.phase_ms[:] = places.random(p.drives) * p.disc_revolution_ms
    machine.drives.cylinder[:] = places.integers(p.cylinders, size=p.drives)


def _place_pages(machine, p, places):
    """Give every page a sector of the drum, and none a frame."""
    machine.pages.frame[:] = NOBODY
    machine.pages.sector[:] = places.integers(p.drum_pages_per_track, size=machine.pages.shape)


def _admit(machine, p, load):
    """Let DUSETIMR be logged on and wait, and the others log on when they will."""
    first = FIRST_DRIVE_ACTOR + p.drives
    users, sessions = machine.users, load.sessions
    users.next[:] = NOBODY
    users.fault_page[:] = NOBODY
    users.logoff_ms[1:] = sessions.logoff_ms
    users.task[1:] = sessions.first_task + len(BENCHMARKS)
    users.locality_pages[1:] = sessions.locality_pages
    users.rates_row[1:] = len(BENCHMARKS) + sessions.locality_pages
    users.drift_per_ms[1:] = p.drift_per_ms
    users.drive[1:] = sessions.drive
    users.first_cylinder[1:] = sessions.first_cylinder
    for u, logon_ms in enumerate(sessions.logon_ms.tolist(), 1):
        set_alarm(machine.alarms, first + u, logon_ms)
    dusetimr = users[DUSETIMR]
    dusetimr.state = State.THINKING
    machine.levels[Level.LOGGED_ON].value = 1.0
    there = 1.0 + (sessions.logon_ms == 0.0).sum()
    set_alarm(machine.alarms, first + DUSETIMR, table_1_wait(machine.waits_ms, there))
    machine.kernel.version = machine.order[0]
