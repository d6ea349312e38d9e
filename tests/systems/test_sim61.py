"""The SIM/61 simulator: conservation, activation, policies, devices."""

import math

import numpy as np
import pytest

from perfkit.des.draws import stream, uniforms
from perfkit.des.elementary import each_normal_quantile
from perfkit.des.lists import NOBODY
from perfkit.systems import sim61
from perfkit.systems.sim61 import TABLE_2, Device, NToOneLoad, Parameters, n_to_1_load, simulate
from perfkit.systems.sim61.state import Event, Level, Purpose, State, drawn
from tests.systems.lists import chain
from tests.systems.machines import machine_after

SHORT = {"settle_s": 5.0, "measured_s": 25.0}


def task_class(**changes):
    """A class of tasks that never faults for exec pages nor does I/O."""
    row = {"name": "x", "task_type": "interactive", "tasks": 1, "working_set_pages": 10}
    row |= {"compute_ms": 20, "think_s": 5, "io_interval_ms": 0, "exec_interval_ms": 0}
    return row | {"shared_interval_ms": 0} | changes


@pytest.mark.parametrize("memory_pages", [64, 128, 256])
@pytest.mark.parametrize("devices", [("8567",), ("8580", "8580"), ("LAM",)])
@pytest.mark.parametrize("reads_first", [False, True])
def test_frames_requests_and_commitments_are_conserved(memory_pages, devices, reads_first):
    for until_s in (1.0, 7.7, 30.0):
        m = machine_after(
            until_s, sim61, memory_pages=memory_pages, supervisor_pages=40,
            paging_devices=devices, reads_first=reads_first,
        )  # fmt: skip
        k, tasks = m.kernel, m.tasks
        released = tasks.clean_pages.sum() + tasks.dirty_pages.sum()
        assert k.free_frames + tasks.held_pages.sum() + released == memory_pages - 40
        assert (tasks.held_pages <= tasks.granted_pages).all()
        assert (tasks.reclaimed_writes <= tasks.held_pages).all()
        assert ((tasks.clean_pages > 0) == (tasks.in_pool == 1)).all()
        asked = [r for head in m.device_queues.head for r in chain(m.requests, head)]
        asked += [int(r) for r in m.devices.serving if r != NOBODY]
        free = chain(m.requests, m.free_requests.head)
        assert sorted(asked + free) == list(range(m.requests.size))
        writes = (m.requests.purpose[asked] == Purpose.WRITE_PAGE).sum()
        assert writes == tasks.dirty_pages.sum() + tasks.reclaimed_writes.sum()
        active = tasks.state >= State.READY
        assert k.scheduled_pages == tasks.charge_pages[active].sum() <= m.settings.frames
        assert k.active == active.sum()


def test_no_core_is_committed_when_nobody_is_active():
    lonely = machine_after(4000.0, sim61, load=[task_class(think_s=50)], extra_pages=4.3)
    assert lonely.groups[0].responses > 50
    assert lonely.kernel.active == 0
    assert lonely.kernel.scheduled_pages == 0.0
    assert lonely.levels[Level.SCHEDULED].peak > 0.0


def test_littles_and_the_utilisation_law_hold_to_rounding():
    m = machine_after(60.0, sim61)
    k, level, s = m.kernel, m.levels[Level.PAGING], m.settings
    short = m.tasks.state == State.SHORT_OF_FRAMES
    waiting = (m.tasks.state == State.PAGING) | short
    so_far_ms = (k.now_ms - m.tasks.waits_since_ms[waiting]).sum()
    area = level.area + level.value * (k.now_ms - level.since)
    assert waiting.sum() == k.paging
    assert area == pytest.approx(k.page_wait_ms + so_far_ms, rel=1e-12)
    assert m.levels[Level.FRAMES].value == short.sum()
    assert 0.0 < m.levels[Level.FRAMES].area <= level.area
    moved = k.pages_in + k.exec_pages_in + k.pages_out
    assert m.devices.operations[0] == moved
    assert m.devices.busy_ms[0] <= k.now_ms
    activations = k.activations_interactive + k.activations_batch
    work_ms = moved * s.page_ms + m.groups.ios.sum() * s.io_ms
    work_ms += activations * s.activation_ms + k.reclaims * s.reclaim_ms
    assert k.supervisor_ms == pytest.approx(work_ms, rel=1e-12)
    roomy = machine_after(60.0, sim61, load=[task_class(tasks=3)])
    assert roomy.levels[Level.FRAMES].area == 0.0 == roomy.kernel.frame_waits


def test_a_lone_task_responds_in_the_time_that_its_steps_take():
    load = [task_class(think_s=50, working_set_pages=4, compute_ms=30)]
    p = Parameters(paging_devices="LAM", reuse_share=0.0, interactive_slice_ms=1000.0,
                   settle_s=0.0, measured_s=5000.0)  # fmt: skip
    r = simulate(p, load=load)
    page_ms = p.window_routine_ms + 4096 / 800.0 + p.page_ms + p.no_rotation_ms
    pages = r.values["pages_in"] / r.interactions
    assert 3.0 < pages < 4.0
    expected_ms = 30.0 + p.activation_ms + pages * page_ms
    assert 1000.0 * r.response_s == pytest.approx(expected_ms, rel=0.005)


