"""SIM/61 against queueing theory, where theory applies.

Core for everybody, released pages found again, no supervisor time, no I/O, slices without
end: terminals and one processor, the machine repairman. What can't be made neutral: compute
times are normal, not exponential, and served in turn, so waits are shorter than the
repairman's. Exact mean value analysis is then a lower bound of the throughput and the
asymptotic bound an upper one; with one task both are exact.
"""

import pytest

from perfkit.analytic.mva import solve_mva
from perfkit.analytic.operational import asymptotic_bounds
from perfkit.runs.experiment import interval
from perfkit.systems import sim61
from tests.systems.test_sim61 import task_class

COMPUTE_S, THINK_S, RUNS = 0.2, 2.0, 20

NEUTRAL = sim61.Parameters(
    memory_pages=2000,
    page_ms=0.0,
    io_ms=0.0,
    activation_ms=0.0,
    reclaim_ms=0.0,
    svc_ms=0.0,
    extra_pages=0.0,
    dirty_share=0.0,
    exec_fault_share=0.0,
    shared_fault_share=0.0,
    interactive_slice_ms=1e9,
)


def throughputs(tasks):
    """Interactions a second in independent runs; fixed seeds, false alarms one in a hundred.

    And the utilization law holds on their mean.
    """
    terminal = task_class(
        tasks=tasks, think_s=THINK_S, think_sd_s=0.6, compute_ms=1000.0 * COMPUTE_S,
        compute_sd_ms=40.0, working_set_pages=1, virtual_memory_pages=2,
    )  # fmt: skip
    results = [sim61.simulate(NEUTRAL, seed, load=[terminal]) for seed in range(RUNS)]
    assert all(result.paging_pages_per_s < 0.01 for result in results)
    mean, half_width = interval([result.interactions / 540.0 for result in results], 0.99)
    user_percent = sum(result.user_percent for result in results) / RUNS
    assert user_percent == pytest.approx(100.0 * mean * COMPUTE_S, rel=0.01)
    return mean, half_width


def test_one_task_goes_round_in_think_and_compute_time():
    mean, half_width = throughputs(1)
    assert abs(mean - 1.0 / (THINK_S + COMPUTE_S)) <= half_width + 0.5 / 540.0


@pytest.mark.parametrize("tasks", [5, 11, 20])
def test_throughput_lies_between_mean_value_analysis_and_the_asymptote(tasks):
    mean, half_width = throughputs(tasks)
    lower = solve_mva([COMPUTE_S], tasks, THINK_S).throughput
    upper = asymptotic_bounds([COMPUTE_S], tasks, THINK_S).throughput_high[-1]
    assert lower - half_width <= mean <= upper + half_width
    assert mean <= 1.15 * lower
