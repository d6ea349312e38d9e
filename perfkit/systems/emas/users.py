"""Users at terminals: sessions, commands, output at the line's speed, input, thinking.

A command is a dialogue: for each line typed, its own first, the programme computes a stretch and
prints its share of the lines of output as it goes. A process that prints more than the line's
buffer holds sleeps until there is room for some more; one that wants input sleeps until its user
has read, thought and typed. Each line, in or out, is one call of the supervisor. A command's files
are mapped into its process's memory when it begins: their pages come from disc.
"""

import numpy as np

from perfkit.des.alarms import clear_alarm, set_alarm
from perfkit.des.compiling import handler, inlined
from perfkit.des.draws import exponential, uniform
from perfkit.des.elementary import log, log1p
from perfkit.systems.emas.load import (
    LOG_ON,
    draw_batch,
    draw_command,
    draw_log_on,
    draw_pages,
    part_commands,
)
from perfkit.systems.emas.memory.drum import wake
from perfkit.systems.emas.processor import log_event, supervise
from perfkit.systems.emas.state import (
    COMMANDS,
    FIRST_PROCESS_ACTOR,
    LOG_ON_CATEGORY,
    THINKS,
    After,
    Batch,
    Event,
    Place,
    Reason,
    Service,
    SleptFor,
    Stop,
    begin_to_leave,
    use,
)

NEVER_MS = 1e15


@inlined
def supervisor_call(m, t, characters):
    """Call the supervisor for terminal input or output."""
    supervise(m, Service.SVC_PARAMETER_PASSING, m.settings.svc_ms)
    supervise(m, Service.COMMUNICATIONS, m.settings.line_ms)
    log_event(m, Event.SUPERVISOR_CALL, t, characters, m.processes[t].category)


@inlined
def waking_ms(m):
    """Return the processor time of a process that wakes up to print."""
    return m.settings.wake_references * m.settings.wake_reference_ms


@inlined
def begin_stretch(m, t):
    """Let a process compute and print until it wants a line of input.

    The processor time left to the command is shared evenly by its stretches; in each, after a
    share in which nothing is printed, by the lines. The last leaves time to wake and print.
    """
    process = m.processes[t]
    lines = process.output_left // process.stretches_left
    process.output_left -= lines
    process.answer_lines = lines
    left_ms = process.started_ms + process.command_ms - process.used_ms
    if process.stretches_left == 1 and lines > 0:
        left_ms -= waking_ms(m)
    stretch_ms = max(0.0, left_ms) / process.stretches_left
    silent_ms = process.silent_share * stretch_ms
    process.line_ms = (stretch_ms - silent_ms) / max(1, lines)
    process.stretches_left -= 1
    process.turn_at_ms = process.used_ms + silent_ms + process.line_ms
    process.line_at_ms = process.turn_at_ms


@inlined
def connect_files(m, t):
    """Give a process the files of its next command in place of the pages used longest ago.

    Those have left the drum, so that the first touch of each finds it on disc.
    """
    process, stack = m.processes[t], m.stacks[t]
    files = int(m.settings.file_share * process.depth_limit + 0.5)
    kept = process.depth_limit - files
    last = m.settings.own_pages - 1
    for _ in range(files):
        page = stack[last]
        at = last
        while at > kept:
            stack[at] = stack[at - 1]
            at -= 1
        stack[kept] = page
    process.depth = min(process.depth, kept)


@inlined
def open_session(m, t):
    """Open a user's next session, of the next script or of a geometric number of commands."""
    process, row, s = m.processes[t], m.commands[t], m.session[t]
    if m.scripts.size == 0:
        tries = log(1.0 - uniform(s)) / log1p(-1.0 / m.settings.commands_per_session)
        process.commands_left = 1 + int(np.floor(tries))
        part_commands(s, m.session_parts[t], m.kind_sizes, m.kinds, process.commands_left)
        draw_log_on(row, s, m.kinds, m.settings)
        return
    draw_log_on(row, s, m.kinds, m.settings)
    if process.script + 1 >= m.script_ends.size:
        row.think_ms = NEVER_MS
        return
    process.script_row = m.script_ends[process.script]
    process.commands_left = m.script_ends[process.script + 1] - process.script_row
    process.script += m.settings.users


