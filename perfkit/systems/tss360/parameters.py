"""The parameters of the TSS/360 study: each with unit, source and status."""

import math
from dataclasses import dataclass
from types import MappingProxyType

from perfkit.core.record import (
    ParameterRecord,
    assumed,
    calibrated,
    check_held,
    derived,
    manual,
    stated,
)
from perfkit.des.devices import seek_table

MARGIN_PAGES = 2
CALIBRATED_ON = "the old schedule, old replacement column of Table 6, and Table 4's mean frames"
PAGE_BYTES = 4096
SCHEDULES = ("old", "new")
DISCIPLINES = ("FCFS", "SSTF", "LOOK")


@dataclass(frozen=True, init=False)
class Parameters(ParameterRecord):
    """The configuration, the policies, the load and the supervisor's times of one run."""

    calibrated_on = CALIBRATED_ON
    renamed = MappingProxyType(
        {"core_pages": "recurring_pages", "settle_min": "settle_s", "measured_min": "measured_s"}
    )
    headline = ("schedule", "replacement", "estimate_threshold", "drums")

    # fmt: off
    schedule: str = stated(
        "old", "", "one pass through the foreground, or up to three", choices=SCHEDULES)
    replacement: str = stated(
        "old", "", "a scan starts at the lower threshold, or also at a low P_eav",
        choices=SCHEDULES)
    users: float = stated(31.0, "tasks", "mean number logged on, N_t of Table 6", 0.1, 10000.0)
    memory_pages: int = stated(
        256, "4096-byte pages", "one megabyte; the page is the Model 67's", 8, 10**6)
    drums: int = stated(2, "paging drums", "Performance evaluation", 1, 100)
    discs: int = stated(3, "paging discs", "Performance evaluation", 1, 100)
    upper_threshold: int = stated(
        10, "frames", "Performance evaluation: the inventory threshold; said where it explains why"
        " swap-outs were rare, and these hang on the upper one", 1, 10**6, plausible=(9, 12))
    typical_p_max: int = stated(24, "frames", "P_max of typical transactions", 1, 10**6)
    typical_s: float = stated(
        0.2, "s", "processing time that a typical transaction stays below", 0.0, 1e6)
    typical_accesses: int = stated(
        10, "accesses", "most of a typical transaction to a data set", 0, 10**6)
    foreground_passes: tuple = stated(
        (1, 3), "slices", "of a transaction, under the old and the new schedule", 1, 50)
    short_slices: int = stated(
        3, "slices", "that a typical transaction may have to be dispatched; later ones are long",
        1, 50)
    reuse: str = assumed(
        "oldest", "", "which available frame a page goes to: that available longest, or shortest,"
        " or the next one by address, round and round", choices=("oldest", "newest", "cyclic"))
    supervisor_pages: int = calibrated(
        100, "4096-byte pages", "held by the resident supervisor", 0, 10**6, plausible=(90, 112))
    lower_threshold: int = assumed(
        6, "frames", "of the inventory, below which sharable pages are replaced",
        0, 10**6, plausible=(5, 8))
    scan_pages: int = assumed(
        6, "pages", "that a replacement scan looks for; the fewest that lift the inventory over the"
        " upper threshold, or every scan would end in a swap-out, and these were rare",
        1, 10**6, plausible=(5, 8))
    estimate_threshold: int = assumed(
        10, "frames", "P_eav below which the new replacement scans: 'similar' to the lower"
        " threshold of the inventory; that one's own value and the entrance level of typical"
        " transactions are other readings", 0, 10**6, plausible=(6, 24))
    background_p_max: tuple = calibrated(
        (34, 44, 58), "frames", "of the background entries: small, medium, large",
        1, 10**6, plausible=((37, 47, 61), (24, 37, 51)))
    background_priorities: tuple = assumed(
        (2, 2, 2), "", "of those entries; equal, so that deadlines decide",
        1, 1000, plausible=((2, 3, 4),))
    foreground_slice_ms: float = derived(
        67.0, "ms", "processing time of a short slice: a third of a typical transaction's most,"
        " which may have to be dispatched three times", 0.1, 1e9)
    background_slice_ms: float = calibrated(
        251.0, "ms", "processing time of a background slice", 0.1, 1e9, plausible=(201.0, 453.0))
    quantum_ms: float = assumed(
        50.0, "ms", "processing time after which another ready task runs", 0.1, 1e9)
    foreground_deadline_s: float = assumed(
        0.0, "s", "from becoming eligible until a task with a short slice is behind schedule",
        0.0, 1e6, plausible=(0.0, 0.44))
    background_deadline_s: float = calibrated(
        0.44, "s", "from becoming eligible until a task with a long slice is behind schedule",
        0.0, 1e6, plausible=(0.0, 0.53))
    think_s: float = calibrated(67.4, "s", "mean think time of a user; exponential", 0.001, 1e6)
    output_lines: float = calibrated(
        0.142, "lines", "mean terminal output of a transaction, which ends when the system prompts;"
        " geometric", 0.0, 1e6, plausible=(0.0, 0.288))
    line_s: float = manual(2.7, "s", "a line of 40 characters on a 2741 (14.8 a second)", 0.0, 1e6)
    session_min: float = assumed(
        60.0, "min", "mean time from a log-on to the log-off; exponential",
        0.1, 1e6, plausible=(30.0, 120.0))
    patience_min: float = assumed(
        math.inf, "min", "mean time after which a user cancels a transaction; exponential."
        " Infinite: only who logs off does", 0.01, 1e6, infinite=True, plausible=(5.68,))
    user_slots: int = assumed(
        44, "users", "who log on at times; their number varies as theirs does", 1, 10**5)
    cpu_points_s: tuple = derived(
        (0.001, 0.01, 0.05, 0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 250.0, 1048.0), "s",
        "processing times between which a transaction's is log-linear: those of Table 2, of Table"
        " 4, the median, and others that meet mean and standard deviation", 1e-6, 1e6)
    cpu_cdf: tuple = derived(
        (0.0, 0.117, 0.5, 0.745, 0.958, 0.984, 0.991, 0.9975, 0.9984, 0.9997, 1.0),
        "of transactions", "up to each of them; Table 2 says 0.745, 0.958, 0.991 and 0.998 at 0.1"
        " to 100 s", 0.0, 1.0)
    access_correlation: float = derived(
        0.55, "", "of processing time with accesses (normal copula), so that 70 % are typical",
        -0.99, 0.99)
    nonconversational_tasks: int = assumed(
        0, "tasks", "always active, in the background", 0, 1000, plausible=(1,))
    nonconversational_cpu_s: float = assumed(
        60.0, "s", "mean processing time of a job; exponential", 0.001, 1e6, plausible=())
    system_tasks: int = assumed(1, "tasks", "that wake up now and then", 0, 1000)
    system_think_s: float = assumed(10.0, "s", "mean time asleep; exponential", 0.01, 1e6)
    system_cpu_s: float = assumed(
        0.02, "s", "mean processing time of an awakening; exponential", 1e-6, 1e6)
    system_working_set_pages: int = assumed(8, "pages", "of a system task", 1, 10**5)
    private_pages: int = calibrated(
        228, "pages", "of a task's virtual storage that it uses at all", 2, 10**5)
    recurring_pages: int = assumed(
        10, "pages", "of those that each of a task's transactions uses", 0, 10**5)
    sharable_pages: int = assumed(150, "pages", "that are shared and used at all", 1, 10**5)
    popularity_exponent: float = calibrated(
        0.518, "", "references to the k-th sharable page fall as this power of k", 0.0, 5.0)
    sharable_working_set: int = calibrated(
        9, "pages", "sharable ones that a transaction begins with, and uses at a time", 1, 10**4)
    sharable_exponent: float = calibrated(
        0.5815, "", "sharable pages referred to, beyond those first ones, grow as this power of a"
        " transaction's processing time", 0.01, 1.0, plausible=(0.537, 0.626))
    working_set_factor: float = calibrated(
        1.031, "", "of the frames of Table 4 by which working sets are drawn: slices that P_max, a"
        " swap-out or the transaction's end cuts short hold fewer", 0.1, 10.0, plausible=(1.0, 1.1))
    loading_ms: float = assumed(
        5.0, "ms", "processing time in which a slice's pages are touched", 0.001, 1e6)
    touch_exponent: float = assumed(
        0.3, "", "pages touched grow as this power of processing time", 0.01, 10.0)
    changed_share: float = calibrated(
        0.98, "of private pages", "that are changed while they are held", 0.0, 1.0)
    sharable_changed_share: float = calibrated(
        0.0062, "of sharable pages", "that are changed while they are in storage, and must be"
        " written when replaced", 0.0, 1.0, plausible=(0.0, 0.0124))
    fault_ms: float = calibrated(
        10.39, "ms", "supervisor time of a page fault up to the start of its read", 0.0, 1e6)
    interrupt_ms: float = assumed(
        1.5, "ms", "supervisor time of the interrupt when a page has been read", 0.0, 1e6)
    write_ms: float = assumed(1.5, "ms", "supervisor time of a page written", 0.0, 1e6)
    reclaim_ms: float = assumed(2.0, "ms", "supervisor time of a page reclaimed", 0.0, 1e6)
    access_ms: float = assumed(6.0, "ms", "supervisor time of an access to a data set", 0.0, 1e6)
    room_to_others: bool = assumed(
        True, "", "the room that a slice's end leaves is offered to all others first; the text's"
        " search knows no such order, and the fitted cells do not decide")
    slice_end_ms: float = assumed(
        10.0, "ms", "supervisor time of a slice: scheduling it and ending it", 0.0, 1e6)
    drum_slots: int = manual(900, "pages", "of a 2301 (4.1 million bytes)", 1, 10**7)
    drum_revolution_ms: float = manual(17.5, "ms", "IBM 2301", 0.01, 1e4)
    drum_pages_in_two_turns: int = manual(
        9, "pages", "IBM 2301: two tracks of 20483 bytes hold nine pages", 1, 1000)
    drum_reads_first: bool = assumed(
        True, "", "a drum writes only when no task waits for a page of it; the text does not say."
        " The fitted cells prefer it")
    sharable_drum_slots: int = calibrated(
        24, "pages", "of the drums for sharable pages; the users share the rest",
        0, 10**7, plausible=(19, 105))
    migrate_slots: int = assumed(
        40, "pages", "free on the drums when migration to the discs starts", 0, 10**7)
    disc_cylinders: int = manual(200, "cylinders", "IBM 2314", 3, 10**5)
    disc_heads: int = manual(20, "tracks a cylinder", "IBM 2314", 1, 1000)
    disc_seek_ms: tuple = manual(
        (25.0, 60.0, 130.0), "ms", "IBM 2314: one cylinder, mean, full stroke", 0.0, 1e5)
    disc_revolution_ms: float = manual(25.0, "ms", "IBM 2314", 0.01, 1e4)
    disc_kb_per_s: float = manual(312.0, "1000 bytes/s", "IBM 2314", 0.1, 1e9)
    paging_cylinders: int = assumed(
        40, "cylinders", "of a paging disc over which pages lie", 3, 10**5)
    discipline: str = assumed(
        "SSTF", "", "which waiting request a disc serves next", choices=DISCIPLINES)
    data_discs: int = assumed(
        8, "discs", "of the data sets; I/O load balancing was no problem", 1, 1000)
    settle_s: float = assumed(
        5400.0, "s", "from an empty system to the first sample, in whole minutes; the longest"
        " transactions take that long to gather", 0.0, 6e6)
    measured_s: float = stated(900.0, "s", "15 minutes, a period of the experiment", 60.0, 6e6)
    # fmt: on

    def check(self):
        """Refuse what can't be together."""
        if len(self.background_p_max) != 3 or list(self.background_p_max) != sorted(
            set(self.background_p_max)
        ):
            raise ValueError("background_p_max must be three rising numbers.")
        if min(self.typical_p_max, *self.background_p_max) < MARGIN_PAGES:
            raise ValueError(
                f"typical_p_max and background_p_max must be {MARGIN_PAGES} frames or more."
            )
        if self.frames < 8 or max(self.background_p_max) >= self.frames:
            raise ValueError(
                "supervisor_pages must leave more frames of memory_pages than any P_max."
            )
        if self.typical_p_max >= self.frames:
            raise ValueError("typical_p_max must be less than the frames beside the supervisor.")
        if not self.lower_threshold < self.upper_threshold < self.frames:
            raise ValueError(
                "upper_threshold must be above lower_threshold and below the frames that there are."
            )
        if len(self.background_priorities) != 3:
            raise ValueError("background_priorities must be three numbers.")
        if len(self.foreground_passes) != 2 or max(self.foreground_passes) > self.short_slices:
            raise ValueError(
                "foreground_passes must be two numbers, old and new, of at most short_slices."
            )
        if self.users > self.user_slots:
            raise ValueError("users must not exceed user_slots.")
        tasks = self.user_slots + self.nonconversational_tasks + self.system_tasks
        check_held("pages of all tasks", tasks * max(self.private_pages, self.sharable_pages))
        self._check_processing_times()
        if self.recurring_pages >= self.private_pages:
            raise ValueError("recurring_pages must be less than private_pages.")
        if len(self.disc_seek_ms) != 3:
            raise ValueError("disc_seek_ms must be three numbers.")
        if self.paging_cylinders > self.disc_cylinders:
            raise ValueError("paging_cylinders must not exceed disc_cylinders.")
        seek_table(self.disc_cylinders, *self.disc_seek_ms)
        if self.settle_s % 60 or self.measured_s % 60:
            raise ValueError("settle_s and measured_s must be whole minutes, as samples are.")

    def _check_processing_times(self):
        points, shares = self.cpu_points_s, self.cpu_cdf
        if len(points) != len(shares) or len(points) < 2:
            raise ValueError("cpu_points_s and cpu_cdf must be of one length, at least 2.")
        if list(points) != sorted(set(points)) or list(shares) != sorted(set(shares)):
            raise ValueError("cpu_points_s and cpu_cdf must rise.")
        if shares[0] != 0.0 or shares[-1] != 1.0:
            raise ValueError("cpu_cdf must begin with 0 and end with 1.")

    @property
    def frames(self):
        """Page frames that the resident supervisor does not hold."""
        return self.memory_pages - self.supervisor_pages

    @property
    def settled_min(self):
        """Minutes before the measured ones."""
        return int(self.settle_s // 60)

    @property
    def measured_min(self):
        """Minutes that are measured."""
        return int(self.measured_s // 60)

    @property
    def away_min(self):
        """Mean time from a log-off to the log-on, so that ``users`` are logged on."""
        return self.session_min * (self.user_slots - self.users) / self.users
