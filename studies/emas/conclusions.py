"""The study's conclusions, each as a margin by which one repetition supports it."""

from perfkit.methods import tracing
from perfkit.systems.emas import Parameters, simulate
from studies.emas.calibration import ONE_LOADER
from studies.emas.runs import TRACE_ROOM_PER_S, paging_values, rate_values, trace_of
from studies.evidence.sensitivity import Headline, Margins

CONCLUSIONS = {
    "prepaging_saves": "Prefetching saves a twentieth of the waits for pages and preloads, or more",
    "prepaging_costs_core": "With prefetching processes wait longer for core than without",
    "prepaging_costs_waits": "With prefetching all waits per second of computing are longer",
    "factor_by_times": "By transfer times, as the paper takes them, demand paging waits 1.5 times"
    " as long or more",
    "preloads_are_in_the_way": "Beside preloads a page demanded from drum takes a fifth longer or"
    " more than without any",
    "demand_levels_off": "Demand paging grows less steeply above the median paging rate than below",
    "demand_time_grows": "With the paging rate the time of a page demanded from drum grows, that of"
    " a prefetched one changes by less than half as much",
    "core_is_short": "Half a megabyte more core halves the wait for core, or more",
}
MOVES = {"drum_queues": "drums serve in order", "demand_order": "demanded pages go first"}
SESSION = {"settle_s": 300.0, "measured_s": 1800.0}
FEWER, FACTOR, LATER, MORE_FRAMES = 0.05, 1.5, 0.2, 128
HEADLINE = Headline("prepaging_saves", FEWER, "waits for pages saved by prefetching")
OTHER_FITS = {"one loader": ONE_LOADER}


def parameters():
    """Return machine B, the baseline."""
    return Parameters()


def observe(parameters, seed):
    """Return the margin of each conclusion in one short session per machine."""

    def run(room=TRACE_ROOM_PER_S, **changes):
        p = parameters.replace(**SESSION, **changes)
        return simulate(p, seed, trace=round(room * (p.settle_s + p.measured_s)))

    own, alone = run(), run(prepaging=False)
    roomy = run(room=0, frames=parameters.frames + MORE_FRAMES)
    trace, undisturbed = trace_of(own), trace_of(alone)
    found, rates = paging_values(trace), rate_values(trace)
    factor = (1.0 - found["wasted"] / 100.0) * found["time_demand_drum"] / found["time_prepaged"]
    undisturbed_ms = tracing.transfer_times(undisturbed)["demand_drum"]
    grows, changes = rates["demand_time_slope"], abs(rates["prepaging_time_slope"])
    low, high = rates["demand_slope_low"], rates["demand_slope_high"]
    return Margins(
        prepaging_saves=1.0 - _waited_ms(trace) / _waited_ms(undisturbed) - FEWER,
        prepaging_costs_core=_core_wait(own) / _core_wait(alone) - 1.0,
        prepaging_costs_waits=own.wait_per_cpu / alone.wait_per_cpu - 1.0,
        factor_by_times=factor / FACTOR - 1.0,
        preloads_are_in_the_way=found["time_demand_drum"] / undisturbed_ms - 1.0 - LATER,
        demand_levels_off=low - high,
        demand_time_grows=(0.5 * grows - changes) / (abs(grows) + changes),
        core_is_short=0.5 - _core_wait(roomy) / _core_wait(own),
    )


def _waited_ms(trace):
    """Return the time that all processes together wait for preloads and pages."""
    preloads, demands = tracing.preload_times(trace), tracing.demand_waits(trace)
    return preloads["duration_ms"].sum() + demands["wait_ms"].sum()


def _core_wait(result):
    """Return the mean wait on a core queue, by Little's law from the samples."""
    queues = result.samples().filter(like="core_queue").sum(axis=1)
    return queues.mean() / result.residences_per_s
