"""Machines reduced to what a formula covers: terminals and a processor, or one user's pages."""

import numpy as np

from perfkit.des.draws import permutation, stream, uniforms
from perfkit.des.elementary import each_log
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6
from perfkit.systems.cp67.state import SESSION, TASK
from perfkit.systems.unix_v6.state import INTERACTION, OPERATION
from tests.systems.test_emas_users import NO_WORK
from tests.systems.test_sim61 import task_class


def each(value, names):
    return dict.fromkeys(names.split(), value)


UNIX_V6 = unix_v6.Parameters(
    **each(0.0, "system_call_ms block_io_ms scheduler_ms"),
    interactions=1500,
    memory_clicks=4000,
    disc_seek_ms=(0.0, 0.0, 0.0),
    controller_ms=0.6,
    flush_period_s=3600,
    other_inodes=0,
    file_blocks=8,
    discipline="FCFS",
)


def unix_v6_workload(p, seed, compute_ms):
    """Return exponential compute times, with a read of another block after each."""
    rng = stream(seed, "demand")
    interactions = np.zeros((p.processes, p.interactions), INTERACTION).view(np.recarray)
    interactions.compute_ms[:] = compute_ms * -each_log(1.0 - uniforms(rng, *interactions.shape))
    interactions.operations[:] = 1
    interactions.first_operation[:] = np.arange(interactions.size).reshape(interactions.shape)
    operations = np.zeros(interactions.size, OPERATION).view(np.recarray)
    operations.block[:] = np.tile(permutation(rng, p.interactions), p.processes)
    blocks = permutation(rng, p.disc_cylinders * p.disc_heads * p.disc_blocks_per_track)
    files = blocks[: interactions.size].reshape(interactions.shape)
    return unix_v6.Workload(interactions, operations, files)


SIM61 = sim61.Parameters(
    **each(0.0, "page_ms io_ms activation_ms reclaim_ms svc_ms extra_pages dirty_share"),
    **each(0.0, "exec_fault_share shared_fault_share"),
    memory_pages=2000,
    interactive_slice_ms=1e9,
)


def sim61_terminals(tasks, think_s, compute_s):
    """Return a load of terminals whose tasks have a page or two."""
    return [task_class(
        tasks=tasks, think_s=think_s, think_sd_s=0.6, compute_ms=1000.0 * compute_s,
        compute_sd_ms=40.0, working_set_pages=1, virtual_memory_pages=2,
    )]  # fmt: skip


CP67 = cp67.Parameters(
    **each(0.0, "fault_ms write_ms sio_ms queue_ms dirty_share drift_per_ms"),
    observation_wait_s=(10**8,) * 19,
    t1_ms=1e9,
)


def cp67_machine(hottest_per_ms, coldest_per_ms, **changes):
    """Return a machine of which little more than its references to pages is left."""
    return CP67.replace(hottest_per_ms=hottest_per_ms, coldest_per_ms=coldest_per_ms, **changes)


def cp67_load(users, tasks_each, locality, think_ms, cpu_ms):
    """Return a load of users logged on from the start, whose tasks have these times."""
    sessions = np.zeros(users, SESSION).view(np.recarray)
    sessions.logoff_ms[:] = 1e12
    sessions.first_task[:] = tasks_each * np.arange(users)
    sessions.locality_pages[:] = locality
    tasks = np.zeros(tasks_each * users, TASK).view(np.recarray)
    tasks.think_ms[:], tasks.cpu_ms[:] = think_ms, cpu_ms
    return cp67.Load(sessions, tasks, 1.0, 1.0)


EMAS = emas.Parameters(
    **NO_WORK,
    **each(np.inf, "shared_hold_s penalty_s drum_hold_s consistency_s"),
    **each(1.0, "shared_reference_share base_reference_share time_slice_ms"),
    **each(0.0, "background_bursts_per_s file_share"),
    **each(4.0, "command_think_s log_on_gap_s"),
    frames=4000,
    base_pages=1,
    reference_ms=1e6,
    wake_references=0,
    typing_characters_per_s=1e6,
    commands_per_session=500.0,
    log_on_cpu_s=0.001,
    cpu_cv=(2.0,) * 4,
    settle_s=600.0,
    measured_s=3000.0,
)


def run_emas(p, seed, cpu_s=0.5, trace=0):
    """Run one kind of command, silent, in categories that never overrun nor are compacted."""
    kinds = {name: emas.CommandKind(1, cpu_s, 1.0, 1.0, 0.0, 0.0) for name in emas.KINDS}
    endless = emas.category_table().assign(cpu_s=1e9, compaction_s=1e9)
    return emas.simulate(p, seed, kinds=kinds, categories=endless, trace=trace)


TSS360 = tss360.Parameters(
    **each(0.0, "fault_ms interrupt_ms write_ms reclaim_ms access_ms slice_end_ms"),
    **each(0.0, "changed_share output_lines"),
    **each(1e6, "session_min patience_min"),
    **each(60, "typical_p_max private_pages"),
    think_s=2.0,
    cpu_points_s=(0.02, 0.6),
    cpu_cdf=(0.0, 1.0),
    memory_pages=9000,
    foreground_slice_ms=1e9,
    quantum_ms=2.0,
    background_p_max=(61, 62, 63),
    system_tasks=0,
    settle_s=240.0,
    measured_s=1200.0,
)


def tss360_terminals(users, **changes):
    """Return a machine of which only think times and a shared processor are left."""
    return TSS360.replace(users=float(users), user_slots=users, **changes)
