"""Linked lists of records (tasks, users, frames): each has a place in one list at a time.

A list is a record of dtype LIST, with NOBODY at the head and tail of an empty one; its members
have a field ``next``, and those of two-way lists, which ``link`` and ``unlink`` keep, a field
``previous``, too. What stands in a second list besides has a record of dtype LINK for that.
Every function modifies list and members in place.
"""

from numba.extending import register_jitable

from perfkit.des.compiling import inlined
from perfkit.des.records import fields, records

NOBODY = -1
LIST = fields("head tail length")
LINK = fields("next previous")


@register_jitable
def new_lists(count):
    """Return so many empty lists (dtype LIST), before a run."""
    lists = records(count, LIST)
    for one in range(count):
        lists[one].head = lists[one].tail = NOBODY
    return lists


@register_jitable
def link_all(records, queue):
    """Put all records into a list, in their order, before a run."""
    for r in range(records.size):
        records[r].next = r + 1 if r + 1 < records.size else NOBODY
    queue.head, queue.tail, queue.length = 0, records.size - 1, records.size


@register_jitable
def link_all_two_way(records, queue):
    """Put all records into a two-way list, in their order, before a run."""
    link_all(records, queue)
    for r in range(records.size):
        records[r].previous = r - 1  # NOBODY before the first


@inlined
def push(records, queue, r):
    """Put a record (a user, a frame) at the end of a linked list of them."""
    records[r].next = NOBODY
    if queue.tail == NOBODY:
        queue.head = r
    else:
        records[queue.tail].next = r
    queue.tail = r
    queue.length += 1


@inlined
def push_front(records, queue, r):
    """Put a record at the head of a linked list."""
    records[r].next = queue.head
    queue.head = r
    if queue.tail == NOBODY:
        queue.tail = r
    queue.length += 1


@inlined
def pop(records, queue):
    """Take the first record out of a one-way list that holds one (two-way: ``unlink`` its head)."""
    r = queue.head
    queue.head = records[r].next
    if queue.head == NOBODY:
        queue.tail = NOBODY
    queue.length -= 1
    return r


@inlined
def put_after(records, queue, before, r):
    """Put a record into a one-way list, behind another (NOBODY: at the head)."""
    after = queue.head if before == NOBODY else records[before].next
    records[r].next = after
    if before == NOBODY:
        queue.head = r
    else:
        records[before].next = r
    if after == NOBODY:
        queue.tail = r
    queue.length += 1


@inlined
def take_out(records, queue, before, r):
    """Take a record out of a list, given the one that stands before it (NOBODY at the head)."""
    after = records[r].next
    if before == NOBODY:
        queue.head = after
    else:
        records[before].next = after
    if after == NOBODY:
        queue.tail = before
    queue.length -= 1


@inlined
def drop(records, queue, r):
    """Take a record out of a list that holds it, wherever it stands."""
    before, at = NOBODY, queue.head
    while at != r:
        before, at = at, records[at].next
    take_out(records, queue, before, r)


@inlined
def link(records, queue, r):
    """Put a record at the end of a two-way list."""
    records[r].previous = queue.tail
    push(records, queue, r)


@inlined
def unlink(records, queue, r):
    """Take a record out of a two-way list that holds it."""
    before, after = records[r].previous, records[r].next
    if after != NOBODY:
        records[after].previous = before
    take_out(records, queue, before, r)
