"""The synthetic workload of section 4.2: 200 interactions per process, drawn beforehand.

Each process draws from streams of its own, so that a process does the same work
whatever the memory, the disc or the scheduler (common random numbers).
"""

from typing import NamedTuple

import numpy as np

from perfkit.core.tables import check_ranges
from perfkit.des.compiling import kernel
from perfkit.des.draws import stream, streams
from perfkit.des.elementary import each_poisson_quantile
from perfkit.des.records import records
from perfkit.systems.unix_v6.parameters import LOOP_ITERATIONS
from perfkit.systems.unix_v6.state import INTERACTION, OPERATION, Operation


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
    p = parameters
    interactions = records((p.processes, p.interactions), INTERACTION)
    demands = streams(seed, "demand", p.processes)
    draws = np.stack([rng.random((4, p.interactions)) for rng in demands], axis=1)
    _fill_interactions(p, interactions, *draws)
    per_process = interactions.operations.sum(axis=1).tolist()
    return Workload(
        interactions,
        _draw_operations(p, per_process, streams(seed, "block", p.processes)),
        scatter_files(p, stream(seed, "file")),
    )


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
        "file_blocks": (p.processes, p.file_blocks + p.indirect_blocks()),
    }
    for name, shape in shapes.items():
        dtype = np.dtype(wanted.get(name, np.int64))
        array = getattr(workload, name)
        if getattr(array, "dtype", None) != dtype:
            raise TypeError(f"workload.{name} must be an array of {dtype}.")
        larger = name == "file_blocks" and not p.indirect_blocks() and array.ndim == 2
        if array.shape != shape and not (
            larger and array.shape[0] == p.processes and array.shape[1] > p.file_blocks
        ):
            raise ValueError(
                f"workload.{name} must be of shape {shape} for these parameters, not {array.shape}."
            )
    interactions, operations, file_blocks = map(np.ascontiguousarray, workload)
    last_operation = operations.size - interactions["operations"]
    last_block = file_blocks.shape[1] - p.indirect_blocks() - 1
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


def _fill_interactions(p, interactions, loop, operations, pause, strings):
    """Turn four draws from 0 to 1 per interaction into what it asks for (modifies in place)."""
    iterations = np.array(LOOP_ITERATIONS)[
        np.searchsorted(p.loop_percent(), 100.0 * loop, side="right")
    ]
    pauses = np.cumsum(p.pause_percent)[:3]
    counts = each_poisson_quantile(operations, p.operations_per_interaction).astype(np.int64)
    interactions.compute_ms[:] = p.loop_overhead_ms + p.loop_iteration_ms * iterations
    interactions.pause_s[:] = np.searchsorted(pauses, 100.0 * pause, side="right")
    interactions.strings[:] = each_poisson_quantile(strings, p.strings_per_interaction)
    interactions.operations[:] = counts
    interactions.first_operation[:] = np.cumsum(counts).reshape(counts.shape) - counts


def _draw_operations(p, per_process, streams):
    """Draw kinds and blocks: a run goes on at the next block, a seek goes anywhere."""
    draws, targets = np.empty(3 * sum(per_process)), []
    ends = np.cumsum(per_process)
    for count, end, rng in zip(per_process, ends.tolist(), streams, strict=True):
        rng.random(out=draws[3 * (end - count) : 3 * end])
        # Drawn for all, used by those that seek: a share of runs changes no other block.
        targets.append(rng.integers(p.file_blocks, size=count))
    blocks = np.concatenate(targets)
    operations, kinds = records(blocks.size, OPERATION), np.empty_like(blocks)
    shares = p.write_share, p.whole_block_share, p.sequential_share
    _fill_operations(draws, ends, *shares, p.file_blocks, kinds, blocks)
    operations.kind[:], operations.block[:] = kinds, blocks
    return operations


@kernel
def _fill_operations(draws, ends, write_share, whole_share, run_share, file_blocks, kinds, blocks):
    """Turn three draws per operation, process by process, into kinds and blocks (in place)."""
    first = 0
    for end in ends:
        for at in range(first, end):
            write, whole, run = 2 * first + at, first + end + at, 2 * end + at
            kinds[at] = Operation.READ
            if draws[write] < write_share:
                part = draws[whole] >= whole_share
                kinds[at] = Operation.WRITE_PART if part else Operation.WRITE_WHOLE
            if at > first and draws[run] < run_share:
                blocks[at] = (blocks[at - 1] + 1) % file_blocks
        first = end


def scatter_files(p, rng):
    """Scatter the blocks of all files, a row each, over the file area, as an old free list does."""
    per_cylinder = p.disc_heads * p.disc_blocks_per_track
    area = rng.permutation(p.file_area() * per_cylinder)[: p.file_blocks_total()]
    start = p.file_area_start * per_cylinder
    return (start + area).reshape(p.processes, -1).astype(np.int64)
