"""The state of EMAS: records that the handlers share, and a machine at time zero.

All times are in milliseconds unless a name says else. Every process has a clock of its own,
``used_ms``: the processor time it has had. What it will do next (touch a page, print a line,
end its command, ...) stands on that clock.

The pages of a process are numbered 0 to P - 1 (its own) and P to P + S - 1 (as it sees the S
shared pages).
"""

import math
from collections import namedtuple
from enum import IntEnum

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import new_alarms, set_alarm
from perfkit.des.compiling import assembly, handler, inlined
from perfkit.des.counters import new_levels, running_totals, total
from perfkit.des.devices import DRIVE, Disc, seek_times
from perfkit.des.draws import STREAM, stream, streams, uniform
from perfkit.des.elementary import power
from perfkit.des.lists import LIST, NOBODY, link_all, new_lists
from perfkit.des.records import fields, record, records, settings_maker
from perfkit.des.trace import new_trace
from perfkit.systems.emas.parameters import PAGE_BYTES, SECTORS_PER_TRACK, TRACKS, Parameters

PROCESSOR_ACTOR, DRUM_ACTOR, CLOCK_ACTOR, BACKGROUND_ACTOR, FIRST_DISC_ACTOR = range(5)
DISCS = 2
FIRST_PROCESS_ACTOR = FIRST_DISC_ACTOR + DISCS
CORE_QUEUES = 5
LOG_ON_CATEGORY, COLD_CATEGORY = 0, 1
TRANSITIONS = ("more_core", "more_cpu", "more_cpu_penalised", "less_core", "asleep")
FARTHEST, DISTANCE_STEPS = 1e6, 2048
# Draws were once made in batches, and a burst ended where a batch of references did. That moves
# results by a thousandth, so the batches are still counted; the next calibration should drop them.
BATCHES = REFERENCES, COMMANDS, THINKS = 8192, 16, 64
PLACES = 2**16
Batch = IntEnum("Batch", "REFERENCES COMMANDS THINKS", start=0)
LINES_PARTS = 4  # of the parts of a session's stream, behind which come two for each of four kinds
PARTS = LINES_PARTS + 2 * 4
COMPLETIONS = SPARE_REQUESTS = 4096
DISC_BYTES = 350 * 10**6
BLOCKS_A_TRACK = 5
CLOCK_MS = 1000.0
LATEST_LOG_ON_MS = 300_000.0

# What a process is doing; from PRELOADING to PAGE_WAIT it is resident in core.
State = IntEnum(
    "State",
    "ABSENT ASLEEP AWAITING_DRUM QUEUED PRELOADING SUSPENDED READY RUNNING PAGE_WAIT REMOVING",
    start=0,
)
# Which requests to drums stand in one queue; as the choices of drum_queues.
DrumQueues = IntEnum("DrumQueues", "SECTOR DRUM", start=0)
# What becomes of a process whose pages are being removed from core.
After = IntEnum("After", "SLEEP REQUEUE LOG_OUT", start=0)
# The stations of Figure 2, and the queue of sleepers to be removed from drum.
Queue = IntEnum(
    "Queue",
    "ACTIVE_STORAGE CORE_1 CORE_2 CORE_3 CORE_4 CORE_5 RUN_0 RUN_1 RUN_2 DRUM_REMOVAL",
    start=0,
)
# Why a process's burst on the processor ends; at equal times the first of them.
Due = IntEnum("Due", "FAULT TURN CPU_ALLOWANCE COMPACTION SLICE LOOK_AGAIN", start=0)
# Where a page is, as its process sees it.
Place = IntEnum("Place", "DISC DRUM COMING CORE LEAVING", start=0)
Purpose = IntEnum("Purpose", "PRELOAD DEMAND WRITE_BACK REMOVE TRIM FILE LOAD", start=0)
# The supervisor's services, as Table 2 lists them, and the event monitor.
Service = IntEnum(
    "Service",
    "DRUM_TRANSFERS DISC_TRANSFERS CORE_LOADING DRUM_LOADING PROCESS_CONTROL TIME_SLICING"
    " FILE_SYSTEM SVC_PARAMETER_PASSING COMMUNICATIONS DEVICE_POLLING MAGTAPES MISCELLANEOUS"
    " TRACING",
    start=0,
)
Level = IntEnum(
    "Level",
    "RESIDENT AWAKE ALLOCATED_PAGES SHARED_PAGES WAITING_FOR_PAGES WAITING_FOR_CORE",
    start=0,
)
BATCH_KINDS, QUEUES, SERVICES, LEVELS = map(len, (Batch, Queue, Service, Level))
# What a process slept for; one that has just been created has not slept.
SleptFor = IntEnum("SleptFor", "LOG_ON OUTPUT LINE COMMAND", start=0)
# Why a core residence ends, or a category changes.
Reason = IntEnum("Reason", "SLEEP CORE CPU NO_FRAME COLD_WAKE LOG_ON", start=0)
# Why the event loop must give control back; NONE as long as it need not.
Stop = IntEnum("Stop", "NONE LOG_FULL BAD_CHOICE NO_REQUEST_LEFT", start=0)


