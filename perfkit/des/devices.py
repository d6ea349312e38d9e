"""Discs and drums as mechanics: a seek table, rotation, tracks, transfer.

A request's time comes out of where the arm and the platter are when it starts;
no constant service time exists. Blocks are numbered along a track, then over the
heads of a cylinder, then over the cylinders.
"""

import functools
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from perfkit.des.compiling import assembly, inlined, kernel
from perfkit.des.counters import total
from perfkit.des.elementary import power
from perfkit.des.records import fields

ROUNDING = 1e-6  # of a revolution: a block that comes this little too late is caught


class Discipline(IntEnum):
    """Which waiting request an arm serves next."""

    FCFS = 0
    SSTF = 1
    LOOK = 2


# What the arm and heads of a drive do.
DriveState = IntEnum("DriveState", "IDLE STARTING SEEKING ON_CYLINDER TRANSFERRING", start=0)
DRIVE = fields(
    "state serving cylinder head direction channel operations", "phase_ms started_ms busy_ms"
)


class Disc(NamedTuple):
    """A disc drive's geometry and speeds, all times in the caller's unit.

    Attributes
    ----------
    seek_time : ndarray of float64, shape (cylinders,)
        Time to move the arm by each number of cylinders; zero for none.
    heads : int
        Tracks in a cylinder.
    head_switch : float
        Time to change to the other head of the same cylinder.
    head_skew, cylinder_skew : float
        By how much later a track's start comes round than that of the track before, on
        the same cylinder and on the cylinder before.
    """

    seek_time: np.ndarray
    heads: int
    blocks_per_track: int
    revolution: float
    head_switch: float = 0.0
    head_skew: float = 0.0
    cylinder_skew: float = 0.0


def seek_table(cylinders, track_to_track, mean, full_stroke):
    """Return seek times by distance through a drive's three published figures.

    The curve is ``track_to_track + c (d - 1) ** p``: it meets the full stroke, and
    its mean over two cylinders drawn at random (distance not zero) is ``mean``. Three
    equal figures make every seek as long, three zeros a device with one head per track.

    Parameters
    ----------
    cylinders : int
        Cylinders of the drive, at least 3.
    track_to_track, mean, full_stroke : float
        Published seek times, rising or all equal.

    Returns
    -------
    ndarray of float64, shape (cylinders,)

    Examples
    --------
    >>> seek_table(4, 10, 10, 10).tolist()
    [0.0, 10.0, 10.0, 10.0]
    >>> times = seek_table(200, 25.0, 60.0, 130.0)
    >>> times[[0, 1, -1]].tolist()
    [0.0, 25.0, 130.0]
    """
    table = _seek_times(cylinders, float(track_to_track), float(mean), float(full_stroke))
    if table.size == 0:
        raise ValueError(
            f"No seek curve has {track_to_track} track to track, {mean} on average and"
            f" {full_stroke} at full stroke over {cylinders} cylinders;"
            " the three must rise, or be equal."
        )
    return table.copy()


@assembly
def seek_times(cylinders, track_to_track, mean, full_stroke):
    """Return what ``seek_table`` does, or no times if no curve has these figures."""
    table = np.zeros(cylinders)
    if cylinders >= 3 and track_to_track == mean == full_stroke >= 0.0:
        table[1:] = mean
        return table
    if cylinders < 3 or not track_to_track < mean < full_stroke:
        return table[:0]
    steps, count = np.arange(1.0, cylinders), float(cylinders)
    reach = (steps - 1.0) / (count - 2.0)
    weight = 2.0 * (count - steps) / (count * (count - 1.0))
    target = (mean - track_to_track) / (full_stroke - track_to_track)
    low, high = 1e-3, 20.0
    if not _mean_reach(weight, reach, low) > target > _mean_reach(weight, reach, high):
        return table[:0]
    # A fixed number of halvings, for the power's last bit must be the same everywhere.
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _mean_reach(weight, reach, middle) > target:
            low = middle
        else:
            high = middle
    for step in range(reach.size):
        rise = (full_stroke - track_to_track) * power(reach[step], low)
        table[step + 1] = track_to_track + rise
    return table


