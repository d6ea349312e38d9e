"""Every method refuses, in one sentence that names it, an argument that is impossible.

What else is wrong of arguments together, for which more is needed, stands with each method.
"""

import importlib
import inspect
import pkgutil
import re

import numpy as np
import pandas as pd
import pytest
from factorial import runs_of

from perfkit import methods
from perfkit.methods import (
    characterisation,
    correlation,
    designs,
    distributions,
    evop,
    factors,
    families,
    fits,
    pareto,
    planned,
    power,
    switching,
    tracing,
)

TWO = {"schedule": ("old", "new"), "purge": ("old", "new")}
RNG = np.random.default_rng(0)
RUNS = runs_of(TWO, 9).assign(R=RNG.normal(size=36), N_d=RNG.normal(size=36))
OBSERVED = pd.DataFrame({"run": np.repeat([0, 1], 12), "version": [0, 0, 1, 1] * 6})
OBSERVED = switching.label(OBSERVED.assign(x=RNG.random(24), y=RNG.random(24)), 2, 2)
SAMPLES = pd.DataFrame(RNG.normal(size=(30, 3)), columns=["a", "b", "c"])
EVENTS = np.zeros(2, [(name, "i8") for name in ("time_ms", "kind", "actor", "value", "detail")])
EVENTS["time_ms"][1] = 4000
TRACE = tracing.Trace(EVENTS, dict(enumerate(tracing.EVENTS)))
RATES = pd.DataFrame({"rate": [5.0], "prepaging": [5.0], "demand": [0.0], "demand_drum": [0.0]})
RATES = RATES.assign(prepaging_ms=20.0, demand_ms=np.nan, demand_drum_ms=np.nan)
T1 = (evop.Adjustable("t1", 200.0, 25.0, 50.0, 800.0),)


def whole(least):
    return [least - 1, least + 0.5, np.nan, np.inf, None, "two", True]


NO_NUMBER = [np.nan, np.inf, -np.inf, None, "one"]
SHARE = [0, 1, -0.5, 95, "half", *NO_NUMBER]
ABOVE_0 = [0.0, -1.0, *NO_NUMBER]
# What a sentence must say, where it is not the argument's name or that of what is absent.
TOLD = {
    "factors": "[Ff]actor",
    "candidates": "variable must be named once",
    "predictors": "variable must be named once",
    "correlation": "[Cc]orrelations",
    "frame": "no value may be missing|A constant|must be numbers",
    "variables": "one variable or more",
    "count": "Classes must be 2 to 29",
    "counts": "Classes must be 2 to 29",
    "classes": "lack a class",
    "values": "at least one value",
    "row_limits": "The limits must grow|limits must be a list of numbers",
    "column_limits": "The limits must grow|limits must be a list of numbers",
    "column_values": "as many values",
    "limits": "a share each",
    "cdf": "a share each",
    "p_values": "no p that is missing",
    "responses": "response",
    "observations": "leave them out|never changes",
    "unit_differences": "two units or more",
    "versions": "Version 2 was never in force",
    "baseline": "was never in force",
    "settled_from": "No batch has a position 2",
}

FRAME = [None, [1.0, 2.0], {"a": [1.0]}]
TIMES = pd.to_datetime(SAMPLES["a"], unit="D")
ODD = [SAMPLES.assign(a="1"), SAMPLES.assign(a=TIMES), pd.concat([SAMPLES, SAMPLES], axis=1)]
NUMBERED = [SAMPLES.head(2), SAMPLES * np.nan, *ODD]
SWITCHED = [*FRAME, OBSERVED.drop(columns="cycle"), OBSERVED.assign(run=np.nan)]
SWITCHED += [OBSERVED.assign(x="1"), OBSERVED.astype({"x": "category"})]
NAME, NAMES = ["absent", ["absent"]], [["absent"], ["a", "absent"], 3]
LEVELS = [{"schedule": "on"}, {"schedule": ("old",)}, {"absent": ("old", "new")}]
RELATED = SAMPLES.corr()
NONE_RELATED = [
    RELATED.head(2),
    RELATED[["b", "a", "c"]],
    RELATED * np.nan,
    RELATED * 2,
    RELATED.replace(1.0, "high"),
    RELATED + np.triu(np.full((3, 3), 0.1), 1),
    RELATED * 0.0 + 2.0 * np.eye(3) - 1.0,  # all of -1, so an eigenvalue is below zero
]
GROWING = [[], [2, 1]]
CLASSED = ["user", 3, ["category"]]
MOMENT = [-1.0, np.nan, np.inf, "one"]

