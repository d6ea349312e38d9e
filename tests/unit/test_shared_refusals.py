"""What every study shares refuses an impossible argument in one sentence, before any run."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest

from perfkit.des.draws import stream
from perfkit.des.trace import MOST_RECORDS
from perfkit.runs import what_if
from perfkit.runs.experiment import interval, replicate, summarize, sweep
from perfkit.show import explore
from perfkit.systems import sim61, unix_v6
from studies import STUDIES
from studies.evidence import claims, published, scorecard
from studies.evidence.calibration import Free, calibrate, cold_starts

SMALL = unix_v6.Parameters(processes=3, interactions=5)
RUNS = pd.DataFrame({"point": [0, 1], "elapsed_s": [1.0, 2.0], "word": ["a", "b"]})
PAIRS = pd.DataFrame({"variant": ["old"] * 2 + ["new"] * 2, "seed": [1, 2, 1, 2], "R": [1.0] * 4})
POINT = pd.DataFrame({"memory_clicks": [500]})
FREE = (Free("a", 0.0, 10.0), Free("b", -1.0, 1.0))


def never(parameters, seed, buffers=None):
    pytest.fail("Nothing may be run.")


def parts(said, *values):
    return [(value, said) for value in values]


COUNT = parts("replications must be a whole number", 0, -1, 2.5, "many", True, 10**6 + 1)
SEED = parts("seed must be a whole number of 0 or more", -1, 1.5, None, "a", True)
JOBS = parts(
    "jobs must be a whole number from 1 to 1000, or -1",
    *(10**6, 2**40, -(10**6), 0, 1.5, "2", True),
)
RECORD = parts("must be a system's Parameters", None, {"processes": 3}, unix_v6.Parameters)
OF_RUNS = {"parameters": RECORD, "replications": COUNT, "seed": SEED, "jobs": JOBS}
UNTIL = (0.1, "until must be a dictionary, of measures to shares")
EXECUTOR = ("thread", "executor must be threads, processes or a distributed.Client")
NO_COUNTS = (0, -3, 2.5, "3", None, True)
SHARE = parts("confidence must be between 0 and 1", 95, 1, 0, -1, np.nan, "0.95", None, True)
COMPARED = [
    *parts("must be a pandas.DataFrame, not", None, {}),
    (PAIRS.drop(columns="variant"), "no column 'variant'"),
    (PAIRS[:0], "no run to compare"),
    (pd.concat([PAIRS, PAIRS]), "has a seed twice"),
    (PAIRS.iloc[[0, 3]], "'old' and 'new' have no seed in common"),
]
MEASURE = [("r", "no column 'r'"), ("variant", "'variant' of the runs must be numbers")]
BASE = [("nw", "no variant 'nw'; did you mean new"), ("nope", "no variant 'nope'")]
DICTIONARY = r"must be a dictionary by name; \['queue'\] is"
TOLERANCE = parts("must be a tolerance of 0 or more; .* is not", -1, np.nan, [0.1, -0.1], "10 %")
TRACE = parts(
    rf"^trace must be a whole number of records from 0 to {MOST_RECORDS}; \S+ is not",
    *(-1, 1.5, None, 10**13, "3", True),
)
LENGTH = "one value per cell, or one for all; there are 2 of cell, .*3 of"

# Of each function its sound arguments and, by argument, wrong values with what is said of them.
CASES = [
    (
        replicate,
        {"simulate": never, "parameters": SMALL},
        OF_RUNS | {"until": [UNTIL, ({"elapsed_s": 1.0}, "'elapsed_s'. must be between 0 and 1")]},
    ),
    (
        replicate,
        {"simulate": unix_v6.simulate, "parameters": SMALL, "until": {"elapsed_s": 0.1}},
        {
            "until": [({name: 0.1}, "no measure") for name in ("no_such", "memory_clicks", "seed")],
            "replications": [(1, "replications must be 2 or more where a half-width")],
            "most": parts("most must be a whole number of 10 or more", 0, 12.5),
        },
    ),
    (
        sweep,
        {"simulate": never, "parameters": SMALL, "design": POINT, "store": "no/folder"},
        OF_RUNS
        | {
            "design": [
                (pd.DataFrame([[1, 2]], columns=["processes"] * 2), "'processes' is there twice"),
                (pd.DataFrame([[1]]), "must be names of parameters, not 0"),
                (pd.DataFrame({"processes": []}), "must have a point"),
            ],
            "until": [UNTIL],
            "store": [
                ("no/folder", "There is no folder no for a store"),
                ("/dev/null", "The store /dev/null can't be written to"),
                ("x" * 300, r"The store x+ can't be written to: File name too long"),
            ],
            "executor": [EXECUTOR, (7, "executor must be a word or a distributed.Client, not 7")],
        },
    ),
    (interval, {"values": [1.0, 2.0]}, {"confidence": SHARE}),
    (
        summarize,
        {"runs": RUNS, "by": "point", "measures": "elapsed_s"},
        {
            "runs": [
                *parts(r"runs must be a pandas\.DataFrame, not dict", {"point": [0]}),
                (RUNS.assign(point=[0, np.nan]), "1 of 2 rows lack point; leave them out"),
            ],
            "by": [
                ("points", "There is no column 'points' in the runs; did you mean point"),
                ([], "by and measures must name at least one column each"),
            ],
            "measures": [
                ("elapsed", "no column 'elapsed' in the runs; did you mean elapsed_s"),
                (["swaps", "load"], "no column 'swaps', 'load' in the runs; the columns are"),
                ([], "by and measures must name at least one column each"),
                ("word", "'word' of the runs must be numbers, not str"),
            ],
            "confidence": SHARE,
        },
    ),
    (
        what_if.run,
        {"simulate": never, "parameters": SMALL, "variants": {"a": {}}, "progress": False},
        OF_RUNS
        | {
            "executor": [EXECUTOR],
            "variants": [
                ({}, "There must be a variant or more"),
                ({"a": {"bufers": 3}}, "'bufers', which is no parameter or option; did you"),
                ({"a": {"seed": 3}}, "'seed', which is no parameter or option"),
                ({"a": {"cylinders": 3}}, "no parameter or option; it is called disc_cylinders"),
                ({"a": {}, "b": {"buffers": -3}}, "Variant 'b': buffers must be"),
                *parts("a name to a dictionary of", [{"buffers": 3}], {"a": 3}, {("a", 1): {}}),
            ],
        },
    ),
    (
        what_if.compare,
        {"runs": PAIRS, "measures": "R", "changes": "R"},
        {"runs": COMPARED, "measures": MEASURE, "changes": MEASURE, "base": BASE},
    ),
    (
        what_if.differences,
        {"runs": PAIRS, "measure": "R"},
        {"runs": COMPARED, "measure": MEASURE, "base": BASE},
    ),
    (
        explore.sliders,
        {"simulate": never, "parameters": SMALL, "measures": "elapsed_s"}
        | {"turn": {"processes": (2, 6)}},
        {
            "parameters": RECORD,
            "replications": [(1, "2 replications or more")],
            "measures": [([], "one measure to draw")],
            "title": [(3, "title must be a text; 3 is none")],
            "turn": [
                ({}, "Name one parameter to turn"),
                (["queue"], f"^turn {DICTIONARY}"),
                ({"proceses": (1, 2)}, "no parameter 'proceses'.*processes"),
                ({"cylinders": (1, 2)}, "'cylinders'; it is called disc_cylinders"),
                ({"processes": 4}, "between two numbers.* 4 is neither"),
                ({"processes": (1, np.nan)}, "is neither"),
                ({"processes": (4, 1)}, "must rise"),
                ({"processes": (0, 9)}, "processes must be a whole number"),
                ({"discipline": (1, 2)}, "no finite number; give a list"),
                ({"discipline": ["LOOK", "SCAN"]}, "discipline must be one of"),
            ],
            "along": [
                ({"processes": [1, 2]}, "it can't be turned, too"),
                *((({"memory_clicks": x}), "a list of finite numbers") for x in (["a"], [], 650)),
                ({"memory": [650]}, "no parameter 'memory'"),
                (["memory_clicks"], "along must name one parameter"),
            ],
            "turned": [
                (["queue"], f"^turned {DICTIONARY}"),
                ({"buffers": 30}, "buffers stands turned.*no control"),
                ({"processes": 0}, "processes must be a whole number"),
            ],
            "words": [
                (["queue"], f"^words {DICTIONARY}"),
                ({"proceses": "n"}, "no parameter 'proceses'.*processes"),
                ({"processes": 3}, "label of processes must be a text; 3 is none"),
            ],
            "labels": [(["queue"], f"^labels {DICTIONARY}")],
        },
    ),
    (
        explore.sliders,
        {"simulate": sim61.simulate, "parameters": sim61.Parameters(), "measures": "queue"},
        {"turn": [({"activations_per_batch": (0.0, 10.0)}, "no finite number; give a list")]},
    ),
    (
        calibrate,
        {"residuals": never, "free": FREE, "start": {"a": 1, "b": 0}, "progress": False},
        {
            "residuals": [
                (lambda v, seed: np.array([1.0, np.nan]), "Residuals are not finite in the initial")
            ],
            "free": parts("needs a free number or more; there is none", ()),
            "start": [
                ({"a": 1}, "must name every free number; it leaves out b"),
                ({"a": 1, "b": 2}, r"b must start from -1\.0 to 1\.0; 2 does not"),
                *(({"a": a, "b": 0}, "a must start from 0") for a in (np.nan, None, "1")),
            ],
            "iterations": parts("iterations must be a whole number of 1", *NO_COUNTS),
            "seed": SEED,
        },
    ),
    (
        cold_starts,
        {"free": FREE, "starts": 2},
        {"starts": parts("starts must be a whole number of 1", *NO_COUNTS), "seed": SEED},
    ),
    (
        Free,
        {"name": "a", "low": 0.0, "high": 1.0},
        {
            "low": parts("The bounds of a must be two finite", 1.0, 2.0, np.nan, "0", None),
            "high": parts("The bounds of a must be two finite", 0.0, -1.0, np.inf, "1", None),
        },
    ),
    (
        scorecard.cells,
        {"item": "T", "cell": ["x", "y"], "quantity": "s", "kind": "fitted"}
        | {"published": [1.0] * 2, "ours": [1.0] * 2, "relative": 0.1},
        {
            "published": parts(f"{LENGTH} published", [1.0] * 3),
            "note": parts(f"{LENGTH} note", [""] * 3),
            "kind": [
                *parts(f"{LENGTH} kind", ["fitted"] * 3),
                *parts("kind must be predicted, .*; .* is not", "guessed", "claim"),
                *parts("kind must be .*; .* is not", ["fitted", "Fitted"], pd.Series(["", "x"])),
            ],
            "relative": [*TOLERANCE, ([0.1] * 3, f"{LENGTH} relative")],
            "absolute": [(1.0, "relative and absolute are two ways to say one")],
        },
    ),
    (
        scorecard.claim,
        {"item": "T", "statement": "s"},
        {"holds": parts("A claim holds or not, True or False; .* is nei", np.nan, "no", 1, None)},
    ),
    (stream, {"purpose": "demand"}, {"seed": SEED}),
    (published.table_names, {}, {"key": [("unix_6", "No study is called 'unix_6'.*unix_v6")]}),
    (published.table, {"key": "unix_v6"}, {"name": [("tabel_6", "no table 'tabel_6'; did you m")]}),
    (
        published.stated,
        {"key": "tss360"},
        {
            "claim": [
                ("estimate_at_fiv", "did you mean estimate_at_five"),
                ("zz", "'tss360' has no claim 'zz'; it is one"),
            ]
        },
    ),
    (claims.farthest, {}, {"findings": [([], "there is none")]}),
    *(
        (claim, {}, {"series": [([], "needs one or more; there is none")]})
        for claim in (claims.all_above, claims.all_below)
    ),
    *((STUDIES[key].module().simulate, {}, {"trace": TRACE}) for key in STUDIES),
]
IDS = [f"{function.__module__}.{function.__name__}" for function, _, _ in CASES]


@pytest.mark.parametrize(("function", "sound", "wrong"), CASES, ids=IDS)
def test_an_impossible_argument_is_refused_in_one_sentence(function, sound, wrong):
    for argument, values in wrong.items():
        for value, said in values:
            with pytest.raises((ValueError, TypeError), match=said) as refused:
                function(**sound | {argument: value})
            text = str(refused.value)
            assert re.fullmatch(r"[^\n]*[.?]", text) and ". " not in text, text


def test_what_all_experiments_take_is_checked_by_all():
    free = {"simulate", "progress", "options", "strict", "most"}
    for function in (replicate, sweep, what_if.run):
        checked = {name for f, _, wrong in CASES if f is function for name in wrong}
        assert set(inspect.signature(function).parameters) - checked <= free
