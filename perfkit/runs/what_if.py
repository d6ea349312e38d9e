"""What if: a baseline beside changed ones, over the same seeds.

``run`` takes the variants by name; ``compare`` tabulates what each comes to, and its paired
differences from one of them.
"""

import inspect

import pandas as pd

from perfkit.core.values import check_columns, check_numeric
from perfkit.core.wording import check_known
from perfkit.runs.executors import Work, check_executor, executed
from perfkit.runs.experiment import check_runs, interval, names_of

GIVEN = ("parameters", "seed")


def run(
    simulate, parameters, variants, replications=10, *, seed=0, jobs=None, executor="threads",
    progress=True,
):  # fmt: skip
    """Run every variant of a system with the same seeds.

    Parameters
    ----------
    simulate : callable
        A system's ``simulate``.
    parameters : ParameterRecord
        The system that the variants change.
    variants : dict of str to dict
        A variant's name to what differs: parameters and levers by name; what is none goes to
        ``simulate`` as an option (a policy, a table). An empty dictionary is the baseline.
    replications : int
        Runs a variant; replication k of each has the same seed.
    seed, jobs, executor, progress
        As in ``perfkit.runs.experiment.sweep``.

    Returns
    -------
    pandas.DataFrame
        One row per run: ``variant``, ``seed``, the parameters and the measures.

    Examples
    --------
    >>> from perfkit.systems import unix_v6
    >>> small = unix_v6.Parameters(processes=2, interactions=5)
    >>> runs = run(unix_v6.simulate, small, {"baseline": {}, "few": {"buffers": 5}}, 2)
    >>> runs[["variant", "seed", "reads"]].to_numpy().tolist()
    [['baseline', 0, 12], ['baseline', 1, 10], ['few', 0, 16], ['few', 1, 15]]
    """
    replications, seed = check_runs(parameters, replications, seed)
    if not isinstance(variants, dict) or not all(
        isinstance(name, str) and isinstance(differs, dict) for name, differs in variants.items()
    ):
        raise TypeError("variants must be a dictionary: a name to a dictionary of what differs.")
    if not variants:
        raise ValueError("There must be a variant or more.")
    check_executor(executor)
    names, seeds = list(variants), range(seed, seed + replications)
    work = [
        Work(at, *_point(simulate, parameters, name, variants[name]), seeds)
        for at, name in enumerate(names)
    ]
    how = {"executor": executor, "jobs": jobs, "strict": True, "progress": progress}
    label = lambda point: f"variant {names[point]!r}"  # noqa: E731
    batches = executed(simulate, work, len(names) * replications, label=label, **how)
    runs = sorted((run.point, run.seed, run.measures) for runs, _ in batches for run in runs)
    return pd.DataFrame(
        [
            {"variant": names[at], "seed": seed, **work[at].parameters.as_dict(), **measures}
            for at, seed, measures in runs
        ]
    )


def compare(runs, measures, changes=(), percent=False, base=None):
    """Return what variants come to, and how they differ from one of them over the same seeds.

    Parameters
    ----------
    runs : pandas.DataFrame
        As returned by ``run``.
    measures : str or list of str
        Whose means are given, over all runs that have them.
    changes : str or list of str
        The measures whose differences are given as well, over pairs of runs of one seed that
        both have them.
    percent : bool
        Differences in percent of the base's value at each seed; pairs whose base is 0 are left
        out.
    base : str, optional
        The variant that the others are compared with; the first one by default.

    Returns
    -------
    pandas.DataFrame
        One row per variant, in their order: the means; for each of ``changes`` two columns,
        ``change of <measure>`` (``, %``) and ``+- <measure>``, the half-width of the 95 % interval
        of that change.

    Examples
    --------
    >>> runs = pd.DataFrame(
    ...     {"variant": list("aabb"), "seed": [0, 1, 0, 1], "elapsed_s": [4.0, 6.0, 3.0, 5.0]}
    ... )
    >>> compare(runs, "elapsed_s", "elapsed_s").to_numpy().tolist()
    [[5.0, 0.0, 0.0], [4.0, -1.0, 0.0]]
    """
    measures, changes = names_of(measures), names_of(changes)
    _check_comparable(runs, [*measures, *changes])
    base = _base_of(runs, base)
    table = runs.groupby("variant", sort=False)[measures].mean()
    unit = ", %" if percent else ""
    for measure in changes:
        differs = differences(runs, measure, percent, base)
        pairs = [interval(differs[name]) for name in table.index]
        columns = [f"change of {measure}{unit}", f"+- {measure}{unit}"]
        table[columns] = pd.DataFrame(pairs, table.index)
        table.loc[base, columns] = 0.0
    return table


def differences(runs, measure, percent=False, base=None):
    """Return how variants differ from the base in a measure, seed by seed.

    Parameters
    ----------
    runs, percent, base : pandas.DataFrame, bool, str
        As in ``compare``.
    measure : str

    Returns
    -------
    pandas.DataFrame
        One row per seed, one column per variant in their order; the base's are 0.

    Examples
    --------
    >>> runs = pd.DataFrame({"variant": ["old", "new"], "seed": [1, 1], "R": [5.0, 4.0]})
    >>> differences(runs, "R", percent=True)["new"].tolist()
    [-20.0]
    """
    _check_comparable(runs, [measure])
    by_seed = runs.pivot(index="seed", columns="variant", values=measure).astype(float)
    by_seed = by_seed[runs["variant"].unique()]
    base = _base_of(runs, base)
    first = by_seed[base]
    seeds = runs.groupby("variant")["seed"].agg(set)
    for name, those in seeds.items():
        if not those & seeds[base]:
            raise ValueError(f"Variants '{base}' and '{name}' have no seed in common.")
    changes = by_seed.sub(first, axis=0)
    return 100.0 * changes.div(first.abs().where(first != 0.0), axis=0) if percent else changes


def _point(simulate, parameters, variant, differs):
    """Return a variant's parameters and options, or refuse what differs in one sentence."""
    names = set(parameters.accepted())
    takes = inspect.signature(simulate).parameters.values()
    if not any(one.kind is one.VAR_KEYWORD for one in takes):
        known = (names | {one.name for one in takes}) - set(GIVEN)
        for name in differs:
            if name not in known:
                hint = parameters.hint(name, known) or "."
                raise ValueError(
                    f"Variant '{variant}' changes '{name}', which is no parameter or option{hint}"
                )
    changes = {name: value for name, value in differs.items() if name in names}
    try:
        changed = parameters.replace(**changes)
    except ValueError as error:
        raise ValueError(f"Variant '{variant}': {error}") from None
    return changed, {name: value for name, value in differs.items() if name not in names}


def _check_comparable(runs, names):
    check_columns(runs, ["variant", "seed"], "runs")
    check_numeric(runs, names, "runs")
    if not len(runs):
        raise ValueError("There is no run to compare.")
    if runs.duplicated(["variant", "seed"]).any():
        raise ValueError("A variant has a seed twice; hand over the runs of one experiment.")


def _base_of(runs, base):
    """Return the variant to compare with, the first unless one is named; refuse no variant."""
    variants = runs["variant"].unique().tolist()
    if base is None:
        return variants[0]
    check_known("variant", base, variants)
    return base
