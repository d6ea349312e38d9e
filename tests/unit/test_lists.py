"""Linked lists against Python's own."""

from enum import IntEnum

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.des import lists
from perfkit.des.compiling import kernel

MEMBERS = 6


class Call(IntEnum):
    """What is done to a list with a record."""

    PUSH = 0
    PUSH_FRONT = 1
    POP = 2
    DROP = 3


@kernel
def one_way(records, queue, call, r):
    """Do something to a one-way list; return the record that came out, if any."""
    if call == Call.PUSH:
        lists.push(records, queue, r)
    elif call == Call.PUSH_FRONT:
        lists.push_front(records, queue, r)
    elif call == Call.POP:
        return lists.pop(records, queue)
    else:
        lists.drop(records, queue, r)
    return r


@kernel
def two_way(records, queue, call, r):
    """Do something to a two-way list."""
    if call == Call.PUSH:
        lists.link(records, queue, r)
    else:
        lists.unlink(records, queue, r)


@kernel
def insert(records, queue, before, r):
    """Put a record behind another."""
    lists.put_after(records, queue, before, r)


def chain(records, at, field="next"):
    """Return the members of a list from one end."""
    found = []
    while at != lists.NOBODY:
        found.append(at)
        at = records[at][field]
    return found


CALLS = st.lists(st.tuples(st.sampled_from(list(Call)), st.integers(0, MEMBERS - 1)), max_size=40)


@settings(max_examples=200, deadline=None)
@given(CALLS)
def test_a_one_way_list_does_what_pythons_does(calls):
    records = np.zeros(MEMBERS, lists.LINK).view(np.recarray)
    queue, model = lists.new_lists(1)[0], []
    for call, r in calls:
        if call == Call.POP and model:
            assert one_way(records, queue, call, r) == model.pop(0)
        elif call == Call.DROP and r in model:
            one_way(records, queue, call, r)
            model.remove(r)
        elif call in (Call.PUSH, Call.PUSH_FRONT) and r not in model:
            one_way(records, queue, call, r)
            model.insert(0 if call == Call.PUSH_FRONT else len(model), r)
        assert chain(records, queue.head) == model
        assert (queue.tail, queue.length) == (model[-1] if model else lists.NOBODY, len(model))


@settings(max_examples=200, deadline=None)
@given(CALLS)
def test_a_two_way_list_is_the_same_from_both_ends(calls):
    records = np.zeros(MEMBERS, lists.LINK).view(np.recarray)
    queue = lists.new_lists(1)[0]
    lists.link_all(records, queue)
    model = list(range(MEMBERS))
    for _, r in calls:
        if r in model:
            two_way(records, queue, Call.DROP, r)
            model.remove(r)
        else:
            two_way(records, queue, Call.PUSH, r)
            model.append(r)
        assert chain(records, queue.head) == model
        assert chain(records, queue.tail, "previous") == model[::-1]
        assert queue.length == len(model)


@settings(max_examples=200, deadline=None)
@given(st.permutations(range(MEMBERS)), st.lists(st.integers(-1, MEMBERS), min_size=MEMBERS))
def test_a_record_is_put_behind_any_other_or_at_the_head(order, places):
    records = np.zeros(MEMBERS, lists.LINK).view(np.recarray)
    queue, model = lists.new_lists(1)[0], []
    for r, place in zip(order, places, strict=False):
        before = model[place % len(model)] if model and place >= 0 else lists.NOBODY
        insert(records, queue, before, r)
        model.insert(model.index(before) + 1 if before != lists.NOBODY else 0, r)
        assert chain(records, queue.head) == model
        assert (queue.tail, queue.length) == (model[-1], len(model))