# What no argument of a name may be, where a method says nothing else.
WRONG = {
    "frame": FRAME,
    "observations": FRAME,
    "seed": [-1, 0.5, "one", [1]],
    "at": [["one"], "one"],
    **dict.fromkeys(["response", "block", "rows", "columns", "x", "y", "measure"], NAME),
    **dict.fromkeys(["variables", "demands", "predictors"], NAMES),
    **dict.fromkeys(["confidence", "level", "power"], SHARE),
    **dict.fromkeys(["half_digit", "error_variance"], ABOVE_0),
    **dict.fromkeys(["versions", "batch", "shuffles", "resamples", "width"], whole(1)),
    **dict.fromkeys(["cells", "phases", "patience"], whole(2)),
    **dict.fromkeys(["discard", "lags"], whole(0)),
    **dict.fromkeys(["row_limits", "column_limits"], GROWING),
    "factors": [[], ["absent"]],
    "covariates": ["N_d", ["absent"]],
    "candidates": [*NAMES, ["b", "b"]],
    "entry": [0.0, -1.0, np.nan, 2.0],
    "removal": [0.0, np.nan, 1.5],
    "correlation": NONE_RELATED,
    "mean": MOMENT,
    "sd": MOMENT,
    "by": NAME,
    "effect": [0.0, *NO_NUMBER],
    # What other arguments are checked against, what only draws, objects of ours.
    **dict.fromkeys(["trace", "found", "family", "rates", "joint"], ()),
    **dict.fromkeys(["coded", "adjustables", "minimize"], ()),
}
# What an argument of a name is where a method needs it and says nothing else.
SOUND = {
    "frame": SAMPLES,
    "observations": OBSERVED,
    "trace": TRACE,
    "rates": RATES,
    "correlation": RELATED,
    "response": "a",
    "candidates": ["b", "c"],
    "predictors": ["b"],
    "demands": ["a"],
    "classes": [1] * 30,
    "factors": TWO,
    "values": [1.0, 2.0, 4.0],
    "family": families.GAMMA,
    "limits": [1.0, 3.0],
    "cdf": [0.6, 0.95],
    "half_digit": 0.005,
    "effect": 1.0,
    "error_variance": 1.0,
    "error_df": 29,
    "x": "x",
    "y": "y",
    "measure": "x",
    "at": [0.5],
    **dict.fromkeys(["versions", "batch", "lags", "width", "phases"], 2),
}
ANALYSIS = {"frame": RUNS, "response": "R", "covariates": ["N_d"]}
TABLE = {"rows": "a", "columns": "b", "row_limits": [0.0], "column_limits": [0.0]}
NUMBERS = {"frame": [*NUMBERED, SAMPLES.assign(a=1.0)], "variables": [[], *NAMES]}

