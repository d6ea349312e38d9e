"""What the SIM/61 study derives from published numbers, and that every claim is tested."""

import math

import numpy as np
import pytest

from perfkit.systems import sim61
from studies.evidence import published, scorecard
from studies.sim61 import (
    calibration,
    claims,
    denning,
    derivations,
    experiments,
    nulls,
    timeline,
    today,
)
from studies.sim61 import runs as study


@pytest.fixture(scope="module")
def evidence():
    store, n = study.store_runs(), study.n_runs()
    return experiments.Evidence(store, study.simulate_store(store, 2), n, study.simulate_n(n, 2), 2)


ARITHMETIC = [
    *("interactive tasks", "communications tasks", "batch tasks", "interactive tasks"),
    *("pages of 1/2 MB", "pages of 1 MB", "pages of 1/4 MB", "schedulable pages of 1 MB"),
    *("paging configurations", "configurations", "the drum's window, ms", "schedulable core"),
    *("N by measured N, N = 5", "batch elapsed, N = 5"),
]


class Fixed:
    """Evidence of two replications whose measures are what a test says."""

    def __init__(self, measures):
        self.measures = measures

    def values(self, measure, configuration, memory_mb=1.0):
        return np.array([0.999, 1.001]) * self.measures[measure, configuration, memory_mb]


def verdict(claim, measures):
    return claims.TESTS.function(claim)(Fixed(measures)).holds


def test_the_published_arithmetic_closes_except_in_four_cells():
    card = derivations.derive_tables().set_index("cell")
    missed = card.loc[~card["reproduced"], "ours"].to_dict()
    lam = "user time (%) that Table 1 and printed batch allow, 1 LAM, "
    assert missed == {
        "N by measured N, N = 1": pytest.approx(1.3),
        "the drum's window, ms": pytest.approx(17.2 - 4096 / 333),
        lam + "0.5 MB": pytest.approx(14.19 + 1.1, abs=0.01),
        lam + "1.0 MB": pytest.approx(14.19 + 10.0, abs=0.01),
    }
    assert (card["kind"] == "bookkeeping").sum() == 3 + 8 + 2 + 1
    assert (published.claims("sim61")["use"] == "arithmetic").sum() == len(ARITHMETIC)
    assert set(ARITHMETIC) <= set(derivations.derive_tables()["cell"])


@pytest.mark.parametrize("discs_at_half_mb", [90.0, 60.0])
def test_lam_must_be_io_bound_at_both_memories(discs_at_half_mb):
    lam = experiments.LAM
    busy = {("user_disc_busy_percent", lam, 0.5): discs_at_half_mb}
    busy |= {("user_disc_busy_percent", lam, 1.0): 95.0}
    busy |= {("paging_busy_percent", lam, memory): 75.0 for memory in (0.5, 1.0)}
    assert verdict("lam_io_bound", busy) == (discs_at_half_mb > 75.0)


@pytest.mark.parametrize(("half_mb", "one_mb"), [(1.0, 1.0), (1.3, 1.0), (0.7, 1.0), (1.0, 1.3)])
def test_throughput_must_be_inverse_to_traverse_time_at_both_memories(half_mb, one_mb):
    measures = {}
    for name, over in ((experiments.DRUM, True), (experiments.DRUMS, False)):
        for memory, ratio in ((0.5, half_mb), (1.0, one_mb)):
            measures["interactions", name, memory] = 1000.0
            measures["paging_queue_ms", name, memory] = 100.0 * (ratio if over else 1.0)
    assert verdict("traverse_linear", measures) == (half_mb == one_mb == 1.0)


@pytest.mark.parametrize("row", range(3))
def test_faster_paging_must_do_more_than_core_from_every_configuration(row):
    names = experiments.CONFIGURATIONS
    measures = {("response_s", name, 1.0): 10.0 for name in names}
    measures |= {("response_s", name, 0.5): 8.0 for name in names}
    assert verdict("paging_over_core", measures)
    measures["response_s", names[row + 1], 0.5] = 11.0
    assert not verdict("paging_over_core", measures)


