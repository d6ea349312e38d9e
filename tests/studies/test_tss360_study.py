"""The TSS/360 study: arithmetic on the paper's numbers, experiments, scores and claims."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import integrate

from perfkit.methods import characterisation, correlation, factors, power
from perfkit.systems import tss360
from perfkit.systems.tss360 import load
from studies.evidence import published, scorecard
from studies.tss360 import (
    calibration,
    claims,
    demands,
    derivations,
    experiments,
    pictures,
    scoring,
)
from studies.tss360 import nulls as tss360_nulls
from studies.tss360 import runs as study

DAYS = 12
SHORT = {"settle_s": 300.0, "measured_s": 1800.0}


@pytest.fixture(scope="module")
def evidence():
    return experiments.Evidence(study.simulate_cells(DAYS, **SHORT), **SHORT)


def test_every_claim_marked_tested_is_tested_once(evidence):
    card = claims.TESTS.score(evidence)
    assert len(card) == published.claims("tss360")["use"].isin(["tested", "given"]).sum()
    rare = card["cell"].str.startswith(("With N_d near five", "Eligible tasks then often"))
    assert np.isfinite(card.loc[~rare, "ours"]).all()


def test_cells_share_their_load_and_differ_in_policy(evidence):
    results = [evidence.cells[cell][0] for cell in study.CELLS]
    policies = [(r.parameters.schedule, r.parameters.replacement) for r in results]
    assert policies == [tuple(cell.split("_")) for cell in study.CELLS]
    assert len({r.seed for r in results}) == 1
    assert len({r.measures()["R"] for r in results}) == 4


def test_periods_are_quarters_of_an_hour_with_enough_users(evidence):
    result = evidence.cells["old_old"][0]
    every = study.periods_of(result, least_users=0.0)
    assert len(every) == 2
    minutes = result.minutes()
    assert every["N_d"].iloc[1] == pytest.approx(minutes["N_d"].iloc[15:30].mean())
    log = result.transaction_log()
    start_s = 300.0
    ended = log["typical"] & log["end_s"].between(start_s + 900.0, start_s + 1800.0)
    assert every["R"].iloc[1] == pytest.approx(log.loc[ended, "response_s"].mean())
    assert (study.periods_of(result)["N_t"] > 26.0).all()


def test_an_experiment_has_nine_periods_a_cell_no_afternoon_twice_and_table_7s_form(evidence):
    found = evidence.experiments
    assert len(found) == DAYS // 3
    for experiment in found:
        sizes = experiment.groupby("cell").size()
        assert set(sizes.index) == set(study.CELLS) and (sizes <= 9).all()
        days = experiment.groupby("day")["cell"].nunique()
        assert (days == 1).all()
        assert not experiment.duplicated(["cell", "day", "period"]).any()
    assert study.planned_experiments(evidence.periods[evidence.periods["day"] < 9]) == []
    table = experiments.variance_table(evidence.experiments[0])
    printed = published.table("tss360", "table_7")
    assert table["df"].iloc[0] == 1
    assert table.loc["error", "df"] == len(evidence.experiments[0]) - 4 - 2
    assert len(table) == len(printed) + 2


def test_effects_by_day_are_differences_of_cell_means():
    index = pd.MultiIndex.from_product([study.CELLS, [0]], names=["cell", "day"])
    means = pd.DataFrame({"R": [5.0, 4.0, 6.0, 4.4]}, index=index)
    effects = study.effects_by_day(means)["R"].droplevel("day")
    assert effects["schedule"] == pytest.approx(-1.3)
    assert effects["replacement"] == pytest.approx(0.7)
    assert effects["schedule:replacement"] == pytest.approx(-0.3)


def test_table_5_is_scored_pair_by_pair(evidence):
    card = scoring.score_table_5(evidence.minutes)
    assert len(card) == 42
    assert (card["kind"] == "chosen in sight").sum() == len(scoring.PAIRS_IN_SIGHT)
    pair = card.set_index("cell").loc["N_d P_eav"]
    minutes = evidence.minutes
    assert pair["ours"] == pytest.approx(np.corrcoef(minutes["N_d"], minutes["P_eav"])[0, 1])
    right, clear = scoring.signs(card)
    assert clear == (card["published"].abs() >= 0.2).sum() - 1  # one has lost its sign
    assert 0.7 * clear < right <= clear


def test_cells_of_table_6_are_fitted_in_one_column_and_z_is_of_three_afternoons(evidence):
    card = scoring.score_table_6(evidence.means)
    assert len(card) == 52 and card["z"].isna().all()
    fitted = card[card["kind"] == "fitted"]
    assert set(fitted.loc[fitted["quantity"] != "N_t", "cell"]) == {"old schedule, old replacement"}
    assert (card["kind"] == "chosen in sight").sum() == 36
    assert set(calibration.ERROR) < set(study.VARIABLES)
    card = scoring.score_table_6(evidence.means, evidence.experiments)
    row = card[card["published"] == 4.4].set_index("quantity").loc["r_s"]
    means = [own.loc[own["cell"] == "old_new", "r_s"].mean() for own in evidence.experiments]
    days = evidence.means.index.get_level_values("day").nunique()
    of_mean = row["half_width"] / scorecard.student(days)
    variance = np.var(means, ddof=1) + 0.1**2 / 12 + of_mean**2
    assert row["z"] == pytest.approx((row["ours"] - 4.4) / variance**0.5)


def test_every_group_of_forecasts_has_its_null(evidence):
    cards = [scoring.score_workload(evidence.transactions), scoring.score_table_5(evidence.minutes)]
    cards += [scoring.score_table_6(evidence.means), scoring.score_table_7(evidence.tables)]
    card = tss360_nulls.with_nulls(scorecard.gather(*cards)).set_index(["cell", "quantity"])
    pairs = {"N_d P_eav": -0.5, "P_a r_p": 0.5, "P_s r_s": -0.5, "N_d p_v": 0.0, "TSE_mq R*": 0.0}
    for pair, null in pairs.items():  # falls as frames fill, both fall, one of them, neither told
        assert card.loc[(pair, "correlation"), "null"] == null
    assert card.loc[("new schedule, new replacement", "R"), "null"] == 5.38
    assert card.loc[("sd, data set reads", "reads"), ["ours", "null"]].tolist() == pytest.approx(
        [evidence.transactions["reads"].std(), 50.3]
    )
    error = card.loc[("mean square, error, simulated", "s2")]
    squares = [table.loc["error", "mean_square"] for table in evidence.tables]
    assert error["ours"] == pytest.approx(np.mean(squares)) and error["published"] == 0.69
    none = scoring.score_table_7([])
    assert len(none) == 7 and not none["reproduced"].any() and none["z"].isna().all()


def test_a_verdict_of_table_7_that_most_experiments_deny_is_refuted():
    wanted = claims.TESTS.function("scheduling_significant")
    for p, refuted in (([0.5] * 32, True), ([0.5, 0.01] * 16, False)):
        given = SimpleNamespace(experiments=p, p_values=pd.DataFrame({"schedule": p}))
        assert not wanted(given).holds and wanted(given).refuted == refuted


def test_demands_are_those_of_tables_2_to_4():
    printed = published.table("tss360", "table_3").set_index("reads").to_numpy()
    np.testing.assert_array_equal(load.TABLE_3[:4, :4], printed)
    assert load.TABLE_3.sum() == pytest.approx(1.0)
    frames = published.table("tss360", "table_4").set_index("cpu_s").to_numpy()
    np.testing.assert_array_equal(load.TABLE_4, frames)
    read = published.table("tss360", "table_2", readings=True).set_index("point")["cdf"]
    rows, columns = load.TABLE_3.sum(axis=1).cumsum(), load.TABLE_3.sum(axis=0).cumsum()
    assert rows[:4] == pytest.approx(read[[f"reads_{n}" for n in (0, 10, 20, 30)]])
    assert columns[:4] == pytest.approx(read[[f"writes_{n}" for n in (0, 10, 20, 30)]])
    p = tss360.Parameters()
    at = np.interp(np.log([0.1, 1.0, 10.0, 100.0]), np.log(p.cpu_points_s), p.cpu_cdf)
    assert at == pytest.approx(read[:4], abs=0.0005)


def test_drawn_demands_have_the_printed_moments_and_share_of_typical_ones():
    """160,000 transactions, a fixed seed; the tails make the deviations wide."""
    p = tss360.Parameters(users=40.0, user_slots=100)
    rows = load.draw_demands(p, 0, range(100), 1600)
    moments = published.table("tss360", "table_2_moments").set_index("resource")
    for name, values in (("data set reads", rows["reads"]), ("data set writes", rows["writes"])):
        assert values.mean() == pytest.approx(moments.loc[name, "mean"], rel=0.1)
        assert values.std() == pytest.approx(moments.loc[name, "sd"], rel=0.4)
    cpu_s = rows["cpu_ms"] / 1000.0
    assert cpu_s.mean() == pytest.approx(0.75, rel=0.15)
    assert cpu_s.std() == pytest.approx(12.3, rel=0.3)
    assert np.median(cpu_s) == pytest.approx(0.05, rel=0.02)
    typical = (cpu_s < 0.2) & (rows["reads"] + rows["writes"] <= 10)
    assert 100.0 * typical.mean() == pytest.approx(70.0, abs=1.5)


def test_bins_have_the_means_of_their_rows():
    frame = pd.DataFrame({"x": [0.5, 0.6, 1.5, 1.7, 5.0], "y": [1.0, 3.0, 10.0, 20.0, 99.0]})
    means = experiments.binned_means(frame, "x", "y", [0, 1, 2, 6], least=2)
    assert means["y"].tolist() == [2.0, 15.0]
    assert means["x"].tolist() == pytest.approx([0.55, 1.6])


def test_cells_without_a_common_afternoon_are_refused_in_one_sentence():
    rows = {name: [1.0, 1.0] for name in study.VARIABLES}
    apart = pd.DataFrame({"cell": ["old_old", "new_new"], "day": [0, 1], **rows})
    with pytest.raises(ValueError, match=r"more than 26 users logged on in every cell"):
        study.cell_means(apart)
    with pytest.raises(ValueError, match="a mean of more users"):
        study.cell_means(apart.iloc[:0])


def test_impossible_days_cells_and_results_are_refused_in_a_sentence(evidence):
    for call in (study.simulate_cells, lambda days: experiments.users_survey(0, days)):
        with pytest.raises(ValueError, match="days must be a whole number of 1 or more"):
            call(1.5)
    for cells in ("new_old", ["old_old", "newest"]):
        with pytest.raises(ValueError, match="cells must be a list of some of old_old"):
            study.simulate_cells(1, 0, cells)
    with pytest.raises(TypeError, match="results of one cell"):
        study.transactions_of(evidence.cells)
    with pytest.raises(TypeError, match="results by cell"):
        study.cell_periods(evidence.cells["old_old"])


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
    assert card["kind"].value_counts().to_dict() == {"arithmetic": 20, "bookkeeping": 10}
    assert (card.loc[~card["reproduced"].astype(bool), "note"] != "").all()


def test_rounding_moves_a_quotient_as_far_as_its_corners():
    value, spread = derivations.rounding(lambda a, b: a / b, [10.0, 2.0], [1.0, 0.5])
    assert value == 5.0 and spread == pytest.approx(11.0 / 1.5 - 5.0)


def test_three_phases_and_no_family_of_fewer_numbers_print_as_table_2():
    table = demands.fitted_demands()
    ours, printed = table.loc["hyperexponential of 3 phases"], table.loc["printed"]
    shares = ["0.1 s", "1 s", "10 s"]
    np.testing.assert_allclose(ours[shares], printed[shares], atol=0.0005)
    assert ours["100 s"] == pytest.approx(printed["100 s"], abs=0.00055)
    assert ours["mean"] == pytest.approx(printed["mean"], abs=0.005)
    assert ours["sd"] == pytest.approx(printed["sd"], abs=0.05)
    assert round(ours["median"], 2) == printed["median"]
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
    found = {
        block: factors.stepwise_path(derivations.block_correlations(block), "R*", 400)
        for block in (1, 2)
    }
    assert found[1]["variable"].tolist() == ["P_eav", "N_d", "N_e"]
    np.testing.assert_allclose(found[1]["r2"], [0.25, 0.278, 0.295], atol=0.0005)
    assert found[2]["variable"].tolist() == ["P_s"]
    r2 = correlation.multiple_r2(derivations.block_correlations(1), "R*", ["N_d", "N_e"])
    assert r2 == pytest.approx(0.17, abs=0.005)


def test_the_power_and_the_margin_of_the_36_periods():
    margin, variance = derivations.margin_of_design(), 20.1 / 29.0
    found = power.effect_power(np.array([1.125, 1.0, 0.75, 0.5, 0.135, margin]), variance, 36, 29)
    np.testing.assert_allclose(found[:5], [0.975, 0.94, 0.74, 0.41, 0.08], atol=0.005)
    assert found[5] == pytest.approx(0.5, abs=0.03)
    assert margin == pytest.approx(0.57, abs=0.005)


def test_frames_charged_beyond_those_held_are_those_of_the_errata():
    m = derivations.table_6_means()
    charged = (m["P_s"] + m["P_a"] - m["P_eav"]) / m["N_d"]
    np.testing.assert_allclose(charged, [13.5, 13.0, 12.9, 13.1], atol=0.05)
    np.testing.assert_allclose(1000.0 * m["N_d"] / m["r_pf"], [95, 95, 98, 83], atol=0.5)
    np.testing.assert_allclose(1000.0 * m["p_o"] / m["r_pf"], [15.1, 14.5, 15.0, 13.2], atol=0.05)


def test_a_lever_of_one_front_slice_makes_the_new_schedule_the_old_one():
    results = study.simulate_cells(1, 0, ["old_old", "new_old"], foreground_passes=(1, 1), **SHORT)
    old, new = (result.measures() for (result,) in results.values())
    assert old == new


def test_demands_by_device_are_busy_shares_over_throughput(evidence):
    result = evidence.cells["old_old"][0]
    found = experiments.device_demands([result])
    devices = result.devices()
    assert list(found.index) == ["processor", *devices["device"]]
    busy = found.to_numpy() * result.measures()["transactions"]
    assert busy == pytest.approx([result.p_v + result.p_o, *devices["busy_share"]])


def test_the_notebooks_pictures_show_what_they_are_given(evidence):
    tuned = pictures.tuning(evidence)
    printed = derivations.table_6_means()["R"]
    circles = [line for line in tuned.figure.axes[0].lines if line.get_marker() == "o"]
    assert circles[0].get_ydata().tolist() == printed[study.CELLS].tolist()
    assert f"{evidence.effects.loc['schedule', 'R'].mean():.2f}" in tuned.alt
    grown = pictures.gains(evidence).figure.axes[0].lines
    assert len(grown) == 4 and np.isfinite(grown[1].get_ydata()).all()
    tried = pd.DataFrame({"change": [0.0, -2.0, 1.0], "margin": 0.1}, ["old", "best", "worst"])
    bars = pictures.variants(tried, "change", "margin")
    assert "from best (-2.0 s) to worst (+1.0 s)" in bars.alt
