"""What no study derives: the print repeats its numbers, and doubted cells are read with reason."""

import datetime
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from studies.evidence import published
from studies.evidence.published import stated
from studies.tss360.derivations import EXPERIMENTS, block_correlations, table_6_effects


def table(key, name, readings=False):
    frame = published.table(key, name, readings=readings)
    return frame.set_index(frame.columns[0])


POINTS = "figure_points"
# Claims that say what a cell of a table says: its table, row and column, and the claim.
REPEATED = [
    ("cp67", "experiments", 1, "duration", "replacement_days"),
    ("cp67", "experiments", 1, "batch_observations", "replacement_batch"),
    ("cp67", "experiments", 1, "discarded_observations", "replacement_discarded"),
    ("cp67", "experiments", 2, "duration", "slice_weeks"),
    ("cp67", "experiments", 2, "batch_observations", "slice_batch"),
    ("cp67", "experiments", 2, "discarded_observations", "slice_discarded"),
    ("cp67", "experiments", 2, "cycle_observations", "slice_cycle"),
    ("cp67", "experiments", 3, "batch_observations", "p0_successive"),
    ("emas", "residence", "core_queue", "mean_ms", "core_queue_wait"),
    ("emas", "residence", "preload", "mean_ms", "preload_wait"),
    ("emas", "residence", "run_queue", "mean_ms", "run_queue_wait"),
    ("emas", "residence", "page_wait", "mean_ms", "page_wait"),
    ("emas", "residence", "cpu", "mean_ms", "cpu_residence"),
    ("tss360", POINTS, "short_transaction", "y_value", "short_transaction_rate"),
    ("tss360", POINTS, "long_transaction", "y_value", "long_transaction_rate"),
    ("tss360", POINTS, "multiprogramming_levels_off", "y_value", "dispatchable_levels_off"),
    ("tss360", POINTS, "estimate_falls", "y_value", "estimate_at_five"),
    ("tss360", POINTS, "inventory_kept", "y_value", "inventory_threshold"),
    ("tss360", POINTS, "sharable_needed", "y_value", "sharable_needed"),
    ("tss360", POINTS, "private_not_found_again", "y_value", "private_reclaims_vanish"),
    ("tss360", "table_2_moments", "virtual storage processing time", "mean", "processing_mean"),
]


@pytest.mark.parametrize(("key", "name", "row", "column", "claim"), REPEATED)
def test_a_claim_repeats_the_number_of_a_table(key, name, row, column, claim):
    assert table(key, name).loc[row, column] == stated(key, claim)


@pytest.mark.parametrize(("name", "fewest"), [("paging", 17), ("session", 6)])
def test_claims_of_emas_have_the_names_of_its_text_tables(name, fewest):
    values, texts = table("emas", name)["value"], published.claims("emas").set_index("id")["value"]
    both = values.index.intersection(texts.index)
    assert len(both) >= fewest
    assert values[both].equals(texts[both])


def test_the_reading_at_20_users_of_cp67_is_what_the_other_waits_give():
    printed, read = (table("cp67", "table_1", readings)["wait_s"] for readings in (False, True))
    assert (printed[20], read[20]) == (100, 200)
    between = read.loc[11:27]
    assert (between == (1000 * 5 ** ((10 - between.index) / 10)).astype(int)).all()
    assert (read.diff().dropna() < 0).all()


def test_the_versions_of_cp67_are_counted_and_priorities_in_their_range():
    versions = published.table("cp67", "versions").set_index("experiment")
    runs = table("cp67", "experiments")
    assert versions.groupby("experiment").size().equals(runs["versions"])
    cycle = runs.loc[2, "versions"] * runs.loc[2, "batch_observations"]
    assert cycle == stated("cp67", "slice_cycle")
    first, usual, third = versions.loc[3, "p0"]
    assert usual == stated("cp67", "p0_second") == stated("cp67", "usual_p0")
    bounds = published.claims("cp67").set_index("id").loc["p0_range"]
    assert bounds["value"] <= min(first, third) and max(first, third) <= bounds["value_high"]