def test_published_pages_stay_below_the_limits_of_the_devices():
    runs = study.store_runs()
    limits = nulls.factors().drop_duplicates("cell").set_index("cell")["limit_per_s"]
    moved = runs["paging_pages_s"].set_axis(study.store_names(runs))
    share = moved / limits[moved.index]
    assert ((share > 0.7) & (share <= 1.0)).all()
    assert (share[share.index.str.contains("drum,")] > 0.99).all()
    assert limits["1 RCA 8567 drum, 0.5 MB"] == pytest.approx(1000.0 / 17.2)
    assert limits["2 RCA 8580 discs, 0.5 MB"] == pytest.approx(46.04, abs=0.01)


@pytest.mark.parametrize("rate", [30.0, 200.0])
def test_a_drum_of_any_speed_moves_its_page_rate(rate):
    (name,) = sim61.Parameters(page_rate=rate).paging_devices
    drum = sim61.TABLE_2[name]
    assert drum.pages_per_s() == pytest.approx(rate)
    own = sim61.TABLE_2["8567"]
    assert drum.window_ms / drum.revolution_ms == pytest.approx(own.window_ms / own.revolution_ms)


def test_dennings_duty_factor_and_thrashing_curve_beside_the_runs(evidence):
    duty = denning.duty_factors(evidence.store_rows)
    off = (duty["expected_percent"] - duty["busy_percent"]).set_axis(evidence.store.index)
    limit = evidence.store["paging_configuration"].isin([experiments.DISCS, experiments.DRUM])
    assert off[limit].between(0.0, 2.5).all() and (off[~limit] > 5.0).all()
    curves = denning.thrashing(evidence.store, evidence.store_rows)
    active = denning.measured(evidence.store_rows)["active"]
    for point, curve in curves.groupby("point"):
        best = curve.loc[curve["interactions"].idxmax(), "tasks"]
        last = curve.loc[curve["interactions"] > 0.99 * curve["interactions"].max(), "tasks"].max()
        assert active[point] < max(best, last) + 1
        assert curve["interactions"].iloc[-1] < 0.5 * curve["interactions"].max()


def test_today_all_but_people_is_a_thousandfold():
    then, now = sim61.backing_store_load(), today.load()
    assert (now["think_s"] == then["think_s"]).all()
    assert (now["compute_ms"] == 1024 * then["compute_ms"]).all()
    bytes_now = now["working_set_pages"] * today.CLUSTER_PAGES
    assert (bytes_now == 1024 * then["working_set_pages"]).all()
    p = today.parameters()
    assert p.memory_pages * today.CLUSTER_PAGES == 1024 * 256
    assert today.FLASH.pages_per_s() == pytest.approx(10_000)


def test_lost_cells_are_not_scored_and_those_that_follow_from_others_not_counted(evidence):
    store = study.score_store(evidence.store, evidence.store_rows)
    n = study.score_n(evidence.n, evidence.n_rows)
    assert (store["quantity"] == "interactions").sum() == 4
    assert set(store.loc[store["kind"] == "fitted", "cell"]) == {
        f"1 {device}, {mb} MB" for device in ("RCA 8567 drum", "LAM") for mb in (0.5, 1.0)
    }
    assert set(n.loc[n["kind"] == "fitted", "cell"]) == {"N = inf", "N = 0"}
    both = scorecard.gather(store, n)
    following = both["quantity"].isin(["idle_percent", "n_measured", "batch_elapsed"])
    assert ((both["kind"] == scorecard.BY_CONSTRUCTION) == following).all()
    assert both["kind"].value_counts().to_dict() == {
        "predicted": 25,
        "chosen in sight": 20,
        "fitted": 34,
        "by construction": 20,
    }


def test_every_forecast_has_its_null_and_z_is_in_units_of_one_run_and_its_rounding(evidence):
    store = study.score_store(evidence.store, evidence.store_rows)
    n = study.score_n(evidence.n, evidence.n_rows)
    card = nulls.with_nulls(scorecard.gather(store, n))
    card = card.set_index(["item", "quantity", "cell"]).sort_index()
    assert card.loc[("Table 5", "response_s", "N = 3"), "null"] == pytest.approx(12.2 + 15.6 / 4)
    drums = card.loc[("Table 3", "interactions", "2 RCA 8567 drums, 1.0 MB"), "null"]
    growth = math.log(800 / 4.096 * 0.0172) / math.log(2)
    assert drums == pytest.approx(1003 * (2310 / 1003) ** (1 / growth))
    ours = evidence.values("response_s", experiments.DRUMS)
    mean_error = ours.std(ddof=1) / math.sqrt(2)
    error = math.sqrt(ours.var(ddof=1) + 0.1**2 / 12 + mean_error**2)
    z = card.loc[("Table 3", "response_s", "2 RCA 8567 drums, 1.0 MB"), "z"]
    assert z == pytest.approx((ours.mean() - 3.9) / error, rel=1e-4)