@inlined
def next_command(m, t):
    """Draw what a process will be asked for after the command that it has taken up."""
    process, s = m.processes[t], m.session[t]
    if process.batch:
        draw_batch(m.commands[t], s, m.kinds, m.settings)
    elif process.commands_left == 0:
        open_session(m, t)
    else:
        process.commands_left -= 1
        if m.scripts.size == 0:
            draw_command(m.commands[t], m.session_parts[t], m.kinds, m.settings)
            m.commands[t].last = process.commands_left == 0
        else:
            m.commands[t] = m.scripts[process.script_row]
            process.script_row += 1
            draw_pages(m.commands[t], s, m.kinds, m.settings)


@handler
def take_command(m, t, received_ms):
    """Take up a process's next command, which the user will have typed at a time."""
    process = m.processes[t]
    row = m.commands[t]
    use(m, t, Batch.COMMANDS, COMMANDS)
    process.kind = row.kind
    process.command = min(row.kind, LOG_ON - 1)
    process.last = row.last
    process.received_ms = received_ms  # still to come: the command is taken when the last one ends
    process.started_ms = process.used_ms
    process.command_ms = row.cpu_ms
    process.locality, process.silent_share = row.locality, row.silent_share
    process.depth_limit = min(row.own_pages, m.settings.own_pages)
    connect_files(m, t)
    process.output_left = row.output_lines
    process.output_characters = row.output_characters
    process.stretches_left = row.input_lines
    process.input_characters = row.input_characters
    process.line_think_ms, process.think_varies = row.line_think_ms, row.think_varies
    process.typing_ms = row.typing_ms
    begin_stretch(m, t)
    next_command(m, t)


@handler
def sleep(m, t, wake_at_ms, slept_for):
    """Let a process sleep until it has to do with its console again."""
    k, process = m.kernel, m.processes[t]
    process.slept_for = slept_for
    process.wake_at_ms = max(wake_at_ms, k.now_ms)
    process.asleep_since_ms = k.now_ms
    process.interacted_ms = k.now_ms
    log_event(m, Event.SLEEPS, t, process.command, process.category)
    set_alarm(m.alarms, FIRST_PROCESS_ACTOR + t, process.wake_at_ms)
    begin_to_leave(m, t, After.SLEEP, Reason.SLEEP)


@inlined
def print_pending(m, t):
    """Give the line what its buffer takes; if that is not all, sleep. Return whether it was."""
    k, process, settings = m.kernel, m.processes[t], m.settings
    character_ms = settings.terminal_ms
    free_ms = max(process.printed_at_ms, k.now_ms)
    room = settings.buffer_characters - int((free_ms - k.now_ms) / character_ms)
    taken = min(process.pending_characters, max(room, 0))
    process.printed_at_ms = free_ms + taken * character_ms
    process.pending_characters -= taken
    if process.pending_characters == 0:
        return True
    ends_at_ms = process.started_ms + process.command_ms
    process.turn_at_ms = max(process.used_ms, min(process.used_ms + waking_ms(m), ends_at_ms))
    room_at_ms = process.printed_at_ms - settings.resume_characters * character_ms
    sleep(m, t, room_at_ms, SleptFor.OUTPUT)
    return False


