"""Run the machine: what happens next, who handles it; the clock's samples; settle, measure."""

from collections.abc import Callable, Mapping

from numba import types

from perfkit.core.tables import Table
from perfkit.des import lists
from perfkit.des.alarms import NEVER, next_actor, set_alarm
from perfkit.des.compiling import PolicyKind, inlined
from perfkit.des.elementary import log
from perfkit.des.lists import NOBODY
from perfkit.des.memo import remembered
from perfkit.des.read_only import read_only, read_only_type
from perfkit.des.running import Loop
from perfkit.systems.emas import processor
from perfkit.systems.emas.devices import disc_alarm, drum_alarm, request_disc
from perfkit.systems.emas.load import TABLE_6, kind_records, read_kinds, read_scripts
from perfkit.systems.emas.memory import drum
from perfkit.systems.emas.memory.categories import TABLE_4, read_categories
from perfkit.systems.emas.memory.core import load_processes, page_arrives, weighted_wait
from perfkit.systems.emas.memory.leaving import compact, leave_core, page_written
from perfkit.systems.emas.memory.paging import demand_page
from perfkit.systems.emas.parameters import Parameters
from perfkit.systems.emas.result import Result, completion_log, counted, read_out
from perfkit.systems.emas.state import (
    BACKGROUND_ACTOR,
    CLOCK_ACTOR,
    CLOCK_MS,
    CORE_QUEUES,
    DRUM_ACTOR,
    FIRST_DISC_ACTOR,
    FIRST_PROCESS_ACTOR,
    PROCESSOR_ACTOR,
    After,
    Due,
    Event,
    Place,
    Purpose,
    Queue,
    Reason,
    Service,
    State,
    Stop,
    begin,
    begin_batches,
    begin_to_leave,
    draw_place,
    new_machine,
)
from perfkit.systems.emas.users import create_process, next_command, turn_due

BYTE = 256


@inlined
def packed_lengths(m, before, first, count):
    """Return a length and those of queues, a byte each as in the event record, at most 255."""
    packed = min(before, BYTE - 1)
    for queue in range(first, first + count):
        packed = packed * BYTE + min(m.queues[queue].length, BYTE - 1)
    return packed


@inlined
def owed_drum_pages(m):
    """Count the pages in core that will need a page of drum when they leave."""
    owed = 0
    for t in range(m.processes.size):
        if m.processes[t].held_pages > 0:
            for page in range(m.settings.own_pages):
                record = m.pages[t, page]
                owed += record.place >= Place.COMING and record.sector == NOBODY
    return owed


@inlined
def sample_queues(m):
    """Note the system's variables as the printed Q sample has them."""
    k, queues = m.kernel, m.queues
    sample = m.samples[k.sampled]
    k.sampled += 1
    sample.time_ms = k.now_ms
    sample.run_queue_1 = queues[Queue.RUN_0].length
    sample.run_queue_2 = queues[Queue.RUN_1].length
    sample.run_queue_3 = queues[Queue.RUN_2].length
    waiting = queues[Queue.ACTIVE_STORAGE].length + queues[Queue.DRUM_REMOVAL].length
    sample.active_storage_queue = waiting + k.loading + (k.moving != NOBODY)
    sample.core_queue_1 = queues[Queue.CORE_1].length
    sample.core_queue_2 = queues[Queue.CORE_2].length
    sample.core_queue_3 = queues[Queue.CORE_3].length
    sample.core_queue_4 = queues[Queue.CORE_4].length
    sample.core_queue_5 = queues[Queue.CORE_5].length
    sample.core_unallocated = m.settings.frames - k.allocated_pages
    sample.core_unused = k.free_frames
    sample.core_shared = k.shared_in_core
    sample.drum_unused = k.drum_free
    sample.drum_unallocated = k.drum_free - owed_drum_pages(m)
    sample.users = k.users
    core = packed_lengths(m, sample.active_storage_queue, Queue.CORE_1, CORE_QUEUES)
    processor.log_event(m, Event.QUEUES_SAMPLED, NOBODY, core, packed_lengths(m, 0, Queue.RUN_0, 3))