class Event(IntEnum):
    """The events of Table 5, under its numbers."""

    WAKES = 1
    QUEUED = 2
    PRELOAD_BEGINS = 3
    PRELOAD_ENDS = 4
    DEMAND_DISC = 5
    DEMAND_DRUM = 6
    DEMANDED_PAGE_ARRIVES = 7
    DEMAND_IN_CORE = 8
    OVERRUNS = 9
    COMPACTION = 10
    SLEEPS = 11
    REMOVED_FROM_CORE = 12
    REMOVED_FROM_DRUM = 13
    SLEEPS_WITH_SEMAPHORE = 14
    DRUM_SET_RECALCULATED = 15
    PAGE_LEAVES_AT_REMOVAL = 16
    PAGE_LEAVES_AT_COMPACTION = 17
    CREATED = 18
    BEGINS_LOG_OUT = 19
    LOGGED_OUT = 20
    SUSPENDED = 21
    RESUMED = 22
    FILES_MADE_CONSISTENT = 23
    COMPACTION_AT_REMOVAL = 24
    PRELOADED_PAGE_ARRIVES = 25
    SUPERVISOR_CALL = 26
    CHANGES_DRUM = 27
    EXIT_FROM_SUPERVISOR = 28
    QUEUES_SAMPLED = 32
    MONITOR_STARTS = 33


SAMPLED = (
    *(f"run_queue_{i}" for i in (1, 2, 3)),
    "active_storage_queue",
    *(f"core_queue_{i}" for i in range(1, CORE_QUEUES + 1)),
    *("core_unallocated", "core_unused", "core_shared"),
    *("drum_unallocated", "drum_unused", "users"),
)

