"""TSS/360: mechanisms that the print implies: who gets a task's room, how references grow."""

import numpy as np
import pytest

from perfkit.des.compiling import kernel
from perfkit.systems import tss360
from perfkit.systems.tss360 import Parameters, schedule_table, simulate
from perfkit.systems.tss360.devices import next_on_drum, request
from perfkit.systems.tss360.load import read_schedule
from perfkit.systems.tss360.memory import paging
from perfkit.systems.tss360.memory.frames import keep_inventory, make_available, release, take_frame
from perfkit.systems.tss360.state import NOBODY, Count, Event, FrameState, Mark, Purpose, State
from tests.systems.machines import new

SHARABLE = -1  # the last owner has the pages that all tasks share


def waits_of(trace, entries):
    """Return each wait to be dispatched: begin, end (of the trace), limit, time of the deadline."""
    begun, waits = {}, []
    for at, event in enumerate(trace):
        if event.kind in (Event.ACTIVE, Event.SLICE_END):
            begun[event.actor] = at
        elif event.kind == Event.DISPATCH:
            begin, entry = begun.pop(event.actor), entries[event.value]
            deadline_ms = trace.time_ms[begin] + entry.deadline_ms
            waits.append((begin, at, entry.p_max, deadline_ms))
    return waits


def overtaken(p):
    """Return how often a task enters again at its slice's end though another would have fitted.

    Before it: how often a task enters again at its slice's end at all.
    """
    entries, _ = read_schedule(schedule_table(p), p.frames)
    trace = simulate(p, 1, trace=10**6).trace
    trace = trace[np.isin(trace.kind, (Event.ACTIVE, Event.DISPATCH, Event.SLICE_END))]
    waits = waits_of(trace, entries)
    estimate, limit, estimates = p.frames, {}, np.zeros(len(trace))
    for at, event in enumerate(trace):
        estimates[at] = estimate
        if event.kind == Event.DISPATCH:
            limit[event.actor] = entries[event.value].p_max
            assert limit[event.actor] < estimate
            estimate -= limit[event.actor]
        elif event.kind == Event.SLICE_END:
            estimate += limit.pop(event.actor)
    times = trace.time_ms
    ends = trace.kind == Event.SLICE_END
    again = [(begin, end) for begin, end, *_ in waits if times[begin] == times[end]
             and ends[begin] and not ends[begin + 1 : end].any()]  # fmt: skip
    waited = [
        [w for w in waits if w[0] < begin and w[1] > end and w[3] <= times[end]]
        for begin, end in again
    ]
    fitted = [
        any(p_max < estimates[end] for _, _, p_max, _ in passed)
        for (_, end), passed in zip(again, waited, strict=True)
    ]
    return len(again), sum(fitted)


@pytest.mark.parametrize("schedule", ["old", "new"])
def test_the_room_a_task_leaves_is_offered_to_those_who_wait_before_it_enters_again(schedule):
    p = Parameters(schedule=schedule, settle_s=60.0, measured_s=1800.0)
    again, overtakes = overtaken(p)
    assert again > 10 and overtakes == 0
    if schedule == "new":  # only there do priorities within the foreground differ
        again, overtakes = overtaken(p.replace(room_to_others=False))
        assert again > 10 and overtakes > 0


def test_a_task_is_taken_from_its_deadline_on_and_not_before_where_there_is_room():
    lone = {"users": 1.0, "user_slots": 1, "system_tasks": 0, "session_min": 1e6, "think_s": 5.0}
    lone |= {"cpu_points_s": (2.0, 2.1), "cpu_cdf": (0.0, 1.0), "patience_min": 1e6}
    p = Parameters(**lone, background_deadline_s=0.7, settle_s=60.0, measured_s=240.0)
    entries, _ = read_schedule(schedule_table(p), p.frames)
    trace = simulate(p, 1, trace=10**6).trace
    waits = waits_of(trace, entries)
    late_ms = [trace.time_ms[end] - deadline_ms for _, end, _, deadline_ms in waits]
    assert len(late_ms) > 100
    assert np.abs(late_ms).max() == pytest.approx(0.0, abs=1e-6)
    long = [trace.time_ms[end] - trace.time_ms[begin] for begin, end, *_ in waits]
    assert set(np.round(long, 6)) == {0.0, 700.0}


@kernel
def bring_sharable(m, pages):
    """Put the first sharable pages into storage, as if they had been read and referenced."""
    sharable = m.owners.size - 1
    for page in range(pages):
        m.frames[take_frame(m, sharable, page)].state = FrameState.SHARABLE
        m.marks[page] = Mark.REFERENCED
        m.pages[sharable, page].drive = 0
    m.kernel.sharable_frames += pages


