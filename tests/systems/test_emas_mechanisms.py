"""EMAS: who is dispatched, pre-empted, penalised; which pages are touched; event records."""

import numpy as np
import pytest

from perfkit.des.compiling import kernel
from perfkit.des.draws import stream, uniforms
from perfkit.des.elementary import each_power
from perfkit.systems import emas
from perfkit.systems.emas import Event, Parameters, processor, simulate
from perfkit.systems.emas.state import NOBODY, PROCESSOR_ACTOR, Due, Queue, Service
from tests.systems.machines import new


@kernel
def dispatch_at(m, now_ms, work_ms):
    """Dispatch as the event loop does when nobody runs, some work of the supervisor done."""
    m.kernel.now_ms = now_ms
    processor.supervise(m, Service.MISCELLANEOUS, work_ms)
    processor.dispatch(m)


@kernel
def ready_again(m, t, queue):
    """Put a process onto a run queue as an arriving page or the end of a slice does."""
    processor.make_ready(m, t, queue)


@kernel
def own_distances(m, draws, locality, found):
    for i in range(draws.size):
        found[i] = processor.own_distance_in_pages(m, draws[i], locality)


@kernel
def shared_pages(m, draws, found):
    for i in range(draws.shape[0]):
        found[i] = processor.shared_page(m, 0, draws[i, 0], draws[i, 1])


def fresh_machine(**changes):
    return new(emas, Parameters(**changes))


def test_a_process_is_dispatched_when_the_supervisor_has_done_its_work():
    m = fresh_machine(dispatch_ms=0.5)
    m.processes.due[3] = Due.SLICE
    m.processes.burst_left_ms[3] = 7.0
    ready_again(m, 3, Queue.RUN_0)
    dispatch_at(m, 100.0, 50.0)
    assert m.kernel.running == 3 and m.queues[Queue.RUN_0].length == 0
    assert m.alarms.time[PROCESSOR_ACTOR] == 150.0 + 0.5 + 7.0


@pytest.mark.parametrize(
    ("came_from", "arrives_for", "gives_way"),
    [
        (Queue.RUN_0, Queue.RUN_0, True),
        (Queue.RUN_1, Queue.RUN_0, True),
        (Queue.RUN_0, Queue.RUN_1, False),
        (Queue.RUN_1, Queue.RUN_1, False),
        (Queue.RUN_2, Queue.RUN_1, True),
    ],
)
def test_a_page_that_arrives_preempts_whoever_runs_and_he_joins_run_queue_1(
    came_from, arrives_for, gives_way
):
    m = fresh_machine(dispatch_ms=0.0, penalty_s=1000.0 if came_from != Queue.RUN_2 else 0.0)
    m.processes.due[3] = Due.SLICE
    m.processes.burst_left_ms[3] = 70.0
    m.kernel.now_ms = 50.0
    ready_again(m, 3, came_from)
    dispatch_at(m, 50.0, 0.0)
    m.kernel.now_ms, m.processes.interacted_ms[4] = 70.0, 70.0
    ready_again(m, 4, arrives_for)
    assert (m.kernel.running == NOBODY) == gives_way
    if gives_way:
        assert m.processes.burst_left_ms[3] == 50.0
        assert m.processes.run_queue[3] == max(Queue.RUN_1, came_from)


@pytest.mark.parametrize("since_s", [1.0, 100.0])
def test_a_page_transfer_leads_to_run_queue_0_the_penalty_counts_at_the_end_of_a_slice(since_s):
    m = fresh_machine(penalty_s=10.0)
    m.kernel.now_ms = 1000.0 * since_s
    ready_again(m, 3, Queue.RUN_0)
    assert m.queues[Queue.RUN_0].length == 1
    ready_again(m, 4, Queue.RUN_1)
    queue = Queue.RUN_2 if since_s > 10.0 else Queue.RUN_1
    assert m.queues[queue].length == 1 and m.processes.run_queue[4] == queue


def test_no_preloaded_page_arrives_before_the_supervisor_has_done_the_work_of_asking_for_it():
    p = Parameters(settle_s=0.0, measured_s=300.0)
    records = simulate(p, 1, trace=200_000).trace
    work_ends_ms, waited = {}, []
    for record in records:
        if record.kind == Event.PRELOAD_BEGINS:
            work_ends_ms[record.actor] = record.time_ms + record.value * p.preload_page_ms
        elif record.kind in (Event.PRELOADED_PAGE_ARRIVES, Event.PRELOAD_ENDS):
            waited.append(record.time_ms - work_ends_ms[record.actor])
    assert len(waited) > 3000
    assert min(waited) >= -1e-6


def test_no_page_is_written_back_before_its_marker_has_been_read():
    p = Parameters(settle_s=0.0, measured_s=600.0, users=1, marker_page_ms=100.0)
    records = simulate(p, 1, trace=50_000).trace
    read_ms, pages, took_ms = 0.0, 0, []
    for record in records:
        if record.kind == Event.SLEEPS:
            read_ms = record.time_ms
        elif record.kind == Event.COMPACTION_AT_REMOVAL:
            pages = record.detail
        elif record.kind == Event.REMOVED_FROM_CORE:
            took_ms.append(record.time_ms - read_ms - 100.0 * pages)
    assert len(took_ms) > 5
    assert min(took_ms) >= -1e-6


ALONE = {"users": 1, "settle_s": 0.0, "measured_s": 7200.0, "commands_per_session": 1e4}
WRITTEN, GOES_OUT = 2, 16