@inlined
def turn_due(m, t):
    """A process prints a line, or what is left of one; after the last line of a stretch it reads.

    What it computes while it wakes up to print belongs to the next line's time, or is what the
    command has left.
    """
    process = m.processes[t]
    if process.pending_characters == 0 and process.answer_lines > 0:
        process.answer_lines -= 1
        process.line_at_ms += process.line_ms
        process.pending_characters = process.output_characters
        supervisor_call(m, t, process.output_characters)
    if print_pending(m, t):
        if process.answer_lines > 0:
            process.turn_at_ms = process.line_at_ms
            m.kernel.goes_on = t
        elif process.stretches_left > 0:
            read_line(m, t)
        elif process.used_ms < process.started_ms + process.command_ms:
            process.turn_at_ms = process.started_ms + process.command_ms
            m.kernel.goes_on = t
        else:
            complete(m, t)


@inlined
def line_think_ms(m, t):
    """Return how long a user thinks before the next line: a script's time, or a random one."""
    process = m.processes[t]
    if process.think_varies == 0:
        return process.line_think_ms
    use(m, t, Batch.THINKS, THINKS)
    return process.line_think_ms * exponential(m.think[t])


@inlined
def read_line(m, t):
    """A process wants a line of input: it sleeps until the user has typed one."""
    k, process = m.kernel, m.processes[t]
    supervisor_call(m, t, 0)
    typed_ms = process.input_characters * process.typing_ms
    typed_at_ms = max(k.now_ms, process.printed_at_ms) + line_think_ms(m, t) + typed_ms
    begin_stretch(m, t)
    sleep(m, t, typed_at_ms, SleptFor.LINE)


@inlined
def note_completion(m, t):
    """Write the subsystem's monitoring record of a command."""
    k, process = m.kernel, m.processes[t]
    if process.kind >= LOG_ON or process.batch:
        return
    record = m.completions[k.completed]
    record.kind = process.kind
    record.process = t
    record.received_ms = process.received_ms
    record.ready_ms = k.now_ms
    record.cpu_ms = process.used_ms - process.started_ms
    k.completed += 1
    k.commands += 1
    if k.completed == m.completions.size:
        k.stop = Stop.LOG_FULL


@inlined
def complete(m, t):
    """A command is done: log out after the last, else sleep until the user has typed the next."""
    k, process, settings = m.kernel, m.processes[t], m.settings
    note_completion(m, t)
    supervise(m, Service.FILE_SYSTEM, settings.command_ms)
    if process.batch:
        take_command(m, t, k.now_ms)
        m.kernel.goes_on = t
        return
    if process.last:
        log_event(m, Event.BEGINS_LOG_OUT, t, 0, process.category)
        process.wake_at_ms = m.commands[t].think_ms
        begin_to_leave(m, t, After.LOG_OUT, Reason.SLEEP)
        return
    supervisor_call(m, t, 0)
    free_ms = max(k.now_ms, process.printed_at_ms)
    row = m.commands[t]
    received_ms = free_ms + row.think_ms + row.input_characters * row.typing_ms
    take_command(m, t, received_ms)
    sleep(m, t, received_ms, SleptFor.COMMAND)


@inlined
def create_process(m, t):
    """A user logs on: a new process, all of its pages on disc."""
    k, process = m.kernel, m.processes[t]
    clear_alarm(m.alarms, FIRST_PROCESS_ACTOR + t)
    k.users += 1
    k.log_ons += 1
    m.transitions[process.category, LOG_ON_CATEGORY] += 1
    process.category = LOG_ON_CATEGORY
    process.depth = 0
    process.cold = 0
    process.slept_for = SleptFor.LOG_ON
    process.asleep_since_ms = k.now_ms
    process.to_compaction_ms = m.categories[process.category].compaction_ms
    process.to_recalculation_ms = m.settings.recalculation_ms
    process.to_drum_set_ms = m.settings.drum_set_ms
    for page in range(m.pages.shape[1]):
        m.pages[t, page].in_set = 0
        m.pages[t, page].in_drum_set = 0
        m.pages[t, page].written = 0
    for page in range(m.settings.own_pages):
        m.pages[t, page].place = Place.DISC
        m.stacks[t, page] = page
    log_event(m, Event.CREATED, t, 0, process.category)
    take_command(m, t, k.now_ms)
    wake(m, t)