@kernel
def fault_at(m, available):
    """Keep the inventory as at a page fault of the first task, so many frames available."""
    m.available.length = available
    keep_inventory(m, 0)


@kernel
def let_go(m, page):
    """Make the frame of a sharable page available."""
    m.kernel.sharable_frames -= 1
    m.marks[page] = Mark.ABSENT
    make_available(m, m.pages[m.owners.size - 1, page].frame)


@kernel
def refer(m, page):
    """Let the first task refer to a sharable page; return whether it must be read."""
    return paging.is_missing(m, 0, m.owners.size - 1, page)


@kernel
def first_missing(m):
    """Let the first task begin a burst; return which of its sharable pages must be read."""
    return paging.missing_recent(m, 0)


@kernel
def read_from(m, page, drive):
    """Let a sharable page come into a frame from a drive; return the frame."""
    sharable = m.owners.size - 1
    f = take_frame(m, sharable, page)
    m.pages[sharable, page].drive = drive
    paging.page_read(m, sharable, page, f)
    return f


@kernel
def let_frame_go(m, f):
    release(m, f)


@kernel
def ask_drum(m, purpose, place):
    request(m, purpose, 0, place, 0, 0, NOBODY)


@kernel
def next_of_drum(m):
    return m.requests[next_on_drum(m, 0)].purpose


@kernel
def migrate_after_log_off(m, t, page):
    """Let a task log off while a page of it is on its way from a drum to the discs."""
    paging.place_pages(m, t)
    m.kernel.migrating = 1
    paging.forget_pages(m, t)
    paging.migration_read(m, t, page)


@pytest.fixture
def machine():
    """A machine at time zero with eight sharable pages in storage."""
    m = new(tss360, Parameters(lower_threshold=10, upper_threshold=14, scan_pages=3))
    bring_sharable(m, 8)
    return m


def is_sharable(m, page):
    return m.frames[m.pages[SHARABLE, page].frame].state == FrameState.SHARABLE


def test_reference_bits_are_reset_when_the_inventory_falls_below_the_upper_threshold(machine):
    """At the first fault that finds it below, and again after it has been above."""
    for available, left in ((14, 8), (13, 0), (12, 8), (9, 8), (14, 8), (11, 0)):
        machine.marks[:8] = Mark.REFERENCED
        fault_at(machine, available)
        assert (machine.marks == Mark.REFERENCED).sum() == left
    assert machine.kernel.sharable_frames == 8


def test_a_reclaim_is_a_page_fault_before_which_the_inventory_is_kept(machine):
    """The last two pages are available; reclaiming the first of them from 9 frames scans."""
    let_go(machine, 6)
    let_go(machine, 7)
    machine.marks[:6] = Mark.RESET
    machine.available.length, machine.kernel.below_upper = 9, 1
    assert not refer(machine, 6)
    assert machine.tallies[Count.SCANS] == 1.0 and machine.tallies[Count.PURGED] == 3.0
    assert machine.available.length == 9 + 3 - 1
    assert is_sharable(machine, 6) and not is_sharable(machine, 7)


def test_a_task_gets_on_however_fast_its_sharable_pages_are_replaced(machine):
    """It goes on from the page that it waited for; those before are wanted by the next burst."""
    machine.recent[0, :3] = (0, 20, 2)
    machine.tasks.sharable_touched[0] = 3
    assert first_missing(machine) == 20
    read_from(machine, 20, 0)
    machine.pages.frame[SHARABLE, 0], machine.marks[0] = NOBODY, Mark.ABSENT
    assert first_missing(machine) == NOBODY
    assert first_missing(machine) == 0


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_sharable_page_may_be_changed_again_after_a_reclaim(machine, share):
    machine.settings.sharable_changed_share = share
    let_go(machine, 7)
    assert not refer(machine, 7)
    assert machine.frames.changed[machine.pages.frame[SHARABLE, 7]] == share


def test_a_page_is_referenced_after_a_reclaim_that_resets_the_bits(machine):
    """The fault comes first; then the page is back, and the task refers to it."""
    let_go(machine, 7)
    machine.available.length = 13
    assert not refer(machine, 7)
    assert machine.tallies[Count.RESETS] == 1.0
    assert machine.marks[:8].tolist() == [Mark.RESET] * 7 + [Mark.REFERENCED]


