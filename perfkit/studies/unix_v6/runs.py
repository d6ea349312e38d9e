"""Brachman's runs as design points, and our scorecard of them."""

import pandas as pd

from perfkit import published, scorecard
from perfkit.experiment import summarize, sweep
from perfkit.systems.unix_v6 import Parameters, simulate
from perfkit.systems.unix_v6.parameters import CALIBRATION_RUNS

KEY = "unix_v6"
FACTORS = ["compute_ms", "process_clicks", "memory_clicks", "processes"]
MEASURES = ["elapsed_s", "swaps", "queue", "utilization_percent"]
FEWEST_SWAPS = 100


def published_runs(readings=True):
    """Return the 31 runs of Table VI and the 15 of Table VII, one frame.

    Parameters
    ----------
    readings : bool
        Put our reading where a cell looks misprinted (data/unix_v6/readings.csv).

    Returns
    -------
    pandas.DataFrame
        Columns ``table``, ``run``, the factors as parameters, the measures, ``kind``.
    """
    six = published.table(KEY, "table_6", readings=readings).assign(table="Table VI", compute_ms=12)
    seven = published.table(KEY, "table_7", readings=readings).assign(table="Table VII")
    runs = pd.concat([six, seven], ignore_index=True)
    sizes = runs["process_clicks"].astype(str).str.split("/")
    runs["process_clicks"] = [tuple(int(size) for size in row) for row in sizes]
    fitted = (runs["table"] == "Table VI") & runs["run"].isin(CALIBRATION_RUNS)
    runs["kind"] = fitted.map({True: "fitted", False: "predicted"})
    return runs


def simulated_runs(runs, replications, seed=0, **changes):
    """Simulate each published run.

    Parameters
    ----------
    runs : pandas.DataFrame
        As ``published_runs`` returns.
    replications, seed : int
        As in ``perfkit.experiment.sweep``.
    **changes
        Parameters that differ from the paper's for every run.

    Returns
    -------
    pandas.DataFrame
        A row a published run: the means of the measures and their half-widths.
    """
    rows = sweep(
        simulate, Parameters(**changes), runs[FACTORS], replications, seed=seed, progress=False
    )
    rows["utilization_percent"] = 100.0 * rows["utilization"]
    return summarize(rows, "point", MEASURES)


def score_runs(runs, ours):
    """Return the scorecard of the runs: stated errors as tolerances, else 10 %.

    Elapsed time repeats within 5 % (section 4.5), the queue is good to 0.1 (section 5.1).
    Every printed cell is scored; one without a reading of ours is held to its print.
    """
    printed = published_runs(readings=False)
    tolerance = {"elapsed_s": {"relative": 0.05}, "queue": {"absolute": 0.1}}
    cards = []
    for measure in MEASURES:
        cards.append(
            scorecard.cells(
                runs["table"],
                "run " + runs["run"].astype(str),
                measure,
                runs["kind"],
                runs[measure].fillna(printed[measure]),
                ours[measure],
                ours[measure + "_half_width"].to_numpy(),
                **tolerance.get(measure, {}),
            )
        )
    return scorecard.gather(*cards)


def mean_errors(card):
    """Return the mean absolute errors; those of swaps over runs with more than 100 of them."""
    few = (card["quantity"] == "swaps") & (card["published"] <= FEWEST_SWAPS)
    return scorecard.errors(card[~few])
