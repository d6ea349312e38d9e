"""What the SIM/61 study derives from the print, and that every claim is tested."""

import pytest

from perfkit import published
from perfkit.studies import sim61 as study
from perfkit.studies.sim61 import claims, derivations, experiments, timeline
from perfkit.systems import sim61


@pytest.fixture(scope="module")
def evidence():
    store, n = study.store_runs(), study.n_runs()
    return experiments.Evidence(store, study.simulate_store(store, 2), n, study.simulate_n(n, 2), 2)


def test_all_arithmetic_of_the_print_closes():
    assert derivations.derive_tables()["reproduced"].all()


def test_the_drum_moves_at_most_a_page_a_revolution():
    limits = derivations.device_limits()["limit_per_s"]
    assert limits["1 RCA 8567 drum"] == pytest.approx(1000.0 / 17.2)
    assert (limits >= derivations.device_limits()[["half_mb", "one_mb"]].max(axis=1)).all()


def test_the_response_law_by_hand_and_at_the_ends():
    load = published.table("sim61", "table_1")
    load = load[load["task_type"] == "interactive"]
    none = derivations.interactions_by_law(0.0)[0]
    assert none == pytest.approx(540.0 * (load["number"] / load["think_mean_s"]).sum())
    assert derivations.interactions_by_law(1e9)[0] == pytest.approx(64 * 540e-9)


def test_supervisor_time_a_page_differs_by_device():
    plain, by_device = derivations.supervisor_time(), derivations.supervisor_time(by_device=True)
    worst_points = [abs(fit.resid).max() / 10.0 for fit in (plain, by_device)]
    assert worst_points[0] > 2.0 > 0.25 > worst_points[1]
    assert by_device.compare_f_test(plain)[1] < 0.01


def test_the_batch_task_gets_the_same_time_an_activation_for_every_n():
    seconds = derivations.batch_activation_s()
    assert len(seconds) == 6
    assert seconds.max() / seconds.min() < 1.02


def test_lost_cells_are_not_scored_and_the_rest_are(evidence):
    card = study.score_store(evidence.store, evidence.store_rows)
    assert (card["quantity"] == "interactions").sum() == 4
    assert set(card.loc[card["kind"] == "fitted", "cell"]) == {
        f"1 {device}, {mb} MB" for device in ("RCA 8567 drum", "LAM") for mb in (0.5, 1.0)
    }
    card = study.score_n(evidence.n, evidence.n_rows)
    assert set(card.loc[card["kind"] == "fitted", "cell"]) == {"N = inf", "N = 0"}


def test_every_claim_marked_tested_is_tested_once(evidence):
    card = claims.TESTS.score(evidence)
    assert len(card) == published.claims("sim61")["use"].isin(["tested", "given"]).sum()


def test_levels_of_the_trace_stay_between_none_and_all_active():
    result = sim61.simulate(sim61.Parameters(), 1, trace=60_000)
    levels = timeline.levels(result, 0.0, 60.0)
    waiting, active = levels["waiting for a page"], levels["active"]
    assert (waiting >= 0).all() and (waiting <= active).all()
    assert 0 < active.max() <= 68
    with pytest.raises(ValueError, match="at most 600, the run's end"):
        timeline.levels(result, 0.0, 601.0)


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
    printed = derivations.waited_faults()["share"]
    for memory_pages, share in zip((128, 256), printed, strict=True):
        counts = sim61.simulate(sim61.Parameters(memory_pages=memory_pages)).counts
        waited = counts["pages_in"] + counts["exec_pages_in"]
        assert counts["pages_out"] / waited == pytest.approx(1.0 / share - 1.0, abs=0.05)
