"""The parameters of the SIM/61 study: each with unit, source and status."""

import math
import re
from dataclasses import dataclass
from types import MappingProxyType

from perfkit.core.levers import lever
from perfkit.core.record import ParameterRecord, assumed, calibrated, derived, manual, stated
from perfkit.des.devices import seek_table

PAGE_BYTES = 4096
RCA_7_ADD_US, RCA_3_ADD_US = 2.25, 8.88
CALIBRATION_RUNS = (3, 4, 7, 8)
CALIBRATION_N = (math.inf, 0.0)
PAGES_A_MB, DRUM = 256, "8567"
DRUM_OF = re.compile(rf"{DRUM}@([1-9]\d*(?:\.\d+)?)")
CALIBRATED_ON = "the one-drum and LAM pairs of Table 3, N = infinity and N = 0 of Table 5"


@dataclass(frozen=True, init=False)
class Device(ParameterRecord):
    """A storage device: Table 2's figures (its labels are a line off in print) and the rest."""

    renamed = MappingProxyType(
        {"rotation_ms": "revolution_ms"}
        | dict.fromkeys(("seek_track_ms", "seek_mean_ms", "seek_full_ms"), "seek_ms")
    )

    # fmt: off
    transfer_kb_per_s: float = stated(333.0, "1000 bytes/s", "Table 2", 0.1, 1e9)
    revolution_ms: float = stated(
        17.2, "ms", "Table 2; 0 for a device that does not turn", 0.0, 1e6)
    seek_ms: tuple = stated(
        (0.0, 0.0, 0.0), "ms", "Table 2: track to track, average, maximum", 0.0, 1e6)
    window_ms: float = stated(
        3.5, "ms", "3-4 ms between the end of the data and the track's beginning; 0 without a"
        " window. With one, a page lasts a revolution less the window: the rate must leave room for"
        " both", 0.0, 1e6)
    cylinders: int = manual(
        1, "cylinders", "the 8580 is like the IBM 3330, the 8590 like the 2314", 1, 100000)
    pages_per_track: int = manual(
        1, "pages", "one on the 8567 (stated); a 3330's track holds three", 1, 10000)
    # fmt: on

    def check(self):
        """Refuse a window beyond the revolution, pages beyond both, and seeks that no curve has."""
        if len(self.seek_ms) != 3:
            raise ValueError("seek_ms must be three numbers: track to track, average, maximum.")
        if self.window_ms > 0.0:
            self._check_window()
        if self.cylinders >= 3 or any(self.seek_ms):
            seek_table(self.cylinders, *self.seek_ms)

    def _check_window(self):
        if self.window_ms >= self.revolution_ms:
            raise ValueError("window_ms must be less than revolution_ms, or 0 for no window.")
        pages_ms = self.pages_per_track * PAGE_BYTES / self.transfer_kb_per_s
        if pages_ms + self.window_ms > self.revolution_ms:
            raise ValueError(
                f"transfer_kb_per_s must let a track's pages ({pages_ms:.1f} ms) and window_ms fit"
                f" into revolution_ms; {pages_ms + self.window_ms:.1f} ms exceed"
                f" {self.revolution_ms:g} ms."
            )

    @property
    def seeks(self):
        """Whether it has an arm."""
        return self.seek_ms[1] > 0.0

    @property
    def page_ms(self):
        """The time from the beginning to the end of a page's transfer."""
        if self.window_ms > 0.0:
            return (self.revolution_ms - self.window_ms) / self.pages_per_track
        return PAGE_BYTES / self.transfer_kb_per_s

    def pages_per_s(self):
        """Return the most pages that the device can move, requests always at hand."""
        if self.window_ms > 0.0:
            return 1000.0 * self.pages_per_track / self.revolution_ms
        return 1000.0 / (self.seek_ms[1] + self.revolution_ms / 2.0 + self.page_ms)

    def moving(self, pages_per_s):
        """Return what differs, by name, in a drum made to move so many pages, its window, too."""
        faster = pages_per_s / self.pages_per_s()
        return {
            "revolution_ms": self.revolution_ms / faster,
            "window_ms": self.window_ms / faster,
            "transfer_kb_per_s": self.transfer_kb_per_s * faster,
        }


class WithDrums(dict):
    """Devices by name; ``8567@90`` is the drum 8567 made to move 90 pages/s."""

    def __contains__(self, name):
        return dict.__contains__(self, name) or bool(DRUM_OF.fullmatch(name))

    def __missing__(self, name):
        own = self[DRUM]
        return own.replace(**own.moving(float(DRUM_OF.fullmatch(name)[1])))


