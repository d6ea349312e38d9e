"""The UNIX V6 simulator: conservation, monotony, policies."""

import numpy as np
import pytest

from perfkit.des.alarms import NEVER
from perfkit.des.devices import DriveState
from perfkit.systems.unix_v6 import Parameters, draw_workload, simulate, victim_policy
from perfkit.systems.unix_v6.run import LOOP
from perfkit.systems.unix_v6.state import (
    DRIVES,
    FIRST_USER,
    Event,
    State,
    new_machine,
)

SMALL = {"processes": 5, "process_clicks": (314,), "interactions": 8}


def finished_machine(seed=1, **changes):
    """Run a machine whose counters are never reset, so that they cover it from time zero."""
    parameters = Parameters(**{**SMALL, **changes})
    machine = new_machine(parameters, draw_workload(parameters, seed), seed)
    machine.kernel.users_silent = -1
    LOOP.until(machine, NEVER)
    return machine


def test_littles_law_holds_at_the_controller_to_rounding():
    machine = finished_machine()
    k = machine.kernel
    unfinished = list(machine.requests[: k.waiting])
    unfinished += [
        machine.serving[d] for d in range(DRIVES) if machine.drives[d].state >= DriveState.SEEKING
    ]
    so_far_ms = sum(k.now_ms - r.arrived_ms for r in unfinished)
    since_change_ms = k.now_ms - k.queue_changed_ms
    assert k.queue_area_ms + since_change_ms * len(unfinished) == pytest.approx(
        k.block_response_ms + k.swap_response_ms + so_far_ms, rel=1e-12
    )


def test_every_process_does_all_its_work_and_core_is_free_again():
    machine = finished_machine()
    users = machine.processes[FIRST_USER:]
    assert (users.state == State.GONE).all()
    assert (users.interaction == SMALL["interactions"]).all()
    update_core = machine.processes[1].size_clicks if machine.processes[1].loaded else 0
    free = sum(area["extent"] for area in machine.core)
    assert free == 1280 - update_core


def test_blocks_asked_for_are_read_or_found():
    machine = finished_machine(file_blocks=8, write_share=0.0, other_inodes=0, flush_period_s=3600)
    k = machine.kernel
    assert k.reads + k.cache_hits == machine.interactions.operations.sum()
    assert k.characters == 25 * machine.interactions.strings.sum()


def test_samples_are_the_ticks_of_a_60_hz_clock():
    result = simulate(Parameters(**SMALL), seed=1)
    assert abs(result.samples.sum() - 60 * result.counts["watched_s"]) <= 1
    assert result.queue_samples.sum() == result.samples.sum()
    assert result.queue == pytest.approx(result.counts["mean_queue_exact"], rel=0.05)


def test_a_process_does_the_same_work_whatever_the_machine():
    small, large = (
        draw_workload(Parameters(memory_clicks=m, processes=n, discipline=d), 7)
        for m, n, d in ((650, 5, "LOOK"), (1280, 12, "FCFS"))
    )
    for name in ("compute_ms", "pause_s", "strings", "operations"):
        np.testing.assert_array_equal(small.interactions[name], large.interactions[name][:5])


def test_ample_memory_never_swaps_a_workload_process():
    result = simulate(Parameters(**{**SMALL, "memory_clicks": 4000}), 1, trace=100000)
    swapped = result.trace[np.isin(result.trace.kind, (Event.SWAP_IN, Event.SWAP_OUT))]
    assert (swapped.actor < FIRST_USER).all()


def test_a_victim_policy_that_looks_far_off_ends_the_run_with_a_sentence():
    @victim_policy
    def far_off(processes, wanted, minimum_time_out_s, minimum_time_in_s):
        return processes[10**12].state

    size = FIRST_USER + SMALL["processes"]
    said = f"IndexError: index {10**12} is out of bounds for axis 0 with size {size}."
    with pytest.raises(RuntimeError, match=f"^The victim policy 'far_off' failed with {said}"):
        simulate(Parameters(**SMALL), 1, victim=far_off)


def test_the_states_are_shares_of_all_ticks_and_are_drawn():
    result = simulate(Parameters(**SMALL), 1)
    states = result.states()
    assert states.loc["system"].sum() == pytest.approx(100.0 * result.supervisor_share)
    assert len(result.plot().containers) == states.shape[1]
