"""Working sets by counting, thrashing by balance equations and simulation.

One test is statistical: five comparisons with a 99 % interval on a fixed seed. A sound model
would fail a fresh seed in at most one run of twenty.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from perfkit.analytic import paging, references

STRINGS = st.lists(st.integers(0, 7), min_size=1, max_size=60)
DRUM = 200 * 2 * np.arange(1, 16) / (2 * np.arange(1, 16) + 3)  # four sectors in 20 ms, each queued


def sigmoid(pages):
    return 0.08 / (1 + (60 / pages) ** 2)


@st.composite
def lifetimes(draw):
    """Draw a power of memory, or an S that ends at a greatest lifetime."""
    if draw(st.booleans()):
        scale, exponent = draw(st.floats(1e-5, 1e-3)), draw(st.floats(0.5, 3.0))
        return lambda pages: paging.lifetime(pages, scale, exponent)
    limit = draw(st.floats(0.01, 1.0))
    return lambda pages: limit / (1 + (40 / pages) ** 2)


def count_working_sets(string, window):
    """Walk the window over the string: mean size, and share of missing references."""
    sizes = [len(set(string[max(0, i + 1 - window) : i + 1])) for i in range(len(string))]
    missing = [page not in string[max(0, i - window) : i] for i, page in enumerate(string)]
    return np.mean(sizes), np.mean(missing)


def test_a_working_set_by_hand():
    found = references.working_sets(list("abcab"), [1, 2, 3, 9])
    assert found.mean_pages == pytest.approx([1.0, 9 / 5, 12 / 5, 12 / 5])
    assert found.missing_rate == pytest.approx([1.0, 1.0, 3 / 5, 3 / 5])


@given(STRINGS, st.integers(1, 80))
def test_working_sets_are_what_counting_gives(string, window):
    found = references.working_sets(string, [window])
    expected = count_working_sets(string, window)
    assert (found.mean_pages[0], found.missing_rate[0]) == pytest.approx(expected)


@given(STRINGS)
def test_working_sets_grow_ever_more_slowly_up_to_all_pages(string):
    found = references.working_sets(string, np.arange(1, len(string) + 2))
    steps = np.diff(found.mean_pages, prepend=0.0)
    assert np.all(steps >= -1e-12)
    assert np.all(np.diff(steps) <= 1e-12)
    assert np.all(np.diff(found.missing_rate) <= 0)
    assert np.all(found.mean_pages <= np.minimum(found.window, len(set(string))))


@given(STRINGS, st.data())
def test_pages_since_activation_are_what_counting_gives(string, data):
    length = data.draw(st.integers(1, len(string)))
    starts = range(len(string) - length + 1)
    found = references.pages_since_activation(string, length)
    for after in range(length + 1):
        expected = np.mean([len(set(string[i : i + after])) for i in starts])
        assert found[after] == pytest.approx(expected)


def test_belady_and_kuehners_lifetime_by_hand():
    assert paging.lifetime(3.0, 2.0) == pytest.approx(18)
    assert paging.lifetime([1, 4], 2.0, 1.5) == pytest.approx([2, 16])


def test_dennings_relations_by_hand():
    assert paging.duty_factor(0.010, 0.040) == pytest.approx(0.2)
    assert paging.memory_for_processors(2, 20, 0.010, 0.040) == pytest.approx(200)


def test_sim61_throughput_is_inverse_to_the_traverse_time():
    computing = paging.duty_factor(0.001, np.array([0.110, 0.225]))
    assert computing[0] / computing[1] == pytest.approx(2051 / 1003, rel=0.01)


@pytest.mark.parametrize("lifetime_s", [0.005, 0.02, 0.05])
def test_two_stations_by_their_closed_form(lifetime_s):
    found = paging.thrashing_curve(lambda m: lifetime_s, 100.0, 50.0, 6, compute_s=0.5)
    x, n = 0.02 / lifetime_s, np.arange(1, 7)
    busy = n / (n + 1) if x == 1.0 else (1 - x**n) / (1 - x ** (n + 1))
    assert found.processor_useful == pytest.approx(busy)
    assert found.throughput_per_s == pytest.approx(busy / 0.5)


def test_the_overhead_of_faults_by_hand():
    """A cycle of 0.03 + 0.01 s at the processor, twice the page service: weights 1, 1/2, 1/4."""
    found = paging.thrashing_curve(lambda m: 0.03, 100.0, 50.0, 2, fault_overhead_s=0.01)
    assert found.processor_useful == pytest.approx([0.75 * 2 / 3, 0.75 * 6 / 7])
    assert found.processor_overhead == pytest.approx([0.25 * 2 / 3, 0.25 * 6 / 7])
    assert found.faults_per_s == pytest.approx([50 / 3, 150 / 7])
    assert found.device_busy == pytest.approx([1 / 3, 3 / 7])
    assert found.traverse_time_s == pytest.approx([0.02, 0.02 * 4 / 3])
    assert found.throughput_per_s == pytest.approx(found.processor_useful)
    half = paging.thrashing_curve(lambda m: 0.03, 100.0, 50.0, 2, 2.0, 0.01)
    assert half.throughput_per_s == pytest.approx(found.processor_useful / 2)


def test_a_device_that_slows_down_is_busy_by_its_best():
    found = paging.thrashing_curve(lambda m: 0.01, 100.0, [50.0, 100.0, 80.0], 4)
    assert found.device_busy == pytest.approx(found.faults_per_s / 100.0)


def test_a_page_that_nobody_waits_for_is_the_machine_repairman():
    found = paging.thrashing_curve(lambda m: 0.02, 100.0, np.arange(1, 4) / 0.05, 3)
    x = 0.05 / 0.02
    weight = [1.0, x, x**2 / 2, x**3 / 6]
    assert found.processor_useful[2] == pytest.approx(1 - weight[3] / sum(weight))
    assert found.traverse_time_s == pytest.approx(0.05)


RATES = st.lists(st.floats(1.0, 500.0), min_size=1, max_size=15).map(np.sort)


@given(lifetimes(), st.floats(20.0, 500.0), RATES, st.floats(0.0, 0.01))
def test_programs_are_conserved_and_shares_are_shares(lifetime, memory, rates, overhead):
    found = paging.thrashing_curve(lifetime, memory, rates, 15, fault_overhead_s=overhead)
    busy = found.processor_useful + found.processor_overhead
    assert np.all(busy <= 1 + 1e-12)
    assert np.all(found.device_busy <= 1 + 1e-12)
    assert np.all(found.traverse_time_s >= (1 - 1e-9) / rates.max())
    at_device = found.faults_per_s * found.traverse_time_s
    assert np.all(at_device + busy <= found.programs + 1e-9)
    assert found.faults_per_s * found.lifetime_s == pytest.approx(found.processor_useful)


def simulate_cycle(programs, lifetime_s, rates, faults, seed):
    """Run processor and paging device event by event; return useful share in batches."""
    rng = np.random.default_rng(seed)
    waiting, shares = 0, []
    for _ in range(25):
        clock = computed = 0.0
        for _ in range(faults // 25):
            up = 1.0 / lifetime_s if waiting < programs else 0.0
            down = rates[waiting - 1] if waiting else 0.0
            step = rng.exponential(1.0 / (up + down))
            clock += step
            computed += step * (up > 0)
            waiting += 1 if rng.random() * (up + down) < up else -1
        shares.append(computed / clock)
    return np.array(shares)


def test_thrashing_is_that_of_a_simulated_system():
    curve = paging.thrashing_curve(sigmoid, 128.0, DRUM, 8)
    for programs in (1, 2, 3, 5, 8):
        lifetime = float(sigmoid(128.0 / programs))
        shares = simulate_cycle(programs, lifetime, DRUM, 50_000, seed=programs)
        half = student.ppf(0.995, 24) * shares.std(ddof=1) / 5
        assert abs(shares.mean() - curve.processor_useful[programs - 1]) < half


def test_throughput_rises_then_collapses_and_the_rules_stand_near_the_top():
    curve = paging.thrashing_curve(sigmoid, 300.0, 50.0, 30)
    found = paging.choose_degree(curve, 0.020)
    best = curve.throughput_per_s.max()
    assert 1 < found.loc["greatest_throughput", "programs"] < 30
    assert curve.throughput_per_s[-1] < 0.5 * best
    assert found.loc["knee", "programs"] == 5
    assert np.all(found["throughput_per_s"] > 0.85 * best)


def made_curve(lifetime_s, device_busy, throughput_per_s):
    """Return a curve over 1 to n programs in 60 pages."""
    programs = np.arange(1, len(lifetime_s) + 1)
    nothing = np.zeros(programs.size)
    return paging.Thrashing(
        programs,
        60.0 / programs,
        np.array(lifetime_s),
        nothing,
        nothing,
        np.array(device_busy),
        nothing,
        nothing,
        np.array(throughput_per_s),
    )


def test_each_rule_by_hand():
    """Lifetime over memory is greatest with 1, and 3 reach the greatest throughput first."""
    curve = made_curve(
        [0.9, 0.4, 0.2, 0.1, 0.05], [0.4, 0.5, 0.51, 0.7, 0.8], [1.0, 1.99, 2.0, 2.0, 1.5]
    )
    frame = paging.choose_degree(curve, 0.1)
    assert frame["programs"].to_dict() == {
        "greatest_throughput": 3,
        "knee": 1,
        "lifetime_equals_service": 4,
        "half_busy": 2,
    }
    assert list(frame["throughput_per_s"]) == [2.0, 1.0, 2.0, 1.99]
