"""Run the machine from the command line: ``python -m study_key users=40 replications=20``."""

import sys

import pandas as pd
from perfkit import show
from perfkit.commands import words
from perfkit.runs.experiment import replicate

from study_key import MEASURES, Parameters, simulate

RUNS = {"replications": "10", "seed": "0"}


def main(texts):
    """Run what name=value texts ask for; bad input is one sentence on stderr and exit code 2."""
    try:
        print(_parameters() if "--help" in texts else _means(words.pairs(texts)))
    except ValueError as error:
        print(f"study_key: {error}", file=sys.stderr)
        return 2
    return 0


def _parameters():
    """Return how the command is used, and what can be set."""
    return f"{__doc__}\n\n{show.table(Parameters().provenance())}"


def _means(asked):
    """Return each measure's mean over the replications, with the half-width of its interval."""
    counts = {name: words.count(name, asked.pop(name, own)) for name, own in RUNS.items()}
    values = {name: Parameters.parse(name, text) for name, text in asked.items()}
    runs = replicate(simulate, Parameters(**values), **counts)
    means = [words.estimate(runs[name]) for name in MEASURES]
    return show.Table(pd.DataFrame({"mean": means, "meaning": MEASURES.values()}, [*MEASURES]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
