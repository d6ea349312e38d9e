"""The study's headline conclusions, each as a margin by which one repetition bears it out.

Versions run one after the other, over the same users with the same tasks, not switched on line:
that tells them apart in fewer hours. With 1.25 times the usual users some thirty are active.
"""

from perfkit.sensitivity import Margins
from perfkit.systems.cp67 import Parameters, simulate

CONCLUSIONS = {
    "gain": "Beyond 22 active users Algorithm 2 gives more problem state time, 2 % at least",
    "gain_is_small": "It gives 15 % more at most",
    "less_paging": "It reads fewer pages a second",
    "mixed_is_shorter": "It shortens the mixed benchmark by more than a tenth",
    "days_mislead": "Algorithm 1 on a light day beats 2 on a heavy one in the mixed benchmark",
    "slices_hardly_matter": "200 for 300, 5000 for 3000 ms change problem state time by 10 % at most",
    "priority_matters": "With P0 = 98 the mixed benchmark takes half as long again as with 1, or more",
    "no_standstill": "With P0 = 98 it takes less than twice as long as with 50",
}
BUSY_USERS, SHARE_OF_DAY = 1.25, 0.1


def parameters():
    """Return the machine as it is."""
    return Parameters()


def observe(parameters, seed):
    """Return by how much each conclusion holds in some busy hours of each version."""
    p = parameters.replace(
        users=BUSY_USERS * parameters.users, measured_s=SHARE_OF_DAY * parameters.measured_s
    )

    def run(**changes):
        return simulate(p.replace(**changes), seed)

    second, first = run(), run(algorithm=1)
    light = run(algorithm=1, task_ms=p.task_ms * (1.0 - p.day_heaviness_sd))
    heavy = run(task_ms=p.task_ms * (1.0 + p.day_heaviness_sd))
    slices = [second, run(t1_ms=200.0), run(t2_ms=5000.0)]
    favoured, last = run(dusetimr_priority=1.0), run(dusetimr_priority=98.0)
    gain = second.user_percent / first.user_percent - 1.0
    throughput = [one.user_percent for one in slices]
    return Margins(
        gain=gain - 0.02,
        gain_is_small=0.15 - gain,
        less_paging=1.0 - second.page_reads_per_s / first.page_reads_per_s,
        mixed_is_shorter=0.9 - second.mixed_s / first.mixed_s,
        days_mislead=heavy.mixed_s / light.mixed_s - 1.0,
        slices_hardly_matter=0.1 - (max(throughput) / min(throughput) - 1.0),
        priority_matters=last.mixed_s / favoured.mixed_s / 1.5 - 1.0,
        no_standstill=1.0 - last.mixed_s / second.mixed_s / 2.0,
    )
