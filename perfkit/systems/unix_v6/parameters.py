"""The parameters of the UNIX V6 study: each with unit, source and status."""

from dataclasses import dataclass
from types import MappingProxyType

from perfkit.core.levers import lever
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

LOOP_ITERATIONS = (5, 20, 200, 5000)
TABLE_III = MappingProxyType(
    {
        12: (3.0, 36.0, 100.0, 100.0),
        30: (1.0, 19.0, 97.0, 100.0),
        60: (1.0, 5.0, 90.0, 100.0),
        186: (1.0, 5.0, 57.0, 100.0),
        354: (1.0, 5.0, 15.0, 100.0),
    }
)
DISC_NAMES = ("cylinders", "heads", "blocks_per_track", "revolution_ms")
UPDATE_AREA_BLOCKS = 20
LARGEST_DIRECT_BLOCKS = 8  # of a file whose inode holds the addresses itself
PAPER_PROCESSES = 12
MOST_CLICKS = 4096
NO_DRIVE = 2  # swaps that take no time
CALIBRATION_RUNS = (1, 9, 11, 13, 14, 18, 26, 31)
DISC_TIMES = ("disc_revolution_ms", "head_switch_ms", "head_skew_ms", "cylinder_skew_ms")


def _disc_of_speed(own, speed):
    """Return the times of a disc that seeks and turns so many times as fast as a record's."""
    faster = {name: getattr(own, name) / speed for name in DISC_TIMES}
    return {**faster, "disc_seek_ms": tuple(ms / speed for ms in own.disc_seek_ms)}