@pytest.mark.parametrize(
    ("changes", "run_outs"),
    [
        ({}, 1),
        ({"charged_share": 1.0}, 2),
        ({"exec_interval_ms": 1.0, "svc_ms": 1.0}, 3),
        ({"processor_add_us": 2 * sim61.Parameters().load_add_us}, 1),
    ],
)
def test_a_slice_is_processor_time_with_the_page_faults_charged(changes, run_outs):
    """A slice of 50 ms and 90 ms of work: nine or ten faults take 17 to 19 ms off each slice,
    SVCs double the work, a slow processor slows both."""
    svc_ms = changes.pop("exec_interval_ms", 0)
    load = [task_class(compute_ms=90, exec_interval_ms=svc_ms)]
    p = Parameters(interactive_slice_ms=50.0, page_ms=1.9, reuse_share=0.0, exec_fault_share=0.0,
                   settle_s=0.0, measured_s=500.0, **{"charged_share": 0.0} | changes)  # fmt: skip
    r = simulate(p, load=load)
    assert r.interactions > 50
    assert r.by_class["run_outs"][0] == pytest.approx(run_outs * r.interactions, abs=run_outs)


@pytest.mark.parametrize(
    ("changes", "waits"),
    [
        ({"task_type": "batch"}, 0),
        ({"task_type": "batch", "batch_io_wait_share": 1.0}, 1),
        ({"task_type": "interactive"}, 1),
        ({"task_type": "interactive", "io_wait_share": 0.0}, 0),
    ],
)
def test_batch_and_interactive_tasks_wait_for_their_own_share_of_transfers(changes, waits):
    """A transfer every 300 ms of work lasts some 100 ms: buffers are always free."""
    kind = changes.pop("task_type")
    load = [task_class(task_type=kind, compute_ms=3000, io_interval_ms=300)]
    shares = {"io_wait_share": 1.0, "batch_io_wait_share": 0.0} | changes
    r = simulate(Parameters(settle_s=0.0, measured_s=500.0, **shares), load=load)
    assert r.values["ios"] > 100
    assert r.values["io_waits"] == pytest.approx(waits * r.values["ios"], abs=waits)


def test_the_papers_drum_moves_a_page_a_revolution_and_communications_tasks_go_ahead():
    r = simulate(Parameters())
    assert 57.0 < r.paging_pages_per_s <= 1000.0 / 17.2 + 1.0 / 540.0
    assert r.by_device["busy_share"][0] <= 1.0 + 1e-12
    by_class = r.classes()["response_s"]
    assert by_class["communications"] < 0.5 * by_class["communications-like"]
    assert list(r.devices()["device"]) == ["8567", "8590", "8590"]
    assert r.by_class["user_percent"].sum() == pytest.approx(r.user_percent, rel=1e-9)


def test_a_window_routine_longer_than_the_window_misses_revolutions():
    fast, slow = (
        simulate(Parameters(window_routine_ms=ms)).paging_pages_per_s for ms in (3.4, 3.6)
    )
    assert slow < 0.6 * fast


def competing(n, batch=1, interactive=12, batch_delay_ms=0.0):
    """Tasks that fill core one at a time, so that both queues always hold somebody."""
    load = [
        task_class(tasks=interactive, working_set_pages=40, think_s=0.01),
        task_class(tasks=batch, task_type="batch", working_set_pages=40, compute_ms=500),
    ]
    p = Parameters(memory_pages=64, supervisor_pages=20, extra_pages=0.0, activations_per_batch=n,
                   batch_delay_ms=batch_delay_ms, settle_s=10.0, measured_s=500.0)  # fmt: skip
    return simulate(p, load=load, trace=60000)


@pytest.mark.parametrize("n", [0, 1, 2, 5, math.inf])
def test_n_to_1_activates_n_interactive_tasks_and_then_one_batch(n):
    r = competing(n, batch=2)
    assert r.values["free_interactive"] == 0
    if n == math.inf:
        assert r.values["activations_batch"] == 0 == r.batch_percent
        return
    assert r.values["measured_n"] == pytest.approx(n, abs=0.05)
    if n:
        kinds = r.trace.kind == Event.ACTIVATE
        order = (r.trace.actor[kinds] >= 12).astype(int)[30:]
        gaps = np.diff(np.flatnonzero(order))
        assert set(gaps.tolist()) == {n + 1}


def test_free_activations_are_not_counted_against_n():
    lone = [task_class(tasks=3, think_s=1)]
    r = simulate(Parameters(**SHORT, activations_per_batch=2), load=lone)
    assert r.values["activations_interactive"] == r.values["free_interactive"] > 10
    both = competing(2, batch_delay_ms=1000.0)
    counted = both.values["activations_interactive"] - both.values["free_interactive"]
    paid = both.values["activations_batch"] - both.values["free_batch"]
    assert counted == pytest.approx(2 * paid, abs=2)
    assert both.values["free_interactive"] > 0


