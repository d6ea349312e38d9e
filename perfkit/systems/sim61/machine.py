"""The state of the RCA system: records that the handlers share, and the numbers they obey.

All times are in milliseconds unless a name says else. Every task has a clock of its own,
``used_ms``: the compute time of Table 1 that it has had. What it will demand next (a page,
an I/O, ...) stands on that clock.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import Alarms
from perfkit.des.compiling import inlined
from perfkit.des.tallies import change_level

NOBODY = lists.NOBODY
PROCESSOR_ACTOR, FIRST_DEVICE_ACTOR = 0, 1


class TaskType(IntEnum):
    """The three basic task types."""

    INTERACTIVE = 0
    BATCH = 1
    COMMUNICATIONS = 2


class State(IntEnum):
    """What a task is doing; from READY on it is active: core is committed to it."""

    THINKING = 0
    DELAYED = 1
    WAITING = 2
    READY = 3
    RUNNING = 4
    PAGING = 5
    SHORT_OF_FRAMES = 6
    USER_IO = 7


class Queue(IntEnum):
    """Queues of tasks; the first three are, one behind the other, the interactive ready queue."""

    COMMUNICATIONS = 0
    INTERACTIVE = 1
    RUN_OUT = 2
    BATCH = 3
    PROCESSOR = 4
    FRAMES = 5


class Choice(IntEnum):
    """What an activation rule says when both ready queues hold tasks."""

    NONE = -1
    INTERACTIVE = 0
    BATCH = 1


class Due(IntEnum):
    """Why a task's burst on the processor ends."""

    PAGE = 0
    EXEC_PAGE = 1
    SHARED_PAGE = 2
    USER_IO = 3
    RUN_OUT = 4
    COMPLETE = 5


class Purpose(IntEnum):
    """What a request to a device is for."""

    READ_PAGE = 0
    READ_EXEC = 1
    WRITE_PAGE = 2
    USER_IO = 3


class DeviceState(IntEnum):
    """A device's arm and heads."""

    IDLE = 0
    SEEKING = 1
    ON_CYLINDER = 2
    TRANSFERRING = 3


class Level(IntEnum):
    """Levels that are averaged over time."""

    ACTIVE = 0
    SCHEDULED = 1
    PAGING = 2
    USER_IO = 3
    FRAMES = 4


class Event(IntEnum):
    """Kinds of trace records."""

    READY = 0
    ACTIVATE = 1
    PAGE_FAULT = 2
    EXEC_FAULT = 3
    RECLAIM = 4
    PAGE_IN = 5
    PAGE_OUT = 6
    IO_START = 7
    IO_END = 8
    RUN_OUT = 9
    RESPONSE = 10


class Stop(IntEnum):
    """Why the event loop gave control back."""

    TIME_UP = 0
    DRAWS_USED = 1
    BAD_CURVE = 2
    BAD_CHOICE = 3


TASK = np.dtype(
    [
        ("kind", "i8"),
        ("group", "i8"),
        ("state", "i8"),
        ("next", "i8"),
        ("rows_used", "i8"),
        ("working_set_pages", "i8"),
        ("granted_pages", "i8"),
        ("charge_pages", "f8"),
        ("demanded_pages", "i8"),
        ("held_pages", "i8"),
        ("clean_pages", "i8"),
        ("dirty_pages", "i8"),
        ("reclaimed_writes", "i8"),
        ("in_pool", "i8"),
        ("outstanding", "i8"),
        ("outstanding_allowed", "i8"),
        ("due", "i8"),
        ("used_ms", "f8"),
        ("began_ms", "f8"),
        ("burst_ms", "f8"),
        ("curve_ms", "f8"),
        ("user_ms_per_ms", "f8"),
        ("complete_at_ms", "f8"),
        ("run_out_at_ms", "f8"),
        ("page_at_ms", "f8"),
        ("exec_at_ms", "f8"),
        ("shared_at_ms", "f8"),
        ("io_at_ms", "f8"),
        ("exec_interval_ms", "f8"),
        ("shared_interval_ms", "f8"),
        ("io_interval_ms", "f8"),
        ("asked_ms", "f8"),
        ("waits_since_ms", "f8"),
    ],
    align=True,
)


GROUP = np.dtype(
    [
        ("responses", "i8"),
        ("response_ms", "f8"),
        ("user_ms", "f8"),
        ("activations", "i8"),
        ("run_outs", "i8"),
        ("page_faults", "i8"),
        ("exec_faults", "i8"),
        ("reclaims", "i8"),
        ("paging_ms", "f8"),
        ("ios", "i8"),
    ],
    align=True,
)

REQUEST = np.dtype(
    [
        ("next", "i8"),
        ("task", "i8"),
        ("purpose", "i8"),
        ("cylinder", "i8"),
        ("angle", "f8"),
    ],
    align=True,
)

DEVICE = np.dtype(
    [
        ("state", "i8"),
        ("serving", "i8"),
        ("head", "i8"),
        ("tail", "i8"),
        ("later_head", "i8"),
        ("later_tail", "i8"),
        ("channel", "i8"),
        ("next", "i8"),
        ("cylinder", "i8"),
        ("cylinders", "i8"),
        ("slots", "i8"),
        ("from_index", "i8"),
        ("revolution_ms", "f8"),
        ("phase_ms", "f8"),
        ("set_up_ms", "f8"),
        ("transfer_ms", "f8"),
        ("supervisor_ms", "f8"),
        ("started_ms", "f8"),
        ("busy_ms", "f8"),
        ("operations", "i8"),
    ],
    align=True,
)

