"""The TSS/360 tables have their cells, and the arithmetic of the print closes."""

import numpy as np
import pytest
from scipy import stats

from perfkit import published

KEY = "tss360"
CELLS = ["old_old", "new_old", "old_new", "new_new"]


def table(name, readings=False):
    return published.table(KEY, name, readings=readings)


def claimed(name):
    return published.claims(KEY).set_index("id").loc[name, "value"]


def table_6():
    return table("table_6").set_index("variable")


def effect(values):
    """Return the effects of schedule, replacement and interaction, in that order."""
    signs = np.array([[-1, 1, -1, 1], [-1, -1, 1, 1], [1, -1, -1, 1]])
    return signs @ values.to_numpy(float) / 2


def correlations(block, changed=None):
    frame = table("table_5", readings=True).set_index("pair").query("block == @block").copy()
    if changed:
        frame.loc[changed, "r"] *= -1
    names = [*frame["variable"].unique(), "R*"]
    matrix = np.eye(len(names))
    for pair in frame.itertuples():
        i, j = names.index(pair.variable), names.index(pair.against)
        matrix[i, j] = matrix[j, i] = pair.r
    assert len(frame) == len(names) * (len(names) - 1) / 2
    assert (matrix != 0).sum() == len(names) + 2 * (frame["r"] != 0).sum()
    return matrix


def test_table_1_defines_the_variables_of_tables_5_and_6():
    factors = table("table_1", readings=True).set_index("variable")
    assert set(table("table_5")["variable"]) == set(factors.index)
    both = table_6().drop(index="R")
    assert both["unit"].equals(factors["unit"].reindex(both.index))
    averaged = factors.index[factors["time_averaged"] == 1]
    assert list(averaged) == ["N_t", "N_e", "N_d", "P_eav", "P_a", "P_s"]


@pytest.mark.parametrize("readings", [False, True])
def test_tables_2_and_3_agree_only_as_read(readings):
    cdf = table("table_2", readings).set_index("point")["cdf"].to_numpy()[4:].reshape(2, 4)
    joint = table("table_3").set_index("reads").to_numpy()
    margins = np.array([joint.sum(axis=1).cumsum(), joint.sum(axis=0).cumsum()])
    assert joint.sum() == pytest.approx(0.919)
    if readings:
        assert (margins <= cdf + 1e-9).all()
        np.testing.assert_allclose(cdf[0, :3], margins[0, :3])
        assert cdf[1, 0] == pytest.approx(margins[1, 0])
    else:
        assert (margins > cdf + 0.01).sum() == 2


def test_what_lies_beyond_the_last_limits_of_table_2():
    """Each closed class at its bottom, middle or top; the open one makes up the rest."""
    points, moments = table("table_2", True), table("table_2_moments").set_index("resource")

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


def test_reads_and_writes_go_together_in_table_3():
    shares = table("table_3").set_index("reads").to_numpy().ravel()
    reads, writes = np.meshgrid([0, 5.5, 15.5, 25.5], [0, 5.5, 15.5, 25.5], indexing="ij")
    spread = np.cov(reads.ravel(), writes.ravel(), aweights=shares)
    assert spread[0, 1] / np.sqrt(spread[0, 0] * spread[1, 1]) == pytest.approx(0.57, abs=0.005)


@pytest.mark.parametrize(("r", "minutes"), [(0.1, 385), (0.2, 97)])
def test_how_many_minutes_make_a_correlation_significant(r, minutes):
    def p(count):
        return 2 * stats.t.sf(r * ((count - 2) / (1 - r**2)) ** 0.5, count - 2)

    assert p(minutes) <= 0.05 < p(minutes - 1)


def test_the_coefficient_of_variation_closes_within_rounding():
    times = table("table_2_moments").iloc[0]
    assert times["mean"] == claimed("processing_mean")
    low, high = (times["sd"] + s * 0.05 for s in (-1, 1))
    assert low / (times["mean"] + 0.005) < claimed("processing_variation")
    assert claimed("processing_variation") < high / (times["mean"] - 0.005)


def test_table_4_has_more_frames_for_more_processing_and_disagrees_with_table_2():
    joint = table("table_4").set_index("cpu_s").to_numpy()
    frames = joint @ [5.5, 15.5, 25.5, 35.5] / joint.sum(axis=1)
    np.testing.assert_allclose(frames, [15.8, 16.3, 22.5, 27.2], atol=0.06)
    excess = joint.sum(axis=1).cumsum()[1:] - table("table_2")["cdf"].to_numpy()[:3]
    np.testing.assert_allclose(excess, [0.044, 0.007, -0.002])


