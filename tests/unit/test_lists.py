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
    PUT_AFTER = 4


@kernel
def one_way(records, queue, call, r, before):
    """Do something to a one-way list; return the record that came out, if any."""
    if call == Call.PUSH:
        lists.push(records, queue, r)
    elif call == Call.PUSH_FRONT:
        lists.push_front(records, queue, r)
    elif call == Call.POP:
        return lists.pop(records, queue)
    elif call == Call.PUT_AFTER:
        lists.put_after(records, queue, before, r)
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


def chain(records, at, field="next"):
    """Return the members of a list from one end."""
    found = []
    while at != lists.NOBODY:
        found.append(at)
        at = records[at][field]
    return found


CALLS = st.lists(
    st.tuples(
        st.sampled_from(list(Call)), st.integers(0, MEMBERS - 1), st.integers(-1, MEMBERS - 1)
    ),
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(CALLS)
def test_a_one_way_list_does_what_pythons_does(calls):
    records = np.zeros(MEMBERS, lists.LINK).view(np.recarray)
    queue, model = lists.new_lists(1)[0], []
    for call, r, place in calls:
        before = model[place % len(model)] if model and place >= 0 else lists.NOBODY
        if call == Call.POP and model:
            assert one_way(records, queue, call, r, before) == model.pop(0)
        elif call == Call.DROP and r in model:
            one_way(records, queue, call, r, before)
            model.remove(r)
        elif call in (Call.PUSH, Call.PUSH_FRONT, Call.PUT_AFTER) and r not in model:
            one_way(records, queue, call, r, before)
            behind = model.index(before) + 1 if before in model else 0
            model.insert({Call.PUSH: len(model), Call.PUSH_FRONT: 0}.get(call, behind), r)
        assert chain(records, queue.head) == model
        assert (queue.tail, queue.length) == (model[-1] if model else lists.NOBODY, len(model))


@settings(max_examples=200, deadline=None)
@given(CALLS)
def test_a_two_way_list_is_the_same_from_both_ends(calls):
    records = np.zeros(MEMBERS, lists.LINK).view(np.recarray)
    queue = lists.new_lists(1)[0]
    lists.link_all(records, queue)
    model = list(range(MEMBERS))
    for _, r, _ in calls:
        if r in model:
            two_way(records, queue, Call.DROP, r)
            model.remove(r)
        else:
            two_way(records, queue, Call.PUSH, r)
            model.append(r)
        assert chain(records, queue.head) == model
        assert chain(records, queue.tail, "previous") == model[::-1]
        assert queue.length == len(model)
