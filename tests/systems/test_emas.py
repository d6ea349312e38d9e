"""The EMAS simulator: conservation, mechanisms by hand, refusals."""

import math

import numpy as np
import pytest

from perfkit.des.compiling import kernel
from perfkit.des.lists import NOBODY
from perfkit.methods import tracing
from perfkit.systems import emas
from perfkit.systems.emas import Event, Parameters, category_table, simulate
from perfkit.systems.emas.devices import drum_alarm, request_drum
from perfkit.systems.emas.state import DRUM_ACTOR, Level, Place, Purpose, Queue, Service, State
from tests.systems.lists import chain
from tests.systems.machines import machine_after, new

BUSY = {
    "users": 12, "terminal_characters_per_s": 200.0, "typing_characters_per_s": 200.0,
    "line_think_s": 0.3, "command_think_s": 0.6, "log_on_gap_s": 0.5, "commands_per_session": 3.0,
    "drum_hold_s": 0.4, "drum_set_s": 0.3, "consistency_s": 4.0, "penalty_s": 0.5,
    "programme_pages": (8.0, 30.0, 20.0, 8.0), "background_pages": 3,
    "background_bursts_per_s": 0.06, "disc_seek_ms": (2.0, 6.0, 11.0), "disc_revolution_ms": 10.0,
    "settle_s": 2.0, "measured_s": 14.0,
}  # fmt: skip


def busy(seed=1, trace=0, categories=None, **changes):
    p = Parameters(**BUSY | changes)
    return simulate(p, seed, trace=trace, categories=categories)


def test_every_event_of_table_5_but_the_semaphore_and_the_change_of_drum_occurs():
    seen = {Event(kind) for kind in busy(2, 400_000, measured_s=300.0).trace.kind}
    assert set(Event) - seen <= {Event.SLEEPS_WITH_SEMAPHORE, Event.CHANGES_DRUM}
    crowded = {"drums": 1, "own_pages": 400, "programme_pages": (300.0,) * 4, "drum_set_s": 1e9}
    full = busy(0, **crowded, drum_hold_s=1e9, measured_s=60.0)
    assert full.values["drum_full"] > 0


OF_QUEUE = {
    **{Queue(q): State.QUEUED for q in range(Queue.CORE_1, Queue.CORE_5 + 1)},
    **{Queue(q): State.READY for q in range(Queue.RUN_0, Queue.RUN_2 + 1)},
    Queue.ACTIVE_STORAGE: State.AWAITING_DRUM,
}


@pytest.mark.parametrize(
    "changes",
    [{}, {"drums": 1, "drum_queues": "drum"}, {"frames": 64, "file_share": 1.0},
     {"prepaging": False, "file_share": 0.5}],
)  # fmt: skip
def test_frames_sectors_requests_and_queues_are_conserved(changes):
    for until_s in (1.0, 7.7, 40.0):
        m = machine_after(until_s, emas, **BUSY | changes)
        k, processes, own = m.kernel, m.processes, m.settings.own_pages
        in_core = m.pages.place[:, :own] >= Place.COMING
        shared = (m.shared.place >= Place.COMING).sum()
        assert k.shared_in_core == shared
        assert k.free_frames + in_core.sum() + shared == m.settings.frames
        assert k.free_frames >= 0
        on_drum = (m.pages.sector[:, :own] != NOBODY).sum(axis=1)
        assert (on_drum == processes.on_drum).all()
        assert m.sectors.free.sum() == k.drum_free
        assert k.drum_free + on_drum.sum() + m.shared.size == 512 * m.settings.drums
        held = np.isin(m.pages.place, (Place.COMING, Place.CORE))
        assert (held.sum(axis=1) == processes.held_pages).all()
        assert (held[:, own:].sum(axis=0) == m.shared.holders).all()
        assert k.allocated_pages == processes.charge_pages.sum()
        resident = (processes.state >= State.PRELOADING) & (processes.state < State.REMOVING)
        assert k.resident == resident.sum()
        assert (processes.charge_pages[~resident] == 0).all()
        idle = chain(m.shared, m.idle.head)
        assert sorted(idle) == np.flatnonzero(m.shared.idle).tolist() and len(idle) == m.idle.length
        assert (np.diff(m.shared.idle_since_ms[idle]) >= 0).all()
        heads = [m.free_requests.head, *m.drum_queues.head, *m.disc_queues.head]
        requests = [r for head in heads for r in chain(m.requests, head)]
        requests += [int(r) for r in [k.drum_serving, *m.drives.serving] if r != NOBODY]
        assert sorted(requests) == list(range(m.requests.size))
        for queue in Queue:
            members = chain(processes, m.queues[queue].head)
            assert len(members) == m.queues[queue].length
            assert set(processes.state[members]) <= {OF_QUEUE.get(queue, State.ASLEEP)}
        ready = m.queues.length[Queue.RUN_0 : Queue.RUN_2 + 1].sum()
        assert (processes.state == State.READY).sum() == ready
        assert all(sorted(stack) == list(range(own)) for stack in m.stacks)
        assert (processes.depth <= np.maximum(processes.depth_limit, 1)).all()