def having(result, kind):
    return result.trace[result.trace.kind == kind]


def test_the_record_of_a_q_sample_is_the_sample():
    result = simulate(Parameters(settle_s=60.0, measured_s=1200.0), 3, trace=10**6)
    told = having(result, Event.QUEUES_SAMPLED)
    told = told[told.time_ms > 65_000.0]  # the clock's own work of the 60th second ends after it
    samples = result.samples()
    # A byte a queue, the last queue in the lowest byte: six in the value, three in the detail.
    assert (told.value >> 40).tolist() == samples["active_storage_queue"].tolist()
    assert (told.value >> 40).max() > 0
    assert (told.value >> 32 & 255).tolist() == samples["core_queue_1"].tolist()
    assert (told.value & 255).tolist() == samples["core_queue_5"].tolist()
    assert (told.detail & 255).tolist() == samples["run_queue_3"].tolist()


def test_a_page_that_was_not_written_to_is_not_marked_as_written():
    """Pages without a copy on drum go out all the same, but nobody has written to them."""
    result = simulate(Parameters(**ALONE, write_share=0.0), 1, trace=10**6)
    marks = having(result, Event.PAGE_LEAVES_AT_REMOVAL).detail
    assert (marks & WRITTEN).sum() == 0 and (marks & GOES_OUT).sum() > 0
    busy = simulate(Parameters(**ALONE), 1, trace=10**6)
    marks = having(busy, Event.PAGE_LEAVES_AT_REMOVAL).detail
    assert np.all(marks[marks & WRITTEN > 0] & GOES_OUT > 0) and (marks & WRITTEN).sum() > 0


def test_removal_from_drum_tells_how_many_pages_there_were():
    """Up to the first removal every own page that has left core is on drum, if none is trimmed."""
    p = Parameters(**ALONE, drum_set_s=np.inf)
    result = simulate(p, 1, trace=10**6)
    first = having(result, Event.REMOVED_FROM_DRUM)[0]
    gone = having(result, Event.PAGE_LEAVES_AT_REMOVAL)
    gone = np.concatenate([gone, having(result, Event.PAGE_LEAVES_AT_COMPACTION)])
    own = (gone["time_ms"] <= first.time_ms) & (gone["value"] < p.own_pages)
    assert first.value == np.unique(gone["value"][own]).size > 2


def test_without_prepaging_a_page_is_demanded_from_disc_once_if_the_drum_gets_it_back():
    """Files and trimming left out, only a page's first touch finds it on disc."""
    p = Parameters(**ALONE, prepaging=False, file_share=0.0, drum_set_s=np.inf)
    result = simulate(p, 1, trace=10**6)
    assert len(having(result, Event.REMOVED_FROM_DRUM)) > 20
    pages = having(result, Event.DEMAND_DISC).value
    assert np.unique(pages).size == pages.size
    assert len(having(result, Event.DEMAND_DRUM)) > 10 * pages.size


def test_without_prepaging_nobody_is_preloaded_or_suspended():
    short = {"settle_s": 60.0, "measured_s": 900.0}
    result = simulate(Parameters(prepaging=False, **short), 1, trace=10**6)
    assert result.values["partial_preloads"] == result.values["suspensions"] == 0
    preloads = having(result, Event.PRELOAD_BEGINS)
    assert preloads.size > 20 and (preloads.value == 0).all()
    assert simulate(Parameters(**short), 1).values["suspensions"] > 0


def test_a_sleeper_that_may_not_stay_on_drum_does_not_turn_time_back():
    """It sleeps when its pages have left core, which takes longer than it may stay."""
    p = Parameters(**ALONE, drum_hold_s=0.0)
    times = simulate(p, 2, trace=10**6).trace.time_ms
    assert times.size > 1000 and np.all(np.diff(times) >= 0.0)


@pytest.mark.parametrize(("exponent", "locality"), [(5.0, 60.0), (5.0, 3.3), (0.1, 9.0)])
def test_own_pages_lie_at_the_distance_of_a_power_law_worked_out_or_not(exponent, locality):
    """Ten thousand draws, those beside the steps and at the ends among them."""
    machine = fresh_machine(locality_exponent=exponent, users=1)
    draws = np.append(uniforms(stream(9, "test"), 10_000), [0.0, 1 / 2048, 0.5, 1.0 - 2.0**-53])
    wanted = np.minimum(each_power(1.0 - draws, -1.0 / exponent) - 1.0, 1e6) * locality
    found = np.zeros_like(wanted)
    own_distances(machine, draws, locality, found)
    assert np.array_equal(found, wanted.astype(np.int64).astype(float))


def test_shared_pages_are_drawn_by_rank_of_the_subsystem_or_the_programme():
    """Pages of the subsystem lie behind the 128 own ones, then those of the four programmes."""
    machine, p = fresh_machine(users=1), Parameters()
    machine.processes.command[0] = 2
    ranks = np.cumsum(np.arange(1.0, 29.0) ** -p.popularity_exponent)
    draws = uniforms(stream(9, "test"), 2000, 2)
    rank = np.searchsorted(ranks / ranks[-1], draws[:, 1], side="right")
    wanted = 128 + rank + np.where(draws[:, 0] < p.base_reference_share, 0, 28 + 2 * 28)
    found = np.zeros_like(wanted)
    shared_pages(machine, draws, found)
    assert np.array_equal(found, wanted)
