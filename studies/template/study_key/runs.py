"""The paper's numbers, our runs of its design points, and the scorecard that compares them."""

from pathlib import Path

from perfkit.core.values import check_columns
from perfkit.runs.experiment import summarize, sweep
from studies.evidence import published, scorecard

from study_key import Parameters, simulate

KEY = "study_key"
published.locate(KEY, Path(__file__).parents[1] / "data")

TABLE_1 = {"response_s": "response (s)", "utilization_percent": "utilization (%)"}
TOLERANCES = {"utilization_percent": {"absolute": 2.0}}  # 10 % where there is none


def simulate_table_1(replications=20, seed=0, **changes):
    """Simulate each row of Table 1, over the same seeds; ``changes`` are of parameters.

    One row per run: ``point`` (the row of the table), ``seed``, parameters, measures.
    """
    own, printed = Parameters(**changes), published.table(KEY, "table_1")
    check_columns(printed, ["users", *TABLE_1, *TOLERANCES], "table_1.csv")
    return sweep(simulate, own, printed[["users"]], replications, seed=seed, progress=False)


def score_table_1(rows):
    """Return the scorecard of Table 1, a row per cell.

    ``predicted`` are cells that were in no fit: see ``MEANINGS`` of ``studies.evidence.scorecard``.
    """
    printed = published.table(KEY, "table_1")
    ours = summarize(rows, "point", list(TABLE_1))
    where = "Table 1", printed["users"].astype(str) + " users"
    cards = []
    for name, words in TABLE_1.items():
        compared = printed[name], ours[name], ours[f"{name}_half_width"]
        tolerance = TOLERANCES.get(name, {})
        cards.append(scorecard.cells(*where, words, "predicted", *compared, **tolerance))
    return scorecard.gather(*cards)