# Each method with what it takes otherwise, and wrong values where they are not those of its name.
METHODS = [
    (planned.effects, ANALYSIS, {"factors": [{}, *LEVELS]}),
    (planned.variance_table, ANALYSIS, {}),
    (planned.adjusted_means, ANALYSIS, {}),
    (planned.slopes, ANALYSIS, {}),
    (planned.slope_homogeneity, ANALYSIS, {}),
    (planned.covariate_effects, {"frame": RUNS, "covariates": ["N_d"]}, {}),
    (designs.coded, {"frame": RUNS}, {"frame": [], "factors": LEVELS}),
    (designs.contrasts, {"frame": RUNS}, {"frame": [], "factors": LEVELS}),
    (factors.stepwise, {}, {}),
    (factors.selection_frequency, {}, {"block": whole(1), "resamples": [0, 2**63]}),
    (factors.stepwise_path, {"count": 30}, {"count": [1, -3, *NO_NUMBER]}),
    (correlation.multiple_r2, {}, {"correlation": NONE_RELATED[:5]}),
    (correlation.checked_correlation, {}, {}),
    (correlation.standardised, {}, NUMBERS),
    (characterisation.principal_components, {}, NUMBERS),
    (
        characterisation.cluster_quality,
        {"counts": [2]},
        {"frame": [SAMPLES.head(2)], "counts": [[1], [2, 2.5], [30]]},
    ),
    (characterisation.clusters, {"count": 3}, {"frame": NUMBERED, "count": [*whole(2), 30]}),
    (characterisation.class_table, {}, {"classes": [[1] * 29, [None] * 30]}),
    (
        distributions.cumulative_table,
        {},
        {"values": [[], [np.nan], [np.inf]], "limits": [*GROWING, [1, 1], [np.nan]]},
    ),
    (distributions.joint_table, TABLE, {}),
    (
        distributions.conditional_means,
        {"joint": pd.DataFrame([[1.0]]), "column_values": [1.0]},
        {"column_values": [[], [1, 2]]},
    ),
    (families.hyperexponential, {}, {"phases": [*whole(2), 101]}),
    (
        fits.fit_values,
        {},
        {"values": [*([1.0, 2.0, odd] for odd in (0.0, -1.0, np.nan, np.inf)), np.ones((2, 3))]},
    ),
    (
        fits.fit_printed,
        {},
        {
            "limits": [3.0, [], [3.0, 1.0], [1.0, 1.0], [-1.0, 0.0], [1.0, np.inf], [1.0, np.nan]],
            "cdf": [0.6, [], [0.9, 0.6], [60.0, 95.0], [-0.1, 0.95], [0.6, np.nan]],
            "moment_half_digits": [1, (1, 1, 1), (0, 1), (1, -1), (np.nan, 1)],
        },
    ),
    (
        power.f_power,
        {"noncentrality": 1.0, "effect_df": 1},
        {"noncentrality": [np.nan, "one"], "effect_df": (), "error_df": ()},
    ),
    (
        power.effect_power,
        {"runs": 36},
        {"effect": [np.nan, np.inf], "runs": whole(3), "error_df": [0, 36, *NO_NUMBER]},
    ),
    (power.replicates_needed, {"cells": 4}, {"covariates": whole(0)}),
    (power.rejection_share, {"p_values": [0.01, 0.2]}, {"p_values": [[], [np.nan]]}),
    (
        evop.effects,
        {"responses": [[1.0, 2.0, 3.0], [2.0, 3.0, 1.0]], "coded": evop.corners(1)},
        {"responses": [[], [[1.0, 2.0, 3.0]], [[1.0, 2.0]] * 2, [[1.0, 2.0, np.nan]] * 2]},
    ),
    (
        evop.evolve,
        {"observe": lambda settings, cycle: [1.0, 2.0, 3.0], "adjustables": T1, "cycles": 1},
        {
            "observe": [lambda settings, cycle: [1.0], lambda settings, cycle: [np.nan] * 3],
            "cycles": whole(1),
            "seed": [-1, None],
        },
    ),
    (pareto.pareto_maximal, {}, {}),
    (pareto.frontier, {}, {}),
    (pareto.region, {}, {}),
    (pareto.attained, {}, {}),
    (pareto.attained_band, {}, {}),
    (pareto.compare_regions, {}, {}),
    (switching.switching_order, {"observations": 8}, {"observations": whole(1)}),
    (
        switching.label,
        {},
        {"observations": [OBSERVED.drop(columns="run"), OBSERVED.assign(run=np.nan)]},
    ),
    (switching.settled, {}, {"observations": [OBSERVED.drop(columns="position")]}),
    (
        switching.load_classes,
        {"load": OBSERVED["run"]},
        {"load": [OBSERVED["run"] * np.nan, "one", TIMES]},
    ),
    (switching.autocovariance, {}, {"observations": [*FRAME, OBSERVED.assign(x=np.nan)]}),
    (
        switching.batch_sizes,
        {"covariance": [1.0, 0.0], "discard": 1, "observations": 24},
        {"covariance": [], "observations": whole(1), "sizes": [[2.5], [0], [np.nan]]},
    ),
    (
        switching.units_needed,
        {"unit_differences": [1.0, 2.0], "effect": 0.5},
        {"unit_differences": [[1.0], [1.0, np.nan], [1.0, np.inf]]},
    ),
    (switching.chance, {}, {"observations": SWITCHED, "versions": [(0, 2)]}),
    (
        switching.compare,
        {},
        {
            "observations": SWITCHED,
            "statistic": ["median", -0.1, 1.1, np.nan, True, None, [0.5]],
            "baseline": [2, -1],
        },
    ),
    (
        switching.carry_over,
        {"settled_from": 1},
        {"observations": [*FRAME, OBSERVED.assign(version=0)]}
        | {"settled_from": [2], "unit": ["day", None]},
    ),
    (tracing.groups, {"by": "awake"}, {"by": ["user", 3, None]}),
    (tracing.transfer_times, {}, {"by": CLASSED}),
    (tracing.station_waits, {}, {"by": CLASSED}),
    (tracing.paging_rates, {}, {"interval_s": [0.0, -1.0, np.nan, 4.1]}),
    (
        tracing.rate_classes,
        {"edges": [0, 10]},
        {"edges": [[0], [0, 30, 30], [30, 0], [0, np.nan], 5]},
    ),
    (tracing.wait_distribution, {}, {"quantiles": [(0.5, q) for q in (-1, 2, np.nan, "a")]}),
]
# Their own tests have what they refuse, or they take what another method returns.
OWN = """
by_process category_transitions check_named check_once check_units check_versions chosen
compactions compare contrast_variance corners correlation_table data_moved demand_waits
effects_of_means events_until in_sessions joins_core_queue length_distribution levels load
numbers one_a_group pairs preload_times r2_of residence_stages residences save together traffic
visits write_times
"""
IDS = [f"{method.__module__.split('.')[2]}.{method.__name__}" for method, _, _ in METHODS]