TABLE_2 = MappingProxyType(
    WithDrums({
        DRUM: Device(),
        "8580": Device(
            transfer_kb_per_s=806.0, revolution_ms=16.7, window_ms=0.0,
            seek_ms=(10.0, 30.0, 55.0), cylinders=404, pages_per_track=3),
        "8590": Device(
            transfer_kb_per_s=312.0, revolution_ms=25.0, window_ms=0.0,
            seek_ms=(25.0, 75.0, 135.0), cylinders=200, pages_per_track=1),
        "LAM": Device(transfer_kb_per_s=800.0, revolution_ms=0.0, window_ms=0.0),
    })
)  # fmt: skip
PAGES_PER_S = TABLE_2[DRUM].pages_per_s()


def _drum_of(own, rate):
    return {"paging_devices": (DRUM if rate == PAGES_PER_S else f"{DRUM}@{rate!r}",)}


def _rate_of(own, now):
    found = DRUM_OF.fullmatch(now.paging_devices[0])
    return float(found[1]) if found else PAGES_PER_S


LEVERS = MappingProxyType({
    "core_mb": lever(
        1.0, "MB of core", "1 or 1/2, Backing Store Study", 0.25, 1024.0,
        changes=lambda own, mb: {"memory_pages": round(PAGES_A_MB * mb)},
        reads=lambda own, now: now.memory_pages / PAGES_A_MB),
    "drums": lever(
        1, "paging drums", "one or two 8567, Backing Store Study", 1, 1000,
        changes=lambda own, count: {"paging_devices": (DRUM,) * count},
        reads=lambda own, now: len(now.paging_devices)),
    "page_rate": lever(
        PAGES_PER_S, "pages/s", "of one drum at most, written 8567@90; the 8567 moves 58",
        1.0, 1e5, changes=_drum_of, reads=_rate_of),
})  # fmt: skip


