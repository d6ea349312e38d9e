"""What the CP-67 study derives from the paper, its designs, and that every claim is tested."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from perfkit.methods import switching
from perfkit.systems import cp67
from studies.cp67 import claims, derivations, experiments, pictures, timeline, today, tuning
from studies.cp67 import runs as study
from studies.evidence import published
from studies.evidence.claims import Finding

HOURS = {"measured_s": 10000.0, "swing": 0.5, "users": 34.0}


@pytest.fixture(scope="module")
def evidence():
    return experiments.Evidence(10, **HOURS)


def test_all_arithmetic_closes_but_the_misprint_and_designs_are_the_printed_ones():
    card = derivations.derive_tables()
    assert card.loc[~card["reproduced"], "cell"].tolist() == ["20 users"]
    # The law was read off the other waits: they are no evidence for it, whatever it is off by.
    counted = card[card["kind"].isin(["arithmetic", "bookkeeping"])]
    assert counted.loc[counted["item"] == "Table 1", "cell"].tolist() == ["20 users"]
    uses = published.claims("cp67").set_index("statement")["use"]
    named = card[card["cell"].isin(uses.index)]
    assert set(named.loc[named["kind"] != "by construction", "cell"]) == set(
        uses.index[uses == "arithmetic"]
    )
    versions, labels = study.versions_of(study.REPLACEMENT)
    assert versions == [{"algorithm": 1}, {"algorithm": 2}]
    assert labels == ["Algorithm 1", "Algorithm 2"]
    settings, _ = study.versions_of(study.SLICES)
    assert {(v["t1_ms"], v["t2_ms"]) for v in settings} == {
        (t1, t2) for t1 in (200, 300) for t2 in (3000, 5000)
    }
    assert [v["dusetimr_priority"] for v in study.versions_of(study.PRIORITY)[0]] == [1, 50, 98]


def test_experiments_follow_their_designs_over_the_same_users_and_further_days(evidence):
    one, two, three = evidence.replacement, evidence.slices, evidence.priority
    assert one["run"].nunique() == 10
    assert (one["version"] == one["batch"] % 2).all()
    assert (two.groupby(["run", "batch"])["version"].nunique() == 1).all()
    whole = two.groupby(["run", "cycle"]).filter(lambda cycle: len(cycle) == 20)
    assert (whole.groupby(["run", "cycle"])["version"].nunique() == 4).all()
    orders = whole[whole["position"] == 0].groupby(["run", "cycle"])["version"].agg(tuple)
    assert orders.nunique() > 5
    assert (three["version"] == three.groupby("run").cumcount() % 3).all()
    assert len(study.kept(one, study.REPLACEMENT)) == (one["position"] > 0).sum()
    assert len(study.kept(three, study.PRIORITY)) == len(three)
    one = evidence.replacement.groupby("run")["logged_on_users"].mean()
    three = evidence.priority.groupby("run")["logged_on_users"].mean()
    assert np.corrcoef(one, three)[0, 1] > 0.9
    for number, further in ((study.REPLACEMENT, 13), (study.SLICES, 10), (study.PRIORITY, 5)):
        means = evidence.longer[number].groupby("run")["user_percent"].mean()
        assert means.index.tolist() == list(range(10 + further)) and means.is_unique


def test_the_corner_of_two_lines_is_found_and_its_z_is_of_five_days(evidence):
    users = np.repeat(np.arange(5, 45), 3)
    noise = np.random.default_rng(1).normal(size=users.size)
    rows = pd.DataFrame(
        {"active_users": users, "user_percent": 2.0 * np.minimum(users, 25) + noise}
    )
    corner, level = study.levels_off_at(rows)
    assert corner == pytest.approx(25.0, abs=1.0)
    assert level == pytest.approx(50.0, abs=1.0)
    row = study.score_levels(evidence.kept).set_index("quantity").loc["levels_off_at_users"]
    corners = study.levels(evidence.kept)["levels_off_at_users"].dropna()
    error = corners.std() * np.sqrt(1 / 5 + 1 / 10)
    assert row["z"] == pytest.approx((corners.mean() - 25.0) / error)


def test_every_claim_marked_tested_is_tested_once(evidence, monkeypatch):
    slow = ("shorter_than_alternate_days", "best_batch")
    for name in slow:
        monkeypatch.setitem(claims.TESTS.functions, name, lambda e: Finding(True, 0.0, 0.0))
    card = claims.TESTS.score(evidence)
    assert len(card) == published.claims("cp67")["use"].isin(["tested", "given"]).sum()
    held = card.set_index("cell")["reproduced"]
    assert held[held.index.str.contains("less paging")].all()
    assert held[held.index.str.contains("users more processor time")].all()


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.7, 0.89, "TF"), (0.7, 0.91, "FF"), (0.9, 1.1, "FT"), (0.1, 0.5, "FT")],
)
def test_a_whole_interval_decides_and_else_the_budget_is_told(low, high, verdict):
    found = claims.judged((0.8, low, high), 0.5, 0.9, 0.9)
    assert f"{str(found.holds)[0]}{str(found.refuted)[0]}" == verdict
    told = claims.given_up(found, pd.DataFrame({"run": [1, 1, 2]})).note
    assert told == ("still open after 2 days" if verdict == "FF" else "")


def test_the_ratio_of_all_observations_is_not_drawn_up_by_short_days():
    """Both versions alike: the mean of the days' ratios lies above one, the ratio does not."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"mixed_s": rng.exponential(size=600 * 20), "active_users": 30})
    frame = frame.assign(run=np.arange(12000) // 20, cycle=0, version=np.arange(12000) % 2)
    _, low, high = claims.over(frame, "mixed_s")
    assert low < 1.0 < high < 1.06
    assert experiments.ratios(frame, "mixed_s").mean() > high


def test_the_largest_gain_is_looked_for_with_wider_intervals(evidence):
    alone, together = (
        experiments.gains(evidence.kept, "user_percent", simultaneous=simultaneous)
        for simultaneous in (False, True)
    )
    assert (together["ratio"] == alone["ratio"]).all()
    assert (together["ratio_low"] < alone["ratio_low"]).all()
    found = claims.alg_2_largest_gain(evidence)
    assert found.ours == pytest.approx(100.0 * (alone["ratio"].max() - 1.0))
    high = 100.0 * (together["ratio_high"].max() - 1.0)
    assert found.half_width >= (high - found.ours) / 2.0


def switched_days(rng, days=8, observations=200, second=0.0, beyond=(0.0, 0.0)):
    """Days whose versions differ by 4; some of the old version is left at the second place."""
    order = switching.switching_order(2, 5, observations)
    users = rng.integers(15, 40, size=(days, observations))
    frame = pd.DataFrame({"run": np.repeat(np.arange(days), observations)})
    frame = switching.label(frame.assign(version=np.tile(order, days)), 5, 2)
    left = np.where(frame["version"] == 1, -4.0, 4.0) * (frame["batch"] > 0)
    x = rng.normal(size=len(frame)) + 4.0 * frame["version"]
    x += left * frame["position"].map({0: 1.0, 1: second}).fillna(0.0)
    rise = np.minimum(users, 25).ravel()
    rise = rise + np.array(beyond)[frame["version"]] * np.maximum(users.ravel() - 25, 0)
    columns = {"active_users": users.ravel(), "user_percent": rise + x, "mixed_s": x}
    return frame.assign(page_reads_per_s=x, load=0, **columns)


@pytest.mark.parametrize(("second", "holds"), [(0.0, True), (0.5, False)])
def test_a_transient_beyond_the_first_observation_is_seen(second, holds):
    frame = switched_days(np.random.default_rng(4), second=second)
    frame["user_percent"] = frame["mixed_s"]
    found = claims.transient_length(SimpleNamespace(replacement=frame))
    assert (found.holds, found.refuted) == (holds, not holds)
    assert found.ours == pytest.approx(second, abs=0.1)


def test_a_transient_that_is_only_not_seen_is_not_shown_to_be_absent():
    """Two days cannot tell: the interval must lie within a tenth of the difference."""
    frame = switched_days(np.random.default_rng(4), days=2, observations=40)
    frame["user_percent"] = frame["mixed_s"]
    found = claims.transient_length(SimpleNamespace(replacement=frame))
    assert abs(found.ours) < found.half_width and not found.holds


def test_cut_cycles_are_left_out_of_the_comparison_of_loads():
    """A night that cuts the last cycle leaves more of Algorithm 1, whose load is another."""
    order = switching.switching_order(2, 5, 27)
    frame = pd.DataFrame({"run": np.repeat([0, 1], 27), "version": np.tile(order, 2)})
    users = 30.0 + 20.0 * (frame.groupby("run").cumcount() >= 20)
    frame = switching.settled(switching.label(frame.assign(logged_on_users=users), 5, 2))
    whole = experiments.whole_cycles(frame)
    assert whole["cycle"].max() == 1 and len(whole) == 32
    found = claims.loads_equalized(SimpleNamespace(kept=frame))
    assert found.ours == 0.0 and found.holds


def test_others_pay_is_asked_of_the_observation_after_a_run_of_dusetimr():
    evidence = experiments.Evidence(3, **HOURS)
    seen = evidence.after_priority
    assert set(seen["version"]) == {0, 1, 2}
    first = experiments.observe_days(
        cp67.Parameters(**HOURS),
        3,
        versions=study.versions_of(study.PRIORITY)[0] * experiments.DRAWN_ROUNDS,
        batch=1,
        drawn=True,
    )
    own = first[first["run"] == 0]
    mine = seen[seen["run"] == 0]
    assert mine["start_s"].tolist() == own["start_s"].tolist()[1:]
    assert mine["version"].tolist() == (own["version"] % 3).tolist()[:-1]
    after, now = mine["version"].to_numpy(), own["version"].to_numpy()[1:] % 3
    assert np.bincount(3 * after + now, minlength=9).min() > 0


@pytest.mark.parametrize(
    ("beyond", "holds", "worst"), [((0.0, 0.0), True, 0.0), ((-0.5, 0.0), False, -0.5)]
)
def test_throughput_is_level_only_if_it_is_under_each_algorithm(beyond, holds, worst):
    rows = switched_days(np.random.default_rng(5), beyond=beyond)
    found = claims.throughput_levels_off(SimpleNamespace(kept=rows[rows["position"] > 1]))
    assert found.holds == holds
    assert found.ours == pytest.approx(worst, abs=0.05)


def test_batches_of_two_lose_to_larger_ones_where_the_load_has_no_memory():
    rng = np.random.default_rng(6)
    rows = switched_days(rng, observations=400)
    ratios = experiments.batch_ratios(rows.assign(noise=rng.normal(size=len(rows))), "noise")
    assert (ratios[2] == 1.0).all()
    # Half of the observations are kept in batches of two, five in six in batches of six. The
    # standard deviation between resamplings is some 0.07.
    off = np.abs(ratios.loc[0, 6] - np.sqrt((1 / 2) / (5 / 6)))
    assert off < 3.0 * ratios.loc[1:, 6].std()
    assert ratios.loc[0, 6] < 1.0


def days_of(values, version):
    """Observations of days whose means are given, FEWEST a day and version."""
    run = np.repeat(np.arange(len(values)), experiments.FEWEST)
    frame = pd.DataFrame({"run": run + 1000 * version, "mixed_s": np.asarray(values)[run]})
    return frame.assign(version=version, active_users=30)


def test_days_needed_by_hand():
    """Power 90 % at 95 %: (1.96 + 1.28) ** 2 variances over squared effects."""
    rng = np.random.default_rng(2)
    difference, own = rng.normal(0.5, 1.0, 40), rng.normal(0.0, 3.0, (2, 40))
    online = pd.concat(
        [days_of(np.zeros(40), 0), days_of(difference, 1).assign(run=lambda f: f["run"] - 1000)]
    )
    separate = pd.concat([days_of(own[0], 0), days_of(own[1], 1)])
    found = experiments.days_needed(online, separate, "mixed_s")
    by_hand = (3.2415 / difference.mean()) ** 2
    assert found["online_days"] == pytest.approx(by_hand * difference.var(ddof=1), rel=0.2)
    pairs = own[0].var(ddof=1) + own[1].var(ddof=1)
    assert found["separate_days"] == pytest.approx(2 * by_hand * pairs, rel=0.2)
    assert found["ratio"] == pytest.approx(difference.var(ddof=1) / (2 * pairs), rel=1e-9)
    assert found["separate_days"] * found["ratio"] == pytest.approx(found["online_days"])
    resampled = experiments.days_ratios(online, separate, "mixed_s")
    low, high = np.quantile(resampled, [0.025, 0.975])
    assert low < found["ratio"] < high


def test_evolutionary_operation_moves_down_when_the_load_gets_heavier():
    path = tuning.operate(5.0, heavier=True, seed=3)["in_queue_users"]
    assert len(path) == tuning.CYCLES and path.iloc[0] == 5.0
    assert path.iloc[-1] < path.iloc[tuning.CHANGE_AT]


def test_evolutionary_operation_takes_longer_on_a_small_machine_and_meets_steady_users(monkeypatch):
    """At 60 frames a cycle used to end without a benchmark at one of its points."""
    assert len(tuning.operate(5.0, heavier=False, frames=60)) == tuning.CYCLES
    monkeypatch.setattr(tuning, "LONGER", (1,))
    with pytest.raises(ValueError, match="more frames than 60"):
        tuning.operate(5.0, heavier=False, frames=60)
    machine = tuning.operated(True, users=20.0, day_users_sd=0.5, frames=80)
    assert (machine.users, machine.day_users_sd, machine.frames) == (45.0, 0.0, 80)


def test_evolution_is_measured_against_the_best_of_the_changed_load():
    found = tuning.Tuning.__new__(tuning.Tuning)
    curves = {True: [1.0, 2.0, 3.0, 2.0], False: [1.0, 4.0, 3.0, 2.0]}
    found.curves = {
        light: pd.Series(curve, [2.0, 3.0, 4.0, 5.0]) for light, curve in curves.items()
    }
    path = np.r_[np.full(tuning.CHANGE_AT + 1, 5.0), 4.0]
    found.paths = {heavier: [pd.DataFrame({"in_queue_users": path})] for heavier in (True, False)}
    assert found.moved(True).tolist() == [-1.0]
    found.paths[False] = [pd.DataFrame({"in_queue_users": path[::-1]})]
    assert found.moved(False).tolist() == [0.0]


def test_whereabouts_cover_the_time_once_each():
    result = cp67.simulate(cp67.Parameters(**HOURS), 1, trace=60_000)
    places = timeline.whereabouts(result, 100.0, 130.0)
    spans = (places["to_s"] - places["from_s"]).groupby(places["process"]).sum()
    assert (spans <= 30.0 + 1e-9).all() and (places["to_s"] >= places["from_s"]).all()
    for _, own in places.groupby("process"):
        assert (own["from_s"].to_numpy()[1:] >= own["to_s"].to_numpy()[:-1]).all()
    assert {"Q1", "Q2"} <= set(places["place"])


def test_pairs_of_days_as_drawn_are_all_but_those_of_one_day():
    """Of 8, 17 and 26 less another day's 10, 20 and 30 three of six are above 0."""
    found = pd.DataFrame({"1": [10.0, 20.0, 30.0], "2": [8.0, 17.0, 26.0]})
    assert sorted(experiments.all_pairs(found)) == [-22.0, -13.0, -12.0, 6.0, 7.0, 16.0]
    alt = pictures.days(found).alt
    assert "3 of 3 lines fall" in alt and "50 % put Algorithm 2 behind" in alt
    assert "means are 20.0 and 17.0 s" in alt
    same, separate = experiments.half_widths(found)
    assert same == pytest.approx(4.3027 / np.sqrt(3), rel=1e-4) and separate > same  # -2, -3 and -4


def test_each_week_is_drawn_twice():
    parts = [days_of(level * np.arange(1.0, 6.0), k) for k, level in enumerate((1.0, 0.8))]
    frame = pd.concat(parts).assign(load=30, run=lambda f: f["run"] % 1000)
    alt = pictures.weeks(frame).alt
    assert "In 1 of 1 weeks Algorithm 2 on slow days" in alt and "above in 0 of 1" in alt


def test_the_words_of_curves_are_of_what_is_drawn():
    rows = pd.DataFrame({"version": np.tile([0, 1], 120), "active_users": np.repeat([25, 35], 120)})
    rows = rows.assign(run=np.arange(240) // 2 % 6, cycle=0, x=10.0 + rows["version"])
    found = pictures.curves(rows, "x", ("A", "B"), "Figure", "s", "Drawn.", width=4)
    assert found.alt.startswith("Figure, by active users")
    assert "A: from 10 at 26.5 to 10 at 34.5" in found.alt and "B less A: 1 to 1." in found.alt


def test_each_of_todays_machines_has_what_the_one_before_has():
    then, solid, fast, crowd, large = today.machines(frames=80, task_ms=200.0).values()
    assert (then.users, then.measured_s) == (43.75, 3600.0)
    assert solid.disc_seek_ms == (0.0, 0.0, 0.0) and solid.task_ms == 200.0
    assert (fast.task_ms, fast.benchmark_cpu_ms[1], fast.hottest_per_ms) == (2.0, 2.6, 500.0)
    assert (crowd.users, crowd.frames, crowd.task_ms) == (2187.5, 80, 2.0)
    assert (large.users, large.frames) == (2187.5, 80_000)
    assert [*today.machines(frames=101).values()][-1].frames == today.MOST_FRAMES


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: study.experiment(4, 2), "experiments are 1, 2 and 3; 4 is none"),
        (lambda: study.experiment(1, 0), "days must be a whole number of 1 or more; 0 is not"),
        (lambda: study.experiment(1, 1, -1), "seed must be a whole number of 0 or more"),
        (lambda: experiments.Evidence(1), "days must be a whole number of 2 or more; .* is not"),
        (lambda: study.observe_days(10, 2, versions=[{}], batch=1), r"takes cp67\.Parameters"),
    ],
)
def test_impossible_days_and_experiments_are_refused_in_a_sentence_before_any_run(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()
