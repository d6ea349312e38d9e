"""The machine: its state, and what happens in it, event by event.

Users think, then wait for the one server, which serves them in the order of their requests.
Each user is an actor, whose alarm goes off when thinking ends; then come the server and a clock.
Times are in milliseconds. All but ``new_machine`` is compiled into ``run``, and changes the
machine ``m`` in place.
"""

from collections import namedtuple
from enum import IntEnum

from perfkit.des.alarms import clear_alarm, new_alarms, set_alarm
from perfkit.des.compiling import inlined
from perfkit.des.counters import new_levels, restart_level, set_level, shift_level
from perfkit.des.draws import exponential, streams
from perfkit.des.lists import NOBODY, new_lists, pop, push
from perfkit.des.records import fields, record, records
from perfkit.des.running import next_event
from perfkit.des.trace import new_trace, note

from study_key.parameters import Parameters

Event = IntEnum("Event", "REQUEST RESPONSE", start=0)
# Requests that wait or are served; whether the server is busy.
Level = IntEnum("Level", "QUEUE BUSY", start=0)

SETTINGS = Parameters.settings_type()
USER = fields("next", "requested_ms")
KERNEL = fields("begun stop traced trace_full events responses", "now_ms started_ms response_ms")
Machine = namedtuple("Machine", "settings kernel users queue levels alarms think service trace")


def new_machine(p, seed, trace=0):
    """Return a machine that has not begun, with room for so many trace records."""
    settings, queue = record(SETTINGS), new_lists(1)[0]
    p.fill(settings)
    users, levels = records(p.users, USER), new_levels(len(Level))
    # A stream per user and purpose: a faster server meets the same thoughts and requests.
    think, service = (streams(seed, purpose, p.users) for purpose in ("think", "service"))
    own = record(KERNEL), users, queue, levels, new_alarms(p.users + 2)
    return Machine(settings, *own, think, service, new_trace(trace))


@inlined
def begin(m):
    """Let all users think, and set the clock to the moment from which the run is measured."""
    m.kernel.begun = 1
    for u in range(m.users.size):
        think(m, u)
    set_alarm(m.alarms, m.users.size + 1, m.settings.settle_ms)


@inlined
def think(m, u):
    """Let a user think for a while."""
    thought_ms = m.settings.think_ms * exponential(m.think[u])
    set_alarm(m.alarms, u, m.kernel.now_ms + thought_ms)


@inlined
def request(m, u):
    """A user has thought, and makes a request."""
    clear_alarm(m.alarms, u)
    m.users[u].requested_ms = m.kernel.now_ms
    push(m.users, m.queue, u)
    shift_level(m, Level.QUEUE, 1.0)
    note(m, Event.REQUEST, u, m.queue.length)
    if m.queue.length == 1:
        serve(m)


@inlined
def serve(m):
    """Let the server begin with the first in the queue, or rest if nobody is there."""
    server, u = m.users.size, m.queue.head
    set_level(m, Level.BUSY, min(m.queue.length, 1))
    if u == NOBODY:
        clear_alarm(m.alarms, server)
    else:
        service_ms = m.settings.service_ms * exponential(m.service[u])
        set_alarm(m.alarms, server, m.kernel.now_ms + service_ms)


@inlined
def respond(m):
    """The server is done with the first in the queue, who thinks again."""
    u = pop(m.users, m.queue)
    shift_level(m, Level.QUEUE, -1.0)
    m.kernel.responses += 1
    m.kernel.response_ms += m.kernel.now_ms - m.users[u].requested_ms
    note(m, Event.RESPONSE, u, m.queue.length)
    think(m, u)
    serve(m)


@inlined
def start_measuring(m):
    """The machine has settled: forget what was counted so far."""
    clear_alarm(m.alarms, m.users.size + 1)
    k = m.kernel
    k.started_ms, k.response_ms, k.responses = k.now_ms, 0.0, 0
    for level in range(m.levels.size):
        restart_level(m.levels[level], k.now_ms)


def run(m, until_ms):
    """Run the machine until a time; return its events so far."""
    k = m.kernel
    if not k.begun:
        begin(m)
    while True:
        actor = next_event(m, until_ms)
        if actor == NOBODY:
            return k.events
        if actor < m.users.size:
            request(m, actor)
        elif actor == m.users.size:
            respond(m)
        else:
            start_measuring(m)