@inlined
def clock_ticks(m):
    """A second has passed: poll devices; every tenth second sample the queues."""
    k, settings = m.kernel, m.settings
    processor.supervise(m, Service.DEVICE_POLLING, settings.polling_ms_per_s)
    processor.supervise(m, Service.MAGTAPES, settings.magtape_ms_per_s)
    processor.supervise(m, Service.MISCELLANEOUS, settings.miscellaneous_ms_per_s)
    k.ticks += 1
    if k.ticks % settings.sampling_s == 0:
        sample_queues(m)
    set_alarm(m.alarms, CLOCK_ACTOR, (k.ticks + 1) * CLOCK_MS)


@inlined
def background_burst(m):
    """The executive processes transfer some pages from or to disc; the next burst is drawn."""
    settings = m.settings
    for _ in range(settings.background_pages):
        request_disc(m, Purpose.FILE, NOBODY, NOBODY)
    gap_ms = -settings.background_ms * log(1.0 - draw_place(m))
    set_alarm(m.alarms, BACKGROUND_ACTOR, m.kernel.now_ms + gap_ms)


@inlined
def transfer_ends(m, r, from_drum):
    """A page has been transferred between core and a device."""
    request = m.requests[r]
    purpose, t, page = request.purpose, request.process, request.page
    lists.push_front(m.requests, m.free_requests, r)
    if purpose == Purpose.WRITE_BACK:
        page_written(m, t, page)
    elif purpose <= Purpose.DEMAND:
        page_arrives(m, t, page)
    elif purpose == Purpose.LOAD:
        if from_drum:
            drum.page_reaches_drum(m, t, page)
        else:
            drum.page_read_from_disc(m, t, page)
    elif from_drum:
        drum.page_read_from_drum(m, t, page, purpose)
    else:
        drum.page_moved(m, t, purpose)


@inlined
def device_alarm(m, actor):
    """The drum's or a disc's alarm: a seek has ended, or a page has been transferred."""
    from_drum = actor == DRUM_ACTOR
    if from_drum:
        r = drum_alarm(m)
        processor.supervise(m, Service.DRUM_TRANSFERS, m.settings.drum_transfer_ms)
    else:
        r = disc_alarm(m, actor - FIRST_DISC_ACTOR)
        if r == NOBODY:
            return
        processor.supervise(m, Service.DISC_TRANSFERS, m.settings.disc_transfer_ms)
    transfer_ends(m, r, from_drum)


@inlined
def burst_ends(m, t, due):
    """The running process has come to something other than a page fault."""
    if due == Due.TURN:
        turn_due(m, t)
    elif due == Due.CPU_ALLOWANCE:
        begin_to_leave(m, t, After.REQUEUE, Reason.CPU)
    elif due == Due.COMPACTION:
        compact(m, t)
        m.kernel.goes_on = t
    elif due == Due.SLICE:
        m.processes[t].slice_left_ms = m.settings.time_slice_ms
        processor.make_ready(m, t, Queue.RUN_1)
    else:
        m.kernel.goes_on = t


@inlined
def process_alarm(m, t):
    """A process's own alarm: a user logs on, or a sleeper has slept long enough."""
    if m.processes[t].state == State.ABSENT:
        create_process(m, t)
    else:
        drum.sleeper_alarm(m, t)


@inlined
def settle(m):
    """Let the process whose burst ended leave core, or run on, if that is what it came to."""
    k = m.kernel
    if k.leaving != NOBODY:
        leave_core(m, k.leaving)
    elif k.goes_on != NOBODY:
        processor.run_on(m, k.goes_on)