def test_the_days_of_cp67_are_one_week_without_its_wednesday_and_alternate_in_balance():
    days = published.table("cp67", "days")
    dates = [datetime.date(*day) for day in days[["year", "month", "day"]].to_numpy().tolist()]
    assert [day.isoformat() for day in dates] == days["date"].tolist()
    assert [day.isoweekday() for day in dates] == [1, 2, 4, 5]
    plan = published.table("cp67", "alternate_days")
    assert (plan.groupby(["weekday", "version"]).size() == 1).all()
    assert (plan.groupby("version").size() == stated("cp67", "alternate_days_each")).all()
    day = plan["weekday"].map({"Monday": 1, "Tuesday": 2, "Wednesday": 3, "Thursday": 4})
    assert (day.groupby([plan["week"], plan["version"]]).sum() == 5).all()


def test_cells_of_emas_that_are_read_are_what_others_give():
    seconds = table("emas", "table_2")["seconds"]
    share = (100 * seconds["core_loading"] / seconds["supervisor"]).round()
    assert share == table("emas", "claims", readings=True).loc["core_loading_share", "value"]
    paging = table("emas", "paging")["value"]
    useful = (100 - paging["wasted"]) / paging["demand_only_factor"]
    assert int(useful) == paging["waste_break_even"]
    read = table("emas", "paging", readings=True)["value"]
    assert round(100 - useful + 0.01) == read["waste_break_even"]
    lost = {
        name: table("emas", name).isna().sum().sum()
        for name in [*(f"table_{n}" for n in range(1, 7)), "residence", "paging"]
    }
    assert {name: count for name, count in lost.items() if count} == {"table_1": 2, "table_5": 1}
    assert table("emas", "table_1").loc["datel_4800", ["machine_a", "machine_b"]].isna().all()
    words = table("emas", "table_5", readings=True)["words"]
    assert Counter(words) == {4: 14, 2: 8, 3: 6, 5: 2}
    mean = stated("emas", "trace_space") * table("emas", "devices").loc["page", "value"] / 4
    assert mean / stated("emas", "trace_records") == pytest.approx(3.56, abs=0.005)


def test_tables_3_4_and_6_of_emas_add_up():
    frame = table("emas", "table_3")
    means = frame["total"] / stated("emas", "samples")
    assert means.between(frame["minimum"], frame["maximum"]).all()
    assert means.filter(like="core_queue").sum() == pytest.approx(5.572)
    for kind in ("core", "drum", "block_page_tables"):
        more = frame.loc[f"{kind}_unused"] > frame.loc[f"{kind}_unallocated"]
        assert more[["total", "minimum", "maximum"]].tolist() == [True, True, False]
    frame = table("emas", "table_4", readings=True)
    share = frame["transitions_percent"]
    assert share.sum() == pytest.approx(100.2)
    pages = zip(frame["min_drum_pages"], frame["max_drum_pages"], strict=True)
    assert set(pages) == {(64, 80), (80, 128)}
    by_queue = share.groupby(frame["core_queue"]).sum().round(1)
    assert by_queue.tolist() == [56.3, 29.3, 10.3, 1.9, 2.4]
    means = table("emas", "command_means")["elapsed_s"].dropna()
    frame = table("emas", "table_6").loc[means.index]
    rounding = pd.Series({"edit": 3.0, "compile": 0.5, "execute": 0.5})
    low = (means - rounding) * frame["count"] / (frame["elapsed_percent"] + 0.5) * 100
    high = (means + rounding) * frame["count"] / (frame["elapsed_percent"] - 0.5) * 100
    assert 132_000 < low.max() < high.min() < 132_600
    assert means["edit"] == 60 * stated("emas", "edit_elapsed")
    session = table("emas", "session")["value"]
    counts, means = table("emas", "table_6")["count"], table("emas", "command_means")
    columns = ["input_lines", "input_characters", "output_lines", "output_characters"]
    known = means[columns].mul(counts, axis=0).sum()
    rest = (session[columns] * session["commands"] - known) / (counts["compile"] + counts["other"])
    np.testing.assert_allclose(rest, [1.27, 15.6, 2.43, 96.1], rtol=0.005)
    seconds = means.loc["execute", "output_characters"] / session["terminal_rate"]
    assert 0.75 < seconds / means.loc["execute", "elapsed_s"] < 0.80


