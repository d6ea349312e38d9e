"""The parameters of the CP-67 study: each with unit, source and status."""

from dataclasses import dataclass
from types import MappingProxyType

from perfkit.core.levers import lever
from perfkit.core.record import ParameterRecord, assumed, calibrated, check_held, manual, stated
from perfkit.des.devices import seek_table

BENCHMARKS = ("trivial", "mixed", "io_bound", "cpu_bound")
FEWEST_USERS, MOST_USERS = 10, 28
TABLE_1_WAITS_S = (
    1000, 851, 724, 617, 525, 447, 380, 324, 275, 234, 200, 170, 144, 123, 105, 89, 76, 64, 60,
)  # fmt: skip
ESTIMATORS = ("or", "resident", "bits", "fixed")
IO_WAITS = ("keeps", "to_q1", "to_candidates")
LEAST_THINK_S = 0.01
DAYS_DIFFER = ("day_users_sd", "day_heaviness_sd")
CALIBRATED_ON = "50 page reads/s, 2/3 of users active, throughput level from 25 active users on"


@dataclass(frozen=True, init=False)
class Parameters(ParameterRecord):
    """The machine, CP-67's rules, its users and DUSETIMR, for one run of some days.

    The fields from ``algorithm`` to ``quantum_ms`` (POLICY_FIELDS) are the rules that a
    version may change while the system runs.
    """

    calibrated_on = CALIBRATED_ON
    renamed = MappingProxyType(
        {"day_s": "measured_s", "usual_users": "users", "drives": "discs"}
        | {name: f"disc_{name}" for name in ("cylinders", "heads", "records_per_track")}
        | dict.fromkeys(("seek_track_ms", "seek_mean_ms", "seek_full_ms"), "disc_seek_ms")
    )
    levers = MappingProxyType({
        "days_spread": lever(
            1.0, "times as much", "as we assume days to differ, in users and in demand; 0: alike",
            0.0, 10.0, changes=lambda own, by: {n: getattr(own, n) * by for n in DAYS_DIFFER},
            reads=lambda own, now: now.day_users_sd / own.day_users_sd),
    })  # fmt: skip
    headline = ("algorithm", "frames", "days_spread")

    # fmt: off
    days: int = assumed(1, "days", "each begins with an empty machine", 1, 100000, plausible=(1,))
    measured_s: float = assumed(36000.0, "s", "the ten busy hours of a day", 1.0, 1e7)
    frames: int = stated(100, "pages", "about 100 user pages in storage", 4, 100000)
    algorithm: int = stated(
        2, "", "Appendix, item 1; 2 is version 3.1's; 3 is the reader's own", 1, 3)
    t1_ms: float = stated(300.0, "ms", "Q1 slice of version 3.1 (200 tried)", 0.1, 1e9)
    t2_ms: float = stated(3000.0, "ms", "Q2 slice of version 3.1 (5000 tried)", 0.1, 1e9)
    dusetimr_priority: float = stated(
        50.0, "", "P0 of DUSETIMR; 1, 50 and 98 in experiment 3", 0.0, 98.0)
    usual_priority: float = stated(
        50.0, "", "P0 of practically all users, Appendix, item 3", 0.0, 98.0)
    priority_weight: float = stated(4.0, "", "P = P0 + 4T, Appendix, item 3", 0.0, 1e6)
    priority_clock_s: float = stated(
        1.0, "s", "the unit of T: seconds, Appendix, item 3", 1e-6, 1e6)
    estimator: str = assumed(
        "or", "", "the pages that a candidate is taken to need: referenced since he entered a queue"
        " (or), resident or with their bit on (bits) when he left it, or the same for all (fixed)",
        choices=ESTIMATORS)
    in_queue_users: float = assumed(
        6.0, "users", "that storage has room for, under the fixed estimator",
        1.0, 1e6, plausible=(3, 9))
    head_blocks: bool = assumed(
        True, "", "the candidate of lowest P waits for room, nobody passes him")
    q1_needs_room: bool = assumed(False, "", "Appendix, item 2 speaks of room for Q2 only")
    io_wait: str = assumed(
        "keeps", "", "a user who waits for a disc keeps his place in queue", choices=IO_WAITS)
    charged_share: float = assumed(
        1.0, "of supervisor time", "on a user's behalf that counts in his slice; at 0 the mixed"
        " benchmark never leaves Q1 under t1 = 300 and Figure 7 could not be",
        0.0, 1.0, plausible=(0, 1))
    quantum_ms: float = assumed(
        50.0, "ms", "virtual time after which users of a queue take turns", 0.1, 1e9)
    fault_ms: float = assumed(5.0, "ms", "supervisor time of a page fault", 0.0, 1e4)
    write_ms: float = assumed(
        1.0, "ms", "supervisor time of a page-out", 0.0, 1e4, plausible=(0, 2))
    sio_ms: float = assumed(5.0, "ms", "supervisor time of a virtual SIO", 0.0, 1e4)
    queue_ms: float = assumed(
        1.0, "ms", "supervisor time of a removal from queue", 0.0, 1e4, plausible=(0, 2))
    dirty_share: float = assumed(0.3, "of replaced pages", "written out", 0.0, 1.0)
    drum_revolution_ms: float = manual(17.5, "ms", "IBM 2301", 0.01, 1e4)
    drum_pages_per_track: int = manual(
        5, "pages", "IBM 2301: 20483 bytes per track, 3.5 ms per page", 1, 1000)
    drum_shortest_latency: bool = assumed(
        True, "", "the drum serves requests by angle, not in their order: L. Wheeler, whom Bard"
        " thanks, recalls (ibm-main list, msg65816) that CP-67 began in order at some 80 pages/s"
        " and that he chained them by rotation in the 1960s, some 270/s")
    discs: int = assumed(8, "2314 drives", "a 2314 facility", 1, 10000)
    disc_cylinders: int = manual(200, "cylinders", "IBM 2314", 3, 100000)
    disc_heads: int = manual(20, "tracks a cylinder", "IBM 2314", 1, 1000)
    disc_records_per_track: int = manual(
        8, "800-byte records", "IBM 2314, 7294 bytes per track", 1, 1000)
    disc_revolution_ms: float = manual(25.0, "ms", "IBM 2314", 0.01, 1e4)
    disc_seek_ms: tuple = manual(
        (25.0, 60.0, 130.0), "ms", "IBM 2314: track to track, average, maximum", 0.0, 1e4)
    minidisk_cylinders: int = assumed(10, "cylinders", "that one user's files lie on", 1, 100000)
    users: float = assumed(
        35.0, "users", "logged on, mean over days; 25 active users are 37.5 logged on (note 8)",
        0.0, 1e5)
    swing: float = assumed(
        0.25, "of the mean", "fewer logged on at both ends of the day",
        0.0, 1.0, plausible=(0, 0.5))
    session_s: float = assumed(7200.0, "s", "mean time logged on", 60.0, 1e8)
    day_users_sd: float = assumed(
        0.10, "of the mean", "from day to day, in logged-on users", 0.0, 2.0, plausible=(0, 0.2))
    day_heaviness_sd: float = assumed(
        0.15, "of the mean", "from day to day, in the demand of a task",
        0.0, 2.0, plausible=(0, 0.3))
    user_heaviness_sd: float = assumed(
        0.5, "of the mean", "from user to user, in the demand of a task",
        0.0, 3.0, plausible=(0, 1))
    task_ms: float = assumed(300.0, "ms", "mean virtual processor time of a task", 0.1, 1e7)
    task_shape: float = assumed(
        1.6, "", "standard deviation of its logarithm: many small, few large", 0.0, 4.0)
    sio_interval_ms: float = assumed(20.0, "ms", "mean virtual time a virtual SIO", 0.1, 1e9)
    user_io_sd: float = assumed(
        0.7, "of the mean", "from user to user, in SIOs per ms", 0.0, 5.0, plausible=(0, 1.4))
    think_s: float = calibrated(16.3, "s", "mean time between tasks", LEAST_THINK_S, 1e6)
    absence_share: float = calibrated(
        0.027, "of thinks", "that are absences from the terminal", 0.0, 1.0)
    absence_s: float = assumed(600.0, "s", "mean absence", 0.0, 1e7)
    virtual_pages: int = assumed(64, "pages", "a virtual machine of 256K bytes", 8, 4096)
    locality_pages: tuple = assumed(
        (16, 30), "pages", "fewest and most that a user refers to at a time: around the mixed"
        " benchmark's 20 of Table 2, which is like a short assembly, and 3 of the I/O routines",
        1, 4096, plausible=((13, 24), (19, 36)))
    hottest_per_ms: float = assumed(
        5.0, "references/ms", "to the page most used", 1e-6, 1e6, plausible=(2.5, 10))
    coldest_per_ms: float = assumed(
        0.02, "references/ms", "to the page least used; those between by equal ratios",
        1e-9, 1e6, plausible=(0.01, 0.04))
    drift_per_ms: float = calibrated(
        0.052, "pages/ms", "of the locality left for others", 0.0, 10.0, plausible=(0.04, 0.08))
    benchmark_cpu_ms: tuple = stated((1.0, 260.0, 560.0, 690.0), "ms", "Table 2", 0.001, 1e7)
    benchmark_sios: tuple = stated((0, 75, 225, 0), "virtual SIOs", "Table 2", 0, 10**6)
    benchmark_pages: tuple = stated((1, 20, 12, 1), "pages", "Table 2", 1, 4096)
    io_routine_pages: int = assumed(
        3, "pages", "Table 2 leaves the pages of the I/O routines out", 0, 1000, plausible=(0, 6))
    benchmark_touch_per_ms: float = assumed(
        0.3, "references/ms", "to each page: once in a mixed SIO's 3.47 ms", 1e-6, 1e6)
    benchmarks_as_one_task: bool = assumed(
        False, "", "the four benchmarks are one task; if not each begins in Q1")
    observation_wait_s: tuple = stated(
        TABLE_1_WAITS_S, "s", "Table 1, for 10 or fewer to 28 or more users; 200 at 20 is our"
        " reading", 1, 10**9)
    # fmt: on

    def check(self):
        """Refuse what can't be together: pages beyond a virtual machine, tables of other length."""
        most = self.virtual_pages - 1
        if len(self.locality_pages) != 2 or not 1 <= self.locality_pages[0] <= self.most_pages:
            raise ValueError("locality_pages must be two numbers, the fewest and the most.")
        if self.most_pages > most:
            raise ValueError(f"locality_pages must leave a page of virtual_pages: at most {most}.")
        tables = (self.benchmark_cpu_ms, self.benchmark_sios, self.benchmark_pages)
        if any(len(values) != len(BENCHMARKS) for values in tables):
            raise ValueError("benchmark_cpu_ms, _sios and _pages must be four numbers each.")
        if max(self.benchmark_pages) + self.io_routine_pages > most:
            raise ValueError(f"benchmark_pages must fit into virtual_pages: at most {most}.")
        if len(self.observation_wait_s) != MOST_USERS - FEWEST_USERS + 1:
            raise ValueError("observation_wait_s must be 19 numbers, for 10 to 28 users.")
        if self.minidisk_cylinders > self.disc_cylinders:
            raise ValueError("minidisk_cylinders must not exceed disc_cylinders.")
        if self.hottest_per_ms < self.coldest_per_ms:
            raise ValueError("hottest_per_ms must not be less than coldest_per_ms.")
        if self.mean_think_s < LEAST_THINK_S:
            raise ValueError(
                f"think_s, absence_share and absence_s must come to thinks of {LEAST_THINK_S} s or"
                f" more on average, not {self.mean_think_s:g} s."
            )
        if len(self.disc_seek_ms) != 3:
            raise ValueError("disc_seek_ms must be three numbers: track, average, maximum.")
        self._check_held()
        seek_table(self.disc_cylinders, *self.disc_seek_ms)

    def _check_held(self):
        sessions = self.users * (1.0 + self.measured_s / self.session_s)
        check_held("pages of a day's users", sessions * self.virtual_pages)
        check_held("tasks of a day's users", sessions * (1.0 + self.session_s / self.mean_think_s))
        check_held("observations per day", self.measured_s / min(self.observation_wait_s))

    @property
    def mean_think_s(self):
        """The mean time between tasks, absences included."""
        return (1.0 - self.absence_share) * self.think_s + self.absence_share * self.absence_s

    @property
    def most_pages(self):
        """The most pages that a user refers to at a time."""
        return self.locality_pages[-1]

    @property
    def last_minidisk(self):
        """The last cylinder that a user's files may begin on."""
        return self.disc_cylinders - self.minidisk_cylinders


_NAMES = Parameters.names()
POLICY_FIELDS = tuple(_NAMES[_NAMES.index("algorithm") : _NAMES.index("quantum_ms") + 1])
