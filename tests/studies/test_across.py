"""Across the five: the trivial cases, and that every method says something of every system."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from perfkit.systems import unix_v6
from studies import STUDIES
from studies.across import cases, laws, methods, questions, swapping, switched, today
from studies.unix_v6 import experiments as unix

FIVE = cases.cases(hours=1 / 6)


@pytest.fixture(scope="module")
def trivial():
    return swapping.trivial(2)


def test_what_theory_knows_of_swapping_and_paging_comes_out(trivial):
    off = (trivial["seen"] / trivial["expected"] - 1.0).abs()
    longer = off.pop("RL01: ms per swap")  # it changes heads, which the formula leaves out
    assert (off < 0.16).all() and 0.1 < longer < 0.3, trivial
    assert (off[off.index.str.startswith("all fit")] < 0.08).all(), trivial  # nothing is set so
    exact = off[off.index.str.contains("a page is a program|prepaged")]
    assert len(exact) == 2 and (exact < 0.005).all()


def test_swapping_does_not_ask_what_is_touched_paging_does_and_whole_programs_are_swapped():
    swapped = [swapping.run(swapping.SWAPPED, 2, touched=t)["elapsed_s"] for t in (0.1, 1.0)]
    paged = [swapping.run(swapping.PAGED, 2, touched=t)["elapsed_s"].mean() for t in (0.1, 1.0)]
    assert (swapped[0] == swapped[1]).all()
    assert paged[1] > 5.0 * paged[0]
    whole = swapping.run(swapping.PREPAGED, 2, touched=1.0)
    assert (whole["elapsed_s"] == swapping.run(swapping.SWAPPED, 2)["elapsed_s"]).all()


def test_a_disc_that_positions_faster_transfers_as_before():
    for positioning in (1.0, 0.25, 0.05):
        p = swapping.machine(positioning=positioning)
        assert p.disc_revolution_ms / p.disc_blocks_per_track == pytest.approx(1.25)
        assert p.disc_seek_ms[1] == pytest.approx(55.0 * positioning)


def test_the_faster_way_changes_between_neighbours_or_nowhere():
    ways = {swapping.SWAPPED: [4.0, 4.0, 4.0], swapping.PAGED: [1.0, 3.0, 16.0]}
    rows = pd.concat(
        pd.DataFrame({"way": way, "touched": [0.1, 0.2, 0.4], "elapsed_s": times, "seed": 0})
        for way, times in ways.items()
    )
    assert swapping.between(rows, "touched") == [(0.2, 0.4)]
    rows.loc[rows["way"] == swapping.PAGED, "elapsed_s"] = 1.0
    assert swapping.between(rows, "touched") == []


def test_the_limit_lies_between_two_whole_pages():
    pages, seen = swapping.limit(2, unit=4096)
    low, high = seen
    assert pages == 5 and high == low + 1
    assert seen[low][0] < 1.0 <= seen[high][0]


@pytest.mark.parametrize("key", ["sim61", "emas"])
def test_one_stretch_of_one_version_is_a_run(key):
    case = FIVE[key]
    p = case.parameters
    found = switched.SWITCHED[key](p, 3, case.versions, [0], p.measured_s)
    whole = STUDIES[key].module().simulate(p, 3)
    assert found == [pytest.approx(cases.TIMES[key](whole)[0])]


def test_a_turn_of_b_is_b_and_turns_of_one_schedule_are_the_schedule():
    case = FIVE["tss360"]
    old = [{"schedule": "old"}] * 2
    found = switched.SWITCHED["tss360"](case.parameters, 1, old, [0, 1] * 5, 60.0)
    whole = STUDIES["tss360"].module().simulate(case.parameters, 1).minutes()["R"]
    assert np.array_equal(found, whole, equal_nan=True)
    case = FIVE["sim61"]
    p = case.parameters.replace(settle_s=0.0)  # a turn begins after settling, B itself before
    found = switched.SWITCHED["sim61"](p, 0, case.versions, [1], p.measured_s)
    b = STUDIES["sim61"].module().simulate(p.replace(**case.b), 0)
    assert found == [pytest.approx(b.response_s)]


def test_parts_of_a_stay_are_read_from_a_trace_and_last_as_long_as_a_response():
    kinds = STUDIES["sim61"].module().Result.EVENTS
    told = [(0, "READY"), (2000, "ACTIVATE"), (2500, "PAGE_FAULT"), (3500, "PAGE_IN")]
    told += [(4000, "RESPONSE"), (9000, "READY")]
    trace = np.rec.fromrecords(
        [(ms, kinds[name], 7, 0, 0) for ms, name in told], names="time_ms,kind,actor,value,detail"
    )
    result = SimpleNamespace(trace=trace, parameters=SimpleNamespace(settle_s=0.0), EVENTS=kinds)
    result = type("Traced", (SimpleNamespace,), {"EVENTS": kinds})(**vars(result))
    parts = cases.stay(FIVE["sim61"], result)
    assert parts == {"waits for core": 2.0, "in core": 1.0, "waits for a page": 1.0}
    case = FIVE["sim61"]
    found = cases.simulate(case)(case.parameters, 0, trace=cases.TRACED).measures()
    parts = sum(value for name, value in found.items() if name.startswith("stay: "))
    assert parts == pytest.approx(found["time"], rel=0.2)  # slices that ran out wait besides


def test_hours_go_as_the_square_of_the_scatter():
    # two-sided 5 %, power 90 %: (1.960 + 1.282)^2 = 10.51 units of a deviation
    assert methods.hours_needed(10.0, 2.0, 1.0) == pytest.approx(2 * 1051, rel=0.01)
    ratio = methods.hours_needed(10.0, 1.0, 0.5) / methods.hours_needed(10.0, 1.0, 1.0)
    assert ratio == pytest.approx(4.0, rel=0.01)
    assert methods.hours_needed(0.01, 3.0, 10.0) == 6.0  # never fewer than two


@pytest.fixture(scope="module")
def found():
    return methods.studies(6, hours=1 / 6)


def test_the_matrix_is_complete_and_another_b_leaves_a_as_it_was(found):
    matrix = methods.matrix(found)
    assert matrix.shape == (25, 2)
    assert matrix.map(lambda text: isinstance(text, str) and len(text) > 20).all(axis=None)
    assert not matrix.stack().str.contains("nan").any()
    other = methods.seconds(found)["unix_v6"]
    assert other.level == found["unix_v6"].level
    assert (other.change("B") != found["unix_v6"].change("B")).any()


def test_a_wrong_wait_has_no_price_and_the_cheapest_is_tied_with_itself(found):
    study = found["unix_v6"]
    for size in (1.0, 5.0):
        table = methods.prices(study, size)
        assert methods.cheapest(table)["sure"] and table.loc[methods.cheapest(table).name, "tied"]
        assert table.loc["tracing", "biased"] == methods.ELSEWHERE
        assert np.isnan(table.loc["tracing", "hours"]) and not table.loc["tracing", "tied"]
        assert (table.loc[["separate", "replayed"], "biased"] == "").all()
    assert methods.prices(study, 1.0)["hours"].sum() > table["hours"].sum()
    assert methods.price_table({"unix_v6": study}, 5.0).shape == (6, 1)
    assert methods.unit_table({"unix_v6": study}, 5.0).shape == (5, 1)


def told(bias, half_width):
    """Return a study whose switching has that bias, and whose methods scatter alike."""
    columns = ["estimate", "half_width", "bias", "bias_half_width"]
    rows = {"replayed": (8.0, 1.0, 0.0, 0.0), "switching": (8.0 + bias, 1.0, bias, half_width)}
    estimates = pd.DataFrame(rows, columns).T
    scatter = {"deviation": [3.0, 2.0], "hours": [1.0, 1.0], "freedom": [9.0, 9.0]}
    deviations = pd.DataFrame(scatter, ["replayed", "switching"])
    return SimpleNamespace(estimates=lambda: estimates, deviations=lambda: deviations)


@pytest.mark.parametrize(
    ("bias", "half_width", "priced", "sure"),
    [(0.0, 1.0, True, True), (-2.0, 1.0, True, False), (-6.0, 2.0, False, False)],
)
def test_a_method_whose_bias_exceeds_half_the_effect_has_no_price(bias, half_width, priced, sure):
    table = methods.prices(told(bias, half_width), 5.0)
    assert table.loc["replayed", "hours"] > 2.0 and table.loc["replayed", "sure"]
    assert np.isfinite(table.loc["switching", "hours"]) == priced
    assert (table.loc["switching", "biased"] == "") == priced
    assert table.loc["switching", "sure"] == sure and table.loc["switching", "tied"] == sure
    assert methods.prices(told(bias, half_width), 20.0)["sure"].all()


def test_a_scatter_of_cells_that_share_seeds_is_known_as_well_as_that_of_one(found):
    freedom = found["emas"].deviations()["freedom"]  # Satterthwaite: 2, not 4 and 7
    assert freedom[["separate", "plan"]].between(2.0, 2.5).all()


def test_pauses_that_do_not_end_together_are_as_long():
    together, apart = (
        swapping.run(swapping.PAGED, 2, touched=0.1, tick_s=tick_s)["elapsed_s"].mean()
        for tick_s in (1.0, 0.2)
    )
    assert 0.85 * together < apart < together


def test_a_covariate_that_factors_move_is_left_out_and_the_ratio_is_right_at_the_limit(found):
    assert found["sim61"].covariates == [] == found["cp67"].covariates  # seeds hide it there
    b = found["sim61"].effects().loc["version"]
    assert b["effect"] == pytest.approx(found["sim61"].change("B").mean(), abs=5.0)
    _, _, (saturated, _) = found["sim61"].ratio()
    _, _, (idle, _) = found["tss360"].ratio()
    assert found["sim61"].ratio(limit=True) == found["sim61"].ratio()
    assert abs(found["emas"].ratio(limit=True)[2][0]) > 6.0
    assert abs(saturated) < 6.0 < abs(idle)


def test_a_saturated_machine_works_at_its_bound():
    told = laws.beside(FIVE["sim61"], 2)
    assert told["bottleneck"] == "drum" and told["bound"] == pytest.approx(100.0, abs=1.0)
    assert told["X"][0] == pytest.approx(0.0, abs=1.0)


def test_the_better_approximation_is_better_on_sim61s_classes():
    off = laws.classes_of_tasks(1)[["Schweitzer", "Linearizer"]].abs().mean()
    assert off["Linearizer"] < off["Schweitzer"] / 10.0


def test_q1_goes_before_q2_as_the_preemptive_formula_says():
    table = laws.q1_before_q2(2).loc["users in Q1"]
    seen = float(table["simulated"].split(" ")[0])
    assert seen == pytest.approx(float(table["M/G/1, preemptive"]), rel=0.25)
    assert float(table["M/G/1, head of line"]) > 3.0 * seen


def test_keeping_a_mix_changes_nothing_where_all_fit():
    p = unix_v6.Parameters(memory_clicks=3200, interactions=20)
    own, mixed = (questions.two_kinds(p, 1, victim=v) for v in (None, questions.keep_a_mix))
    assert own.elapsed_s == mixed.elapsed_s


def test_a_finding_of_today_is_then_the_papers(monkeypatch):
    own = today.machines()
    monkeypatch.setattr(today, "machines", lambda: {"unix_v6": own["unix_v6"]})
    found = today.fifty_years(3).set_index("machine")
    p = own["unix_v6"][1]["today, kept busy"][0]  # as in unix_v6's own notebook
    server = {"memory_clicks": 650} | unix.TODAY | unix.SERVER
    assert p == unix_v6.Parameters(**server) and p.interactions == 200
    assert found.loc["then", "gain"] - found.loc["then", "half_width"] > 5.0
    assert len(own) == 5 and all(len(machines) == 3 for _, machines, *_ in own.values())
