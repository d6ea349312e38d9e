"""Films in a page: what ``perfkit.show.players.films`` does, as part of a system's module."""

import numpy as np
from numba.extending import register_jitable

from perfkit.des.alarms import next_actor
from perfkit.show.players import films as seen
from perfkit.systems import find, tss360

ROOM = {"moments": 120_000, "changes": 1_000_000, "slots": 8192}


def arguments(key="", begin_ms=0.0, end_ms=0.0):
    """Return a film as a module takes it, without room for one if no system is named.

    When it begins and ends (ms); how many moments it has; how many slots each field has; what is
    seen first; when each moment is, where its changes end; slots, each with its new value.
    """
    moments, changes, slots = ROOM.values() if key else (0, 0, 0)
    fields = sum(len(names.split()) for _, names in seen.SEEN.get(key, ()))
    sizes = 1, fields, slots, moments, moments, 2 * changes
    counts, *whole = (np.zeros(size, np.int64) for size in sizes)
    return np.array([begin_ms, end_ms]), counts, *whole[:2], np.zeros(moments), *whole[3:]


def look(key):
    """Return a function that writes what is seen of a machine into a row, for Numba."""
    machine = seen.new_machine(key, find(key).module().Parameters(), 0)
    lines, field = ["def looked(m, row, sizes):", " at = 0"], 0
    for table, names in seen.SEEN[key]:
        for name in names.split():
            rows = getattr(machine, table)
            if not rows.dtype.names:
                value, many = f"m.{table}[{int(tss360.state.Count[name])}]", False
            else:
                many = np.ndim(rows) > 0
                value = f"m.{table}[i].{name}" if many else f"m.{table}.{name}"
            count = f"m.{table}.size" if many else "1"
            lines += [f" sizes[{field}] = {count}", f" for i in range({count}):"]
            lines += [f"  row[at] = int({value})", "  at += 1"]
            field += 1
    exec("\n".join([*lines, " return at"]), made := {})
    return register_jitable(made["looked"])


def filming(key, step):
    """Return what runs a machine until a time, or films it instead and says so.

    ``step(m, until_ms)`` is the system's loop with its rules.
    """
    looked = look(key)

    @register_jitable
    def until(m, taken, until_ms):
        window, counts, sizes, first, times, ends, changes = taken
        if times.size == 0:
            step(m, until_ms)
            return False
        step(m, window[0])
        slots, moments, count = looked(m, first, sizes), 0, 0
        before, now = first.copy(), first.copy()
        while moments < times.size and count + slots <= changes.size // 2:
            at_ms = m.alarms.time[next_actor(m.alarms)]
            if at_ms > window[1]:
                break
            step(m, at_ms)
            looked(m, now, sizes)
            start = count
            for slot in range(slots):
                if now[slot] != before[slot]:
                    changes[2 * count], changes[2 * count + 1] = slot, now[slot]
                    before[slot] = now[slot]
                    count += 1
            if count > start:
                times[moments], ends[moments] = at_ms, count
                moments += 1
            if m.alarms.time[next_actor(m.alarms)] == at_ms:
                window[1] = at_ms  # nothing happens any more
        counts[0] = moments
        return True

    return until
