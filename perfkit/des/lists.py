"""Linked lists of records (tasks, users, frames): each has a place in one list at a time.

A list is a record of dtype LIST, with NOBODY at the head and tail of an empty one; its members
have a field ``next``. Every function modifies both in place.
"""

import numpy as np

from perfkit.des.compiling import inlined

NOBODY = -1
LIST = np.dtype([("head", "i8"), ("tail", "i8"), ("length", "i8")], align=True)


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
    """Take the first record out of a list that holds one."""
    r = queue.head
    queue.head = records[r].next
    if queue.head == NOBODY:
        queue.tail = NOBODY
    queue.length -= 1
    return r


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
