"""The paper's testable statements, each against simulated runs."""

import numpy as np

from perfkit.systems.sim61 import n_to_1_parameters
from studies.evidence.claims import (
    ClaimTests,
    Finding,
    about,
    above,
    all_above,
    all_below,
    below,
    farthest,
    weakest,
)
from studies.sim61.derivations import line
from studies.sim61.experiments import CONFIGURATIONS, DISCS, DRUM, DRUMS, LAM
from studies.sim61.runs import KEY

TESTS = ClaimTests(KEY, __name__)
SHARE = 0.10
NEVER = 0.05
STRAIGHT = 0.99
HALF, ONE = 0.5, 1.0


def printed_number(claim, measure):
    """Register the test of a number that the text gives: `measure` of the evidence, to 10 %."""

    def test(e):
        return about(measure(e), TESTS.stated(claim), SHARE * abs(TESTS.stated(claim)))

    TESTS.functions[claim] = test


def ratio_of_memories(e, measure, configuration=DRUM):
    """Return a measure at 1 MB over that at 1/2 MB, one value per replication."""
    return e.values(measure, configuration, ONE) / e.values(measure, configuration, HALF)


for _claim, _measure, _configuration, _memory in (
    ("active_half", "active_tasks", DRUM, HALF),
    ("active_one", "active_tasks", DRUM, ONE),
    ("paging_queue_half", "paging_queue", DRUM, HALF),
    ("paging_queue_one", "paging_queue", DRUM, ONE),
    ("paging_time_half", "paging_queue_ms", DRUM, HALF),
    ("paging_time_one", "paging_queue_ms", DRUM, ONE),
    ("paging_time_two_drums", "paging_queue_ms", DRUMS, ONE),
    ("batch_lam_one", "batch_percent", LAM, ONE),
    ("batch_lam_half", "batch_percent", LAM, HALF),
    ("batch_two_drums", "batch_percent", DRUMS, ONE),
):
    printed_number(_claim, lambda e, m=_measure, c=_configuration, b=_memory: e.values(m, c, b))
for _claim, _measure in (
    ("active_ratio", "active_tasks"),
    ("paging_queue_ratio", "paging_queue"),
    ("paging_time_ratio", "paging_queue_ms"),
):
    printed_number(_claim, lambda e, m=_measure: ratio_of_memories(e, m))


def rises(e, measure, sign, note):
    """Find that a measure rises (or falls) from each paging configuration to the faster one."""
    steps = [
        sign * step
        for memory in (HALF, ONE)
        for step in np.diff(e.by_configuration(measure, memory), axis=0)
    ]
    return all_above(steps, note=note)


def response_against_paging(e):
    """The least fall of response from a configuration to the next faster one."""
    return rises(e, "response_s", -1.0, "s")


def interactions_against_paging(e):
    """The least gain of interactions from a configuration to the next faster one."""
    return rises(e, "interactions", 1.0, "interactions")


def user_cpu_against_paging(e):
    """The least gain of user processor time from a configuration to the next faster one."""
    return rises(e, "user_percent", 1.0, "points")


def paging_lines(e, memory_mb):
    """Return by replication the line of interactions over paging rate, LAM left out."""
    x = e.by_configuration("paging_pages_per_s", memory_mb)
    y = e.by_configuration("interactions", memory_mb)
    return [line(x[:3, k], y[:3, k]) for k in range(x.shape[1])]


def interactions_linear(e):
    """R squared of interactions over paging rate without LAM, the lower of both memories."""
    fits = [[fit["R2"] for fit in paging_lines(e, memory)] for memory in (HALF, ONE)]
    return all_above(fits, STRAIGHT)


def lam_off_the_line(e):
    """Interactions with LAM over what that line gives, the larger of both memories."""
    shares = []
    for memory in (HALF, ONE):
        x, y = e.values("paging_pages_per_s", LAM, memory), e.values("interactions", LAM, memory)
        fits = paging_lines(e, memory)
        shares.append(
            [b / (f["intercept"] + f["slope"] * a) for a, b, f in zip(x, y, fits, strict=False)]
        )
    return all_below(shares, 1.0)


def lam_io_bound(e):
    """Busy share of the user discs less that of LAM, the lower of both memories."""
    busy = [
        e.values("user_disc_busy_percent", LAM, memory)
        - e.values("paging_busy_percent", LAM, memory)
        for memory in (HALF, ONE)
    ]
    return all_above(busy, note="points; the lower one is that of 1/2 MB")


def extra_core_small(e):
    """Interactions at 1 MB over 1/2 MB with one drum."""
    note = "the lost cell is about 900, a ratio of 1.11"
    return below(ratio_of_memories(e, "interactions"), 1.25, note)


def waits_offset_core(e):
    """Gain of interactions over gain of active tasks, one drum."""
    gain = ratio_of_memories(e, "interactions") / ratio_of_memories(e, "active_tasks")
    return below(gain, 1.0)


