"""What the study derives from the print, and what it reads from a trace."""

from types import SimpleNamespace

import numpy as np
import pytest

from perfkit.runs.experiment import interval
from perfkit.systems import unix_v6
from perfkit.systems.unix_v6.parameters import LOOP_ITERATIONS, TABLE_III
from perfkit.systems.unix_v6.state import Event
from studies.evidence import published, scorecard
from studies.unix_v6 import (
    calibration,
    claims,
    derivations,
    experiments,
    nulls,
    swapping_claims,
    timeline,
)
from studies.unix_v6 import runs as study


@pytest.fixture(scope="module")
def evidence():
    runs = study.published_runs()
    return experiments.Evidence(runs, study.simulate_runs(runs, 2), 2)


def test_what_the_print_alone_does_not_give_is_known():
    card = derivations.derive_tables()
    assert card.loc[~card["reproduced"], "cell"].tolist() == [
        "average_transfer_time",
        "NL as defined, in all runs",
        "200 clicks",
        "PC 12",
        "PS 157",
        "623 s",
    ]
    card = derivations.derive_table_8()
    assert card.loc[~card["reproduced"], "cell"].tolist() == ["623 s"]
    assert card.loc[~card["reproduced"], "ours"].round(1).tolist() == [648.2]
    pairs = derivations.pair_predictions(derivations.full_runs(), 39.8)
    other = pairs.groupby("elapsed_s_b")["predicted_s"].mean()
    printed = published.table("unix_v6", "table_8", readings=True).set_index("measured_s")
    assert (other.round(1) != printed["predicted_mean_s"].reindex(other.index)).any()