@register_jitable
def _mean_reach(weight, reach, exponent):
    """Return how far up its way the mean seek is, on a curve of an exponent."""
    raised = np.zeros(reach.size)
    for step in range(reach.size):
        raised[step] = weight[step] * power(reach[step], exponent)
    return total(raised)


_seek_times = functools.lru_cache(1000)(seek_times)


@kernel
def cylinder_of(disc, block):
    """Return the cylinder that a block lies in."""
    return block // (disc.blocks_per_track * disc.heads)


@kernel
def head_of(disc, block):
    """Return the head that a block lies under."""
    return block // disc.blocks_per_track % disc.heads


@kernel
def turns_until(revolution, now, start):
    """Return the turns until a place, which begins at a share of the track, comes under the heads.

    Negative by up to ROUNDING for a place that is just caught.
    """
    # Without ROUNDING a request made just as its place comes by would lose a whole turn by the
    # last bit of a division.
    turns = start - now / revolution
    return turns - np.floor(turns + ROUNDING)


@kernel
def rotational_wait(disc, now, block):
    """Return the time until a block's start comes under the heads."""
    track = block // disc.blocks_per_track
    cylinder = track // disc.heads
    skew = (track - cylinder) * disc.head_skew + cylinder * disc.cylinder_skew
    start = (block % disc.blocks_per_track) / disc.blocks_per_track
    return max(turns_until(disc.revolution, now - skew, start), 0.0) * disc.revolution


@kernel
def transfer_end(disc, now, block, blocks):
    """Return when a transfer ends that may start at ``now``, the arm being on its cylinder.

    It waits for the first block, then moves the blocks; at each track's end it
    changes head, or moves the arm one cylinder, and waits for the next track's start.
    """
    block_time = disc.revolution / disc.blocks_per_track
    left = blocks
    at = block
    while True:
        now += rotational_wait(disc, now, at)
        run = min(left, disc.blocks_per_track - at % disc.blocks_per_track)
        now += run * block_time
        left -= run
        at += run
        if left == 0:
            return now
        if cylinder_of(disc, at) == cylinder_of(disc, at - 1):
            now += disc.head_switch
        else:
            now += disc.seek_time[1]


@inlined
def move_arm(seek_times, drive, cylinder):
    """Move a drive's arm to a cylinder and return how long that takes."""
    seek_time = seek_times[abs(cylinder - drive.cylinder)]
    drive.cylinder = cylinder
    return seek_time


@inlined
def operation_ends(drive, now):
    """Count a drive's operation, which ends now."""
    drive.operations += 1
    drive.busy_ms += now - drive.started_ms


@inlined
def turns_back(discipline, offset, direction):
    """Return whether an arm turns under LOOK to go so many cylinders."""
    return discipline == Discipline.LOOK and offset * direction < 0


@kernel
def choose_request(requests, count, drive, discipline, cylinder, direction):
    """Choose which of a drive's waiting requests its arm serves next.

    The first ``count`` records wait; their ``drive``, ``cylinder`` and ``order`` (of arrival) are
    read. The arm stands at ``cylinder`` and moves by ``direction``, +1 or -1. Returned are the
    request's index, -1 if none waits for this drive, and the arm's new direction.
    """
    best = -1
    best_key = 0
    best_turned = False
    for i in range(count):
        if requests[i].drive != drive:
            continue
        key = requests[i].order
        turned = False
        if discipline != Discipline.FCFS:
            offset = requests[i].cylinder - cylinder
            turned = turns_back(discipline, offset, direction)
            key = abs(offset)
        # Among equals the order of arrival decides: records change places as others leave.
        ahead = turned == best_turned and (
            key < best_key or (key == best_key and requests[i].order < requests[best].order)
        )
        if best < 0 or (best_turned and not turned) or ahead:
            best, best_key, best_turned = i, key, turned
    if best_turned:
        direction = -direction
    return best, direction