def test_what_is_in_sight_of_the_discs_falls_without_a_choice_and_the_rest_stands():
    cards = experiments.without_disc_choices(4).values()
    stands = np.all([card["reproduced"] for card in cards], axis=0)
    kind = next(iter(cards))["kind"]
    assert (stands[kind == "predicted"]).all() and not stands[kind == "chosen in sight"].any()


def test_what_the_n_to_1_machine_and_load_have_calibrated_is_searched_or_not_stated():
    frame = sim61.n_to_1_parameters().provenance()
    assert frame.loc["supervisor_pages", ["value", "status"]].tolist() == ["26", "calibrated"]
    load = sim61.NToOneLoad().provenance()["status"]
    assert set(load.index[load == "calibrated"]) == {free.name for free in calibration.FREE_LOAD}


@pytest.mark.parametrize("n", [math.inf, 5.0])
def test_compute_bound_tasks_of_the_n_to_1_study_are_locked_out(n):
    """So their working set and think time show in no cell, and are assumed, not fitted."""
    p = sim61.n_to_1_parameters(activations_per_batch=n)
    locked = sim61.simulate(p, load=sim61.n_to_1_load()).classes().loc["compute bound"]
    assert locked["tasks"] == 2
    assert locked["interactions"] == 0
    load = sim61.NToOneLoad().provenance()["status"]
    own = ["compute_working_set_pages", "compute_think_s"]
    assert set(load[own]) == {"assumed"}
    assert not {free.name for free in calibration.FREE} & set(own)


def test_the_ways_between_the_queues_close():
    result = sim61.simulate(sim61.Parameters(), 1, trace=200_000)
    times = timeline.ways(result)["times"]
    into, back = times["ready", "active"], times["active: slice runs out", "ready"]
    assert times["terminal", "ready"] + back - into == pytest.approx(0, abs=68)
    assert into - back - times["active: answered", "terminal"] == pytest.approx(0, abs=20)
    assert times["paging queue", "processor"] == result.values["page_waits"]
    assert times["of these, without a frame", "paging queue"] == result.values["frame_waits"]
    with pytest.raises(ValueError, match="The trace is full"):
        timeline.ways(sim61.simulate(sim61.Parameters(), 1, trace=100))


def test_every_claim_marked_tested_is_tested_once(evidence):
    card = claims.TESTS.score(evidence)
    assert len(card) == published.claims("sim61")["use"].isin(["tested", "given"]).sum()


def test_the_table_of_the_paper_is_the_default_load():
    printed = published.table("sim61", "table_1")
    ours = sim61.backing_store_load()
    assert ours["tasks"].tolist() == printed["number"].tolist()
    for column, name in {
        "working_set_pages": "working_set_mean",
        "compute_ms": "compute_mean_ms",
        "think_s": "think_mean_s",
        "io_interval_ms": "io_interval_mean_ms",
        "exec_interval_ms": "svc_interval_mean_ms",
        "shared_interval_ms": "shared_interval_mean_ms",
        "virtual_memory_pages": "virtual_pages",
    }.items():
        assert ours[column].tolist() == printed[name].tolist()


def test_the_derived_share_of_dirty_pages_gives_the_page_outs_of_littles_law():
    """What is moved and not waited for, over what is: 0.65 and 0.67, known to 0.03."""
    runs = study.store_runs().dropna(subset=["paging_queue", "paging_queue_ms"])
    printed = 1000.0 * runs["paging_queue"] / runs["paging_queue_ms"] / runs["paging_pages_s"]
    for memory_pages, share in zip((128, 256), printed, strict=True):
        counts = sim61.simulate(sim61.Parameters(memory_pages=memory_pages)).values
        waited = counts["pages_in"] + counts["exec_pages_in"]
        assert counts["pages_out"] / waited == pytest.approx(1.0 / share - 1.0, abs=0.05)