@pytest.mark.parametrize(("changed", "asked"), [(0, 0), (1, 1)])
def test_a_task_is_asked_to_leave_if_a_scan_lifts_the_inventory_too_little(machine, changed, asked):
    """Three pages found make 12 frames where more than 11 are wanted, unless one is changed."""
    machine.settings.upper_threshold = 11
    machine.marks[:8] = Mark.RESET
    machine.frames.changed[machine.pages.frame[SHARABLE, 1]] = changed
    machine.kernel.below_upper = 1
    machine.tasks[1].state = State.READY
    fault_at(machine, 9)
    assert machine.tallies[Count.PURGED] == 3.0
    assert machine.available.length == 12 - changed
    assert machine.kernel.swap_pending == machine.tasks[1].swap_asked == asked


@pytest.mark.parametrize("full", [False, True])
def test_a_page_from_a_disc_is_copied_to_a_drum_while_it_is_used_if_there_is_room(machine, full):
    drums = machine.settings.drums
    machine.settings.sharable_changed_share = 0.0
    machine.kernel.drum_used = machine.settings.all_drum_slots if full else 0
    f = read_from(machine, 20, drums)
    assert machine.frames[f].state == FrameState.SHARABLE
    assert (machine.pages[SHARABLE, 20].drive >= drums) == full
    writes = machine.requests.purpose[machine.devices.serving[machine.devices.serving != NOBODY]]
    assert (writes == Purpose.WRITE_PAGE).sum() == machine.tallies[Count.PAGE_WRITES] == 1 - full
    let_frame_go(machine, f)
    assert machine.frames[f].state == (FrameState.AVAILABLE if full else FrameState.WRITING)


def test_a_page_of_a_task_that_has_logged_off_meanwhile_does_not_migrate(machine):
    migrate_after_log_off(machine, 3, 5)
    assert (machine.pages.drive[3] == NOBODY).all()
    assert machine.kernel.migrating == machine.tallies[Count.MIGRATIONS] == 0


def test_a_scan_takes_as_many_pages_not_referenced_since_the_last_reset_as_it_looks_for(machine):
    fault_at(machine, 12)
    machine.marks[[0, 2, 4]] = Mark.REFERENCED
    fault_at(machine, 9)
    in_storage = [page for page in range(8) if is_sharable(machine, page)]
    assert len(in_storage) == 5 and {0, 2, 4} <= set(in_storage)


@pytest.mark.parametrize(
    ("reads_first", "next_purpose"), [(1, Purpose.READ_PAGE), (0, Purpose.WRITE_PAGE)]
)
def test_a_drum_writes_only_when_no_task_waits_for_a_page_of_it(machine, reads_first, next_purpose):
    """The place of the write comes round before that of the read."""
    machine.settings.drum_reads_first = reads_first
    for purpose, place in (
        (Purpose.READ_PAGE, 0),
        (Purpose.WRITE_PAGE, 1),
        (Purpose.READ_PAGE, 3),
        (Purpose.READ_PAGE, 2),
    ):
        ask_drum(machine, purpose, place)
    assert machine.kernel.waiting == 3
    assert next_of_drum(machine) == next_purpose


@pytest.mark.parametrize(
    "changes", [{"users": 200.0, "user_slots": 300}, {"private_pages": 2000}, {"system_tasks": 300}]
)
def test_pages_of_many_tasks_and_of_large_ones_are_placed_at_time_zero(changes):
    r = simulate(Parameters(**changes, settle_s=60.0, measured_s=60.0)).measures()
    assert r["r_pf"] > 0.0


def test_sharable_references_grow_as_a_power_of_processing_time():
    """In storage that holds nothing yet: eight in 5 ms, then 8 (330 / 5) ** exponent in 330 ms."""
    lone = {"users": 1.0, "user_slots": 1, "system_tasks": 0, "session_min": 1e6}
    lone |= {"memory_pages": 9000, "sharable_pages": 8192, "popularity_exponent": 0.0}
    lone |= {"cpu_points_s": (0.33, 0.3301), "cpu_cdf": (0.0, 1.0), "patience_min": 1e6}
    p = Parameters(**lone, sharable_working_set=8, loading_ms=5.0, settle_s=0.0)
    reads = [
        simulate(p.replace(sharable_exponent=power), 1).log.page_reads[0] for power in (0.5, 0.25)
    ]
    few = int(8 * (330 / 5) ** 0.25)
    assert few == 22
    assert reads[0] - reads[1] == pytest.approx(64 - few, abs=1)