def test_a_drum_holds_its_capacity_and_its_slots_fit_the_revolution():
    value = table("emas", "devices")["value"]
    pages = value["drum_tracks"] * value["drum_pages_per_track"]
    assert pages * value["page"] == 2 * 1024**2 == value["drum_capacity"] * 1024**2
    slot_ms = value["drum_revolution"] / value["drum_pages_per_track"]
    assert 0.9 * slot_ms < value["page"] / value["drum_rate"] < slot_ms
    access = value["disc_arm"] + value["disc_revolution"] / 2 + value["page"] / value["disc_rate"]
    assert access == 96


def test_the_labels_of_figure_4_stand_where_the_shares_put_them():
    frame, paging = table("emas", "figure_4"), table("emas", "paging")["value"]
    ticks = frame.dropna(subset="pages")
    slope, top = np.polyfit(ticks["scan_row"], ticks["pages"].astype(float), 1)
    height = top + slope * frame["scan_row"]
    assert (height - ticks["pages"]).abs().max() < 700
    names = ["prepage_transfers", "demand_shared", "wasted", "demand_disc"]
    transferred, shared, wasted, disc = paging[names] / 100
    demand = paging["demand_share"] / paging["prepaged_share"]
    middle = pd.Series(
        {
            "prepaged_in_core": (1 + transferred) / 2,
            "prepaged_transferred": transferred / 2,
            "prepaged_not_used": 1 - wasted / 2,
            "demand_in_core": demand * (1 - shared / 2),
            "demand_drum": demand * (1 - shared + disc) / 2,
            "in_preload": transferred / 2,
            "in_drum": transferred + demand * (1 - shared - disc) / 2,
            "in_disc": transferred + demand * (1 - shared - disc / 2),
        }
    )
    at = height[middle.index]
    preloaded = (at * middle).sum() / (middle**2).sum()
    assert preloaded == pytest.approx(48_000, rel=0.05)
    assert np.abs(at - preloaded * middle).max() < 3000


def test_the_throughput_of_sim61_is_inverse_to_traverse_time():
    load = published.table("sim61", "table_1")
    assert (load["virtual_pages"] == 2 * load["working_set_mean"]).all()
    known = table("sim61", "table_3")["interactions"].dropna()
    assert known.to_dict() == {4: 1003, 6: 2051, 7: 2157, 8: 2310}
    product = known.astype(float) * table("sim61", "text_runs")["paging_queue_ms"]
    assert product[4] == pytest.approx(product[6], rel=0.001)


def test_tables_1_to_4_of_tss360_agree_as_read():
    factors, means = table("tss360", "table_1", True), table("tss360", "table_6")
    assert set(table("tss360", "table_5")["variable"]) == set(factors.index)
    both = means.drop(index="R")
    assert both["unit"].equals(factors["unit"].reindex(both.index))
    steps = means[EXPERIMENTS].div(means["last_digit"], axis=0)
    np.testing.assert_allclose(steps, steps.round(), atol=1e-9)
    cdf = table("tss360", "table_2", readings=True)["cdf"].to_numpy()[4:].reshape(2, 4)
    joint = table("tss360", "table_3").to_numpy()
    margins = np.array([joint.sum(axis=1).cumsum(), joint.sum(axis=0).cumsum()])
    assert joint.sum() == pytest.approx(0.919)
    assert (margins <= cdf + 1e-9).all()
    np.testing.assert_allclose(cdf[0, :3], margins[0, :3])
    assert cdf[1, 0] == pytest.approx(margins[1, 0])
    joint = table("tss360", "table_4").to_numpy()
    frames = joint @ [5.5, 15.5, 25.5, 35.5] / joint.sum(axis=1)
    np.testing.assert_allclose(frames, [15.8, 16.3, 22.5, 27.2], atol=0.06)