PROCESS = fields(
    "state next category queue after reason woken batch command due run_queue charge_pages"
    " held_pages outstanding transfers writes written wanted_page cold drum on_drum to_move"
    " waits_for_drum depth depth_limit wake_references kind last script script_row commands_left"
    " output_left stretches_left answer_lines pending_characters output_characters"
    " input_characters think_varies slept_for",
    "used_ms burst_left_ms residence_ms slice_left_ms to_compaction_ms to_recalculation_ms"
    " to_drum_set_ms reference_at_ms turn_at_ms line_at_ms line_ms command_ms printed_at_ms"
    " wake_at_ms asleep_since_ms interacted_ms received_ms started_ms on_drum_since_ms queued_ms"
    " locality line_think_ms typing_ms silent_share",
)
# Pages are most of the state: four bytes a number.
PAGE_FIELDS = fields(
    "place sector used touched drum_used written changed in_set preloaded in_drum_set"
).names
PAGE = np.dtype([(name, "i4") for name in PAGE_FIELDS], align=True)
SHARED = fields("place holders sector previous next idle", "idle_since_ms")
CATEGORY = fields(
    "core_queue core_pages max_drum_pages min_drum_pages more_core more_cpu more_cpu_penalised"
    " less_core asleep",
    "cpu_ms compaction_ms",
)
COMMAND = fields(
    "kind input_lines input_characters output_lines output_characters last own_pages think_varies",
    "cpu_ms think_ms locality line_think_ms typing_ms silent_share",
)
KIND = fields(
    "input_characters output_characters",
    "cumulative cpu_s cpu_variance further_lines output_lines silent_share pages",
)
COMPLETION = fields("kind process", "received_ms ready_ms cpu_ms")
SECTOR = fields("free", "phase_ms")
REQUEST = fields("next process page purpose sector block")
SERVICE = fields("calls", "time_ms")
SAMPLE = fields(" ".join(SAMPLED), "time_ms")
SETTINGS = Parameters.settings_type(
    "processes shared_pages cold_category disc_heads disc_blocks queue_sectors",
    "slot_ms drum_page_ms background_ms terminal_ms trace_record_ms",
)
KERNEL = fields(
    "stop begun batch_ended places running running_queue goes_on leaving schedule drum_work"
    " suspended free_frames allocated_pages resident awake shared_in_core drum_free drum_serving"
    " channel_busy moving moving_pages loading preloading drum_full users ticks events traced"
    " trace_full sampled completed log_ons commands frame_shortages partial_preloads suspensions"
    " residences core_overruns cpu_overruns cold_wakes drum_operations compactions",
    "now_ms burst_ms burst_end_ms user_ms supervisor_ms drum_start_ms drum_busy_ms no_work_ms"
    " no_work_since_ms no_work_supervised_ms",
)
Machine = namedtuple(
    "Machine",
    "settings kernel idle free_requests categories queue_weights kinds scripts script_ends"
    " popularity distances session reference think place phase trace processes pages stacks shared"
    " transitions queues queue_waits_ms levels services sectors drum_queues drives disc_queues disc"
    " requests commands kind_sizes session_parts used completions samples alarms",
)


def new_machine(p, categories, kinds, seed, until_s, trace=0, scripts=()):
    """Return a machine that has not begun yet, with room for so many trace records.

    ``kinds`` are what commands are drawn with; terminal k plays scripts k, k + users, ..., if there
    are any. ``until_s`` is how long it will run, for the samples.
    """
    settings, weights, popularity, distances, seek_ms = settings_of(p)
    settings, own = settings.copy(), (record(KERNEL), record(LIST), record(LIST))
    settings.cold_category = min(COLD_CATEGORY, len(categories) - 1)
    rows, script_ends = category_records(categories), np.cumsum([0, *map(len, scripts)])
    scripts = np.concatenate([np.zeros(0, COMMAND), *scripts]).view(np.recarray)
    # A user asks for the same, and a programme touches the same, whatever the machine.
    purposes = "session", "reference", "think"
    drawn = (streams(seed, purpose, settings.processes) for purpose in purposes)
    single = stream(seed, "place"), stream(seed, "phase")
    tables = rows, weights, kinds, scripts, script_ends, popularity, distances
    made = assemble(settings, *own, seek_ms, len(categories), kinds.size, until_s)
    return Machine(settings, *own, *tables, *drawn, *single, new_trace(trace), *made)


