"""Cited models beside the simulator, the grid of discs and memories, and the study's pictures."""

import numpy as np
import pandas as pd
import pytest

from perfkit.analytic.mva import solve_mva
from perfkit.analytic.swapping import elapsed_ratio
from perfkit.systems import unix_v6
from studies.evidence import rests, sensitivity
from studies.unix_v6 import conclusions, derivations, experiments, models, pictures
from studies.unix_v6 import runs as study


@pytest.fixture(scope="module")
def evidence():
    return experiments.Evidence(study.published_runs(), None, 2, seed=5)


@pytest.fixture(scope="module")
def six(evidence):
    return evidence.runs[evidence.runs["table"] == "Table VI"]


@pytest.fixture(scope="module")
def grid():
    runs = experiments.disc_or_memory(2, 3)
    return runs.pivot_table("elapsed_s", "disc_speed", "memory_clicks")


def test_runs_are_simulated_when_first_asked_for_and_once(evidence, six):
    again = study.simulate_runs(six.head(1), 2, 5)
    own = evidence.rows[evidence.rows["point"] == six.index[0]]
    assert own["elapsed_s"].tolist() == again["elapsed_s"].tolist()
    assert evidence.rows is evidence.rows and evidence.ours is evidence.ours


def test_a_saturated_disc_makes_strauss_s_times_go_as_equation_3_1(six):
    found = models.limiting_predictions(six).join(six[["run", "loaded", "processes"]])
    a, b = (found[found["run"] == run].iloc[0] for run in (1, 9))
    assert a["saturated"] and b["saturated"]
    ratio = elapsed_ratio(4, 8, *2 * [study.block_time_ms()], *2 * [study.swap_times_ms()[157]])
    assert b["elapsed_s"] / a["elapsed_s"] == pytest.approx(ratio)


def test_chances_at_the_disc_are_chances_with_mean_value_analysis_s_mean(six, evidence):
    found = models.number_at_the_disc(six, evidence, 2)
    assert found["convolution"].sum() == pytest.approx(1.0)
    assert found["simulated"].sum() == pytest.approx(1.0, abs=0.01)
    disc_s, elsewhere_s = derivations.work_of_an_interaction(six)
    queue = solve_mva([disc_s], 5, elsewhere_s).queue[0]
    assert found["convolution"] @ found.index.to_numpy() == pytest.approx(queue)


def test_what_the_rule_calls_hidden_costs_no_time_and_kleinrock_s_curve_meets_what_is_not(evidence):
    found = models.stays(evidence)
    assert found["hidden"].groupby("loaded").all().tolist() == [False, True, True]
    free_s = experiments.processor_bound(evidence, 6)["elapsed_s"].mean()
    assert (found["elapsed_s"][found["hidden"]] < 1.02 * free_s).all()
    one = found.loc[1]
    curve = models.round_robins(one["quantum_s"], one["swap_s"].mean())
    assert curve["swapping"].iloc[:-1].to_numpy() == pytest.approx(one["swapping"], rel=0.5)
    assert curve.index[-1] == 0.0 and curve["swapping"].iloc[-1] == pytest.approx(1 / 11)


def test_work_between_swaps_outlasts_a_swap_so_that_paging_s_model_does_not_thrash(evidence):
    found = models.lifetimes(evidence, 1, (6, 10, 16))
    assert found["memory_each"].tolist() == pytest.approx([1280 / 6, 128, 80])
    law, curve, choices = models.thrashing(found)
    assert law[0] * 128 ** law[1] == pytest.approx(found.loc[10, "lifetime_s"])
    assert choices.loc["lifetime_equals_service", "programs"] == 16
    assert np.ptp(curve.throughput_per_s) < 0.05 * curve.throughput_per_s.max()


def test_the_disc_pays_more_than_memory_and_memory_beyond_need_nothing(grid):
    assert grid.loc[1.25, 650] < grid.loc[1.0, 1600] < grid.loc[1.0, 650]
    assert 0.0 < grid.loc[1.0, 2560] < grid.loc[1.0, 1920]
    formula = experiments.equation_over_the_grid(grid)
    assert formula.loc[1.0, 650] == grid.loc[1.0, 650]
    assert (formula.loc[1.0] / formula.loc[1.25]).to_numpy() == pytest.approx(1.25)
    assert formula.loc[1.0, 2560] / formula.loc[1.0, 650] == pytest.approx(39.8 / (39.8 + 50.7 / 4))
    assert formula.loc[1.0, 1600] / formula.loc[1.0, 650] == pytest.approx(
        (39.8 + 50.7 / 10) / (39.8 + 50.7 / 4)
    )


def test_a_disc_of_today_swaps_as_long_as_its_bytes_take():
    p = unix_v6.Parameters(memory_clicks=650, **experiments.TODAY).replace(**experiments.SERVER)
    found = unix_v6.simulate(p.replace(interactions=20), 1)
    block_ms = experiments.FLASH["disc_revolution_ms"]
    assert block_ms < found.block_ms < 2 * block_ms
    assert found.swap_ms == pytest.approx(20 * block_ms, rel=0.1)
    assert found.reads / found.elapsed_s > 1000


def test_rows_are_told_in_words_and_keep_their_numbers(evidence):
    card = study.score_runs(evidence.runs, evidence.ours)
    told = study.in_words(card)
    assert told["cell"].iloc[0] == "1: 157, 650, 12"
    assert "15: 157/314, 1280, 12, 12 ms" in set(told["cell"])
    assert set(told["quantity"]) == {study.WORDS[name] for name in study.MEASURES}
    assert told["ours"].equals(card["ours"])


def test_pictures_of_variants_and_of_the_equation_say_the_numbers_that_they_show(evidence):
    change = pd.DataFrame({"change": [-3.0, 4.0], "half_width": 1.0}, ["less", "more"])
    assert "-3 %" in pictures.variants(change, pd.Series({"less": 1, "more": 2})).alt
    pairs = derivations.compare_with_equation(evidence.runs, evidence.ours)
    assert len(pairs) == 106
    steps = pairs.assign(error=pairs["equation_off"] * 100.0, utilization=90.0)
    assert f"{steps['error'].max():.0f} %" in pictures.where_the_equation_fails(steps).alt


def test_the_picture_of_the_lead_says_its_range_and_that_its_sign_stays():
    moved, found = sensitivity.committed("unix_v6"), rests.rests("unix_v6")
    told = pictures.lead(moved, conclusions.HEADLINE, found, 1.0)
    margins = 100.0 * moved.loc[moved["conclusion"] == "disc_pays_more", "margin"]
    assert f"from {margins.min():.0f} to\n{margins.max():.0f}".replace("\n", " ") in told.alt
    assert "is the same at every move" in told.caption
