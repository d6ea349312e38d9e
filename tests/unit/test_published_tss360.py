"""The TSS/360 tables have their cells, and the arithmetic of the print closes."""

import numpy as np
import pytest
from scipy import stats

from perfkit import published

KEY = "tss360"
CELLS = ["old_old", "new_old", "old_new", "new_new"]
SHAPES = {
    "table_1": (14, 4),
    "table_2": (12, 5),
    "table_2_moments": (3, 4),
    "table_3": (4, 5),
    "table_4": (4, 5),
    "table_5": (42, 5),
    "table_6": (13, 8),
    "table_7": (4, 6),
    "experiments": (4, 7),
    "figures": (15, 6),
    "figure_points": (12, 10),
}


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


@pytest.mark.parametrize("name", SHAPES)
def test_a_table_has_every_row_and_column(name):
    assert table(name).shape == SHAPES[name]


def test_the_columns_of_the_tables_add_up():
    sums = {
        "table_2": {"limit": 231.1, "cdf": 10.421},
        "table_2_moments": {"mean": 16.8, "sd": 122.6},
        "table_3": {"writes_0": 0.815, "writes_1_10": 0.063, "writes_11_20": 0.025},
        "table_4": {"frames_1_10": 0.022, "frames_11_20": 0.752, "frames_21_30": 0.197},
        "table_5": {"block": 69, "r": -0.1},
        "table_6": {"old_old": 213.35, "new_old": 209.03, "old_new": 212.5, "new_new": 212.69},
        "figure_points": {"x_value": 99.002, "y_value": 10202.6},
    }
    for name, columns in sums.items():
        for column, total in columns.items():
            assert table(name)[column].sum() == pytest.approx(total, abs=1e-9), (name, column)


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


def test_the_text_rounds_table_6():
    means = table_6()
    experiments = table("experiments")
    for level in ("old", "new"):
        cells = experiments.loc[experiments["schedule"] == level, "experiment"]
        assert means.loc["R", cells].mean().round() == claimed(f"response_{level}")
        cells = experiments.loc[experiments["replacement"] == level, "experiment"]
        assert (means.loc["TSE_so", cells] == round(claimed(f"swap_outs_{level}"), 1)).all()
    assert (means.loc["N_t", CELLS] > claimed("users_in_periods")).all()
    assert (means.loc["p_v", CELLS] + means.loc["p_o", CELLS] < 1).all()


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


def test_the_estimate_charges_thirteen_frames_a_task_more_than_are_held():
    means = table_6()[CELLS]
    gap = (means.loc["P_s"] + means.loc["P_a"] - means.loc["P_eav"]) / means.loc["N_d"]
    np.testing.assert_allclose(gap, 13.2, atol=0.35)


def test_a_fault_takes_the_supervisor_about_as_long_in_each_experiment():
    means = table_6()[CELLS]
    fault_ms = 1000 * means.loc["p_o"] / means.loc["r_pf"]
    np.testing.assert_allclose(fault_ms, [15.1, 14.5, 15.0, 13.2], atol=0.05)


def test_table_7_closes_as_read():
    frame = table("table_7", readings=True).set_index("source")
    squares = (frame["sum_of_squares"] / frame["df"]).round(2)
    assert squares.equals(frame["mean_square"])
    half = 0.005 * (frame.index != "error") + 0.05 * (frame.index == "error")
    low, high = frame["sum_of_squares"] - half, frame["sum_of_squares"] + half
    df = frame.loc["error", "df"]
    effects = frame.drop(index="error")
    assert (df * low / high["error"] < frame["f_ratio"] + 0.05)[effects.index].all()
    assert (df * high / low["error"] > frame["f_ratio"] - 0.05)[effects.index].all()
    p = stats.f.sf(effects["f_ratio"], effects["df"], df)
    assert ((p < 0.05) == (effects["significant"] == 1)).all()
    assert p[effects.index.get_loc("scheduling")] > 0.01


def test_table_7_has_one_degree_of_freedom_less_than_the_design():
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
    covariates = 2
    df = table("table_7").set_index("source")["df"]
    assert experiments["periods"].sum() - len(experiments) - covariates == df["error"] + 1


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
