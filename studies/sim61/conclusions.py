"""The study's headline conclusions, each as the margin by which one repetition confirms it."""

import math
from dataclasses import dataclass

from perfkit.systems.sim61 import NToOneLoad, Parameters, n_to_1_load, simulate
from perfkit.systems.sim61.parameters import NToOneParameters
from studies.evidence.sensitivity import Headline, Margins
from studies.sim61.experiments import CONFIGURATIONS, DRUM, DRUMS, LAM, keep_batch_active
from studies.sim61.runs import DEVICES

CONCLUSIONS = {
    "paging_over_core": "The next faster devices shorten the response more than twice the core",
    "core_lengthens_queue": "With one drum, twice the core at least doubles the wait for a page and"
    " adds at most a quarter to the interactions",
    "core_tells_too": "With two drums or the LAM, twice the core saves at least a third of the"
    " response",
    "inverse_at_1_mb": "At 1 MB, interactions times traverse time agree between one drum and two,"
    " within a tenth",
    "not_inverse_at_half": "At 1/2 MB, interactions times traverse time differ by over a tenth",
    "io_bound_at_1_mb_only": "The user discs are busier than the LAM at 1 MB, but not at 1/2 MB",
    "n_trades": "N = 5 gives batch at least 8 % of the processor and lengthens the response by at"
    " most half",
    "batch_kept_active": "With one drum and 1 MB, a batch task kept active adds at least a quarter"
    " to the time of users and batch and costs at least a tenth of the interactions",
}
HEADLINE = Headline(
    "paging_over_core",
    0.0,
    "response time saved by a faster paging device rather than twice the core",
)
STORE = {name: getattr(Parameters(), name) for name in ("supervisor_pages", "processor_add_us")}


@dataclass(frozen=True, init=False)
class BothStudies(NToOneParameters, NToOneLoad):
    """What is unknown in either study: the N-to-1 machine and its load have most of it."""


def parameters():
    """Return the N-to-1 study's machine and load, unchanged."""
    return BothStudies()


def observe(parameters, seed):
    """Return by how much each conclusion holds in one run of each machine that it compares."""

    def run(devices, pages, **options):
        machine = STORE | {"paging_devices": DEVICES[devices], "memory_pages": pages}
        return simulate(parameters.replace(**machine), seed, **options)

    half = {devices: run(devices, 128) for devices in (DRUM, DRUMS, LAM)}
    one = {devices: run(devices, 256) for devices in CONFIGURATIONS}
    kept = run(DRUM, 256, activation=keep_batch_active)
    load = n_to_1_load(parameters)
    original, five = (
        simulate(parameters.replace(activations_per_batch=n), seed, load=load)
        for n in (math.inf, 5.0)
    )
    faster = [half[b].response_s / one[a].response_s for a, b in zip(one, half, strict=False)]
    core = {devices: one[devices].response_s / half[devices].response_s for devices in half}
    longer = one[DRUM].paging_queue_ms / half[DRUM].paging_queue_ms
    few, lost = (other.interactions / one[DRUM].interactions for other in (half[DRUM], kept))
    (off, discs), (off_at_half, discs_at_half) = map(_off_and_ahead, (one, half))
    return Margins(
        paging_over_core=1.0 - max(faster),
        core_lengthens_queue=min(longer / 2.0 - 1.0, few - 0.8),
        core_tells_too=2.0 / 3.0 - max(core[DRUMS], core[LAM]),
        inverse_at_1_mb=0.1 - off,
        not_inverse_at_half=off_at_half - 0.1,
        io_bound_at_1_mb_only=min(discs, -discs_at_half),
        n_trades=min(five.batch_percent / 8.0, 2.5 - five.response_s / original.response_s) - 1.0,
        batch_kept_active=min(kept.user_percent / one[DRUM].user_percent - 1.25, 0.9 - lost),
    )


def _off_and_ahead(runs):
    """Return how far two drums are from inverse proportion, and the discs' lead over the LAM."""
    one, two = (runs[name].interactions * runs[name].paging_queue_ms for name in (DRUM, DRUMS))
    ahead = runs[LAM].user_disc_busy_percent - runs[LAM].paging_busy_percent
    return abs(one / two - 1.0), ahead / 100.0
