"""The state of the TSS/360 system: records that the handlers share, and a machine at time zero.

All times are in milliseconds unless a name says else. Pages belong to owners: owner t is
task t with its private pages, the last owner is the system with the sharable ones.
"""

from collections import namedtuple
from enum import IntEnum

import numpy as np

from perfkit.des import lists
from perfkit.des.alarms import NEVER, new_alarms, set_alarm
from perfkit.des.compiling import assembly, handler, inlined
from perfkit.des.counters import change_level, new_levels, running_totals, total
from perfkit.des.devices import Disc, seek_times
from perfkit.des.draws import stream, streams
from perfkit.des.elementary import power
from perfkit.des.lists import LIST, NOBODY, link_all_two_way, new_lists
from perfkit.des.processor import supervise
from perfkit.des.records import fields, record, records, settings_maker
from perfkit.des.trace import new_trace
from perfkit.systems.tss360.parameters import PAGE_BYTES, Parameters

CLOCK_ACTOR, FIRST_DEVICE_ACTOR = 1, 2  # after the processor; behind the devices come the tasks
BLOCKS_PER_DISC_TRACK = 2  # a track holds one page, somewhat more than half of it
DRUM_TURNS = 2  # in which nine pages pass that stand on two tracks
MS_A_SECOND, MS_A_MINUTE = 1000.0, 60000.0
BLOCK = 32  # rows of draws of a task, made at a time: another number is another load
DRAWS = 10  # that a transaction's demands are made of
POPULAR_GRAIN = 2**13
LOG_ROOM = 4096

# The three types of task that the scheduler tells apart.
TaskType = IntEnum("TaskType", "CONVERSATIONAL NONCONVERSATIONAL SYSTEM", start=0)
# Where a task is; from READY on it is dispatchable, before ELIGIBLE inactive.
State = IntEnum(
    "State",
    "LOGGED_OFF INACTIVE TYPING ELIGIBLE READY RUNNING PAGE_WAIT FRAME_WAIT DATA_WAIT",
    start=0,
)
# Queues of dispatchable tasks; those who wait for a sharable page stand by their numbers.
Queue = IntEnum("Queue", "READY FRAMES PAGES", start=0)
# Which available frame a page goes to.
Reuse = IntEnum("Reuse", "OLDEST NEWEST CYCLIC", start=0)
# What a page frame is doing; AVAILABLE and WRITING ones can be reclaimed.
FrameState = IntEnum("FrameState", "AVAILABLE PRIVATE SHARABLE READING WRITING", start=0)
# A sharable page that is not in storage in its own right, or its reference bit.
Mark = IntEnum("Mark", "ABSENT RESET REFERENCED", start=0)
Due = IntEnum("Due", "FAULT OVER_LIMIT QUANTUM DATA_SET SLICE DONE", start=0)
Cause = IntEnum("Cause", "DONE PROCESSING OVER_LIMIT SWAP_OUT", start=0)
Purpose = IntEnum("Purpose", "READ_PAGE WRITE_PAGE DATA_SET MIGRATE_OUT MIGRATE_IN", start=0)
# What the sampling monitor averages over a minute.
Level = IntEnum(
    "Level",
    "TASKS ELIGIBLE DISPATCHABLE ESTIMATE AVAILABLE SHARABLE PRIVATE TYPICAL_DISPATCHABLE",
    start=0,
)
# What the sampling monitor's event counters and timers count.
Count = IntEnum(
    "Count",
    "VIRTUAL_MS SUPERVISOR_MS SHARABLE_RECLAIMS PRIVATE_RECLAIMS PAGE_FAULTS TSE_OVER_LIMIT"
    " TSE_PROCESSING TSE_SWAP_OUT TSE_DONE SHARABLE_FAULTS PAGE_WRITES DRUM_READS DISC_READS"
    " MIGRATIONS DATA_ACCESSES RESETS SCANS PURGED STOLEN FRAME_WAITS DISPATCHES REFUSED"
    " PAGE_WAITS PAGE_WAIT_MS PAGING_OVERHEAD_MS SERVICES TYPICAL_SERVICES TYPICAL_VIRTUAL_MS"
    " TRANSACTIONS TYPICAL TYPICAL_RESPONSE_S TYPICAL_LOG_RESPONSE LATER_SLICES"
    " LATER_PAGE_WAITS CANCELLED EARLY_FAULTS LATE_FAULTS",
    start=0,
)
Event = IntEnum(
    "Event",
    "ACTIVE DISPATCH PAGE_FAULT SHARABLE_FAULT PAGE_IN PRIVATE_RECLAIM SHARABLE_RECLAIM PURGE"
    " SWAP_REQUEST SLICE_END DONE LOG_ON LOG_OFF MIGRATE CANCEL PROMPT",
    start=0,
)
# Why the event loop must give control back; NONE as long as it need not.
Stop = IntEnum("Stop", "NONE LOG_FULL", start=0)