def run(m, rule, until_ms):
    """Run the machine until a time, or until a log is full; return its events so far.

    An alarm that goes off while the supervisor is at work is handled when that is done, and all
    such before a process is dispatched: "requests for these services are stacked".
    """
    k = m.kernel
    k.stop = Stop.NONE
    if not k.begun:
        begin(m)
        for t in range(m.processes.size):
            next_command(m, t)
        processor.log_event(m, Event.MONITOR_STARTS, NOBODY, m.settings.trace_mask, 0)
    while k.stop == Stop.NONE:
        if k.drum_work:
            drum.work_on_drum(m)
        if k.schedule:
            load_processes(m, rule)
        if begin_batches(m):
            continue  # the loop was left then, and entered again from its top
        # Here, not where a process leaves: mostly another one runs at once and sets it.
        if k.running == NOBODY:
            set_alarm(m.alarms, PROCESSOR_ACTOR, NEVER)
        actor = next_actor(m.alarms)
        if k.running == NOBODY and m.alarms.time[actor] > k.now_ms:
            processor.dispatch(m)
            actor = next_actor(m.alarms)
        if m.alarms.time[actor] > until_ms:
            k.now_ms = max(k.now_ms, until_ms)  # the supervisor's work may end beyond
            break
        k.now_ms = max(k.now_ms, m.alarms.time[actor])
        k.events += 1
        if actor == PROCESSOR_ACTOR:
            t, due = processor.leave_processor(m)
            if due == Due.FAULT:
                demand_page(m, t)
            else:
                burst_ends(m, t, due)
            settle(m)
        elif actor >= FIRST_PROCESS_ACTOR:
            process_alarm(m, actor - FIRST_PROCESS_ACTOR)
        elif actor == CLOCK_ACTOR:
            clock_ticks(m)
        elif actor == BACKGROUND_ACTOR:
            background_burst(m)
        else:
            device_alarm(m, actor)
    return k.events


_NUMBERS = read_only_type(types.float64[::1])
core_queue_policy = PolicyKind("core_queue", types.int64(_NUMBERS, _NUMBERS), weighted_wait)
LOOP = Loop(
    run,
    core_queue_policy,
    refusals={
        Stop.BAD_CHOICE: "The core queue policy must say -1, or one of the queues 0 to 4 that"
        " holds a process.",
        Stop.NO_REQUEST_LEFT: "More disc transfers wait than there is room for: the background"
        " traffic exceeds what the drives can do.",
    },
    arguments=lambda m: (read_only(m.queue_waits_ms), read_only(m.queue_weights)),
)


@remembered
def simulate(
    parameters: Parameters | None = None,
    seed: int = 0,
    *,
    categories: Table | None = None,
    scripts: Table | None = None,
    kinds: Mapping | None = None,
    core_queue: Callable | None = None,
    trace: int = 0,
) -> Result:
    """Simulate one run.

    Parameters
    ----------
    parameters : Parameters, optional
        Defaults to ``Parameters()``: machine B with 30 users.
    seed : int
        Draws the load and the phases; the same seed, the same run.
    categories : pandas.DataFrame, dict of columns or list of dict, optional
        One row per category (see ``Category``); defaults to Table 4.
    scripts : pandas.DataFrame, dict of columns or list of dict, optional
        Job scripts to play, one row per command (see ``ScriptCommand``); by default sessions are
        drawn at random.
    kinds : mapping of str to CommandKind, optional
        The mix of commands that they are drawn from; defaults to Table 6.
    core_queue : callable, optional
        A function under ``@core_queue_policy``; defaults to the greatest weighted wait.
    trace : int
        How many trace records there is room for, at most 10^8; a full trace stops growing and
        is marked in ``counts["trace_full"]``. The records cost the simulated processor time.

    Raises
    ------
    RuntimeError
        If the policy failed or gave an impossible answer, or disc transfers pile up.

    Examples
    --------
    >>> result = simulate(Parameters(users=3, settle_s=60.0, measured_s=120.0), seed=0)
    >>> result.commands, round(result.user_percent, 2)
    (4, 0.75)
    """
    p = Parameters.given(parameters)
    scripts = () if scripts is None else read_scripts(p, scripts)
    end_s, log = p.settle_s + p.measured_s, completion_log()
    machine = machine_of(p, seed, categories, kinds, trace, scripts)
    LOOP.until(machine, 1000.0 * p.settle_s, log.take, core_queue=core_queue)
    settled = counted(machine)
    LOOP.until(machine, 1000.0 * end_s, log.take, core_queue=core_queue)
    return read_out(machine, log.taken(machine), settled, p, seed)


def machine_of(p, seed, categories=None, kinds=None, trace=0, scripts=()):
    """Return a machine for a whole run, its tables the paper's unless they are given."""
    table = read_categories(TABLE_4 if categories is None else categories)
    largest = max(category.core_pages for category in table)
    if largest > p.frames:
        raise ValueError(
            f"frames must hold the largest core allowance, {largest}; {p.frames} does not."
        )
    mix = kind_records(p, read_kinds(TABLE_6 if kinds is None else kinds))
    return new_machine(p, table, mix, seed, p.settle_s + p.measured_s, trace, scripts)