@assembly
def assemble(settings, k, idle, free_requests, seek_ms, categories, kinds, until_s):
    """Return what else a machine has: all pages on disc, shared ones on drum, nothing under way.

    Shared pages in core that nobody holds stand in ``idle``, the longest idle first.
    """
    s = settings
    count, all_pages = s.processes, s.own_pages + s.shared_pages
    processes = records(count, PROCESS)  # one per terminal, then the batch processes
    pages = records((count, all_pages), PAGE)  # where each process's pages are
    stacks = np.zeros((count, s.own_pages), np.int16)  # own pages, the last used first
    shared = records(s.shared_pages, SHARED)
    transitions = np.zeros((categories, categories), np.int64)  # from one to another
    queues, levels, services = new_lists(QUEUES), new_levels(LEVELS), records(SERVICES, SERVICE)
    queue_waits_ms = np.zeros(CORE_QUEUES)  # of the first of each core queue, -1 if none
    sectors = records(s.drums * SECTORS_PER_TRACK, SECTOR)  # of each drum in turn
    drum_queues = new_lists(sectors.size // s.queue_sectors)
    drives, disc_queues = records(DISCS, DRIVE), new_lists(DISCS)  # on one channel
    disc = Disc(  # a block is half a page
        seek_ms, s.disc_heads, BLOCKS_A_TRACK, s.disc_revolution_ms, 0.0, 0.0, 0.0
    )
    requests = records(count * all_pages + SPARE_REQUESTS, REQUEST)
    commands = records(count, COMMAND)  # what each will do next
    parts, used = records((count, PARTS), STREAM), np.zeros((BATCH_KINDS, count), np.int64)
    completions = records(COMPLETIONS, COMPLETION)  # the subsystem's monitoring records
    samples = records(2 + int(until_s / s.sampling_s), SAMPLE)
    alarms = new_alarms(FIRST_PROCESS_ACTOR + count)
    k.goes_on = k.leaving = NOBODY
    k.running = k.suspended = k.moving = k.drum_serving = idle.head = idle.tail = NOBODY
    k.free_frames = s.frames
    link_all(requests, free_requests)
    for d in range(DISCS):
        drives[d].serving = NOBODY
    for t in range(count):
        process = processes[t]
        process.due = process.wanted_page = process.drum = NOBODY
        process.batch, process.script = t >= s.users, t
        for page in range(all_pages):
            pages[t, page].sector = NOBODY
            if page >= s.own_pages:
                pages[t, page].place = Place.DRUM
    state = processes, pages, stacks, shared, transitions, queues, queue_waits_ms, levels, services
    devices = sectors, drum_queues, drives, disc_queues, disc, requests
    sizes = np.zeros(kinds, np.int64)
    return *state, *devices, commands, sizes, parts, used, completions, samples, alarms


@assembly
def derive(settings, arrays):
    """Derive the further numbers of a machine (in place), and return the tables beside them.

    These are weights of the core queues, popularity of shared pages, distances of own ones on the
    stack, times of seeks by distance. A drive has its capacity in half pages, five a track.
    """
    s, (weights, seek_ms, _, _, _) = settings, arrays
    s.cold_category = COLD_CATEGORY
    s.queue_sectors = 1 if s.drum_queues == DrumQueues.SECTOR else SECTORS_PER_TRACK
    s.terminal_ms = 1000.0 / s.terminal_characters_per_s
    s.trace_record_ms = s.trace_record_us / 1000.0
    rate = s.background_bursts_per_s
    s.background_ms = 1000.0 / rate if rate > 0.0 else np.inf
    track_bytes = BLOCKS_A_TRACK * PAGE_BYTES / 2
    s.disc_heads = max(1, round(DISC_BYTES / (s.disc_cylinders * track_bytes)))
    s.disc_blocks = s.disc_cylinders * s.disc_heads * BLOCKS_A_TRACK
    seeks_ms = seek_times(s.disc_cylinders, seek_ms[0], seek_ms[1], seek_ms[2])
    return weights, _popularity(settings), _distances(s.locality_exponent), seeks_ms


settings_of = settings_maker(SETTINGS, derive)


@assembly
def _popularity(settings):
    """Return how likely a shared reference is to go to a page of each rank or one before it."""
    s, at = settings, 0
    shares = np.zeros(s.base_pages + s.command_pages)
    for pages in (s.base_pages, s.command_pages):
        ranks = np.zeros(pages)
        for rank in range(pages):
            ranks[rank] = power(rank + 1.0, -s.popularity_exponent)
        for share in running_totals(ranks) / total(ranks):
            shares[at] = share
            at += 1
        shares[at - 1] = 1.0  # a sum of shares may end below a draw, and the search beyond it
    return shares


@assembly
def _distances(exponent):
    """Return distances of own pages on the stack at even steps of a draw."""
    distances = np.zeros(DISTANCE_STEPS + 1)
    for step in range(distances.size):
        distance = power(1.0 - step / DISTANCE_STEPS, -1.0 / exponent) - 1.0
        distances[step] = min(distance, FARTHEST)
    return distances


def category_records(categories):
    """Return Categories as records, their numbers counted from 0 and their times in ms."""
    rows = records(len(categories), CATEGORY)
    for row, category in zip(rows, categories, strict=True):
        for name in set(CATEGORY.names) & set(category._fields):
            row[name] = getattr(category, name)
        for name in TRANSITIONS:
            row[name] -= 1
        row.cpu_ms, row.compaction_ms = 1000.0 * category.cpu_s, 1000.0 * category.compaction_s
    return rows


@inlined
def begin(m):
    """Draw how far the platters have turned, where shared pages lie, and when users log on.

    Users log on in the first half of the settling time, late ones over the measured time.
    """
    k, s = m.kernel, m.settings
    k.begun = 1
    for first in range(0, m.sectors.size, SECTORS_PER_TRACK):
        phase_ms = uniform(m.phase) * s.drum_revolution_ms
        for sector in range(first, first + SECTORS_PER_TRACK):
            m.sectors[sector].phase_ms = phase_ms
            m.sectors[sector].free = TRACKS
    for d in range(m.drives.size):
        m.drives[d].phase_ms = uniform(m.phase) * s.disc_revolution_ms
    for page in range(m.shared.size):
        m.shared[page].place = Place.DRUM
        m.shared[page].sector = sector = int(uniform(m.phase) * m.sectors.size)
        m.sectors[sector].free -= 1
    k.drum_free = m.sectors.size * TRACKS - m.shared.size
    early = s.users - s.late_users
    for t in range(m.processes.size):
        m.processes[t].slice_left_ms = s.time_slice_ms
        first_ms = uniform(m.phase) * min(500.0 * s.settle_s, LATEST_LOG_ON_MS)
        if early <= t < s.users:
            opens_at = (t - early + 0.5) / s.late_users
            first_ms = 1000.0 * (s.settle_s + s.measured_s * opens_at)
        set_alarm(m.alarms, FIRST_PROCESS_ACTOR + t, first_ms)
    set_alarm(m.alarms, CLOCK_ACTOR, CLOCK_MS)
    if s.background_ms < math.inf:
        set_alarm(m.alarms, BACKGROUND_ACTOR, uniform(m.phase) * s.background_ms)


@inlined
def draw_place(m):
    """Draw a place on a device, or a time, from 0 to 1."""
    m.kernel.places += 1
    return uniform(m.place)


@handler
def use(m, t, batch, size):
    """Count a draw, or a row of them, of a process."""
    m.used[batch, t] += 1
    m.kernel.batch_ended |= m.used[batch, t] == size


@inlined
def begin_batches(m):
    """Begin all batches of which half is used, once one is at its end; return whether it was."""
    k, an_event = m.kernel, 4 * m.settings.own_pages + m.settings.background_pages + 64
    if not k.batch_ended and k.places + an_event <= max(PLACES, 4 * an_event):
        return False
    k.batch_ended = k.places = 0
    for batch in range(m.used.shape[0]):
        for t in range(m.used.shape[1]):
            if 2 * m.used[batch, t] > BATCHES[batch]:
                m.used[batch, t] = 0
    return True


@handler
def append_process(queues, processes, now_ms, queue, t):
    """Put a process at the end of a queue; only what it needs is handed over, to compile soon."""
    processes[t].queued_ms = now_ms
    lists.push(processes, queues[queue], t)


@inlined
def push(m, queue, t):
    """Put a process at the end of a queue."""
    append_process(m.queues, m.processes, m.kernel.now_ms, queue, t)


@handler
def first_process(queues, processes, queue):
    """Take the first process out of a queue that holds one."""
    return lists.pop(processes, queues[queue])


@inlined
def pop(m, queue):
    """Take the first process out of a queue that holds one."""
    return first_process(m.queues, m.processes, queue)


@inlined
def begin_to_leave(m, t, after, reason):
    """Let the event loop take a process out of core: what becomes of it then, and why it leaves."""
    process = m.processes[t]
    process.after = after
    process.reason = reason
    m.kernel.leaving = t