@kernel
def ask(m, purpose, page, sector):
    """Ask the drum for a page of the first process."""
    request_drum(m, purpose, 0, page, sector)


@pytest.mark.parametrize(
    ("order", "pages"),
    [("first", [2, 5, 0, 3, 4]), ("in turn", [0, 2, 3, 4, 5]), ("last", [0, 3, 4, 2, 5])],
)
def test_demanded_pages_stand_before_among_or_behind_all_others_of_their_queue(order, pages):
    """The first request is under way; pages 2 and 5 are demanded, the others are not."""
    m = new(emas, Parameters(demand_order=order))
    ask(m, Purpose.PRELOAD, 1, 0)
    m.kernel.now_ms = m.kernel.drum_start_ms
    kinds = {0: Purpose.PRELOAD, 3: Purpose.REMOVE, 4: Purpose.PRELOAD}
    for page in (0, 2, 3, 4, 5):
        ask(m, kinds.get(page, Purpose.DEMAND), page, 0)
    assert m.requests.page[chain(m.requests, m.drum_queues.head[0])].tolist() == pages
    assert m.requests.page[m.drum_queues.tail[0]] == pages[-1]
    assert m.drum_queues.length[0] == 5


@kernel
def transfer(m):
    """Let the drum's transfer end; return its request."""
    m.kernel.now_ms = m.alarms.time[DRUM_ACTOR]
    return drum_alarm(m)


