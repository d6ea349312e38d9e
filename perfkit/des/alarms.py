"""Alarms: every actor owns one; the earliest is found in a tournament tree.

Setting, moving and clearing an alarm are one call of cost log2(actors). Ties go to
the lowest actor number, so the order of events is total: by time, then by actor.
The first actors, whom most events concern (processor, clock, drum), stand near the root.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from perfkit.des.compiling import kernel

NEVER = np.inf
NEAR = 4  # so many actors stand three steps from the root


class Alarms(NamedTuple):
    """The alarms of all actors.

    Attributes
    ----------
    time : ndarray of float64, shape (leaves,)
        When each actor's alarm goes off; infinite while it is clear.
    winner : ndarray of int64, shape (nodes,)
        The tree: ``winner[1]`` is the actor whose alarm is next, the children of node ``i``
        are ``2 i`` and ``2 i + 1``. Below node 2 stand the first NEAR actors.
    """

    time: np.ndarray
    winner: np.ndarray


@register_jitable
def new_alarms(actors):
    """Return the alarms of so many actors, at least 1, all clear.

    Examples
    --------
    >>> alarms = new_alarms(3)
    >>> set_alarm(alarms, 2, 5.0)
    >>> set_alarm(alarms, 1, 5.0)
    >>> next_actor(alarms), float(alarms.time[1])
    (1, 5.0)
    """
    far = 4
    while far < actors - NEAR:
        far *= 2
    winner = np.zeros(4 * far, np.int64)
    for actor in range(NEAR + far - 1, -1, -1):
        node = _leaf(winner, actor)
        while node > 0:
            winner[node] = actor
            node //= 2
    return Alarms(np.full(NEAR + far, NEVER), winner)


@kernel
def _leaf(winner, actor):
    """Return the node where an actor's branch of the tree ends."""
    return 2 * NEAR + actor if actor < NEAR else winner.size - winner.size // 4 + actor - NEAR


@kernel
def set_alarm(alarms, actor, time):
    """Set or move an actor's alarm (modifies ``alarms`` in place).

    The actor climbs its branch of the tree, at each node against the winner of the
    other side, until a node keeps the winner it had.
    """
    times, winner = alarms
    times[actor] = time
    best, best_time = actor, time
    node = _leaf(winner, actor)
    while node > 1:
        rival = winner[node ^ 1]
        rival_time = times[rival]
        # Ties go to the lowest actor: else the order of events would depend on the tree's history.
        if rival_time <= best_time and (rival_time < best_time or rival < best):
            best, best_time = rival, rival_time
        node >>= 1
        # The climbing actor itself must go on: its time, which stands above, has changed.
        if winner[node] == best and best != actor:
            return
        winner[node] = best


@kernel
def set_alarms(alarms, first, times):
    """Set the alarms of actors from ``first`` on (modifies ``alarms`` in place)."""
    for i in range(times.size):
        set_alarm(alarms, first + i, times[i])


@kernel
def clear_alarm(alarms, actor):
    """Clear an actor's alarm (modifies ``alarms`` in place)."""
    set_alarm(alarms, actor, NEVER)


@kernel
def next_actor(alarms):
    """Return the actor whose alarm goes off next; its time is ``alarms.time[actor]``."""
    return alarms.winner[1]
