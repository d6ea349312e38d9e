"""The parameters of the EMAS study: each with unit, source and status."""

from dataclasses import dataclass
from types import MappingProxyType

from perfkit.core.record import ParameterRecord, assumed, calibrated, check_held, derived, stated
from perfkit.core.values import is_finite
from perfkit.des.devices import seek_table

PAGE_BYTES = 4096
SECTORS_PER_TRACK, TRACKS = 4, 128
DEMAND_ORDERS = ("first", "in turn", "last")
ALL_EVENTS = (1 << 34) - 1
CALIBRATED_ON = "the 20 cells that studies.emas.runs.FITTED names"


@dataclass(frozen=True, init=False)
class Parameters(ParameterRecord):
    """The configuration, the supervisor and the users of one run; the defaults are machine B."""

    calibrated_on = CALIBRATED_ON
    renamed = MappingProxyType({"core_pages": "frames", "revolution_ms": "drum_revolution_ms"})
    headline = ("preloads_at_once", "prepaging", "frames")

    # fmt: off
    frames: int = derived(
        149, "pages", "768 K bytes less the resident part. A's is 54 pages, its 256 less the 202"
        " ever free (Table 3): 94 K bytes of code (Figure 1), the rest tables, here for 35 users of"
        " its 55", 1, 10**6)
    over_allocation_pages: int = derived(35, "pages", "least unallocated core, Table 3", 0, 10**6)
    drums: int = stated(2, "drums", "Table 1; A has 3", 1, 64)
    users: int = stated(30, "terminals", "session behind the trace's results", 1, 5000)
    late_users: int = assumed(
        0, "terminals", "of all, that open only within the measured time, one after the other,"
        " evenly", 0, 5000, plausible=(0, 5))
    batch_processes: int = assumed(
        0, "processes", "the batch scheduler of Figure 1; the text speaks of none",
        0, 500, plausible=(0, 1))
    time_slice_ms: float = stated(100.0, "ms", "Resident supervisor", 0.01, 1e9)
    penalty_s: float = assumed(
        10.0, "s", "without console interaction, then a process is penalised; the text gives none",
        0.0, infinite=True, plausible=(5.0, 20.0))
    core_queue_weights: tuple = derived(
        (1.0, 0.42, 0.28, 0.35, 0.03), "of a wait", "the queue whose head has the greatest weighted"
        " wait goes first; waits by Table 3's lengths and Table 4's transitions are 0.67, 1.64,"
        " 2.45, 1.90 and 24 s", 0.0, 1e6)
    preloads_at_once: int = assumed(
        2, "processes", "preloaded side by side: one that is selected is held until its working set"
        " is preloaded", 1, 10**6, plausible=(1, 3))
    prepaging: bool = stated(
        True, "", "a working set is preloaded from drum; if not, all pages are demanded. What a"
        " process had on drum comes back there from disc in either case")
    padding_pages: int = assumed(
        0, "pages", "added to every working set without need, to raise the wastage", 0, 4096)
    fit_share: float = calibrated(
        0.678, "of a core allowance", "the most that a preload may fill", 0.1, 1.0)
    demotion_share: float = calibrated(
        0.552, "of a smaller core allowance", "the most that a sleeper's working set may fill of it"
        " to fall into that category", 0.0, 1.0)
    recalculation_s: float = assumed(
        0.0, "s", "least processor time between readings of the markers at removals from core; 0:"
        " at each", 0.0, infinite=True, plausible=(0.0, 0.25))
    drum_set_s: float = assumed(
        0.7, "s", "least processor time between two recalculations of the drum working set",
        0.0, infinite=True, plausible=(0.4, 1.0))
    shared_hold_s: float = calibrated(
        2.72, "s", "a shared page stays in core after its last user", 0.0, infinite=True)
    drum_hold_s: float = calibrated(
        27.2, "s", "asleep, then a process's pages leave the drum for disc", 0.0, infinite=True)
    consistency_s: float = assumed(
        3600.0, "s", "on drum, then a process's files are made consistent on disc",
        0.0, infinite=True, plausible=(600.0, 14400.0))
    drum_revolution_ms: float = stated(20.0, "ms", "drum, Table 1", 0.01, 1e6)
    drum_kb_per_s: float = stated(860.0, "K bytes/s", "Table 1", 0.1, 1e9)
    drum_set_up_ms: float = calibrated(
        0.309, "ms", "mean time to set up a drum transfer, exponential; beyond 0.24 the next sector"
        " is missed", 0.0, 1e6, plausible=(0.0, 0.83))
    drum_queues: str = assumed(
        "sector", "", "of requests, first come first served: one for each sector of each drum, or"
        " one for each drum", choices=("sector", "drum"))
    demand_order: str = assumed(
        "in turn", "", "where demanded pages stand in the queue that they join: before, among or"
        " behind all others. The fitted cells preferred them in turn", choices=DEMAND_ORDERS)
    disc_revolution_ms: float = stated(40.0, "ms", "Table 1", 0.01, 1e6)
    disc_seek_ms: tuple = stated(
        (20.0, 60.0, 110.0), "ms", "the mean in Table 1; shortest and longest assumed", 0.0)
    disc_cylinders: int = assumed(500, "cylinders", "only the seek curve uses it", 3, 10**5)
    background_bursts_per_s: float = assumed(
        0.0, "bursts/s", "disc transfers of executive processes; the fitted cells need none",
        0.0, 1e6, plausible=(0.0, 0.13))
    background_pages: int = assumed(40, "pages", "in each such burst", 1, 10000)
    own_pages: int = assumed(128, "pages", "most that a process has, shared ones apart", 2, 4096)
    programme_pages: tuple = calibrated(
        (8.25, 34.6, 28.4, 8.25), "pages", "own pages of a command's programme and data, by kind of"
        " command", 2.0, 4096.0, plausible=((6.6, 27.7, 22.7, 6.6), (9.9, 41.5, 34.1, 9.9)))
    programme_pages_cv: float = calibrated(
        0.378, "of the mean", "standard deviation of them over commands", 0.0, 10.0)
    file_share: float = calibrated(
        0.479, "of a programme's own pages", "part that is files of the command, on disc when it"
        " begins", 0.0, 1.0, plausible=(0.0, 0.575))
    base_pages: int = derived(
        28, "pages", "110 K bytes of subsystem, shared by all (Figure 1)", 1, 4096)
    command_pages: int = derived(
        28, "pages", "450 K bytes of programmes over four kinds of command", 1, 4096)
    shared_reference_share: float = calibrated(
        0.512, "of references", "go to shared pages", 0.0, 1.0)
    base_reference_share: float = assumed(
        0.6, "of shared references", "go to the subsystem's pages", 0.0, 1.0)
    popularity_exponent: float = calibrated(
        3.36, "", "the shared page of rank r is used in proportion to 1 / r to this power",
        0.0, 10.0)
    reference_ms: float = calibrated(
        0.517, "ms", "processor time between references to pages", 0.001, 1e6)
    wake_references: int = calibrated(
        81, "references", "made in a quick burst each time a process wakes", 0, 10000)
    wake_reference_ms: float = assumed(
        0.17, "ms", "processor time between the references of that burst", 0.0001, 1e6)
    locality_share: float = calibrated(
        2.03, "of a programme's own pages", "the a of its LRU stack: a page as deep as d or deeper"
        " is touched next with probability (1 + d/a)^-b", 0.001, 1e6)
    locality_exponent: float = assumed(5.0, "", "the b of that", 0.1, 20.0, plausible=(3.0, 8.0))
    write_share: float = calibrated(0.0761, "of own references", "that write", 0.0, 1.0)
    terminal_characters_per_s: float = stated(
        10.0, "characters/s", "Table 6's text, DATEL 100 lines", 0.01, 1e6)
    typing_characters_per_s: float = assumed(2.0, "characters/s", "of a user", 0.01, 1e6)
    line_think_s: float = calibrated(9.31, "s", "before a line typed within a command", 0.0, 1e6)
    command_think_s: float = calibrated(
        33.1, "s", "between a command's last output and typing the next", 0.0, 1e6)
    log_on_gap_s: float = assumed(30.0, "s", "before the next user takes a terminal", 0.001, 1e6)
    log_on_cpu_s: float = assumed(0.5, "s", "processor time of logging on", 0.0001, 1e6)
    commands_per_session: float = derived(12.1, "commands", "1652 in 136 sessions", 1.0, 1e4)
    cpu_cv: tuple = calibrated(
        (1.0, 1.0, 1.7, 1.0), "of the mean", "standard deviation of processor times, by kind of"
        " command; fitted for what is executed, 'biased by a number of longer running programs'."
        " That of the others is assumed", 0.0, 20.0, plausible=((1.0, 1.0, 3.0, 1.0),))
    silent_share: tuple = assumed(
        (1.0, 1.0, 0.0, 1.0), "of a stretch's processor time", "between two lines of input, that is"
        " done before the first line of output, by kind of command. 1: it prints when it has"
        " computed; 0: while it computes, and in proportion, as what is executed must (1233"
        " characters are 123 of the mean's 158 s)",
        0.0, 1.0, plausible=((1.0, 1.0, 1.0, 1.0), (0.8, 0.8, 0.8, 0.8)))
    buffer_characters: int = calibrated(
        76, "characters", "of output that may wait for the line; with more a process sleeps",
        1, 10**6, plausible=(73, 82))
    resume_characters: int = assumed(
        70, "characters", "still waiting for the line when it wakes", 0, 10**6, plausible=(40, 72))
    drum_transfer_ms: float = derived(
        1.43, "ms", "3675 s of Table 2 over 85.5 transfers/s", 0.0, 1e6)
    disc_transfer_ms: float = derived(1.43, "ms", "as for the drum", 0.0, 1e6)
    preload_page_ms: float = derived(
        1.0, "ms", "core loading, 30.2 ms per residence with the next", 0.0, 1e6)
    marker_page_ms: float = derived(0.5, "ms", "to read a page's four markers", 0.0, 1e6)
    drum_loading_ms: float = derived(
        31.4, "ms", "per cold wake; 247 s of Table 2 over 0.262/s (category 2)", 0.0, 1e6)
    process_control_ms: float = derived(
        1.4, "ms", "per residence; 132 s of Table 2 over 3.24/s", 0.0, 1e6)
    dispatch_ms: float = derived(
        0.5, "ms", "661 s of Table 2 over some 14 exits per residence", 0.0, 1e6)
    svc_ms: float = derived(
        3.6, "ms", "per line; 354 s of Table 2 over 12 lines per command, 0.275 commands/s",
        0.0, 1e6)
    line_ms: float = derived(
        1.8, "ms", "per line; 177 s of Table 2 (communications) over the same", 0.0, 1e6)
    command_ms: float = derived(
        4.7, "ms", "41 s of Table 2 (file system) over 0.29 commands/s", 0.0, 1e6)
    polling_ms_per_s: float = derived(1.2, "ms/s", "35 s of Table 2", 0.0, 900.0)
    magtape_ms_per_s: float = derived(0.27, "ms/s", "8 s of Table 2", 0.0, 900.0)
    miscellaneous_ms_per_s: float = derived(6.1, "ms/s", "184 s of Table 2", 0.0, 900.0)
    trace_record_us: float = derived(45.7, "us", "1 % of 17.5 min over 230 000 records", 0.0, 1e6)
    trace_mask: int = stated(
        ALL_EVENTS, "bits", "which events of Table 5 are traced: 2 to the power of each number",
        0, ALL_EVENTS)
    sampling_s: int = stated(10, "s", "Q sampling", 1, 10**6)
    settle_s: float = assumed(900.0, "s", "left out before measuring", 0.0, 1e7, plausible=())
    measured_s: float = assumed(7200.0, "s", "two hours", 1.0, 1e7, plausible=())
    # fmt: on

    def check(self):
        """Refuse what can't be together: drums too small, a buffer below its resumption."""
        if self.late_users > self.users:
            raise ValueError("late_users must not exceed users.")
        check_held("pages of all processes", self.processes * (self.own_pages + self.shared_pages))
        check_held("commands of all sessions", self.users * self.commands_per_session)
        check_held("samples", (self.settle_s + self.measured_s) / self.sampling_s)
        if len(self.core_queue_weights) != 5:
            raise ValueError("core_queue_weights must be five numbers, one a core queue.")
        for name in ("programme_pages", "cpu_cv", "silent_share"):
            if len(getattr(self, name)) != 4:
                raise ValueError(
                    f"{name} must be four numbers: editing, compiling, executing, others."
                )
        if self.resume_characters >= self.buffer_characters:
            raise ValueError("resume_characters must be less than buffer_characters.")
        if self.shared_pages > self.drums * TRACKS * SECTORS_PER_TRACK // 2:
            raise ValueError("The shared pages must not take more than half of the drums.")
        if len(self.disc_seek_ms) != 3:
            raise ValueError("disc_seek_ms must be three times: shortest, mean, longest.")
        seek_table(self.disc_cylinders, *self.disc_seek_ms)
        if self.drum_page_ms > self.slot_ms:
            raise ValueError("drum_kb_per_s is too slow for four pages in drum_revolution_ms.")

    @property
    def shared_pages(self):
        """How many pages all processes share."""
        return self.base_pages + 4 * self.command_pages

    @property
    def slot_ms(self):
        """Time for a sector of a drum to pass."""
        return self.drum_revolution_ms / SECTORS_PER_TRACK

    @property
    def drum_page_ms(self):
        """Time to transfer a page to or from a drum."""
        return PAGE_BYTES / self.drum_kb_per_s

    @property
    def processes(self):
        """How many processes there may be at once."""
        return self.users + self.batch_processes


def configuration_a(**changes):
    """Return the parameters of machine A: more core, a third drum, more users.

    Of its 256 pages of core 202 were free at most. 27 users were on at least, 50 at most and 37.9
    on average (Table 3): the 23 between open evenly over the session. Other numbers of users are
    split in the same way.

    Examples
    --------
    >>> machine = configuration_a(users=10)
    >>> machine.frames, machine.late_users
    (202, 5)
    """
    most, late_of_them = 50, 23
    users = changes.get("users", most)
    late = {"late_users": round(users * late_of_them / most)} if is_finite(users) else {}
    return Parameters(**{"frames": 202, "drums": 3, "users": users, **late, **changes})