def test_a_head_that_does_not_fit_blocks_those_behind_it():
    load = [
        task_class(tasks=8, working_set_pages=30, compute_ms=200, think_s=0.5),
        task_class(tasks=8, working_set_pages=2, compute_ms=20, think_s=0.5),
    ]
    p = Parameters(
        memory_pages=60, supervisor_pages=20, extra_pages=0.0, interactive_slice_ms=1e6, **SHORT
    )
    events = simulate(p, load=load, trace=100000).trace
    waiting = []
    for event in events:
        if event.kind == Event.READY:
            waiting.append(event.actor)
        elif event.kind == Event.ACTIVATE:
            assert waiting.pop(0) == event.actor
    assert len(waiting) > 0


def test_compute_bound_interactions_wait_behind_new_ones():
    load = [task_class(tasks=30, think_s=2.0), task_class(name="long", tasks=3, compute_ms=500)]
    equal, behind = (
        simulate(Parameters(compute_bound_ms=limit, memory_pages=128), load=load).classes()
        for limit in (math.inf, 100.0)
    )
    # With 80 pages of core for 33 tasks somebody always waits: the long ones are locked out.
    assert behind.loc["long", "interactions"] < 0.5 * equal.loc["long", "interactions"]
    assert behind.loc["x", "response_s"] < equal.loc["x", "response_s"]
    never = simulate(Parameters(compute_bound_ms=501.0), load=load).measures()
    np.testing.assert_equal(
        never, simulate(Parameters(compute_bound_ms=math.inf), load=load).measures()
    )


def test_a_task_makes_the_same_demands_whatever_the_machine():
    load = [task_class(tasks=3, working_set_sd_pages=3)]

    def working_sets(**changes):
        p = Parameters(interactive_slice_ms=1e6, settle_s=0.0, measured_s=600.0, **changes)
        trace = simulate(p, load=load, trace=10**5).trace
        return [trace.value[(trace.kind == Event.READY) & (trace.actor == t)] for t in range(3)]

    fast, slow = working_sets(), working_sets(processor_add_us=100.0, paging_devices="8580")
    for more, fewer in zip(fast, slow, strict=True):
        assert 70 < fewer.size < more.size
        np.testing.assert_array_equal(fewer, more[: fewer.size])
        assert more.mean() == pytest.approx(10.0, abs=1.5) and more.std() > 1.0


def test_a_draw_is_normal_but_no_less_than_a_small_share_of_the_mean():
    draws = uniforms(stream(1, "test"), 1000)
    found = [drawn(draw, 10.0, 8.0) for draw in draws]
    normal = 10.0 + 8.0 * each_normal_quantile(draws)
    np.testing.assert_array_equal(found, np.maximum(normal, 0.5))
    assert min(found) == 0.5


def test_the_fault_curve_is_asked_for_pages_from_1_to_the_working_set():
    @sim61.fault_policy
    def only_such_pages(page, working_set, compute_ms, alpha):
        if page < 1 or page > working_set:
            return np.nan
        return compute_ms * page / working_set

    assert simulate(Parameters(**SHORT), fault=only_such_pages).interactions > 0


def test_the_n_to_1_load_has_20_interactive_tasks_and_a_batch_task():
    frame = n_to_1_load()
    tasks = frame.groupby("task_type")["tasks"].sum()
    assert tasks.to_dict() == {"interactive": 20, "batch": 1}
    assert frame["think_s"].tolist()[:2] == [15.0, 10.0]
    smaller = n_to_1_load(NToOneLoad(paging_working_set_pages=12.0))
    assert smaller["working_set_pages"].tolist()[2] == 12.0


def test_devices_move_what_their_figures_allow():
    assert TABLE_2["8567"].pages_per_s() == pytest.approx(58.1, abs=0.05)
    assert TABLE_2["8567"].page_ms == pytest.approx(13.7)
    assert TABLE_2["8580"].pages_per_s() == pytest.approx(23.0, abs=0.1)
    assert TABLE_2["LAM"].pages_per_s() == pytest.approx(195.3, abs=0.1)


def test_a_reader_may_define_a_device():
    devices = {**TABLE_2, "twice": Device(transfer_kb_per_s=666, revolution_ms=8.6, window_ms=1.75)}
    p = Parameters(paging_devices="twice", settle_s=5.0, measured_s=55.0)
    assert simulate(p, devices=devices).paging_pages_per_s > 60.0


@pytest.mark.parametrize(("devices", "same"), [("8567", True), ("LAM", True), ("8580", False)])
def test_the_rule_of_the_tracks_beginning_is_about_discs(devices, same):
    p = Parameters(paging_devices=devices, settle_s=5.0, measured_s=20.0)
    without = simulate(p.replace(from_track_beginning=False)).measures()
    assert (simulate(p).measures() == without) == same
