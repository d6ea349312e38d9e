"""The drives by hand: heads and cylinders, and the block that is read ahead."""

import numpy as np
import pytest

from perfkit.des.alarms import NEVER
from perfkit.des.devices import DriveState
from perfkit.systems.unix_v6 import Parameters, draw_workload
from perfkit.systems.unix_v6.devices import positioning_ms
from perfkit.systems.unix_v6.run import LOOP
from perfkit.systems.unix_v6.state import OPERATION, Event, Operation, new_machine

PER_TRACK, PER_CYLINDER = 20, 40
QUIET = {
    "processes": 1,
    "interactions": 1,
    "pause_percent": (100.0, 0.0, 0.0, 0.0),
    "strings_per_interaction": 0.0,
    "file_blocks": 8,
    "flush_period_s": 3600,
}


def machine_of(p, operations):
    """Return a machine whose one process does the given operations in one interaction."""
    workload = draw_workload(p, 0)
    workload.interactions.operations[:] = len(operations)
    kinds = np.array(operations, OPERATION).view(np.recarray)
    machine = new_machine(p, workload._replace(operations=kinds), 0, trace=1000)
    machine.kernel.users_silent = -1
    return machine


@pytest.mark.parametrize(
    ("head", "block", "ms"),
    [
        (0, 3 * PER_CYLINDER + 5, 0.0),
        (0, 3 * PER_CYLINDER + PER_TRACK + 5, 8.0),
        (1, 3 * PER_CYLINDER + PER_TRACK + 5, 0.0),
        (1, 3 * PER_CYLINDER + 5, 8.0),
        (0, 4 * PER_CYLINDER, 15.0),
        (0, 4 * PER_CYLINDER + PER_TRACK, 15.0),
    ],
)
def test_another_head_of_the_same_cylinder_costs_a_change_and_a_seek_includes_it(head, block, ms):
    machine = machine_of(Parameters(**QUIET), [(Operation.READ, 0)])
    drive, request = machine.drives[1], machine.requests[0]
    drive.cylinder, drive.head = 3, head
    request.block, request.cylinder = block, block // PER_CYLINDER
    assert positioning_ms.py_func(machine, drive, request) == pytest.approx(ms)


def test_a_drive_remembers_the_head_that_its_last_block_lies_under():
    p = Parameters(**QUIET)
    machine = machine_of(p, [(Operation.READ, 4)])
    LOOP.until(machine, NEVER)
    block = machine.file_blocks[0, 4]
    drive = machine.drives[1]
    assert machine.kernel.reads == 1 and drive.state == DriveState.IDLE
    assert (drive.cylinder, drive.head) == (block // PER_CYLINDER, block // PER_TRACK % 2)


def test_the_block_after_is_queued_beside_the_one_asked_for():
    machine = machine_of(Parameters(**QUIET), [(Operation.READ, block) for block in (4, 5)])
    LOOP.until(machine, NEVER)
    assert (machine.kernel.reads, machine.kernel.read_aheads) == (2, 1)
    arrived_ms = {r.block: r.arrived_ms for r in (*machine.requests, *machine.serving)}
    next_ms, ahead_ms = (arrived_ms[machine.file_blocks[0, block]] for block in (5, 6))
    transfers = machine.trace.time_ms[machine.trace.kind == Event.TRANSFER]
    assert transfers[0] < next_ms == ahead_ms < transfers[1]


@pytest.mark.parametrize(("blocks", "ahead"), [((4, 5), 1), ((6, 7), 0), ((3, 5), 0)])
def test_looking_ahead_stops_at_the_files_end_and_after_a_jump(blocks, ahead):
    machine = machine_of(Parameters(**QUIET), [(Operation.READ, block) for block in blocks])
    LOOP.until(machine, NEVER)
    assert (machine.kernel.reads, machine.kernel.read_aheads) == (2, ahead)
