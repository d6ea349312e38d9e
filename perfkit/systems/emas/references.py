"""What a program touches: its own pages by an LRU stack, shared pages by their popularity.

A reference is drawn beforehand (see supply.py): which of the shared pages, or how deep in the
process's stack of its own pages, and whether it writes. The references of a burst are walked
when the burst begins, so that only the one that faults is an event; what a burst touches counts
as touched from its beginning.
"""

from perfkit.des.compiling import handler, inlined
from perfkit.systems.emas.machine import NOBODY, Due, Place

OWN_REFERENCE = -1.0


@inlined
def own_page(m, t, distance):
    """Return a process's own page at a distance in its stack, which moves to the front.

    Beyond the pages touched so far lies one that is new to the command, a file's or one never
    touched, until as many have been touched as its programme has.
    """
    process, stack = m.processes[t], m.stacks[t]
    depth = min(distance, process.depth, process.depth_limit - 1)
    if depth == process.depth:
        process.depth += 1
    page = stack[depth]
    while depth > 0:
        stack[depth] = stack[depth - 1]
        depth -= 1
    stack[0] = page
    return int(page)


@inlined
def next_page(m, t):
    """Return the page that a process touches next, and mark it written if it writes."""
    process, settings = m.processes[t], m.settings
    row = m.references[t, process.references_used]
    process.references_used += 1
    if process.references_used == m.references.shape[1]:
        m.kernel.rows_ended = 1
    if row[0] > OWN_REFERENCE:
        return settings.own_pages + process_shared_page(m, t, row[0])
    page = own_page(m, t, int(row[1] * process.locality))
    if row[2] < settings.write_share:
        m.pages[t, page].written = 1
    return page


@inlined
def process_shared_page(m, t, draw):
    """Return the shared page that a draw means to the program that a process runs.

    A draw is the rank of a page among those of the subsystem, from 0, or, beyond them, among
    those of the command's own programme; every kind of command has as many pages.
    """
    rank = int(draw)
    if rank < m.settings.base_pages:
        return rank
    return rank + m.processes[t].command * m.settings.command_pages


@inlined
def earliest_due(m, t):
    """Find what a process will do next apart from page faults, and when on its clock."""
    process = m.processes[t]
    due, at_ms = Due.TURN, process.turn_at_ms
    left_ms = m.categories[process.category].cpu_ms - process.residence_ms
    if process.used_ms + left_ms < at_ms:
        due, at_ms = Due.CPU_ALLOWANCE, process.used_ms + left_ms
    if process.used_ms + process.to_compaction_ms < at_ms:
        due, at_ms = Due.COMPACTION, process.used_ms + process.to_compaction_ms
    if process.used_ms + process.slice_left_ms < at_ms:
        due, at_ms = Due.SLICE, process.used_ms + process.slice_left_ms
    return due, max(at_ms, process.used_ms)


@inlined
def touch(m, t, page):
    """Set a page's marker."""
    record = m.pages[t, page]
    record.used = record.touched = record.drum_used = 1


@handler
def next_demand(m, t):
    """Walk a process's references until one faults or something else is due.

    Sets ``due``, ``wanted_page`` and ``burst_left_ms``. A page that was wanted when the process
    last had to leave core is wanted still. The walk ends early when the references drawn
    beforehand are used up.
    """
    process, settings = m.processes[t], m.settings
    process.burst_left_ms = 0.0
    if process.wanted_page != NOBODY:
        if m.pages[t, process.wanted_page].place != Place.CORE:
            process.due = Due.FAULT
            return
        touch(m, t, process.wanted_page)
        process.wanted_page = NOBODY
    due, at_ms = earliest_due(m, t)
    while process.reference_at_ms <= at_ms:
        if process.references_used == m.references.shape[1]:
            due, at_ms = Due.LOOK_AGAIN, max(process.used_ms, process.reference_at_ms)
            break
        now_ms = process.reference_at_ms
        if process.wake_references > 0:
            process.wake_references -= 1
            process.reference_at_ms += settings.wake_reference_ms
        else:
            process.reference_at_ms += settings.reference_ms
        page = next_page(m, t)
        if m.pages[t, page].place != Place.CORE:
            due, at_ms = Due.FAULT, max(process.used_ms, now_ms)
            process.wanted_page = page
            break
        touch(m, t, page)
    process.due = due
    process.burst_left_ms = at_ms - process.used_ms