@pytest.mark.parametrize(("factor", "clicks"), [(1.5, 975), (0.7, 455)])
def test_memory_scales_in_every_run_of_the_tables_and_claims(evidence, factor, clicks):
    scaled = study.simulate_runs(evidence.runs.head(3), 1, memory_factor=factor)
    assert scaled["memory_clicks"].tolist() == [clicks] * 3
    more = experiments.Evidence(evidence.runs, scaled, 1, memory_factor=factor)
    assert more.more(memory_clicks=650)["memory_clicks"].tolist() == [clicks]
    assert set(more.factorial["loaded"]) == {clicks // 157}
    same = study.with_memory(evidence.runs, 1.0)
    assert same[["memory_clicks", "loaded"]].equals(evidence.runs[["memory_clicks", "loaded"]])


def test_factors_of_memory_and_runs_that_can_not_be_are_refused_by_their_name(evidence):
    runs = evidence.runs
    for factor in (0, -1.0, np.nan, np.inf, "1.5"):
        with pytest.raises(ValueError, match=r"memory_factor must be a finite number above 0; "):
            study.simulate_runs(runs.head(1), 1, memory_factor=factor)
    for factor in (1e300, 1e18, 4.0):
        with pytest.raises(ValueError, match="must leave each run 4096 clicks of memory"):
            study.simulate_runs(runs, 1, memory_factor=factor)
    with pytest.raises(ValueError, match=r"its own memory_clicks.*memory_factor"):
        study.simulate_runs(runs.head(1), 1, memory_clicks=1000)


def test_the_claim_of_repeatability_is_tested_on_the_notebook_s_memory(evidence, monkeypatch):
    more = experiments.Evidence(evidence.runs, evidence.rows, 1, memory_factor=1.5)
    asked = []

    def simulate(p, seed, **options):
        asked.append(p.memory_clicks)
        return unix_v6.simulate(p, seed, **options)

    monkeypatch.setattr(claims, "simulate", simulate)
    claims.TESTS.function("repeatability")(more)
    assert asked == [975] * 3


def test_mean_iterations_by_hand_give_the_line_of_the_compute_loops():
    mean = derivations.mean_iterations()
    assert mean[12] == pytest.approx(0.03 * 5 + 0.33 * 20 + 0.64 * 200)
    assert mean[354] == pytest.approx(0.01 * 5 + 0.04 * 20 + 0.10 * 200 + 0.85 * 5000)
    slope, intercept = np.polyfit(mean, mean.index, 1)
    p = unix_v6.Parameters()
    assert (p.loop_iteration_ms, p.loop_overhead_ms) == (round(slope, 4), round(intercept, 2))


def test_pairs_are_of_two_runs_and_the_equation_is_without_error_where_times_follow_it():
    pairs = derivations.pair_predictions(derivations.full_runs())
    assert len(pairs) == 30
    ratio = (pairs["predicted_s"] / pairs["elapsed_s_a"]).set_axis(
        [tuple(pair) for pair in pairs[["run_a", "run_b"]].to_numpy()]
    )
    assert all(ratio[a, b] * ratio[b, a] == pytest.approx(1.0) for a, b in ratio.index)
    runs = derivations.full_runs()
    swap_ms = study.swap_times_ms()[runs["process_clicks"].str[0]].to_numpy()
    follow = runs.assign(elapsed_s=study.block_time_ms() + swap_ms / runs["loaded"])
    assert claims.equation_errors(follow)["predicted_s"] == pytest.approx(0.0, abs=1e-9)
    assert claims.equation_errors(follow)["elapsed_s_a"] > 5.0


def test_every_printed_cell_is_scored_and_z_is_over_the_spread_of_one_run_and_our_error(evidence):
    card = study.score_runs(evidence.runs, study.averages(evidence.rows))
    assert len(card) == 4 * (31 + 15)
    assert (card["kind"] == "fitted").sum() == 4 * 8 - 1  # swaps of run 13 have no weight
    doubted = card.loc[card["note"] != "", ["cell", "quantity"]].to_numpy().tolist()
    times = [["run 3", "elapsed_s"], ["run 28", "elapsed_s"]]
    assert doubted == [*times, ["run 28", "utilization_percent"]]
    row = study.score_runs(evidence.runs, study.averages(evidence.rows)).iloc[1]
    a, b = evidence.rows.loc[evidence.rows["point"] == 1, "elapsed_s"]
    of_one, of_mean = abs(a - b) / 2**0.5, abs(a - b) / 2
    wanted = ((a + b) / 2 - 613) / np.hypot(of_one, of_mean)
    assert row["z"] == pytest.approx(wanted, rel=1e-4)


def test_every_forecast_has_a_null_in_which_compute_time_is_nothing(evidence):
    runs, rows = evidence.runs, evidence.rows
    card = study.score_runs(runs, study.averages(rows))
    card = nulls.with_nulls(scorecard.gather(card, study.score_device_times(runs, rows)))
    assert card.loc[card["kind"].isin(scorecard.FORECAST), "null"].notna().all()
    seven = card[(card["item"] == "Table VII") & (card["quantity"] == "swaps")]["null"].to_numpy()
    assert np.unique(seven[:4]).size == 1 and seven[4] < seven[0]


def test_closed_times_are_those_that_the_disc_time_was_made_of():
    fitted = study.published_runs().query("kind == 'fitted'")
    size, work_ms = fitted["process_clicks"].str[0], 200 * 6 * 40.0 * fitted["processes"]
    made_s = (fitted["swaps"] * (10 + 0.2 * size) + work_ms) / 800
    made = fitted.assign(process_clicks=size, utilization_percent=80.0, elapsed_s=made_s)
    found = nulls.closed_times(made)["closed_ms"]
    assert found.tolist() == pytest.approx([10 + 0.2 * s for s in (157, 314, 425, 470)] + [40.0])


def test_every_claim_marked_tested_is_tested_once(evidence):
    card = claims.TESTS.score(evidence)
    said = published.claims("unix_v6")
    assert (card["kind"] == "claim").sum() == (said["use"] == "tested").sum() == 38
    assert (card["kind"] == "by construction").sum() == (said["use"] == "given").sum() == 3
    assert np.isfinite(card["ours"]).all()
    assert card["quantity"].str.contains("[a-z] .*: [<>0-9n]").all(), (
        "what was looked at, and asked"
    )


def test_no_swapping_is_asked_of_all_four_measured_runs_with_room_for_all(evidence):
    found = claims.TESTS.function("no_swapping_when_all_fit")(evidence)
    six = evidence.runs[evidence.runs["table"] == "Table VI"]
    fits = six[six["loaded"] == six["processes"]]
    swaps = study.averages(evidence.rows).loc[fits.index, "swaps"] / fits["processes"]
    assert fits["run"].tolist() == [11, 12, 13, 31]
    reach = [
        interval(evidence.rows.loc[evidence.rows["point"] == i, "swaps"] / n)
        for i, n in fits["processes"].items()
    ]
    worst = max(reach, key=sum)
    assert (found.ours, found.half_width) == pytest.approx(worst) and not found.holds
    assert swaps.max() == pytest.approx(max(mean for mean, _ in reach))


def test_a_swap_in_is_in_vain_if_its_process_waits_for_the_same_again_at_once():
    step, one = [(name, "f8") for name in ("time_ms", "kind", "actor", "value")], []
    for actor, again_ms, channel in ((2, 9.0, 5), (3, 9.5, 5), (4, 9.0, 6)):
        times, values = (0.0, 1.0, 2.0, 9.0, again_ms), (5, 0, 3, 20, channel)
        one += zip(times, (*swapping_claims.RESUMED, Event.SLEEP), [actor] * 5, values, strict=True)
    result = SimpleNamespace(trace=np.array(sorted(one), step), swaps_in=4)
    assert swapping_claims.swapped_in_to_wait(result) == 25.0


def test_claims_look_at_unfitted_runs_lines_of_three_and_known_utilizations_alone(evidence):
    kinds = evidence.runs["kind"]
    for size in ((157,), (314,)):
        for memory in (650, 1000, 1280):
            assert kinds[evidence.point(size, memory, 10)] == "predicted"
    found = claims.TESTS.function("saturation_at_twelve")(evidence)
    assert found.note.startswith("percent, 2 runs")
    six = evidence.factorial
    two = six[(six["memory_clicks"] == 1280) & six["processes"].isin([10, 12])]
    assert claims.lines(two) == []
    assert len(claims.lines(six)) == 2
    runs = evidence.runs[evidence.runs["table"] == "Table VI"]
    assert runs["utilization_percent"].isna().sum() == 1
    known = runs.dropna(subset="utilization_percent")
    assert claims.error_gap(runs) == claims.error_gap(known)


@pytest.mark.parametrize("size, count", [(157, 8), (314, 4)])
def test_runs_in_which_all_processes_fit_swap_only_because_update_does_not(size, count):
    p = unix_v6.Parameters(memory_clicks=1280, process_clicks=size, processes=count)
    left = 1280 - size * count
    assert p.update_clicks > left
    assert unix_v6.simulate(p, 0).swaps > 100
    assert unix_v6.simulate(p.replace(update_clicks=left), 0).swaps < count


def test_whereabouts_cover_the_time_without_gap_and_fit_in_core():
    p = unix_v6.Parameters(memory_clicks=1000, process_clicks=314, processes=6)
    result = unix_v6.simulate(p, 3, trace=20_000)
    places = timeline.whereabouts(result, 0.0, 15.0)
    later = timeline.whereabouts(result, 5.0, 15.0)
    assert later["from_s"].min() == 5.0 and (later["to_s"] > 5.0).all()
    assert later["to_s"].tolist() == places.loc[places["to_s"] > 5.0, "to_s"].tolist()
    for _, own in places.groupby("process"):
        assert own["from_s"].iloc[0] == 0.0 and own["to_s"].iloc[-1] == 15.0
        assert np.array_equal(own["from_s"].iloc[1:], own["to_s"].iloc[:-1])
    for moment in np.linspace(0.0, 15.0, 200):
        here = places[(places["from_s"] <= moment) & (moment < places["to_s"])]
        assert (here["place"] != "out").sum() <= 3


def test_the_simulator_s_own_scheduler_swaps_as_its_rule_says():
    ages = (5, 4, 2, 3, 1)
    processes = [
        {"name": n, "ready": True, "in core": n <= 3, "age": age} for n, age in enumerate(ages, 1)
    ]
    ask = experiments.simulator_swaps
    assert ask(processes, 4, 3, 3) == 4, "there is room: the longest outside comes"
    assert ask(processes, 3, 3, 3) == 1, "without room the oldest in core goes"
    assert ask(processes, 3, 4, 3) is None, "the newcomer has not waited long enough"
    processes[2]["ready"] = False
    assert ask(processes, 3, 9, 9) == 3, "a pausing process goes first"
    processes[3]["ready"] = processes[4]["ready"] = False
    assert ask(processes, 4, 0, 0) is None, "no process wants to come in"


def test_the_first_picture_has_the_memory_factor_and_the_disc_on_offer():
    p = unix_v6.Parameters(processes=2, interactions=2)
    changes = {"processes": p.processes, "interactions": p.interactions}
    runs = experiments.disc_or_memory(2, 0, 1.5, 1.1, **changes)
    assert sorted(runs["memory_clicks"].unique()) == [975, 1500, 1920, 1950, 2400, 2880, 3840]
    assert sorted(runs["disc_speed"].unique()) == [1.0, 1.1, 1.5, 2.0]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ((20.0, 42.4, 56.8), (16.8, 0.0, 35.6, 47.6)),
        ((10.0, 20.0, 30.0), (10.0, 40.0, 20.0, 30.0)),
        ((60.0, 60.0, 60.0), (33.3, 0.1, 33.3, 33.3)),
        ((0.0, 0.0, 0.0), (0.0, 100.0, 0.0, 0.0)),
    ],
)
def test_free_pauses_come_to_a_hundred_percent(given, taken):
    values = calibration.free_values(unix_v6.Parameters())
    values |= dict(zip((f"pause_{i}_percent" for i in (0, 2, 3)), given, strict=True))
    changes = calibration.changes_of(values)
    assert unix_v6.Parameters(**changes).pause_percent == taken


def test_a_trace_too_short_is_refused():
    result = unix_v6.simulate(unix_v6.Parameters(processes=2), 1, trace=10)
    with pytest.raises(ValueError, match="larger trace"):
        timeline.whereabouts(result, 0.0, 60.0)
    with pytest.raises(ValueError, match="the run's end"):
        timeline.whereabouts(result, 0.0, 1e6)


def test_the_simulator_has_table_3_as_printed():
    printed = published.table("unix_v6", "table_3").groupby("compute_ms")
    for compute_ms, rows in printed:
        assert tuple(rows["iterations"]) == LOOP_ITERATIONS
        assert tuple(rows["cumulative_percent"]) == TABLE_III[compute_ms]
    assert set(TABLE_III) == set(printed.groups)


def test_a_faster_disc_is_faster_than_the_readers_own(evidence):
    own = unix_v6.Parameters(disc_revolution_ms=20.0)
    faster = own.levers["disc_speed"].changes(own, 2.0)
    assert faster["disc_revolution_ms"] == 10.0 and faster["disc_seek_ms"] == (7.5, 27.5, 50.0)
    assert own.disc_speed is None and own.replace(disc_speed=2.0).disc_revolution_ms == 12.5
