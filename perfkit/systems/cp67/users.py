"""Users: they log on, think, ask for tasks with virtual SIOs, and log off."""

from perfkit.des.alarms import NEVER, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.trace import note
from perfkit.systems.cp67.discs import request_record
from perfkit.systems.cp67.machine import (
    Event,
    IoWait,
    Level,
    State,
    rules,
    shift_level,
    user_actor,
)
from perfkit.systems.cp67.paging import free_pages
from perfkit.systems.cp67.processor import make_ready, supervise_for
from perfkit.systems.cp67.queues import leave_queue, to_q1, to_q2


@inlined
def begin_task(m, u, t):
    """Take up the demands of a task, on the user's own clock."""
    user, task = m.users[u], m.tasks[t]
    user.asked_ms = m.kernel.now_ms
    user.end_at_ms = user.virtual_ms + task.cpu_ms
    user.sios_left = task.sios
    user.sio_interval_ms = task.cpu_ms / max(task.sios, 1)
    user.sio_at_ms = user.virtual_ms + user.sio_interval_ms
    note(m, Event.TASK, u, t)


@inlined
def think(m, u):
    """Let a user think until his next task, or until he logs off if that comes first."""
    user = m.users[u]
    wake_ms = m.kernel.now_ms + m.tasks[user.task].think_ms
    user.state = State.THINKING
    if wake_ms >= user.logoff_ms:
        user.state = State.LEAVING
        wake_ms = max(user.logoff_ms, m.kernel.now_ms)
    set_alarm(m.alarms, user_actor(m, u), wake_ms)


@handler
def user_alarm(m, u):
    """A user logs on, wants a task, or logs off."""
    user = m.users[u]
    set_alarm(m.alarms, user_actor(m, u), NEVER)
    if user.state == State.AWAY:
        shift_level(m, Level.LOGGED_ON, 1.0)
        note(m, Event.LOGON, u, 0)
        think(m, u)
    elif user.state == State.THINKING:
        begin_task(m, u, user.task)
        to_q1(m, u)
    else:
        shift_level(m, Level.LOGGED_ON, -1.0)
        note(m, Event.LOGOFF, u, user.held_pages)
        free_pages(m, u)


@inlined
def task_ends(m, u):
    """A user's task is finished: he thinks about the next."""
    k, user = m.kernel, m.users[u]
    k.tasks_ended += 1
    k.task_response_ms += k.now_ms - user.asked_ms
    note(m, Event.TASK_END, u, int(k.now_ms - user.asked_ms))
    leave_queue(m, u)
    user.task += 1
    think(m, u)


@inlined
def start_sio(m, u):
    """A virtual machine starts an I/O and waits for it, in queue or out of it."""
    user = m.users[u]
    user.sios_left -= 1
    user.sio_at_ms += user.sio_interval_ms
    note(m, Event.SIO, u, user.sios_left)
    supervise_for(m, u, m.settings.sio_ms)
    user.state = State.IO_WAIT
    if rules(m).io_wait != IoWait.KEEPS:
        leave_queue(m, u)
        user.state = State.IO_OUTSIDE
    request_record(m, u)


@inlined
def sio_ends(m, u):
    """A virtual machine's I/O has ended."""
    note(m, Event.SIO_END, u, m.users[u].sios_left)
    if m.users[u].state == State.IO_WAIT:
        make_ready(m, u)
    elif rules(m).io_wait == IoWait.TO_CANDIDATES:
        to_q2(m, u)
    else:
        to_q1(m, u)
