"""The event loop: what happens next, who handles it, who becomes dispatchable and runs then."""

from perfkit.des.alarms import next_actor
from perfkit.des.compiling import inlined
from perfkit.systems.tss360.devices import finish_operation
from perfkit.systems.tss360.frames import written
from perfkit.systems.tss360.machine import (
    CLOCK_ACTOR,
    FIRST_DEVICE_ACTOR,
    NOBODY,
    PROCESSOR_ACTOR,
    Purpose,
    Queue,
    Stop,
)
from perfkit.systems.tss360.migration import (
    migration_read,
    migration_written,
    place_all,
    start_migration,
)
from perfkit.systems.tss360.monitors import sample_minute
from perfkit.systems.tss360.paging import page_read, serve_frame_waiters
from perfkit.systems.tss360.processor import supervise_paging
from perfkit.systems.tss360.scheduler import schedule_tasks
from perfkit.systems.tss360.transactions import access_ends, burst_ends, dispatch, task_alarm


@inlined
def why_to_stop(m):
    """Return why the loop must give control back: draws or the log's room may not last."""
    k = m.kernel
    if k.rows_ended or k.uniforms_used + m.settings.draws_an_event > m.uniforms.size:
        return Stop.DRAWS_USED
    return Stop.LOG_FULL if k.logged == m.log.size else Stop.TIME_UP


@inlined
def operation_done(m, d):
    """A device's interrupt: deal with the page that it has moved."""
    purpose, actor, page, frame = finish_operation(m, d)
    s = m.settings
    if purpose == Purpose.READ_PAGE:
        supervise_paging(m, s.interrupt_ms)
        page_read(m, actor, page, frame)
    elif purpose == Purpose.WRITE_PAGE:
        supervise_paging(m, s.write_ms)
        written(m, frame)
        start_migration(m)
    elif purpose == Purpose.DATA_SET:
        access_ends(m, actor)
    elif purpose == Purpose.MIGRATE_OUT:
        supervise_paging(m, s.write_ms)
        migration_read(m, actor, page)
    else:
        migration_written(m)


@inlined
def happen(m, actor):
    """Dispatch one alarm to its handler."""
    if actor == PROCESSOR_ACTOR:
        burst_ends(m)
    elif actor == CLOCK_ACTOR:
        sample_minute(m)
    elif actor < FIRST_DEVICE_ACTOR + m.devices.size:
        operation_done(m, actor - FIRST_DEVICE_ACTOR)
    else:
        task_alarm(m, actor - FIRST_DEVICE_ACTOR - m.devices.size)


def run(m, entrance, until_ms):
    """Run the machine until a time, or until draws or the log must be seen to.

    Parameters
    ----------
    m : Machine
        Modified in place; ``m.kernel.stop`` tells why the loop ended (a member of Stop).
    entrance : function
        ``entrance(limit_pages, available_pages, dispatchable) -> bool``.
    until_ms : float

    Returns
    -------
    int
        Events handled so far.
    """
    k = m.kernel
    if not k.placed:
        place_all(m)
    while True:
        if m.queues[Queue.FRAMES].length > 0:
            serve_frame_waiters(m)
        if k.schedule:
            schedule_tasks(m, entrance)
        if k.running == NOBODY:
            dispatch(m)
        k.stop = why_to_stop(m)
        if k.stop != Stop.TIME_UP:
            break
        if k.schedule:
            continue
        actor = next_actor(m.alarms)
        if m.alarms.time[actor] > until_ms:
            k.now_ms = until_ms
            break
        k.now_ms = m.alarms.time[actor]
        k.events += 1
        happen(m, actor)
    return k.events
