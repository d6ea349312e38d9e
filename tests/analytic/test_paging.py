"""Working sets by counting, LRU by running it, thrashing by balance equations and simulation.

One test is statistical: five comparisons with a 99 % interval on a fixed seed. A sound model
would fail a fresh seed in at most one run of twenty.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.stats import t as student

from perfkit.analytic import drum, paging

STRINGS = st.lists(st.integers(0, 7), min_size=1, max_size=60)
LIFETIMES = st.sampled_from(
    [
        paging.Lifetime("power", {"scale": 2e-5, "exponent": 1.8}),
        paging.Lifetime("sigmoid", {"limit": 0.3, "half_pages": 40.0}),
        paging.Lifetime("saturating", {"limit": 0.2, "reach_pages": 50.0, "exponent": 2.0}),
        paging.Lifetime("exponential", {"scale": 1e-3, "growth_pages": 20.0}),
    ]
)
SIGMOID = paging.Lifetime("sigmoid", {"limit": 0.08, "half_pages": 60.0})


def count_working_sets(string, window):
    """Walk the window over the string: mean size, and share of missing references."""
    sizes = [len(set(string[max(0, i + 1 - window) : i + 1])) for i in range(len(string))]
    missing = [page not in string[max(0, i - window) : i] for i, page in enumerate(string)]
    return np.mean(sizes), np.mean(missing)


def run_lru(string, frames):
    """Run LRU with a list of frames, most recent last; return faults and final contents."""
    memory, faults = [], 0
    for page in string:
        if page in memory:
            memory.remove(page)
        else:
            faults += 1
            memory = memory[-(frames - 1) :] if frames > 1 else []
        memory.append(page)
    return faults, set(memory)


def test_a_working_set_by_hand():
    found = paging.working_sets(list("abcab"), [1, 2, 3, 9])
    assert found.mean_pages == pytest.approx([1.0, 9 / 5, 12 / 5, 12 / 5])
    assert found.missing_rate == pytest.approx([1.0, 1.0, 3 / 5, 3 / 5])


@given(STRINGS, st.integers(1, 80))
def test_working_sets_are_what_counting_gives(string, window):
    found = paging.working_sets(string, [window])
    expected = count_working_sets(string, window)
    assert (found.mean_pages[0], found.missing_rate[0]) == pytest.approx(expected)


@given(STRINGS)
def test_working_sets_grow_ever_more_slowly_up_to_all_pages(string):
    found = paging.working_sets(string, np.arange(1, len(string) + 2))
    steps = np.diff(found.mean_pages, prepend=0.0)
    assert np.all(steps >= -1e-12)
    assert np.all(np.diff(steps) <= 1e-12)
    assert np.all(np.diff(found.missing_rate) <= 0)
    assert np.all(found.mean_pages <= np.minimum(found.window, len(set(string))))


def test_independent_references_are_the_sum_over_all_strings():
    p, window = np.array([0.5, 0.3, 0.2]), 4
    size = missing = 0.0
    for string in np.ndindex(*(3,) * (window + 1)):
        chance = p[list(string)].prod()
        size += chance * len(set(string[:window]))
        missing += chance * (string[window] not in string[:window])
    found = paging.working_sets_of_independent(p, [window])
    assert (found.mean_pages[0], found.missing_rate[0]) == pytest.approx((size, missing))


def test_interreference_intervals_of_independent_references_agree():
    p = np.array([0.5, 0.3, 0.2])
    k = np.arange(1, 400)
    interval = (p[:, None] ** 2 * (1 - p[:, None]) ** (k - 1)).sum(axis=0)
    found = paging.working_sets_of_interreferences(interval / interval.sum(), [1, 3, 10, 500])
    exact = paging.working_sets_of_independent(p, [1, 3, 10, 500])
    assert found.mean_pages == pytest.approx(exact.mean_pages)
    assert found.missing_rate == pytest.approx(exact.missing_rate, abs=1e-12)


def test_a_loop_has_one_interval():
    found = paging.working_sets_of_interreferences([0, 0, 0, 1.0], [1, 2, 3, 4, 9])
    assert list(found.mean_pages) == [1, 2, 3, 4, 4]
    assert list(found.missing_rate) == [1, 1, 1, 0, 0]


def test_lru_on_a_textbook_string():
    string = [7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1]
    curve = paging.lru_curve(string).frame()
    assert curve.loc[3, "faults"] == 12
    assert curve.loc[4, "faults"] == 8


@given(STRINGS)
def test_stack_distances_tell_the_faults_of_lru(string):
    curve = paging.lru_curve(string)
    assert list(curve.memory_pages) == list(range(1, len(set(string)) + 1))
    for frames, faults in zip(curve.memory_pages, curve.faults, strict=True):
        assert faults == run_lru(string, int(frames))[0]
    assert np.all(np.diff(curve.lifetime) >= 0)


@given(STRINGS)
def test_lru_with_more_memory_holds_all_that_it_held(string):
    held = [run_lru(string, frames)[1] for frames in range(1, 9)]
    assert all(small <= large for small, large in pairwise(held))


@given(STRINGS)
def test_lru_of_t_frames_holds_every_working_set_of_t_references(string):
    distance = paging.stack_distances(string)
    for window in (1, 3, 7):
        missing = paging.working_sets(string, [window]).missing_rate[0]
        assert missing >= np.mean(distance > window) - 1e-12


@given(STRINGS, st.data())
def test_pages_since_activation_are_what_counting_gives(string, data):
    length = data.draw(st.integers(1, len(string)))
    starts = range(len(string) - length + 1)
    found = paging.pages_since_activation(string, length)
    for after in range(length + 1):
        expected = np.mean([len(set(string[i : i + after])) for i in starts])
        assert found[after] == pytest.approx(expected)


def test_one_activation_is_one_count():
    found = paging.pages_since_activation(list("aabac"), 3, starts=[1])
    assert list(found) == [0, 1, 2, 2]


def test_families_by_hand():
    assert paging.Lifetime("power", {"scale": 2.0, "exponent": 2.0})(3.0) == 18.0
    assert paging.Lifetime("sigmoid", {"limit": 8.0, "half_pages": 5.0})(5.0) == 4.0
    assert paging.Lifetime("exponential", {"scale": 2.0, "growth_pages": 4.0})(4.0) == (
        pytest.approx(5.43656)
    )
    saturating = paging.Lifetime("saturating", {"limit": 10.0, "reach_pages": 5.0, "exponent": 3.0})
    assert saturating(5.0) == pytest.approx(6.3212056)


@given(LIFETIMES)
def test_lifetimes_rise_with_memory(lifetime):
    assert np.all(np.diff(lifetime(np.arange(1.0, 200.0))) >= 0)


@settings(max_examples=25, deadline=None)
@given(st.floats(1e-5, 1e2), st.floats(0.6, 3.0), st.floats(10.0, 80.0))
def test_fits_find_the_function_that_made_the_data(size, shape, pages):
    memory = np.array([4, 8, 16, 24, 32, 48, 64, 96, 128.0])
    made = {
        "power": {"scale": size, "exponent": shape},
        "sigmoid": {"limit": size, "half_pages": pages},
        "saturating": {"limit": size, "reach_pages": pages, "exponent": shape},
        "exponential": {"scale": size, "growth_pages": pages},
    }
    for family, parameters in made.items():
        fit = paging.fit_lifetime(family, memory, paging.Lifetime(family, parameters)(memory))
        assert fit.rms_residual < 1e-5
        assert fit.lifetime.parameters == pytest.approx(parameters, rel=1e-3)


def test_a_power_fit_is_the_straight_line_of_logarithms():
    memory, lifetime = np.array([10, 20, 40, 80.0]), np.array([1.0, 3.4, 8.0, 40.0])
    slope, level = np.polyfit(np.log(memory), np.log(lifetime), 1)
    fit = paging.fit_lifetime("power", memory, lifetime)
    assert fit.lifetime.parameters["exponent"] == pytest.approx(slope)
    assert fit.lifetime.parameters["scale"] == pytest.approx(np.exp(level))
    assert fit.residual.sum() == pytest.approx(0.0, abs=1e-6)
    assert np.exp(fit.residual) == pytest.approx(fit.observed / fit.fitted)
    assert fit.rms_residual == pytest.approx(np.log(fit.observed / fit.fitted).std())


def test_the_sigmoids_knee_is_its_half_point():
    memory = np.arange(1.0, 200.0)
    assert paging.knee(memory, SIGMOID(memory)) == 60.0


def test_dennings_relations_by_hand():
    assert paging.duty_factor(0.010, 0.040) == pytest.approx(0.2)
    assert paging.space_time(20, 3.0, 0.010, 0.040) == pytest.approx(20 * 15.0)
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


@given(LIFETIMES, st.floats(20.0, 500.0), st.integers(1, 12), st.floats(0.0, 0.01))
def test_programs_are_conserved_and_shares_are_shares(lifetime, memory, sectors, overhead):
    rates = drum.closed_rates(15, 0.02, sectors)
    found = paging.thrashing_curve(lifetime, memory, rates, 15, fault_overhead_s=overhead)
    busy = found.processor_useful + found.processor_overhead
    assert np.all(busy <= 1 + 1e-12)
    assert np.all(found.device_busy <= 1 + 1e-12)
    assert np.all(found.traverse_time_s >= (1 - 1e-9) / rates.max())
    at_device = found.faults_per_s * found.traverse_time_s
    assert np.all(at_device + busy <= found.programs + 1e-9)
    assert found.faults_per_s * found.lifetime_s == pytest.approx(found.processor_useful)


@given(LIFETIMES, st.floats(20.0, 500.0), st.integers(2, 12))
def test_sector_queues_never_lower_throughput(lifetime, memory, sectors):
    sectored = paging.thrashing_curve(
        lifetime, memory, drum.closed_rates(12, 0.02, sectors), 12
    ).throughput_per_s
    fifo = paging.thrashing_curve(
        lifetime, memory, drum.closed_rates(12, 0.02, sectors, sectored=False), 12
    ).throughput_per_s
    assert np.all(sectored >= fifo * (1 - 1e-9))


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
    rates = drum.closed_rates(8, 0.02, 4)
    curve = paging.thrashing_curve(SIGMOID, 128.0, rates, 8)
    for programs in (1, 2, 3, 5, 8):
        lifetime = float(SIGMOID(128.0 / programs))
        shares = simulate_cycle(programs, lifetime, rates, 50_000, seed=programs)
        half = student.ppf(0.995, 24) * shares.std(ddof=1) / 5
        assert abs(shares.mean() - curve.processor_useful[programs - 1]) < half


def test_throughput_rises_then_collapses_and_the_rules_stand_near_the_top():
    curve = paging.thrashing_curve(SIGMOID, 300.0, 50.0, 30)
    found = paging.choose_degree(curve, 0.020)
    best = curve.throughput_per_s.max()
    assert 1 < found.greatest_throughput < 30
    assert curve.throughput_per_s[-1] < 0.5 * best
    assert found.knee == 5
    for rule in ("knee", "lifetime_equals_service", "half_busy"):
        assert found.throughput_per_s[rule] > 0.85 * best


def test_the_rules_by_hand():
    curve = paging.thrashing_curve(lambda m: m**2 / 1e4, 60.0, 1 / 0.04, 6)
    found = paging.choose_degree(curve, 0.04)
    assert found.lifetime_equals_service == 3
    assert found.knee == 1
    assert found.half_busy == 2
    assert list(curve.lifetime_s[:3]) == pytest.approx([0.36, 0.09, 0.04])
    assert curve.device_busy[1] < 0.5 < curve.device_busy[2]


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
    frame = paging.choose_degree(curve, 0.1).frame()
    assert frame["programs"].to_dict() == {
        "greatest_throughput": 3,
        "knee": 1,
        "lifetime_equals_service": 4,
        "half_busy": 2,
    }
    assert list(frame["throughput_per_s"]) == [2.0, 1.0, 2.0, 1.99]


def test_a_rule_that_no_number_meets_chooses_one():
    found = paging.choose_degree(made_curve([0.01, 0.005], [0.6, 0.9], [1.0, 2.0]), 0.1)
    assert found.lifetime_equals_service == found.half_busy == 1


def test_the_thrashing_curve_is_drawn_as_shares():
    curve = paging.thrashing_curve(SIGMOID, 128.0, 50.0, 3, fault_overhead_s=0.01)
    axes = curve.plot(ax=Figure().subplots())
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert list(drawn) == ["processor_useful", "processor_overhead", "device_busy"]
    for name, shares in drawn.items():
        assert list(shares) == list(getattr(curve, name))


def test_records_print_and_turn_into_frames():
    curve = paging.thrashing_curve(SIGMOID, 128.0, 50.0, 3)
    assert list(curve.frame().index) == [1, 2, 3]
    assert "half_busy" in str(paging.choose_degree(curve, 0.02))
    assert "limit" in str(SIGMOID)
    fit = paging.fit_lifetime("power", [1, 2, 4], [1, 2, 4])
    assert list(fit.frame().index) == [1, 2, 4]
    sets = paging.working_sets([1, 2, 1], [1, 2])
    degrees = paging.choose_degree(curve, 0.02)
    for record in (curve, SIGMOID, fit, sets, paging.lru_curve([1, 2, 1]), degrees):
        axes = record.plot(ax=Figure().subplots())
        assert axes.lines or axes.patches


def power(**parameters):
    return paging.Lifetime("power", parameters)


BAD = [
    (lambda: paging.working_sets([], [1]), "references must be a list of pages"),
    (lambda: paging.working_sets([1, 2], [0]), "windows must be whole numbers of 1 or more"),
    (lambda: paging.working_sets([1, 2], [3, 3]), "windows must rise"),
    (lambda: paging.working_sets_of_independent([0.5, 0.4], [1]), "probability must sum to 1"),
    (lambda: paging.working_sets_of_interreferences([1.5, -0.5], [1]), "must be zero or more"),
    (lambda: paging.stack_distances([[1, 2]]), "references must be a list of pages"),
    (lambda: paging.pages_since_activation([1, 2], 3), "length must be at most the 2"),
    (lambda: paging.pages_since_activation([1, 2], 1, [2]), "starts must be from 0 to 1"),
    (lambda: paging.Lifetime("linear", {}), "family must be one of power, sigmoid"),
    (lambda: power(scale=1.0), "The parameters of power are scale, exponent, not scale"),
    (lambda: power(scale=1.0, exponent=0.0), "exponent must be greater than zero"),
    (lambda: power(scale=1.0, exponent=1.0)(-1), "memory_pages must be greater than zero"),
    (lambda: paging.fit_lifetime("power", [1], [1]), "power needs 2 points or more"),
    (lambda: paging.fit_lifetime("power", [1, 2], [1, 0]), "lifetime must be greater than zero"),
    (lambda: paging.knee([1, 2], [1]), "memory_pages has 2 points and lifetime 1"),
    (lambda: paging.duty_factor(0.0, 1.0), "lifetime_s must be greater than zero"),
    (lambda: paging.space_time(1, 1, 1, -1), "traverse_time_s must be zero or more"),
    (lambda: paging.space_time(0, 1, 1, 1), "memory_pages must be greater than zero"),
    (lambda: paging.memory_for_processors(1, 0, 1, 1), "working_set_pages must be greater than"),
    (lambda: paging.thrashing_curve(SIGMOID, 9, [], 3), "page_rates_per_s must be a list"),
    (lambda: paging.thrashing_curve(SIGMOID, 9, 1, 0), "most_programs must be a whole number"),
]


@pytest.mark.parametrize("call, sentence", BAD)
def test_bad_input_is_refused_in_one_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