def test_effects_correlations_and_squares_of_tss360_are_possible_as_read():
    """Of scheduling, replacement and their interaction."""
    effects = {
        "R": [-1.125, 0.135, 0.025],
        "P_s": [-2, -10, 1],
        "P_a": [-0.5, 6.5, -0.5],
        "r_s": [0.5, 3.1, 0.4],
    }
    np.testing.assert_allclose(table_6_effects().loc[list(effects)], list(effects.values()))
    for block in (1, 2, 3):
        assert np.linalg.eigvalsh(block_correlations(block)).min() > 0.1
    other_sign = block_correlations(2)
    other_sign.loc["P_s", "r_s"] *= -1
    other_sign.loc["r_s", "P_s"] *= -1
    assert np.linalg.eigvalsh(other_sign).min() < -0.4
    assert table("tss360", "table_5")["r"].isna().sum() == 1
    printed = table("tss360", "table_7").loc["scheduling", "sum_of_squares"]
    periods = published.table("tss360", "experiments")["periods"].sum()
    by_table_6 = periods * (table_6_effects().loc["R", "schedule"] / 2) ** 2
    error = table("tss360", "table_7", True).loc["error", "sum_of_squares"] / 29
    assert by_table_6 == pytest.approx(11.4, abs=0.05)
    assert by_table_6 / error == pytest.approx(16.4, abs=0.05)
    assert 2 * (printed / periods) ** 0.5 == pytest.approx(0.75, abs=0.005)


def test_figures_of_tss360_are_described_where_the_text_gives_a_point():
    figures, points = table("tss360", "figures"), table("tss360", "figure_points")
    for point in points.itertuples():
        assert point.x == figures.loc[point.figure, "x"]
        assert point.y in figures.loc[point.figure, "y"].split()
    short = points.loc["short_transaction"]
    assert short["x_value"] * short["y_value"] == stated("tss360", "short_transaction_pages")
    levels_off = 100 * points.loc["overhead_levels_off", "y_value"]
    assert levels_off == stated("tss360", "overhead_levels_off")


def test_what_lies_beyond_the_last_limits_of_table_2():
    """Each closed class at its bottom, middle or top; the open one makes up the rest."""
    points, moments = table("tss360", "table_2", True), table("tss360", "table_2_moments")

    def beyond(resource):
        own = points[points["resource"] == resource]
        high, cdf = own["limit"].to_numpy(float), own["cdf"].to_numpy()
        low = np.append(0.0, high[:-1] + (own["unit"].iloc[0] != "s"))
        shares, rest = np.diff(cdf, prepend=0), 1 - cdf[-1]
        mean, sd = moments.loc[resource, ["mean", "sd"]]
        least = ((mean**2 + sd**2 - shares @ high**2) / rest) ** 0.5
        return least, (mean - shares @ (low + high) / 2) / rest, (mean - shares @ low) / rest

    assert beyond("virtual storage processing time")[::2] == pytest.approx((198, 313), abs=0.5)
    assert beyond("data set reads")[1] == pytest.approx(108, abs=0.5)
    assert beyond("data set writes")[1] == pytest.approx(139, abs=0.5)
    shares = table("tss360", "table_3").to_numpy().ravel()
    reads, writes = np.meshgrid([0, 5.5, 15.5, 25.5], [0, 5.5, 15.5, 25.5], indexing="ij")
    spread = np.cov(reads.ravel(), writes.ravel(), aweights=shares)
    assert spread[0, 1] / np.sqrt(spread[0, 0] * spread[1, 1]) == pytest.approx(0.57, abs=0.005)