def test_the_correlations_can_be_correlations_and_the_lost_sign_is_minus():
    for block in (1, 2, 3):
        assert np.linalg.eigvalsh(correlations(block)).min() > 0.1
    assert np.linalg.eigvalsh(correlations(2, changed="P_s r_s")).min() < -0.4
    assert table("table_5")["r"].isna().sum() == 1


def test_the_estimate_correlates_highest_with_log_response():
    against = table("table_5").query("against == 'R*'").set_index("variable")["r"].abs()
    assert against.idxmax() == "P_eav"
    assert against["P_s"] == against["N_e"] == claimed("sharable_correlates_next")
    assert (against > against["P_s"]).sum() == 1


@pytest.mark.parametrize(
    ("variable", "effects"),
    [
        ("R", [-1.125, 0.135, 0.025]),
        ("P_s", [-2, -10, 1]),
        ("P_a", [-0.5, 6.5, -0.5]),
        ("r_s", [0.5, 3.1, 0.4]),
    ],
)
def test_the_effects_are_those_of_the_text(variable, effects):
    np.testing.assert_allclose(effect(table_6().loc[variable, CELLS]), effects)


def test_the_last_digit_divides_the_means():
    means = table_6()
    assert (means["last_digit"] > 0).all()
    steps = means[CELLS].div(means["last_digit"], axis=0)
    np.testing.assert_allclose(steps, steps.round(), atol=1e-9)


def test_table_7_closes_as_read():
    frame = table("table_7", readings=True).set_index("source")
    squares = (frame["sum_of_squares"] / frame["df"]).round(2)
    assert squares.equals(frame["mean_square"])
    assert stats.f.sf(frame.loc["scheduling", "f_ratio"], 1, frame.loc["error", "df"]) > 0.01


def test_the_text_repeats_the_experiments():
    experiments = table("experiments")
    assert len(experiments) == claimed("experiments")
    for column, claim in {
        "days": "days",
        "periods": "periods",
        "period_min": "period_length",
    }.items():
        assert (experiments[column] == claimed(claim)).all()
    passes = {"old": claimed("new_arrivals_first"), "new": claimed("foreground_passes")}
    assert (experiments["foreground_passes"] == experiments["schedule"].map(passes)).all()


def test_the_sum_of_squares_of_scheduling_is_not_that_of_table_6():
    printed = table("table_7").set_index("source").loc["scheduling", "sum_of_squares"]
    periods = table("experiments")["periods"].sum()
    by_table_6 = periods * (effect(table_6().loc["R", CELLS])[0] / 2) ** 2
    error = table("table_7", True).set_index("source").loc["error", "sum_of_squares"] / 29
    assert by_table_6 == pytest.approx(11.4, abs=0.05)
    assert by_table_6 / error == pytest.approx(16.4, abs=0.05)
    assert by_table_6 > 2.2 * printed
    assert 2 * (printed / periods) ** 0.5 == pytest.approx(0.75, abs=0.005)
    assert 2 * stats.t.ppf(0.975, 29) * (error / periods) ** 0.5 == pytest.approx(0.57, abs=0.005)


def test_figures_are_described_where_the_text_gives_a_point():
    figures, points = table("figures").set_index("figure"), table("figure_points")
    assert list(figures.index) == list(range(1, 16))
    for point in points.itertuples():
        assert point.x == figures.loc[point.figure, "x"]
        assert point.y in figures.loc[point.figure, "y"].split()
    values = points.set_index("point")
    for point, claim in {
        "short_transaction": "short_transaction_rate",
        "long_transaction": "long_transaction_rate",
        "multiprogramming_levels_off": "dispatchable_levels_off",
        "estimate_falls": "estimate_at_five",
        "inventory_kept": "inventory_threshold",
        "sharable_needed": "sharable_needed",
        "private_not_found_again": "private_reclaims_vanish",
    }.items():
        assert values.loc[point, "y_value"] == claimed(claim)
    short = values.loc["short_transaction"]
    assert short["x_value"] * short["y_value"] == claimed("short_transaction_pages")
    assert 100 * values.loc["overhead_levels_off", "y_value"] == claimed("overhead_levels_off")