LEVELS, COUNTS, QUEUES = map(len, (Level, Count, Queue))

TASK = fields(
    "kind state entry next p_max swap_asked typical due due_owner due_page accesses_left reads"
    " writes lines touched sharable_touched recent_from working_set_pages region slices"
    " whole_slices page_reads page_writes reclaims frames_sum slice_page_waits early_faults"
    " late_faults",
    "deadline_ms used_ms quantum_left_ms cpu_left_ms cpu_ms access_left_ms access_interval_ms"
    " share_ms before_ms asked_ms first_dispatch_ms waits_since_ms dispatchable_sum session_end_ms"
    " give_up_ms",
)
FRAME = fields("state owner page next previous changed writing")
PAGE = fields("frame drive block", "last_ms")
OWNER = fields("drum_pages")
ENTRY = fields(
    "priority p_max steals fewer_than more_than if_done if_fewer if_within if_more if_over"
    " if_swapped",
    "deadline_ms slice_ms quantum_ms",
)
REQUEST = fields("drive cylinder order purpose actor page frame block", "start from_ms")
DEVICE = fields(
    "is_drum serving waiting direction cylinder blocks operations", "started_ms busy_ms"
)
DEMAND = fields("reads writes lines region", "think_ms patience_ms cpu_ms working_set_pages")
SESSION = fields(real="session_ms away_ms")
TRANSACTION = fields(
    "task kind typical reads writes lines slices whole_slices page_reads page_writes reclaims",
    "asked_ms first_dispatch_ms end_ms cpu_ms frames dispatchable",
)
SETTINGS = Parameters.settings_type(
    "all_drum_slots frames settled_min minutes",
    "away_min disc_transfer_ms drum_turn_ms drum_page_ms",
)
KERNEL = fields(
    "stop begun running schedule waiting orders estimate dispatchable eligible tasks"
    " private_frames sharable_frames typical_dispatchable below_upper hand frame_hand passed_over"
    " swap_pending drum_used migrating events traced trace_full logged minute",
    "now_ms burst_ms burst_end_ms supervisor_ms supervisor_end_ms minute_ms",
)
Machine = namedtuple(
    "Machine",
    "settings kernel available entries popular tables demand session place phase trace tasks owners"
    " frames held pages idle_ms marks touch_ms recent queues devices requests disc levels tallies"
    " tallied minutes log demands raw_demands demands_used sessions raw_sessions sessions_used"
    " alarms",
)


def new_machine(p, entries, index, tables, seed, trace=0):
    """Return a machine that has not begun yet, with room for so many trace records.

    ``entries`` and ``index`` are those of ``read_schedule``, ``tables`` those of ``demand_tables``.
    """
    settings, popular, seek_ms = settings_of(p)
    settings, kinds, own = settings.copy(), task_kinds(p), (record(KERNEL), record(LIST))
    first = index["first"], index["nonconversational"], index["system"]  # by TaskType
    drawn = (streams(seed, purpose, kinds.size) for purpose in ("demand", "session"))
    single = stream(seed, "place"), stream(seed, "phase")
    given = entries, popular, tables, *drawn, *single, new_trace(trace)
    made = assemble(settings, *own, kinds, np.array(first), seek_ms)
    return Machine(settings, *own, *given, *made)