CHANNEL = np.dtype([("devices", "i8"), ("busy", "i8"), ("head", "i8"), ("tail", "i8")], align=True)

DEMAND = np.dtype(
    [
        ("working_set_pages", "f8"),
        ("compute_ms", "f8"),
        ("think_ms", "f8"),
        ("io_interval_ms", "f8"),
        ("exec_interval_ms", "f8"),
        ("shared_interval_ms", "f8"),
    ],
    align=True,
)

SETTINGS = np.dtype(
    [
        ("core_pages", "f8"),
        ("extra_pages", "f8"),
        ("paging_devices", "i8"),
        ("user_discs", "i8"),
        ("compute_bound_ms", "f8"),
        ("reads_first", "i8"),
        ("slow_down", "f8"),
        ("activations_per_batch", "f8"),
        ("curve_exponent", "f8"),
        ("curve_ms", "f8"),
        ("interactive_slice_ms", "f8"),
        ("batch_slice_ms", "f8"),
        ("batch_delay_ms", "f8"),
        ("svc_ms", "f8"),
        ("page_ms", "f8"),
        ("io_ms", "f8"),
        ("activation_ms", "f8"),
        ("reclaim_ms", "f8"),
        ("fault_charge_ms", "f8"),
        ("dirty_share", "f8"),
        ("reuse_share", "f8"),
        ("io_wait_share", "f8"),
        ("batch_io_wait_share", "f8"),
        ("io_buffers", "i8"),
        ("exec_rate", "f8"),
        ("shared_rate", "f8"),
        ("draws_an_event", "i8"),
    ],
    align=True,
)

KERNEL = np.dtype(
    [
        ("now_ms", "f8"),
        ("stop", "i8"),
        ("running", "i8"),
        ("burst_end_ms", "f8"),
        ("supervisor_end_ms", "f8"),
        ("activate", "i8"),
        ("rows_ended", "i8"),
        ("exponentials_used", "i8"),
        ("uniforms_used", "i8"),
        ("free_request", "i8"),
        ("free_frames", "i8"),
        ("scheduled_pages", "f8"),
        ("active", "i8"),
        ("active_batch", "i8"),
        ("paging", "i8"),
        ("counted", "i8"),
        ("events", "i8"),
        ("traced", "i8"),
        ("trace_full", "i8"),
        ("user_ms", "f8"),
        ("supervisor_ms", "f8"),
        ("activations_interactive", "i8"),
        ("activations_batch", "i8"),
        ("free_interactive", "i8"),
        ("free_batch", "i8"),
        ("pages_in", "i8"),
        ("exec_pages_in", "i8"),
        ("pages_out", "i8"),
        ("reclaims", "i8"),
        ("frame_waits", "i8"),
        ("page_waits", "i8"),
        ("page_wait_ms", "f8"),
        ("ios", "i8"),
        ("io_waits", "i8"),
    ],
    align=True,
)


class Machine(NamedTuple):
    """Everything a run reads and writes; every array is modified in place.

    Attributes
    ----------
    settings, kernel : record
        The numbers obeyed (dtype SETTINGS; supervisor times on the simulated processor)
        and the supervisor's variables and counters (KERNEL).
    tasks, groups : record array
        One record a task (TASK) and a class of tasks (GROUP).
    pool : record
        The list of tasks that have clean pages in the pool, the oldest first.
    members : record array
        A task's place in it (LINK).
    queues : record array, shape (6,)
        Linked lists of tasks, in the order of ``Queue``.
    levels : record array, shape (5,)
        What is averaged over time, in the order of ``Level``.
    devices, channels, requests : record array
        Paging devices first, then the discs of user I/O; requests that are not in use are
        linked from ``kernel.free_request``.
    seek_ms : ndarray of float64, shape (devices, cylinders)
        Time of a seek by distance.
    demands : record array, shape (tasks, rows)
        Characteristics of the coming interactions of each task, refilled outside.
    exponentials, uniforms : ndarray of float64
        Draws of mean 1 and from 0 to 1, refilled outside.
    alarms : Alarms
        Actors: the processor, the devices, the tasks.
    trace : record array
        Dtype EVENT; empty when no trace is kept.
    """

    settings: np.record
    kernel: np.record
    tasks: np.recarray
    groups: np.recarray
    pool: np.record
    members: np.recarray
    queues: np.recarray
    levels: np.recarray
    devices: np.recarray
    channels: np.recarray
    requests: np.recarray
    seek_ms: np.ndarray
    demands: np.recarray
    exponentials: np.ndarray
    uniforms: np.ndarray
    alarms: Alarms
    trace: np.recarray


@inlined
def set_level(m, level, value):
    """Move one of the levels that are averaged over time."""
    change_level(m.levels[level], m.kernel.now_ms, value)


@inlined
def push(m, queue, t):
    """Put a task at the end of a queue."""
    lists.push(m.tasks, m.queues[queue], t)


@inlined
def pop(m, queue):
    """Take the first task out of a queue that holds one."""
    return lists.pop(m.tasks, m.queues[queue])
