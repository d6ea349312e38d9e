"""Linked lists of a machine, for tests that look into it."""

from perfkit.des.lists import NOBODY


def chain(records, first, field="next"):
    """Return the numbers of a linked list's records."""
    found = []
    while first != NOBODY:
        found.append(int(first))
        first = records[first][field]
    return found