@pytest.mark.parametrize(("queues", "sectors"), [("sector", 1), ("drum", 4)])
def test_pages_of_a_queue_are_transferred_in_the_order_they_were_asked_for(queues, sectors):
    """A page more for every page that has passed, eight outstanding, as under a heavy load."""
    m = new(emas, Parameters(drum_queues=queues, demand_order="in turn"))
    rng, served = np.random.default_rng(1), {}
    for turn in range(600):
        ask(m, Purpose.PRELOAD, turn, int(rng.integers(m.sectors.size)))
        if turn >= 8:
            request = m.requests[transfer(m)]
            served.setdefault(int(request.sector) // sectors, []).append(int(request.page))
    assert len(served) == m.sectors.size // sectors
    assert all(pages == sorted(pages) for pages in served.values())


def test_core_is_never_allocated_beyond_the_over_allocation():
    for pages in (0, 35):
        m = machine_after(60.0, emas, **BUSY, over_allocation_pages=pages)
        peak = m.levels[Level.ALLOCATED_PAGES].peak
        assert peak <= m.settings.frames + pages
        assert peak > m.settings.frames - 62 + pages


def test_supervisor_time_is_its_services_and_user_time_its_processes():
    m = machine_after(50.0, emas, trace=100_000, **BUSY)
    k, s = m.kernel, m.settings
    assert m.services.time_ms.sum() == pytest.approx(k.supervisor_ms, rel=1e-12)
    assert m.processes.used_ms.sum() == pytest.approx(k.user_ms, rel=1e-12)
    assert m.services.calls[Service.DRUM_TRANSFERS] == k.drum_operations
    assert m.services.calls[Service.DISC_TRANSFERS] == m.drives.operations.sum()
    queued = m.trace[: k.traced][m.trace[: k.traced].kind == Event.QUEUED].value
    to_core = (queued >= Queue.CORE_1) & (queued <= Queue.CORE_5)
    assert m.services.calls[Service.PROCESS_CONTROL] == to_core.sum() > 0
    assert m.services.calls[Service.TRACING] == k.traced
    assert m.services.time_ms[Service.TRACING] == pytest.approx(k.traced * s.trace_record_ms)
    assert k.user_ms + k.supervisor_ms <= k.now_ms
    assert k.drum_busy_ms <= k.now_ms


def test_the_mask_selects_events_and_each_record_costs_processor_time():
    mask = (1 << Event.WAKES) | (1 << Event.SLEEPS)
    some = busy(5, 10**5, trace_mask=mask, trace_record_us=0.0)
    every = busy(5, 10**5, trace_record_us=0.0)
    assert set(some.trace.kind) == {Event.WAKES, Event.SLEEPS}
    wanted = np.isin(every.trace.kind, (Event.WAKES, Event.SLEEPS))
    assert (some.trace == every.trace[wanted]).all()
    read = tracing.Trace.of(some, Event)
    assert read.having("sleeps").size > 0
    with pytest.raises(ValueError, match="left out the records 'queued'"):
        tracing.category_transitions(read, 20)
    dear = busy(5, 10**5, trace_record_us=500.0)
    seconds = dear.processor().loc["tracing", "seconds"]
    calls = dear.processor().loc["tracing", "calls"]
    assert seconds == pytest.approx(0.0005 * calls)
    assert dear.supervisor_percent > every.supervisor_percent


def test_every_line_in_or_out_is_one_call_of_the_supervisor():
    row = {"script": 0, "kind": "execute", "cpu_s": 1.0, "input_lines": 3, "input_characters": 8}
    row |= {"output_lines": 7, "output_characters": 50, "think_s": 1.0}
    p = Parameters(**BUSY | {"users": 1, "settle_s": 0.0, "measured_s": 100.0, "log_on_gap_s": 1e6})
    r = simulate(p, scripts=[row, row], trace=10**5)
    assert r.commands == 2
    calls = r.trace[r.trace.kind == Event.SUPERVISOR_CALL]
    assert calls.size == 2 * (3 + 7)
    assert calls.value.sum() == 2 * 7 * 50
    assert r.session()["cpu_s"].to_numpy() == pytest.approx(1.0, rel=1e-9)


def test_the_files_of_a_command_come_from_disc():
    # One long session, nothing lost from drum: without files a page comes from disc once, when
    # it is first touched, with them half of every programme does.
    changes = {"users": 1, "commands_per_session": 1e3, "drum_hold_s": 1e6, "drum_set_s": 1e6}
    p = Parameters(**BUSY | changes | {"measured_s": 150.0, "consistency_s": 1e6})
    without, half = (
        simulate(p.replace(file_share=share), 3, trace=10**5).trace for share in (0.0, 0.5)
    )
    first = without.value[without.kind == Event.DEMAND_DISC]
    assert 0 < first.size == np.unique(first).size
    assert (half.kind == Event.DEMAND_DISC).sum() > 2 * first.size


def test_a_session_holds_every_command_that_ended_in_it():
    """Were they chosen by their beginning, the long ones at the end would be missing."""
    r = simulate(Parameters(settle_s=600.0, measured_s=1200.0), 1)
    session = r.session()
    assert (session["ready_s"] >= 600.0).all()
    assert (session["received_s"] < 600.0).any()
    assert len(session) == r.commands


def test_a_penalised_process_goes_to_other_categories_when_it_overruns_its_cpu_time():
    table = category_table()
    table["cpu_s"] /= 20.0
    always, never = (
        busy(measured_s=100.0, penalty_s=s, categories=table).transitions for s in (0.0, math.inf)
    )
    penalised, others = [6, 9, 12, 15, 18], [5, 8, 11, 14, 17]
    assert always[:, penalised].sum() > 50 and never[:, others].sum() > 50
    assert always[:5, others].sum() == never[:17, penalised[:4]].sum() == 0


def test_what_a_process_had_on_drum_comes_back_there_before_it_is_demanded_again():
    changes = {"drum_set_s": 1e9, "consistency_s": 1e9, "programme_pages": (6.0,) * 4}
    r = busy(2, 10**6, **changes, measured_s=60.0)
    assert r.values["cold_wakes"] > 30
    from_disc = {t: set() for t in range(BUSY["users"])}
    for event in r.trace:
        if event.kind == Event.CREATED:
            from_disc[event.actor] = set()
        elif event.kind == Event.DEMAND_DISC:
            assert event.value not in from_disc[event.actor]
            from_disc[event.actor].add(event.value)


@pytest.mark.parametrize("most", [1, 2, 100])
def test_no_more_processes_than_allowed_are_preloaded_side_by_side(most):
    trace = busy(1, 10**5, preloads_at_once=most, measured_s=60.0).trace
    begins, ends = (trace.kind == e for e in (Event.PRELOAD_BEGINS, Event.PRELOAD_ENDS))
    side_by_side = np.cumsum(begins.astype(int) - ends)
    assert begins.sum() > 50
    assert side_by_side.min() >= 0
    assert side_by_side.max() == most if most < 100 else side_by_side.max() > 2


def test_late_users_open_evenly_and_machine_a_keeps_their_share():
    users = busy(late_users=6, settle_s=60.0, measured_s=600.0).samples()["users"].to_numpy()
    assert users[:4].max() <= 7 and users.max() > 10
    assert users[: users.size // 2].mean() < 8.5 < users[users.size // 2 :].mean()
    assert (emas.configuration_a().users, emas.configuration_a().late_users) == (50, 23)
    assert emas.configuration_a(users=30).late_users == 14
    assert emas.configuration_a(users=30, late_users=0).late_users == 0


def test_more_core_never_lengthens_the_core_queues_much():
    """With core for all hardly anybody waits, if a preload needs not wait for another's end."""
    waiting = []
    for pages in (70, 138, 400, 750):
        samples = busy(0, frames=pages, measured_s=600.0, preloads_at_once=12).samples()
        waiting.append(samples.filter(like="core_queue").sum(axis=1).mean())
    assert waiting[0] > waiting[1] > waiting[2] > waiting[3]
    assert waiting[3] < 0.5


def test_disc_traffic_beyond_the_drives_is_said_loudly():
    with pytest.raises(RuntimeError, match="More disc transfers wait than there is room for"):
        busy(background_bursts_per_s=50.0, measured_s=400.0)


def test_littles_law_holds_over_the_stations_of_the_trace():
    p = Parameters(settle_s=0.0, measured_s=1200.0)
    r = simulate(p, 3, trace=500_000)
    trace = tracing.Trace.of(r, Event)
    waits = tracing.station_waits(trace)
    found = tracing.visits(trace).dropna(subset="time_ms")
    total_s = found["time_ms"].sum() / 1000.0
    assert waits["mean_length"].sum() == pytest.approx(total_s / trace.seconds, rel=1e-9)
    assert waits["mean_length"].sum() <= p.users
    resident = waits.loc[
        waits.index.str.startswith(("preload", "suspended", "run queue", "processor", "page wait"))
    ]
    assert resident["mean_length"].sum() == pytest.approx(r.multiprogramming, rel=0.01)