@dataclass(frozen=True, init=False)
class Parameters(ParameterRecord):
    """The configuration, the system's algorithms and the supervisor's times of one run."""

    calibrated_on = CALIBRATED_ON
    renamed = MappingProxyType({"resident_pages": "supervisor_pages", "core_pages": "frames"})
    levers = LEVERS
    headline = ("core_mb", "drums", "page_rate")

    # fmt: off
    memory_pages: int = stated(256, "4096-byte pages", "256 (1MB), 128 (1/2MB)", 2, 10**6)
    supervisor_pages: int = stated(
        48, "4096-byte pages", "208 of 256 and 80 of 128 are schedulable", 0, 10**7)
    processor_add_us: float = stated(
        RCA_7_ADD_US, "us", "fixed point add: RCA 7 2.25, RCA 3 8.88", 1e-6, 1e6)
    load_add_us: float = assumed(
        RCA_7_ADD_US, "us", "Table 1's times, the slices and the supervisor's are those of an RCA"
        " 7", 1e-6, 1e6, plausible=(RCA_3_ADD_US,))
    paging_devices: tuple = stated(
        (DRUM,), "", "8567, 8580, 8590 or LAM of Table 2, one name per device")
    paging_channels: int = stated(
        0, "channels", "0: one each device; else devices take turns", 0, 100000)
    user_discs: int = stated(2, "8590 discs", "Backing Store Study", 1, 10000)
    user_channels: int = stated(1, "channels", "a single selector channel", 1, 10000)
    user_disc: str = stated("8590", "", "Backing Store Study, Table 2")
    window_algorithm: bool = stated(
        True, "", "set up and fire page by page; if not, transfers are chained without a gap")
    from_track_beginning: bool = assumed(
        True, "", "the window routine starts at a track's beginning on discs too; the paper has no"
        " such rule, it was chosen with Table 3's disc runs in sight")
    activations_per_batch: float = stated(
        math.inf, "activations", "N; infinite in the original algorithm", 0.0, infinite=True)
    compute_bound_ms: float = calibrated(
        67.7, "ms", "compute time of an interaction after which, its slice run out, it waits behind"
        " all others", 0.0, infinite=True,
        plausible=(0.0, 350.0))  # each that runs out; none, for the longest take 300 ms
    reads_first: bool = calibrated(
        True, "", "page-outs go to a paging device when no page is demanded of it")
    settle_s: float = stated(60.0, "s", "one minute allowed for settle down", 0.0, 1e7)
    measured_s: float = stated(540.0, "s", "nine minutes of data", 0.001, 1e7)
    curve_exponent: float = calibrated(
        0.0217, "", "pages demanded grow as this power of compute time", 0.01, 10.0)
    curve_ms: float = assumed(
        0.0, "ms", "compute time from activation to the whole working set; 0: an interaction's"
        " compute time", 0.0, 1e9, plausible=(60.0,))  # about a slice
    dirty_share: float = derived(
        0.76, "of released pages", "that must be written: by Little's law on the one-drum runs'"
        " paging queue 35 of 58 pages/s are waited for; an eighth of those are the executive's",
        0.0, 1.0)
    reuse_share: float = assumed(
        1.0, "of demands", "met from the task's own released pages while those are in core",
        0.0, 1.0, plausible=(0.0, 1.0))
    exec_fault_share: float = calibrated(0.173, "of SVCs", "that fault for an exec page", 0.0, 1.0)
    shared_fault_share: float = calibrated(
        0.0707, "of references", "to shared pages that fault", 0.0, 1.0)
    extra_pages: float = calibrated(
        0.826, "pages", "core committed beyond the working set", 0.0, 1e6, plausible=(0.0, 2.0))
    interactive_slice_ms: float = calibrated(
        60.4, "ms of an RCA 7", "processor time of an interactive task's slice", 0.01, 1e9)
    batch_slice_ms: float = calibrated(
        211.0, "ms of an RCA 7", "processor time of a batch task's slice", 0.01, 1e9)
    batch_delay_ms: float = calibrated(
        216.0, "ms", "delay after a batch task's slice runs out", 0.0, 1e9)
    charged_share: float = calibrated(
        0.256, "of page_ms", "that each page fault takes from its task's slice",
        0.0, 1.0, plausible=(0.0, 0.5))
    svc_ms: float = calibrated(
        0.772, "ms", "user time of an SVC, beyond Table 1's compute time", 0.0, 1e6)
    page_ms: float = calibrated(2.4, "ms", "supervisor time of a page moved", 0.0, 1e6)
    seek_ms: float = assumed(
        0.5, "ms", "supervisor time of the interrupt at a paging disc's seek; no fitted run has"
        " one, so only the runs that it predicts can show it", 0.0, 1e6, plausible=(0.0, 0.6))
    no_rotation_ms: float = calibrated(
        0.228, "ms", "more supervisor time for a page on a device that does not turn",
        0.0, 1e6, plausible=(0.0, 0.4))
    io_ms: float = calibrated(
        0.268, "ms", "supervisor time of a user's I/O", 0.0, 1e6, plausible=(0.2, 4.4))
    activation_ms: float = calibrated(
        0.81, "ms", "supervisor time of an activation and its end", 0.0, 1e6)
    reclaim_ms: float = assumed(0.5, "ms", "supervisor time of a page reclaimed in core", 0.0, 1e6)
    window_routine_ms: float = calibrated(
        0.00327, "ms", "to set up and fire the next paging operation", 0.0, 1e6,
        plausible=(0.0, 0.76))  # with more the LAM could not move the 170 pages/s of Table 3
    io_wait_share: float = calibrated(
        0.278, "of I/Os", "that an interactive task waits for", 0.0, 1.0)
    batch_io_wait_share: float = assumed(
        0.0, "of I/Os", "that a batch task waits for: spooled, it reads ahead and writes behind",
        0.0, 1.0, plausible=(0.0, 1.0))
    io_buffers: int = calibrated(
        4, "transfers", "that a task may have outstanding; 2, 4 and 5 were tried", 1, 1000)
    io_kb: float = calibrated(0.886, "1000 bytes", "a user's transfer", 0.0, 1e6)
    user_surface_share: float = calibrated(
        0.784, "of the cylinders", "that users' files lie on; Table 2's note takes the entire"
        " surface", 0.001, 1.0, plausible=(0.63, 1.0))
    # fmt: on

    def check(self):
        """Refuse what can't be together: no schedulable core, no paging device, fractional N."""
        if self.supervisor_pages > self.memory_pages - 2:
            raise ValueError("supervisor_pages must leave at least two pages of memory_pages.")
        if not self.paging_devices:
            raise ValueError("paging_devices must name at least one device.")
        if self.paging_channels > len(self.paging_devices):
            raise ValueError("paging_channels must not exceed the number of paging_devices.")
        if self.user_channels > self.user_discs:
            raise ValueError("user_channels must not exceed user_discs.")
        if math.isfinite(self.activations_per_batch) and self.activations_per_batch % 1:
            raise ValueError(
                "activations_per_batch must be a whole number or infinity;"
                f" {self.activations_per_batch:g} is not."
            )

    @property
    def frames(self):
        """Schedulable core: the pages that are not the supervisor's."""
        return self.memory_pages - self.supervisor_pages

    @property
    def paging_device_count(self):
        """How many devices pages are kept on."""
        return len(self.paging_devices)

    @property
    def slow_down(self):
        """How many times longer the processor takes than the one that the load was timed on."""
        return self.processor_add_us / self.load_add_us


@dataclass(frozen=True, init=False)
class NToOneParameters(Parameters):
    """The configuration of the N-to-1 study: RCA 3, 1/4MB, one drum."""

    # fmt: off
    memory_pages: int = stated(64, "4096-byte pages", "1/4MB", 2, 10**6)
    supervisor_pages: int = calibrated(
        26, "4096-byte pages", "not stated; chosen by hand between fits. With the larger system's"
        " 48 neither paging bound nor compute bound tasks would fit", 0, 10**7)
    processor_add_us: float = stated(RCA_3_ADD_US, "us", "fixed point add of the RCA 3", 1e-6, 1e6)
    # fmt: on


def n_to_1_parameters(**changes):
    """Return the configuration of the N-to-1 study, with changes."""
    return NToOneParameters(**changes)
