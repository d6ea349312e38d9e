"""What a run measured: counters over its days, and DUSETIMR's observations."""

import numpy as np

from perfkit.core import result
from perfkit.core.record import as_frame
from perfkit.des.counters import mean, ratio, read
from perfkit.des.processor import passed
from perfkit.systems.cp67.parameters import BENCHMARKS
from perfkit.systems.cp67.state import PERCENT, SECOND_MS, Event, Level

MEASURES = {
    "user_percent": "% of the processor, users' programs",
    "supervisor_percent": "% of the processor, CP",
    "idle_percent": "% of the processor, idle",
    "page_reads_per_s": "pages/s read from the drum",
    "page_writes_per_s": "pages/s written to the drum",
    "disc_ios_per_s": "users' disc operations/s",
    "logged_on_users": "mean users logged on, DUSETIMR included",
    "q1_users": "mean users in Q1",
    "q2_users": "mean users in Q2",
    "candidates": "mean users who wait to be admitted",
    "active_users": "users active in an observation, mean",
    "response_s": "s of response to users' tasks, mean",
    "residence_s": "s that a replaced page had been in storage, mean",
    "trivial_s": "s of the trivial benchmark, mean",
    "mixed_s": "s of the mixed benchmark, mean",
    "io_bound_s": "s of the input-output bound benchmark, mean",
    "cpu_bound_s": "s of the processor bound benchmark, mean",
    "trace_full": "1 if the trace's space was used up",
    "events": "events that the simulator handled",
    "user_ms": "ms of processor time of users",
    "supervisor_ms": "ms of processor time of CP",
    "page_reads": "pages read from the drum",
    "page_writes": "pages written to the drum",
    "disc_ios": "users' disc operations",
    "faults": "page faults",
    "replaced": "pages replaced",
    "trips": "whole turns of the replacement pointer",
    "residence_ms": "ms in storage of all replaced pages together",
    "page_wait_ms": "ms of all page waits together",
    "tasks_ended": "users' tasks that ended",
    "task_response_ms": "ms of all their responses together",
    "q1_entries": "admissions to Q1",
    "q2_entries": "admissions to Q2",
    "q2_wait_ms": "ms of all waits for Q2 together",
    "drifts": "pages that left a user's locality for another",
    "drum_busy_ms": "ms that the drum was busy",
    "observations": "observations by DUSETIMR",
}
NAMES = tuple(MEASURES)
COUNTERS = NAMES[NAMES.index("trace_full") : NAMES.index("observations")]  # fields of the kernel


class Result(result.Result):
    """What one run measured, over all its days; each measure is an attribute, too.

    Attributes
    ----------
    trace : record array
        Fields ``time_ms``, ``kind``, ``actor`` (a user; 0 is DUSETIMR), ``value``; first day.
    """

    MEASURES = MEASURES
    EVENTS = Event
    SHOWN = NAMES[: NAMES.index("trace_full")]
    renamed = {  # noqa: RUF012
        "problem_state_percent": "user_percent",
        "disk_io_per_s": "disc_ios_per_s",
    }

    @property
    def observation_log(self):
        """What DUSETIMR recorded: one record per observation, which ``pandas.DataFrame`` takes.

        Fields ``day``, ``start_s``, ``duration_s``, ``version``, ``logged_on_users``,
        ``active_users``, shares, rates, ``q1_users``, ``q2_users``, ``candidates``,
        ``tasks_per_s``, ``response_s`` (users' tasks that ended in it; not a number if none) and
        the four benchmark times.
        """
        return self.tables["observations"]

    def plot(self, ax=None, **style):
        """Draw each observation's problem state time over its active users."""
        style = {"xlabel": "active users", "ylabel": "problem state, %"} | style
        observations = as_frame(self.observation_log)
        return observations.plot.scatter("active_users", "user_percent", ax=ax, **style)


def counted(machine):
    """Return in a dictionary what a day came to, processor time only as far as it has passed."""
    k = machine.kernel
    counts = read(machine, COUNTERS)
    user_ms, counts["supervisor_ms"] = passed(k)
    counts["user_ms"] += user_ms
    counts["observations"] = machine.observations[: k.observed].copy()
    counts["trace"] = machine.trace[: k.traced]
    return counts


def read_out(days, parameters, seed):
    """Return the Result of some days."""
    span_ms = sum(day["now_ms"] for day in days)
    counts = {name: sum(day[name] for day in days) for name in COUNTERS}
    levels = sum(day["areas"] for day in days) / span_ms
    observations = np.concatenate([day["observations"] for day in days]).view(np.recarray)
    span_s = span_ms / SECOND_MS
    user = PERCENT * counts["user_ms"] / span_ms
    supervisor = PERCENT * counts["supervisor_ms"] / span_ms
    values = {
        "user_percent": user,
        "supervisor_percent": supervisor,
        "idle_percent": PERCENT - user - supervisor,
        "page_reads_per_s": counts["page_reads"] / span_s,
        "page_writes_per_s": counts["page_writes"] / span_s,
        "disc_ios_per_s": counts["disc_ios"] / span_s,
        "logged_on_users": float(levels[Level.LOGGED_ON]),
        "q1_users": float(levels[Level.Q1]),
        "q2_users": float(levels[Level.Q2]),
        "candidates": float(levels[Level.CANDIDATES]),
        "active_users": mean(observations.active_users),
        "response_s": ratio(counts["task_response_ms"], SECOND_MS * counts["tasks_ended"]),
        "residence_s": ratio(counts["residence_ms"], SECOND_MS * counts["replaced"]),
        **{f"{name}_s": mean(observations[f"{name}_s"]) for name in BENCHMARKS},
        **counts,
        "observations": int(observations.size),
    }
    return Result(parameters, seed, values, {"observations": observations}, days[0]["trace"])
