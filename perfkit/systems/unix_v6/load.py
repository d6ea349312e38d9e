"""The synthetic workload of section 4.2: 200 interactions per process, drawn beforehand.

Each process draws from streams of its own, so that a process does the same work
whatever the memory, the disc or the scheduler (common random numbers).
"""

from typing import NamedTuple

import numpy as np

from perfkit.core.tables import check_ranges
from perfkit.des.compiling import assembly, kernel
from perfkit.des.draws import permutation, stream, streams, uniform, whole
from perfkit.des.elementary import poisson_count, poisson_start
from perfkit.des.records import records, viewed
from perfkit.systems.unix_v6.state import INTERACTION, OPERATION, Operation, settings_of


class Workload(NamedTuple):
    """What every process will do; a reader may build or edit one.

    Attributes
    ----------
    interactions : record array, shape (processes, interactions)
        Fields ``compute_ms``, ``pause_s``, ``strings``, ``first_operation`` and
        ``operations`` (dtype INTERACTION).
    operations : record array, shape (operations,)
        Fields ``kind`` (0 read, 1 write of a part, 2 write of a whole block) and
        ``block`` of the process's file (dtype OPERATION).
    file_blocks : ndarray of int64, shape (processes, blocks)
        Disc address of each block of each file, its indirect blocks last.
    """

    interactions: np.recarray
    operations: np.recarray
    file_blocks: np.ndarray


def draw_workload(parameters, seed):
    """Draw the workload of one run.

    Examples
    --------
    >>> from perfkit.systems.unix_v6 import Parameters
    >>> workload = draw_workload(Parameters(processes=2, interactions=5), seed=0)
    >>> workload.interactions["strings"].sum(axis=1).tolist()
    [4, 6]
    """
    p, (settings, *tables) = parameters, settings_of(parameters)
    demand, block = (streams(seed, what, p.processes) for what in ("demand", "block"))
    return viewed(Workload(*draw(settings, demand, block, stream(seed, "file"), *tables[:3])))


def checked_workload(parameters, workload):
    """Return a reader's workload, refused unless the parameters' machine can do it.

    Files without indirect blocks may be larger than the parameters say.
    """
    if not isinstance(workload, Workload):
        raise TypeError(f"workload must be a unix_v6.Workload, not {type(workload).__name__}.")
    p, wanted = parameters, {"interactions": INTERACTION, "operations": OPERATION}
    shapes = {
        "interactions": (p.processes, p.interactions),
        "operations": (np.size(workload.operations),),
        "file_blocks": (p.processes, p.file_blocks + p.indirect_blocks),
    }
    for name, shape in shapes.items():
        dtype = np.dtype(wanted.get(name, np.int64))
        array = getattr(workload, name)
        if getattr(array, "dtype", None) != dtype:
            raise TypeError(f"workload.{name} must be an array of {dtype}.")
        larger = name == "file_blocks" and not p.indirect_blocks and array.ndim == 2
        if array.shape != shape and not (
            larger and array.shape[0] == p.processes and array.shape[1] > p.file_blocks
        ):
            raise ValueError(
                f"workload.{name} must be of shape {shape} for these parameters, not {array.shape}."
            )
    interactions, operations, file_blocks = map(np.ascontiguousarray, workload)
    last_operation = operations.size - interactions["operations"]
    last_block = file_blocks.shape[1] - p.indirect_blocks - 1
    disc_blocks = p.disc_cylinders * p.disc_heads * p.disc_blocks_per_track
    check_ranges(
        "workload",
        ("interactions.compute_ms", interactions["compute_ms"], 0, np.finfo(float).max),
        ("interactions.pause_s", interactions["pause_s"], 0, np.inf),
        ("interactions.strings", interactions["strings"], 0, np.inf),
        ("interactions.operations", interactions["operations"], 0, operations.size),
        ("interactions.first_operation", interactions["first_operation"], 0, last_operation),
        ("operations.kind", operations["kind"], 0, int(max(Operation))),
        ("operations.block", operations["block"], 0, last_block),
        ("file_blocks", file_blocks, 0, disc_blocks - 1),
    )
    return Workload(interactions.view(np.recarray), operations.view(np.recarray), file_blocks)


@assembly
def draw(settings, demand, block, file, loop_percent, loop_ms, pause_percent):
    """Return what all processes will do, the arrays of a Workload; streams draw it.

    The blocks of all files are scattered over the file area, as an old free list does.
    """
    s, tables = settings, (loop_percent, loop_ms, pause_percent)
    interactions = records((s.processes, s.interactions), INTERACTION)
    count = _draw_interactions(demand, *tables, s, interactions)
    operations = records(count, OPERATION)
    _draw_operations(block, interactions, s, operations)
    scattered = permutation(file, s.file_area_blocks)
    blocks = np.zeros((s.processes, s.blocks_a_file), np.int64)
    for p in range(s.processes):
        for n in range(s.blocks_a_file):
            blocks[p, n] = s.file_area_start_block + scattered[p * s.blocks_a_file + n]
    return interactions, operations, blocks


@kernel
def _draw_interactions(streams, loop_percent, loop_ms, pause_percent, settings, interactions):
    """Draw what each process asks for, column by column, from a stream of its own (in place)."""
    operations, strings = settings.operations_per_interaction, settings.strings_per_interaction
    first_operation, first_string = poisson_start(operations), poisson_start(strings)
    at = 0
    for p in range(streams.size):
        s, rows = streams[p], interactions[p]
        for i in range(rows.size):
            rows[i].compute_ms = loop_ms[_row(loop_percent, 100.0 * uniform(s))]
        for i in range(rows.size):
            rows[i].first_operation = at
            rows[i].operations = poisson_count(uniform(s), operations, *first_operation)
            at += rows[i].operations
        for i in range(rows.size):
            rows[i].pause_s = _row(pause_percent, 100.0 * uniform(s))
        for i in range(rows.size):
            rows[i].strings = poisson_count(uniform(s), strings, *first_string)
    return at


@kernel
def _row(cumulative, percent):
    """Return which row of a cumulative distribution a draw falls into."""
    row = 0
    while row < cumulative.size and cumulative[row] <= percent:
        row += 1
    return row


@kernel
def _draw_operations(streams, interactions, settings, operations):
    """Draw kinds and blocks: a run goes on at the next block, a seek goes anywhere (in place)."""
    for p in range(streams.size):
        s, last = streams[p], interactions[p, interactions.shape[1] - 1]
        first, end = interactions[p, 0].first_operation, last.first_operation + last.operations
        for at in range(first, end):
            writes = uniform(s) < settings.write_share
            operations[at].kind = Operation.WRITE_WHOLE if writes else Operation.READ
        for at in range(first, end):
            part = uniform(s) >= settings.whole_block_share
            if part and operations[at].kind == Operation.WRITE_WHOLE:
                operations[at].kind = Operation.WRITE_PART
        for at in range(first, end):
            operations[at].block = uniform(s) < settings.sequential_share
        for at in range(first, end):
            # Drawn for all, used by those that seek: a share of runs changes no other block.
            target = whole(s, settings.file_blocks)
            if at > first and operations[at].block:
                target = (operations[at - 1].block + 1) % settings.file_blocks
            operations[at].block = target
