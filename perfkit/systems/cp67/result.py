"""What a run measured: counters over its days, and DUSETIMR's observations."""

from numba import literal_unroll

from perfkit.core import result
from perfkit.core.record import as_frame
from perfkit.des.compiling import assembly, kernel
from perfkit.des.counters import area, mean, ratio
from perfkit.des.processor import passed
from perfkit.des.records import as_dict, measures_type, record
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
WHOLE = ("observations", *(name for name in COUNTERS if not name.endswith("_ms")))
MEASURED = measures_type(MEASURES, *WHOLE)


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


@kernel
def add_day(k, levels, counts, areas):
    """Add what a day came to, processor time only as far as it has passed (in place)."""
    for name in literal_unroll(COUNTERS):
        if name not in ("user_ms", "supervisor_ms"):
            counts[name] += k[name]
    user_ms, supervisor_ms = passed(k)
    counts.user_ms += k.user_ms + user_ms
    counts.supervisor_ms += supervisor_ms
    counts.now_ms += k.now_ms
    for i in range(areas.size):
        areas[i] += area(levels[i], k.now_ms)


@assembly
def measure(counts, areas, observations, out):
    """Fill a record of dtype MEASURED with what some days measured."""
    for name in literal_unroll(COUNTERS):
        out[name] = counts[name]
    levels, span_ms = areas / counts.now_ms, counts.now_ms
    span_s = span_ms / SECOND_MS
    out.user_percent = PERCENT * counts.user_ms / span_ms
    out.supervisor_percent = PERCENT * counts.supervisor_ms / span_ms
    out.idle_percent = PERCENT - out.user_percent - out.supervisor_percent
    out.page_reads_per_s = counts.page_reads / span_s
    out.page_writes_per_s = counts.page_writes / span_s
    out.disc_ios_per_s = counts.disc_ios / span_s
    out.logged_on_users, out.candidates = levels[Level.LOGGED_ON], levels[Level.CANDIDATES]
    out.q1_users, out.q2_users = levels[Level.Q1], levels[Level.Q2]
    out.response_s = ratio(counts.task_response_ms, SECOND_MS * counts.tasks_ended)
    out.residence_s = ratio(counts.residence_ms, SECOND_MS * counts.replaced)
    out.observations = observations.size
    out.active_users = mean(observations.active_users)
    out.trivial_s, out.mixed_s = mean(observations.trivial_s), mean(observations.mixed_s)
    out.io_bound_s, out.cpu_bound_s = mean(observations.io_bound_s), mean(observations.cpu_bound_s)


def read_out(counts, areas, observations, trace, parameters, seed):
    """Return the Result of some days."""
    values = record(MEASURED)
    measure(counts, areas, observations, values)
    return Result(parameters, seed, as_dict(values), {"observations": observations}, trace)
