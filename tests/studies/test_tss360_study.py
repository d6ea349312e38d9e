"""The TSS/360 study: its afternoons, periods and experiments, and that every claim is tested."""

import numpy as np
import pandas as pd
import pytest

from perfkit import published, what_if
from perfkit.studies.tss360 import calibration, claims, experiments, runs, scoring
from perfkit.studies.tss360 import runs as study
from perfkit.systems import tss360
from perfkit.systems.tss360 import load

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
    every = runs.periods_of(result, least_users=0.0)
    assert len(every) == 2
    minutes = result.minutes()
    assert every["N_d"].iloc[1] == pytest.approx(minutes["N_d"].iloc[15:30].mean())
    log = result.transactions()
    start_s = 300.0
    ended = log["typical"] & log["end_s"].between(start_s + 900.0, start_s + 1800.0)
    assert every["R"].iloc[1] == pytest.approx(log.loc[ended, "response_s"].mean())
    assert (runs.periods_of(result)["N_t"] > 26.0).all()


def test_an_experiment_has_nine_periods_a_cell_and_no_afternoon_twice(evidence):
    found = evidence.experiments
    assert len(found) == DAYS // 3
    for experiment in found:
        sizes = experiment.groupby("cell").size()
        assert set(sizes.index) == set(study.CELLS) and (sizes <= 9).all()
        days = experiment.groupby("day")["cell"].nunique()
        assert (days == 1).all()
        assert not experiment.duplicated(["cell", "day", "period"]).any()
    assert study.planned_experiments(evidence.periods[evidence.periods["day"] < 9]) == []


def test_effects_by_day_are_differences_of_cell_means():
    index = pd.MultiIndex.from_product([study.CELLS, [0]], names=["cell", "day"])
    means = pd.DataFrame({"R": [5.0, 4.0, 6.0, 4.4]}, index=index)
    effects = study.effects_by_day(means)["R"].droplevel("day")
    assert effects["schedule"] == pytest.approx(-1.3)
    assert effects["replacement"] == pytest.approx(0.7)
    assert effects["schedule:replacement"] == pytest.approx(-0.3)


def test_table_7_of_simulated_periods_has_the_papers_form(evidence):
    table = experiments.variance_table(evidence.experiments[0])
    printed = published.table("tss360", "table_7")
    assert table["df"].iloc[0] == 1
    assert table.loc["error", "df"] == len(evidence.experiments[0]) - 4 - 2
    assert len(table) == len(printed) + 2


def test_table_5_is_scored_pair_by_pair(evidence):
    card = scoring.score_table_5(evidence.minutes)
    assert len(card) == 42
    pair = card.set_index("cell").loc["N_d P_eav"]
    minutes = evidence.minutes
    assert pair["ours"] == pytest.approx(np.corrcoef(minutes["N_d"], minutes["P_eav"])[0, 1])
    right, clear = scoring.signs(card)
    assert clear == (card["published"].abs() >= 0.2).sum() - 1  # one has lost its sign
    assert 0.7 * clear < right <= clear


def test_cells_of_table_6_are_fitted_in_one_column_only(evidence):
    card = scoring.score_table_6(evidence.means)
    assert len(card) == 52
    fitted = card[card["kind"] == "fitted"]
    assert set(fitted.loc[fitted["quantity"] != "N_t", "cell"]) == {"old schedule, old replacement"}
    assert (card["kind"] == "predicted").sum() == 36
    assert set(calibration.ERROR) < set(study.VARIABLES)


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
    supply = load.Supply(p, 0)
    rows = np.concatenate([supply.draw_rows(t) for t in range(100) for _ in range(50)])
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


def test_no_change_as_a_forecast_is_scored_like_the_simulator():
    copied = scoring.no_change()
    card, errors = scoring.score_table_6(copied), scoring.column_errors(copied)
    assert errors["old_old"] == 0.0 and (errors.drop("old_old") > 0.0).all()
    predicted = card[card["kind"] == "predicted"]
    assert len(predicted) == 36 and 0 < predicted["reproduced"].sum() < 36
    assert card.loc[card["kind"] == "fitted", "reproduced"].all()


def test_a_community_of_any_size_can_be_simulated():
    for users in (5, 31, 45, 120.5):
        p = tss360.Parameters(**study.community(users))
        assert p.user_slots / p.users == pytest.approx(44 / 31, rel=0.1)


def test_cells_without_a_common_afternoon_are_refused_in_one_sentence():
    rows = {name: [1.0, 1.0] for name in study.VARIABLES}
    apart = pd.DataFrame({"cell": ["old_old", "new_new"], "day": [0, 1], **rows})
    with pytest.raises(ValueError, match=r"more than 26 users logged on in every cell"):
        study.cell_means(apart)
    with pytest.raises(ValueError, match="a mean of more users"):
        study.cell_means(apart.iloc[:0])


def test_the_other_fit_is_a_set_of_parameters_and_can_be_simulated():
    means = experiments.cells_otherwise(1, **{**calibration.OTHER_FIT, **SHORT})
    assert list(means.index.unique("cell")) == list(study.CELLS)
    assert 0.0 < scoring.column_errors(means).mean() < 100.0


def test_readers_tables_and_rules_are_compared_with_the_first_variant():
    @tss360.entrance_policy
    def one_at_a_time(limit_pages, available_pages, dispatchable):
        return dispatchable < 1

    variants = {"paper's": {}, "the same": {"entrance": None}, "one": {"entrance": one_at_a_time}}
    base = tss360.Parameters(**SHORT)
    found = what_if.compare(what_if.run(tss360.simulate, base, variants, 2), "N_d", "R")
    assert found.loc["the same", "change of R"] == 0.0
    assert found.loc["one", "N_d"] <= 1.0 < found.loc["paper's", "N_d"]


def test_impossible_days_cells_and_results_are_refused_in_a_sentence(evidence):
    for days in (0, -2, 1.5, "3"):
        for call in (study.simulate_cells, lambda days: experiments.users_survey(0, days)):
            with pytest.raises(ValueError, match="days must be a whole number of 1 or more"):
                call(days)
    for cells in ("new_old", ["new"], ["old_old", "newest"]):
        with pytest.raises(ValueError, match="cells must be a list of some of old_old"):
            study.simulate_cells(1, 0, cells)
    with pytest.raises(TypeError, match="results of one cell"):
        study.transactions_of(evidence.cells)
    with pytest.raises(TypeError, match="results by cell"):
        study.cell_periods(evidence.cells["old_old"])