def keep_batch_active(e):
    """User time, batch included, with a batch task always active less without, one drum, 1 MB."""
    gain = e.batch_kept["user_percent"].to_numpy() - e.values("user_percent", DRUM)
    return above(gain, note="points of user time; interactions fall, and the response rises")


def traverse_linear(e):
    """Traverse time times interactions, one drum over two, the worse of both memories."""
    note = "inverse proportion, as printed at 1 MB (0.9997); the worse one is that of 1/2 MB"
    found = []
    for memory in (HALF, ONE):
        one, two = (
            e.values("interactions", name, memory) * e.values("paging_queue_ms", name, memory)
            for name in (DRUM, DRUMS)
        )
        found.append(about(one / two, 1.0, SHARE, note))
    return farthest(found)


def batch_elsewhere(e):
    """The largest batch share where batch never ran."""
    shares = [e.values("batch_percent", name, HALF) for name in (DISCS, DRUM, DRUMS)]
    shares += [e.values("batch_percent", name) for name in (DISCS, DRUM)]
    return weakest([never(values) for values in shares], 1.0)


def never(values, note="percent"):
    """Find that something printed as zero stays below half of the last printed digit."""
    if not np.any(values):
        return Finding(True, 0.0, 0.0, NEVER, note, f"< {NEVER:.4g}")
    return below(values, NEVER, note)


def sharp_rise_by_batch(e):
    """Share of batch in the rise of user processor time from two drums to LAM, 1 MB."""
    rise = e.values("user_percent", LAM) - e.values("user_percent", DRUMS)
    batch = e.values("batch_percent", LAM) - e.values("batch_percent", DRUMS)
    return above(100.0 * batch / rise, 50.0, "percent")


def largest_gain_lam(e):
    """Gain of user processor time by memory with LAM less the largest other gain."""
    gains = e.by_configuration("user_percent", ONE) - e.by_configuration("user_percent", HALF)
    return all_above(gains[-1] - gains[: CONFIGURATIONS.index(LAM)], note="points")


def paging_over_core(e):
    """Response with the next faster paging over that with twice the core, the largest of three."""
    steps = zip(CONFIGURATIONS[1:], CONFIGURATIONS[:-1], strict=True)
    ratios = [
        e.values("response_s", faster, HALF) / e.values("response_s", slower, ONE)
        for faster, slower in steps
    ]
    return all_below(ratios, 1.0)


def batch_locked_out(e):
    """Batch share at N = infinity."""
    return never(e.by_n("batch_percent")[1][-1])


def n_measured_differs(e):
    """Free activations per batch activation, mean over finite N."""
    free = e.by_n("free_activations", finite=True)[1].mean(axis=0)
    return about(free, TESTS.stated("n_measured_differs"), 0.2)


def free_constant(e):
    """Change of free activations from N = 0 to N = 10 by the straight line."""
    n, free = e.by_n("free_activations", finite=True)
    change = [10.0 * line(n, column)["slope"] for column in free.T]
    return about(change, 0.0, 0.2, "activations; printed 1.7 to 1.6, with 2.0 at N = 1")


def batch_no_free(e):
    """Free activations of batch tasks, all runs."""
    return never(e.by_n("free_batch")[1].sum(axis=0), "activations")


def interactive_backlog(e):
    """Activations of batch at N = infinity."""
    return never(e.by_n("activations_batch")[1][-1], "activations")


def infinite_is_original(e):
    """Interactions at N = infinity less those with an N beyond reach."""
    far = e.more(n_to_1_parameters(activations_per_batch=10.0**9, **e.changes), **e.n_options)
    differ = far["interactions"].to_numpy(float) - e.by_n("interactions")[1][-1]
    return about(differ, 0.0, NEVER, "interactions")


def five_to_one_response(e):
    """Response at N = 5 over that at N = infinity."""
    n, response = e.by_n("response_s")
    ratio = response[list(n).index(5.0)] / response[-1]
    return about(ratio, TESTS.stated("five_to_one_response"), SHARE * 4.0 / 3.0)


def five_to_one_batch(e):
    """Batch elapsed time at N = 5 over that of the task alone."""
    n, share = e.by_n("batch_percent")
    ratio = e.batch_alone["batch_percent"].to_numpy() / share[list(n).index(5.0)]
    return about(ratio, TESTS.stated("five_to_one_batch"), SHARE * 7.0)


def batch_elapsed_linear(e):
    """R squared of batch elapsed time over N."""
    n, elapsed = e.by_n("batch_elapsed", finite=True)
    return above([line(n, column)["R2"] for column in elapsed.T], STRAIGHT)


def response_against_n(e):
    """The least fall of response from one N to the next larger."""
    return all_above(-np.diff(e.by_n("response_s")[1], axis=0), note="s")


def batch_cpu_against_n(e):
    """The least fall of batch processor time from one N to the next larger."""
    return all_above(-np.diff(e.by_n("batch_percent")[1], axis=0), note="points")
