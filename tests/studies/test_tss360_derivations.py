"""What the TSS/360 paper's numbers alone allow: which cells close, fits, laws, power."""

import numpy as np
import pytest
from scipy import integrate

from perfkit import published
from perfkit.methods import characterisation
from perfkit.studies.tss360 import demands, derivations


def test_all_arithmetic_closes_but_the_five_cells_of_the_errata():
    card = derivations.derive_tables()
    missed = set(card.loc[~card["reproduced"].astype(bool), "cell"])
    assert missed == {
        "reads_10 from Table 3",
        "writes_0 from Table 3",
        "cpu_0.1 from Table 4",
        "mean square, error",
        "degrees of freedom of the error",
    }
    assert (card["kind"] == "arithmetic").all()
    assert (card.loc[~card["reproduced"].astype(bool), "note"] != "").all()


def test_rounding_moves_a_quotient_as_far_as_its_corners():
    value, spread = derivations.rounding(lambda a, b: a / b, [10.0, 2.0], [1.0, 0.5])
    assert value == 5.0 and spread == pytest.approx(11.0 / 1.5 - 5.0)


def test_three_phases_print_as_table_2_and_as_the_median_that_was_not_fitted():
    table = demands.fitted_demands()
    ours, printed = table.loc["hyperexponential of 3 phases"], table.loc["printed"]
    shares = ["0.1 s", "1 s", "10 s"]
    np.testing.assert_allclose(ours[shares], printed[shares], atol=0.0005)
    assert ours["100 s"] == pytest.approx(printed["100 s"], abs=0.00055)
    assert ours["mean"] == pytest.approx(printed["mean"], abs=0.005)
    assert ours["sd"] == pytest.approx(printed["sd"], abs=0.05)
    assert round(ours["median"], 2) == printed["median"]


def test_no_family_of_fewer_numbers_comes_near_table_2():
    found = demands.demand_fits()
    cost = {name: fit.cost for name, fit in found.items()}
    best = cost.pop("hyperexponential of 3 phases")
    assert best < 1.0 and min(cost.values()) > 1000.0


def test_typical_transactions_lie_in_the_possible_range_and_above_independence():
    table = demands.typical_share()
    share = published.stated("tss360", "typical_share") / 100.0
    assert ((table["least"] < share) & (share < table["most"])).all()
    assert table.loc["straight", "independent_most"] < share
    assert table.loc["hyperexponential", "independent_least"] > share


def test_classes_by_hand():
    moved = demands.moved()
    assert list(moved.index) == characterisation.MOVES
    assert moved.tolist() == pytest.approx([0.622, 0.193, 0.104, 0.0])


def test_the_law_of_figure_2_gives_table_6s_faults():
    law = demands.figure_2_law().loc["old_old"]
    demand = demands.demand_fits()["hyperexponential of 3 phases"].distribution

    def pages(log_c):
        c = np.exp(log_c)
        rate = 10_000.0 * (c / 0.002) ** law["slope"]
        return rate * c * float(np.exp(demand.logpdf(c))) * c

    faults = integrate.quad(pages, np.log(1e-9), np.log(5000.0), limit=200)[0]
    assert faults / demand.mean() == pytest.approx(39.0 / 0.18, rel=1e-3)
    at = 10_000.0 * (law["below_100_from_s"] / 0.002) ** law["slope"]
    assert at == pytest.approx(100.0)
    assert demands.figure_2_law()["slope"].between(-0.5, -0.45).all()


def test_the_factors_of_table_5_enter_in_the_order_of_the_errata():
    path = derivations.performance_factors(400)
    assert path.loc[1, "variable"].tolist() == ["P_eav", "N_d", "N_e"]
    np.testing.assert_allclose(path.loc[1, "r2"], [0.25, 0.278, 0.295], atol=0.0005)
    assert path.loc[2, "variable"].tolist() == ["P_s"]
    explained = derivations.explained().set_index("variables")["r2"]
    assert explained["N_d, N_e"] == pytest.approx(0.17, abs=0.005)


def test_the_power_of_the_36_periods():
    table = derivations.power_of_design()
    expected = [0.975, 0.94, 0.74, 0.41, 0.08]
    np.testing.assert_allclose(table["power"], expected, atol=0.005)
    assert table["replicates"].loc[1.0] <= 9 < table["replicates"].loc[0.75]


def test_identities_are_those_of_the_errata():
    table = derivations.identities()
    np.testing.assert_allclose(
        table.loc["frames_charged_beyond_held"], [13.5, 13.0, 12.9, 13.1], atol=0.05
    )
    np.testing.assert_allclose(table.loc["fault_to_fault_ms"], [95, 95, 98, 83], atol=0.5)
    supervisor_ms = table.loc["supervisor_ms_a_fault"]
    np.testing.assert_allclose(supervisor_ms, [15.1, 14.5, 15.0, 13.2], atol=0.05)


def test_the_identities_of_the_print_are_those_of_its_own_means():
    """By hand: (67 + 19 - 36) / 3.7 frames."""
    printed = derivations.identities()
    assert derivations.identities(derivations.table_6_means()).equals(printed)
    assert printed.loc["frames_charged_beyond_held", "old_old"] == pytest.approx(50 / 3.7)
