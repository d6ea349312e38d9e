"""Q sampling every ten seconds, the clock's small services, and the executives' disc traffic."""

from perfkit.des.alarms import set_alarm
from perfkit.des.compiling import inlined
from perfkit.des.draws import draw_uniform
from perfkit.des.elementary import log
from perfkit.systems.emas.discs import request_disc
from perfkit.systems.emas.machine import (
    BACKGROUND_ACTOR,
    CLOCK_ACTOR,
    CORE_QUEUES,
    NOBODY,
    Event,
    Place,
    Purpose,
    Queue,
    Service,
)
from perfkit.systems.emas.processor import log_event, supervise

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
    sample.core_unallocated = m.settings.core_pages - k.allocated_pages
    sample.core_unused = k.free_frames
    sample.core_shared = k.shared_in_core
    sample.drum_unused = k.drum_free
    sample.drum_unallocated = k.drum_free - owed_drum_pages(m)
    sample.users = k.users
    core = packed_lengths(m, sample.active_storage_queue, Queue.CORE_1, CORE_QUEUES)
    log_event(m, Event.QUEUES_SAMPLED, NOBODY, core, packed_lengths(m, 0, Queue.RUN_0, 3))


@inlined
def clock_ticks(m):
    """A second has passed: poll devices; every tenth second sample the queues."""
    k, settings = m.kernel, m.settings
    supervise(m, Service.DEVICE_POLLING, settings.polling_ms)
    supervise(m, Service.MAGTAPES, settings.magtape_ms)
    supervise(m, Service.MISCELLANEOUS, settings.miscellaneous_ms)
    k.ticks += 1
    if k.ticks % settings.ticks_a_sample == 0:
        sample_queues(m)
    set_alarm(m.alarms, CLOCK_ACTOR, (k.ticks + 1) * settings.clock_ms)


@inlined
def background_burst(m):
    """The executive processes transfer some pages from or to disc; the next burst is drawn."""
    settings = m.settings
    for _ in range(settings.background_pages):
        request_disc(m, Purpose.FILE, NOBODY, NOBODY)
    gap_ms = -settings.background_ms * log(1.0 - draw_uniform(m))
    set_alarm(m.alarms, BACKGROUND_ACTOR, m.kernel.now_ms + gap_ms)