def test_every_method_is_here_or_has_its_own_tests_of_refusals():
    rooms = [room.name for room in pkgutil.walk_packages(methods.__path__, "perfkit.methods.")]
    public = {
        method
        for room in map(importlib.import_module, rooms)
        for name, method in vars(room).items()
        if inspect.isfunction(method) and method.__module__ == room.__name__ and name[0] != "_"
    }
    others = {method.__name__ for method in public - {method for method, _, _ in METHODS}}
    assert others == set(OWN.split())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("method", "own", "wrong"), METHODS, ids=IDS)
def test_an_impossible_argument_is_refused_in_one_sentence(method, own, wrong):
    arguments = inspect.signature(method).parameters
    needed = (name for name, argument in arguments.items() if argument.default is argument.empty)
    sound = {name: SOUND[name] for name in needed if name not in own} | own
    method(**sound)
    wrong = WRONG | wrong
    for argument in arguments:
        for value in wrong[argument]:
            with pytest.raises((ValueError, TypeError)) as refused:
                method(**sound | {argument: value})
            text = str(refused.value)
            assert re.search(f"{argument}|absent|{TOLD.get(argument, argument)}", text), text
            assert re.fullmatch(r"[^\n]*\.", text) and ". " not in text, text


GAMMA_FIT, OTHER_FIT = (fits.fit_values(families.GAMMA, [1.0, 2.0, x]) for x in (4.0, 5.0))
PRINTED_FIT = fits.fit_printed(families.GAMMA, [1.0, 3.0], [0.6, 0.95], 0.005)
SHARES = SAMPLES.assign(share=1.0)
TWICE = pd.DataFrame({"x": [0.0, 1.0] * 4})
TOGETHER = [
    (lambda: characterisation.class_table(SAMPLES, [1] * 29, ["a"]), "30 rows need as many class"),
    (lambda: characterisation.class_table(SHARES, [1] * 30, ["share"]), "a column 'share' of its "),
    (lambda: characterisation.clusters(TWICE, 8), "2 to 7 here; 8 is not"),
    (lambda: characterisation.clusters(TWICE, 4), "do not fall into 4 classes"),
    (lambda: evop.Adjustable("t1_ms", 240, 25, 150, 250), "must lie between 150 and 250"),
    (lambda: evop.Adjustable("t1_ms", np.nan, 25, 150, 250), "all finite"),
    (lambda: fits.fit_values(families.GAMMA, [1.0, 2.0]), "more than 2 values"),
    (lambda: fits.fit_values(families.GAMMA, [1.0] * 5), "all equal"),
    (lambda: fits.fit_printed(families.GAMMA, [1.0], [0.5], 0.1), "1 are printed"),
    (lambda: fits.compare([]), "to the same values"),
    (lambda: fits.compare([GAMMA_FIT, OTHER_FIT]), "to 3 values, 3 values"),
    (lambda: fits.compare([PRINTED_FIT]), "nan values in a table"),
    (lambda: power.replicates_needed(1e-4, 1.0, 4), "100000"),
    (lambda: power.effect_power(1.0, 1.0, 36, 40), "less than the runs, 36; 40 is not"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("call", "sentence"), TOGETHER)
def test_what_does_not_go_together_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
