"""The two monitors: rows of system activity once a minute, and a log of transactions.

The sampling monitor takes differences of event counters and timers. What the paper averaged
off-line from many samples a minute is averaged exactly here.
"""

from perfkit.des.alarms import set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.elementary import log
from perfkit.des.tallies import mean_level, restart_level
from perfkit.systems.tss360.machine import CLOCK_ACTOR, Count, TaskType, count

MS_A_SECOND = 1000.0
MS_A_MINUTE = 60000.0


@inlined
def sample_minute(m):
    """Write a row of the sampling monitor and set its clock for the next."""
    k, row = m.kernel, m.minutes[m.kernel.minute]
    levels = m.levels.size
    for i in range(levels):
        row[i] = mean_level(m.levels[i], k.minute_ms, k.now_ms)
        restart_level(m.levels[i], k.now_ms)
    for i in range(m.tallies.size):
        row[levels + i] = m.tallies[i] - m.tallied[i]
        m.tallied[i] = m.tallies[i]
    k.minute += 1
    k.minute_ms = k.now_ms
    set_alarm(m.alarms, CLOCK_ACTOR, k.now_ms + MS_A_MINUTE)


@handler
def log_transaction(m, t):
    """Write a record of the event-tracing monitor; nonconversational work is not logged."""
    k, task = m.kernel, m.tasks[t]
    if task.kind != TaskType.CONVERSATIONAL:
        return
    response_s = (k.now_ms - task.asked_ms) / MS_A_SECOND
    count(m, Count.TRANSACTIONS, 1.0)
    if task.typical:
        count(m, Count.TYPICAL, 1.0)
        count(m, Count.TYPICAL_RESPONSE_S, response_s)
        count(m, Count.TYPICAL_LOG_RESPONSE, log(response_s))
    record = m.log[k.logged]
    k.logged += 1
    record.task, record.kind, record.typical = t, task.kind, task.typical
    record.reads, record.writes, record.lines = task.reads, task.writes, task.lines
    record.slices, record.whole_slices = task.slices, task.whole_slices
    record.page_reads, record.page_writes = task.page_reads, task.page_writes
    record.reclaims = task.reclaims
    record.asked_ms, record.end_ms = task.asked_ms, k.now_ms
    record.first_dispatch_ms = task.first_dispatch_ms
    record.cpu_ms = task.cpu_ms
    record.frames = task.frames_sum / task.slices
    record.dispatchable = task.dispatchable_sum / task.slices
