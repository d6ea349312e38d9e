"""The study's headline conclusions, each as the margin by which one repetition supports it."""

from perfkit.analytic.swapping import elapsed_ratio
from perfkit.systems.unix_v6 import Parameters, simulate
from studies.evidence.sensitivity import Headline, Margins
from studies.unix_v6.experiments import PROCESSOR_BOUND

CONCLUSIONS = {
    "disc_is_the_bottleneck": "With twelve processes the disc is busy 80 % of the time or more",
    "memory_pays": "Twice the memory saves a tenth of the time or more while processes swap",
    "disc_pays_more": "A disc twice as fast saves more time than twice the memory",
    "equation_holds": "Equation 3.1, given the run's own device times, is within 10 % of it",
    "no_gain_when_all_fit": "Memory beyond what all processes need changes the time by 2 % at most",
    "linear_in_processes": "Twice the processes take twice the time, within a tenth",
    "swapping_is_hidden": "Computing takes 2 % longer at most with three loaded than with six",
}
HEADLINE = Headline(
    "disc_pays_more", 0.0, "time saved by a disc twice as fast rather than twice the memory"
)
LARGE_CLICKS, HALF_CLICKS, ALL_CLICKS = 314, 650, 1300
LOADED = 4, 8  # of 157 clicks, in half of the memory and in all of it


def parameters():
    """Return the fitted machine."""
    return Parameters()


def observe(parameters, seed):
    """Return by how much each conclusion holds in one run of each machine that it compares."""

    def run(**changes):
        return simulate(parameters.replace(**changes), seed)

    few = run(memory_clicks=HALF_CLICKS)
    double = run(memory_clicks=ALL_CLICKS)
    faster = parameters.levers["disc_speed"].changes(parameters, 2.0)  # than this machine's
    disc = run(memory_clicks=HALF_CLICKS, **faster)
    half_as_many = run(memory_clicks=HALF_CLICKS, processes=6)
    fits, more_than_fits = (
        run(processes=5, memory_clicks=clicks) for clicks in (ALL_CLICKS, 2 * ALL_CLICKS)
    )
    computing = [
        run(**PROCESSOR_BOUND, processes=6, memory_clicks=LARGE_CLICKS * loaded + 60)
        for loaded in (3, 6)
    ]
    forecast = elapsed_ratio(*LOADED, few.block_ms, double.block_ms, few.swap_ms, double.swap_ms)
    return Margins(
        disc_is_the_bottleneck=few.utilization - 0.8,
        memory_pays=0.9 - double.elapsed_s / few.elapsed_s,
        disc_pays_more=(double.elapsed_s - disc.elapsed_s) / few.elapsed_s,
        equation_holds=0.1 - abs(forecast * few.elapsed_s / double.elapsed_s - 1.0),
        no_gain_when_all_fit=0.02 - abs(more_than_fits.elapsed_s / fits.elapsed_s - 1.0),
        linear_in_processes=0.1 - abs(few.elapsed_s / half_as_many.elapsed_s / 2.0 - 1.0),
        swapping_is_hidden=0.02 - (computing[0].elapsed_s / computing[1].elapsed_s - 1.0),
    )