@dataclass(frozen=True, init=False)
class Parameters(ParameterRecord):
    """The machine, the system and the workload of one run."""

    calibrated_on = f"runs {', '.join(map(str, CALIBRATION_RUNS))} of Table VI"
    renamed = MappingProxyType(
        {name: f"disc_{name}" for name in DISC_NAMES}
        | dict.fromkeys(("seek_track_ms", "seek_mean_ms", "seek_full_ms"), "disc_seek_ms")
    )
    levers = MappingProxyType({
        "disc_speed": lever(
            1.0, "times as fast", "as the RL01 of Table I, in seeks, changes of head and turns",
            0.25, 4.0, changes=_disc_of_speed,
            reads=lambda own, now: own.disc_revolution_ms / now.disc_revolution_ms),
    })  # fmt: skip
    headline = ("disc_speed", "memory_clicks")

    # fmt: off
    memory_clicks: int = stated(1280, "64-byte clicks", "MM, Table II", 1, MOST_CLICKS)
    processes: int = stated(12, "processes", "PN, Table II", 1, 200)
    process_clicks: tuple = stated(
        (157,), "64-byte clicks", "PS, Table II; several sizes take turns", 1, 4096)
    compute_ms: int = stated(
        12, "ms", "PC, the row of Table III that the compute loops follow",
        choices=tuple(TABLE_III))
    compute_loop_percent: tuple = stated(
        (), "cumulative %", "a distribution of one's own in place of Table III's row", 0.0, 100.0)
    interactions: int = stated(200, "per process", "section 4.2.1", 1, 20000)
    minimum_time_out_s: int = stated(3, "s", "MINTIMEOUT, section 2.2.2, note 4", 0, 120)
    minimum_time_in_s: int = stated(3, "s", "MINTIMEIN, section 2.2.2, note 4", 0, 120)
    compaction: bool = stated(
        False, "", "section 2.2.2: core is not compacted; if it is, it takes no time")
    buffers: int = stated(20, "512-byte blocks", "section 2.2.3, note 5", 2, 500)
    flush_period_s: int = stated(30, "s", "/etc/update, section 2.2.3", 1, 3600)
    discipline: str = stated(
        "LOOK", "", "section 2.2.3; the unmodified driver is FCFS",
        choices=("FCFS", "SSTF", "LOOK"))
    controllers: int = stated(1, "controllers", "section 2.1", 1, 2)
    swap_drive: int = stated(
        0, "drive", "section 4.4: swapping has a drive of its own, files are on 1; 2 is a device"
        " that takes no time (section 1)", 0, NO_DRIVE)
    sleep_wakes_all: bool = stated(
        False, "", "section 2.2.2: the old sleep call, all of whose callers wake when one's time is"
        " up; pause and alarm replace it")
    overlapped_seeks: bool = stated(False, "", "section 2.1: possible, not used")
    string_characters: int = stated(25, "characters", "section 4.2.1", 1, 1000)
    line_characters_per_s: float = derived(
        960.0, "characters/s", "9600 baud, section 4.4, at ten bits per character", 1.0, 1e6)
    loop_iteration_ms: float = derived(
        0.082, "ms", "slope of PC over the mean iterations of Table III", 0.0, 100.0)
    loop_overhead_ms: float = derived(
        3.09, "ms", "intercept of the same straight line", 0.0, 1000.0)
    disc_cylinders: int = stated(256, "cylinders", "Table I: 256 tracks per surface", 3, 100000)
    disc_heads: int = stated(2, "surfaces", "Table I", 1, 64)
    disc_blocks_per_track: int = stated(20, "512-byte blocks", "Table I", 1, 1000)
    disc_revolution_ms: float = derived(25.0, "ms", "twice Table I's latency", 0.1, 1000.0)
    disc_seek_ms: tuple = stated(
        (15.0, 55.0, 100.0), "ms", "Table I: track to track, average; the RL01's manual: full"
        " stroke", 0.0, 5000.0)
    head_switch_ms: float = manual(8.0, "ms", "RL01 change of head, its manual", 0.0, 1000.0)
    head_skew_ms: float = assumed(
        8.0, "ms", "sectors turned so that a change of head loses no revolution",
        0.0, 1000.0, plausible=(0.0, 9.6))
    cylinder_skew_ms: float = assumed(
        15.0, "ms", "sectors turned so that a track-to-track seek loses none",
        0.0, 1000.0, plausible=(0.0, 18.0))
    high_water_characters: int = manual(50, "characters", "TTHIWAT, V6 tty.h", 1, 10000)
    low_water_characters: int = manual(30, "characters", "TTLOWAT, V6 tty.h", 0, 10000)
    controller_ms: float = calibrated(1.03, "ms", "gap before each operation", 0.0, 100.0)
    operations_per_interaction: float = calibrated(
        3.41, "block operations", "Poisson mean; section 4.4 says about 6", 0.0, 1000.0)
    write_share: float = calibrated(0.815, "of operations", "sections 4.2.1, 4.4", 0.0, 1.0)
    whole_block_share: float = calibrated(0.174, "of writes", "the rest read first", 0.0, 1.0)
    sequential_share: float = calibrated(
        0.211, "of operations", "at the block after the last; the rest seek", 0.0, 1.0)
    pause_percent: tuple = calibrated(
        (23.8, 34.1, 31.1, 11.0), "% for 0, 1, 2, 3 s", "none exceeds 3 s, section 4.4", 0.0, 100.0)
    strings_per_interaction: float = calibrated(
        1.63, "strings", "Poisson mean; 'several', section 4.2.1", 0.0, 1000.0)
    system_call_ms: float = calibrated(0.947, "ms", "processor time of a system call", 0.0, 1000.0)
    block_io_ms: float = calibrated(3.32, "ms", "processor time of a block read", 0.0, 1000.0)
    scheduler_ms: float = assumed(
        2.0, "ms", "processor time of a pass of the swap scheduler", 0.0, 1000.0)
    character_ms: float = assumed(0.3, "ms", "processor time of a character printed", 0.0, 100.0)
    file_blocks: int = assumed(
        60, "512-byte blocks", "size of each scratch file; its cylinders hold 62 of each", 1, 60000,
        plausible=(48, 62))
    file_area_cylinders: int = calibrated(
        19, "cylinders", "the blocks of up to 12 scratch files lie scattered over so many, in"
        " proportion beyond; they fill 19", 1, 100000, plausible=(19, 40))
    file_area_start: int = assumed(20, "cylinder", "where those cylinders begin", 0, 100000)
    swap_area_start: int = assumed(200, "cylinder", "the inner tracks, section 2.2.2", 0, 100000)
    swap_offset_blocks: int = calibrated(
        15, "512-byte blocks", "where the swap area begins in its first cylinder", 0, 100000)
    update_clicks: int = assumed(39, "64-byte clicks", "/etc/update without its text", 1, 4096)
    other_inodes: int = calibrated(
        28, "inodes", "that /etc/update writes beside the scratch files'", 0, 1000)
    inodes_per_block: int = assumed(
        1, "inodes", "of those in use; a block holds 16, files lie far apart in it", 1, 16)
    write_behind: bool = assumed(True, "", "V6 writes a whole block at once, without waiting")
    # fmt: on

    def check(self):
        """Refuse what can't be together: sizes beyond memory, areas beyond the disc, bad shares."""
        largest = max(self.process_clicks, default=0)
        if not self.process_clicks:
            raise ValueError("process_clicks must name at least one size.")
        if max(largest, self.update_clicks) > self.memory_clicks:
            raise ValueError(
                f"A process of {max(largest, self.update_clicks)} clicks can't run in"
                f" memory_clicks = {self.memory_clicks}; it must fit in memory alone."
            )
        if len(self.pause_percent) != 4 or abs(sum(self.pause_percent) - 100.0) > 1e-6:
            raise ValueError("pause_percent must be four numbers that sum to 100.")
        loops = self.compute_loop_percent
        if loops and (len(loops) != 4 or list(loops) != sorted(loops) or loops[-1] != 100.0):
            raise ValueError("compute_loop_percent must be four rising numbers that end at 100.")
        operations = self.interactions * (1.0 + self.operations_per_interaction)
        check_held("block operations of all processes", self.processes * operations)
        self._check_disc()
        if self.low_water_characters >= self.high_water_characters:
            raise ValueError("low_water_characters must be below high_water_characters.")

    def _check_disc(self):
        if len(self.disc_seek_ms) != 3:
            raise ValueError("disc_seek_ms must be three numbers: track, average, full stroke.")
        if max(self.disc_seek_ms[:2]) > 1000.0:
            raise ValueError(
                "disc_seek_ms must be at most 1000 ms track to track and on average;"
                f" {max(self.disc_seek_ms[:2]):g} is not."
            )
        seek_table(self.disc_cylinders, *self.disc_seek_ms)
        per_cylinder = self.disc_heads * self.disc_blocks_per_track
        area = self.file_area
        if self.file_area_start + area > self.disc_cylinders:
            raise ValueError(
                f"file_area_start + {area} cylinders for {self.processes} files must be at most"
                f" disc_cylinders ({self.disc_cylinders})."
            )
        check_held("blocks in the file area", area * per_cylinder)
        if self.file_blocks_total() > area * per_cylinder:
            raise ValueError(
                f"{self.processes} files of {self.file_blocks} blocks don't fit in"
                f" {area} cylinders; raise file_area_cylinders."
            )
        if self.swap_drive == NO_DRIVE and self.minimum_time_in_s == 0:
            raise ValueError(
                f"With swap_drive = {NO_DRIVE} minimum_time_in_s must be at least 1: who comes in"
                " would go out at once, for ever."
            )
        if self.swap_drive == 1 and self.file_area_start + area > self.swap_area_start:
            raise ValueError(
                "With swap_drive = 1 the files must end before swap_area_start"
                f" ({self.swap_area_start}); they end at cylinder {self.file_area_start + area}."
            )
        update_blocks = max(UPDATE_AREA_BLOCKS, -(-self.update_clicks // 8))
        need = sum(-(-self.size_of(i) // 8) for i in range(self.processes)) + update_blocks
        if need > self.swap_blocks:
            raise ValueError(f"The swap area from swap_area_start on must hold {need} blocks.")

    @property
    def file_area(self):
        """The cylinders that the scratch files lie in: more for more than 12 files."""
        return -(
            -self.file_area_cylinders * max(self.processes, PAPER_PROCESSES) // PAPER_PROCESSES
        )

    @property
    def swap_blocks(self):
        """The size of the swap area, which reaches to the disc's end."""
        per_cylinder = self.disc_heads * self.disc_blocks_per_track
        return (self.disc_cylinders - self.swap_area_start) * per_cylinder - self.swap_offset_blocks

    def size_of(self, process):
        """Return the size in clicks of the workload's process of a number."""
        return self.process_clicks[process % len(self.process_clicks)]

    @property
    def indirect_blocks(self):
        """The indirect blocks of a scratch file: none up to 8 blocks, as in V6."""
        return 0 if self.file_blocks <= LARGEST_DIRECT_BLOCKS else -(-self.file_blocks // 256)

    def file_blocks_total(self):
        """Return the disc blocks of all scratch files with their indirect blocks."""
        return self.processes * (self.file_blocks + self.indirect_blocks)

    @property
    def loaded(self):
        """NL, how many processes of the mean size memory can hold, rounded down."""
        mean = sum(self.size_of(i) for i in range(self.processes)) / self.processes
        return min(self.processes, int(self.memory_clicks // mean))
