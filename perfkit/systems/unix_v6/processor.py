"""Sleep, wakeup and the choice of who runs, as the Sixth Edition does them (section 2.2.2)."""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.lists import NOBODY
from perfkit.des.trace import note
from perfkit.systems.unix_v6.state import (
    FIRST_USER,
    LOWEST_PRIORITY,
    PROCESSOR_ACTOR,
    SCHEDULER,
    TICK_MS,
    Channel,
    Event,
    Mode,
    Priority,
    State,
    sample,
)

TICKS_PER_PRIORITY = 16
DECAY_TICKS = 10
LONGEST_AGE_S = 127  # p_time is a signed byte
ROUND_ROBIN_S = 4


@handler
def note_runnable(m, p):
    """Keep a process among those that are ready and in core, or out of them (``place``, from 1)."""
    k, process = m.kernel, m.processes[p]
    runnable = process.state == State.READY and process.loaded != 0
    if runnable == (process.place > 0):
        return
    if runnable:
        m.runnable[k.runnable] = p
        k.runnable += 1
        process.place = k.runnable
        return
    k.runnable -= 1
    last = m.runnable[k.runnable]
    m.runnable[process.place - 1] = last
    m.processes[last].place = process.place
    process.place = 0


@inlined
def wake_scheduler(m, channel):
    """Wake the swap scheduler if it sleeps on a channel."""
    scheduler = m.processes[SCHEDULER]
    if scheduler.channel == channel:
        scheduler.channel = Channel.NONE
        scheduler.state = State.READY
        note_runnable(m, SCHEDULER)
        if scheduler.priority < m.kernel.current_priority:
            m.kernel.reschedule = 1


@inlined
def make_ready(m, p):
    """Make a sleeping process runnable; the scheduler hears of one that is swapped out."""
    process = m.processes[p]
    process.channel = Channel.NONE
    process.state = State.READY
    note_runnable(m, p)
    note(m, Event.WAKE, p, process.loaded)
    if process.priority < m.kernel.current_priority:
        m.kernel.reschedule = 1
    if process.loaded == 0:
        wake_scheduler(m, Channel.RUN_OUT)


@handler
def wake(m, channel):
    """Wake every process that sleeps on a channel (the scheduler: ``wake_scheduler``)."""
    for p in range(1, m.processes.size):  # all of them: V6 lets the losers sleep again
        if m.processes[p].channel == channel:
            make_ready(m, p)


@handler
def sleep(m, p, channel, priority):
    """Put process ``p`` to sleep: fast below priority 0, slow (and easy to swap) from 0 up."""
    process = m.processes[p]
    process.channel = channel
    process.priority = priority
    note(m, Event.SLEEP, p, process.channel)
    process.state = State.SLEEP if priority < 0 else State.WAIT
    note_runnable(m, p)
    if priority >= 0:
        wake_scheduler(m, Channel.RUN_IN)


@inlined
def user_priority(cpu_ticks):
    """Return the priority of a process in user mode from its recent processor ticks."""
    return min(LOWEST_PRIORITY, Priority.PUSER + cpu_ticks // TICKS_PER_PRIORITY)


@inlined
def return_to_user(m, p):
    """Leave a system call: back to a user priority, and perhaps let another run."""
    process = m.processes[p]
    process.priority = user_priority(process.cpu_ticks)
    if process.priority > m.kernel.current_priority:
        m.kernel.reschedule = 1


@inlined
def set_burst(m, p, mode, burst_ms):
    """Give the running process processor work to do in a mode."""
    sample(m)
    m.processes[p].mode = mode
    m.processes[p].burst_ms = burst_ms


@inlined
def charge_processor(m):
    """Account the running process for its processor time up to now."""
    k = m.kernel
    process = m.processes[k.running]
    process.burst_ms -= k.now_ms - k.burst_started_ms
    # Whole ticks of the clock that fell into the burst, as V6 counts: not the time divided.
    process.cpu_ticks += int(k.now_ms / TICK_MS) - int(k.burst_started_ms / TICK_MS)
    k.burst_started_ms = k.now_ms


@inlined
def leave_processor(m):
    """Take the running process off the processor."""
    sample(m)
    m.kernel.running = NOBODY
    set_alarm(m.alarms, PROCESSOR_ACTOR, NEVER)


@inlined
def pick_process(m):
    """Choose the loaded, ready process of best priority, round robin among equals."""
    k, processes = m.kernel, m.processes
    best, best_turn = NOBODY, processes.size
    best_priority = LOWEST_PRIORITY + 1
    for i in range(k.runnable):
        p = m.runnable[i]
        priority = processes[p].priority
        if priority > best_priority:
            continue
        turn = p - k.last_run - 1  # how many in the table have theirs before
        turn += processes.size if turn < 0 else 0
        if priority < best_priority or turn < best_turn:
            best, best_priority, best_turn = p, priority, turn
    k.reschedule = 0
    k.current_priority = best_priority
    if best != NOBODY:
        sample(m)
        k.last_run = best
        k.running = best
        k.burst_started_ms = k.now_ms
        note(m, Event.RUN, best, best_priority)
    return best


@inlined
def second_passes(m):
    """Once a second: ages, decay, alarms, and a scheduler that waits for core looks again."""
    k = m.kernel
    if k.running != NOBODY:
        charge_processor(m)
    expired = False
    for p in range(1, m.processes.size):
        process = m.processes[p]
        if process.state == State.GONE:
            continue
        process.age_s = min(process.age_s + 1, LONGEST_AGE_S)
        process.cpu_ticks = max(process.cpu_ticks - DECAY_TICKS, 0)
        if process.priority > Priority.PUSER:
            process.priority = user_priority(process.cpu_ticks)
        if process.alarm_s > 0:
            process.alarm_s -= 1
            if process.alarm_s == 0:
                expired = True
                if p >= FIRST_USER:
                    k.pauses += 1
                    k.pauses_out += process.loaded == 0
                if process.channel == Channel.PAUSE:  # not one that an old sleep has woken before
                    make_ready(m, p)
    if expired and m.settings.sleep_wakes_all:
        wake(m, Channel.PAUSE)
    wake_scheduler(m, Channel.RUN_IN)
    k.seconds += 1
    if k.seconds % ROUND_ROBIN_S == 0:
        k.reschedule = 1
    if k.running != NOBODY and m.processes[k.running].mode == Mode.USER:
        return_to_user(m, k.running)


@inlined
def leave_system(m, p):
    """End a workload process: its core is free and nobody waits for it."""
    process = m.processes[p]
    process.state = State.GONE
    process.loaded = 0
    note_runnable(m, p)
    process.finished_ms = m.kernel.now_ms
    if p >= FIRST_USER:
        m.kernel.users_left -= 1
    wake_scheduler(m, Channel.RUN_IN)
