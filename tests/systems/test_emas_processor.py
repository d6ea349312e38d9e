"""EMAS's processor: who is dispatched, pre-empted and penalised, on a machine at time zero."""

import pytest

from perfkit.des.compiling import kernel
from perfkit.systems import emas
from perfkit.systems.emas import Event, Parameters
from perfkit.systems.emas.load import Supply
from perfkit.systems.emas.memory.categories import TABLE_4
from perfkit.systems.emas.processor import dispatch, make_ready, supervise
from perfkit.systems.emas.state import NOBODY, PROCESSOR_ACTOR, Due, Queue, Service, new_machine


@kernel
def dispatch_at(m, now_ms, work_ms):
    """Dispatch as the event loop does when nobody runs, some work of the supervisor done."""
    m.kernel.now_ms = now_ms
    supervise(m, Service.MISCELLANEOUS, work_ms)
    dispatch(m)


@kernel
def ready_again(m, t, queue):
    """Put a process onto a run queue as an arriving page or the end of a slice does."""
    make_ready(m, t, queue)


def fresh_machine(**changes):
    """Return a machine at time zero, with nobody on it."""
    p = Parameters(**changes)
    return new_machine(p, TABLE_4, Supply(p, 1), 1, 1000.0, 0)


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
    records = emas.simulate(p, 1, trace=200_000).trace
    work_ends_ms, waited = {}, []
    for record in records:
        if record.kind == Event.PRELOAD_BEGINS:
            work_ends_ms[record.actor] = record.time_ms + record.value * p.preload_page_ms
        elif record.kind in (Event.PRELOADED_PAGE_ARRIVES, Event.PRELOAD_ENDS):
            waited.append(record.time_ms - work_ends_ms[record.actor])
    assert len(waited) > 3000
    assert min(waited) >= -1e-6


def test_no_page_is_written_back_before_its_marker_has_been_read():
    """A sleeper whose pages are read for 100 ms each leaves core after that, not before."""
    p = Parameters(settle_s=0.0, measured_s=600.0, users=1, marker_page_ms=100.0)
    records = emas.simulate(p, 1, trace=50_000).trace
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