@assembly
def assemble(settings, k, available, kinds, first_entries, seek_ms):
    """Return what else a machine has: all frames available, the longest so first, devices idle."""
    s, count = settings, kinds.size
    tasks, owners = records(count, TASK), records(count + 1, OWNER)
    frames = records(s.frames, FRAME)  # beside the resident supervisor
    held = new_lists(count)  # frames of each task, in the order in which it got them
    shape = count + 1, max(s.private_pages, s.sharable_pages)
    pages = records(shape, PAGE)  # by owner
    idle_ms = np.full(shape, NEVER)  # last reference to a page on a drum and not in storage
    marks = np.zeros(s.sharable_pages, np.int64)  # members of Mark
    touch_ms = np.zeros((count, s.private_pages + 1))  # from a slice's begin to each page's
    recent = np.zeros((count, s.sharable_working_set), np.int64)  # sharable ones in use
    devices = records(s.drums + s.discs + s.data_discs, DEVICE)  # drums, paging discs, data discs
    # kernel.waiting of them wait; those under way stand at the end, a place a device
    requests = records(s.frames + count + devices.size + 2, REQUEST)
    disc = Disc(seek_ms, s.disc_heads, BLOCKS_PER_DISC_TRACK, s.disc_revolution_ms, 0.0, 0.0, 0.0)
    levels, tallies = new_levels(LEVELS), np.zeros(COUNTS)
    tallied = np.zeros(COUNTS)  # tallies as they stood at the last minute
    minutes = np.zeros((s.minutes, LEVELS + COUNTS))  # means, then differences
    log = records(LOG_ROOM, TRANSACTION)  # the event-tracing monitor's, emptied outside
    demands, raw_demands = records(count, DEMAND), np.zeros((count, DRAWS, BLOCK))  # the next ones
    sessions = records(count, SESSION)  # of each user, and the time away after it
    raw_sessions = np.zeros((count, 2, BLOCK))
    used = np.full(count, BLOCK), np.full(count, BLOCK)
    alarms = new_alarms(FIRST_DEVICE_ACTOR + devices.size + count)
    k.running = k.passed_over = NOBODY
    k.estimate = s.frames
    for f in range(s.frames):
        frames[f].owner = NOBODY
    link_all_two_way(frames, available)
    for level in (Level.AVAILABLE, Level.ESTIMATE):
        change_level(levels[level], 0.0, float(s.frames))
    for owner in range(shape[0]):
        for page in range(shape[1]):
            pages[owner, page].frame = pages[owner, page].drive = NOBODY
    for t in range(count):
        tasks[t].kind, tasks[t].entry = kinds[t], first_entries[kinds[t]]
    for d in range(devices.size):
        device = devices[d]
        device.serving, device.direction, device.is_drum = NOBODY, 1, d < s.drums
        cylinders = s.paging_cylinders if d < s.drums + s.discs else s.disc_cylinders
        device.blocks = s.drum_slots if d < s.drums else cylinders * s.disc_heads
    set_alarm(alarms, CLOCK_ACTOR, MS_A_MINUTE)
    core = tasks, owners, frames, held, pages, idle_ms, marks, touch_ms, recent
    paging = new_lists(QUEUES), devices, requests, disc, levels, tallies, tallied, minutes, log
    return *core, *paging, demands, raw_demands, used[0], sessions, raw_sessions, used[1], alarms


@assembly
def popular_pages(pages, exponent):
    """Return pages, each as often as its share of references: k to the power of -exponent."""
    share, popular = np.zeros(pages), np.zeros(POPULAR_GRAIN, np.int64)
    for page in range(pages):
        share[page] = power(page + 1.0, -exponent)
    page, reached = 0, running_totals(share) / total(share)
    for n in range(POPULAR_GRAIN):
        while page < pages and reached[page] < (n + 0.5) / POPULAR_GRAIN:
            page += 1
        popular[n] = page
    return popular


@assembly
def derive(settings, arrays):
    """Derive the further numbers of a machine (in place); return popular pages, times of seeks."""
    s, seek_ms = settings, arrays[-1]
    s.minutes = s.settled_min + int(s.measured_s / 60.0) + 1
    s.all_drum_slots = s.drums * s.drum_slots
    s.disc_transfer_ms = PAGE_BYTES / s.disc_kb_per_s
    s.drum_turn_ms = DRUM_TURNS * s.drum_revolution_ms
    s.drum_page_ms = s.drum_turn_ms / s.drum_pages_in_two_turns
    seeks_ms = seek_times(s.disc_cylinders, seek_ms[0], seek_ms[1], seek_ms[2])
    return popular_pages(s.sharable_pages, s.popularity_exponent), seeks_ms


settings_of = settings_maker(SETTINGS, derive)


def task_kinds(p):
    """Return the type of each task: users' first, then nonconversational and system tasks."""
    return kinds_of(settings_of(p)[0])


@assembly
def kinds_of(settings):
    """Return the type of each task: users' first, then nonconversational and system tasks."""
    s = settings
    kinds = np.full(s.user_slots + s.nonconversational_tasks + s.system_tasks, TaskType.SYSTEM)
    kinds[: s.user_slots + s.nonconversational_tasks] = TaskType.NONCONVERSATIONAL
    kinds[: s.user_slots] = TaskType.CONVERSATIONAL
    return kinds


@inlined
def count(m, what, amount):
    """Add to one of the counters."""
    m.tallies[what] += amount


@inlined
def task_actor(m, t):
    """Return the actor that a task is: they come after the clock and the devices."""
    return FIRST_DEVICE_ACTOR + m.devices.size + t


@handler
def supervise_paging(m, work_ms):
    """Give the supervisor work that is due to paging."""
    count(m, Count.PAGING_OVERHEAD_MS, work_ms)
    supervise(m, work_ms)


@inlined
def make_ready(m, t):
    """Put a dispatchable task at the end of the processor's queue."""
    m.tasks[t].state = State.READY
    lists.push(m.tasks, m.queues[Queue.READY], t)
