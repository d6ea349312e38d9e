"""What if: a system as it is beside changed ones, over the same seeds.

``run`` takes the variants by name; ``compare`` tabulates what each comes to, and its paired
differences from the first.
"""

import inspect

import pandas as pd

from perfkit.experiment import interval, replicate
from perfkit.wording import nearest


def run(simulate, parameters, variants, replications=10, *, seed=0, jobs=None, progress=True):
    """Run every variant of a system with the same seeds.

    Parameters
    ----------
    simulate : callable
        A system's ``simulate``.
    parameters : ParameterRecord
        The system that the variants change.
    variants : dict of str to dict
        A variant's name to what differs: parameters by name; what is none goes to ``simulate``
        as an option (a policy, a table). An empty dictionary is the system as it is. The first
        variant is the one that ``compare`` compares with.
    replications : int
        Runs a variant; replication k of each has the same seed.
    seed, jobs, progress : int, int, bool
        As in ``perfkit.experiment.replicate``.

    Returns
    -------
    pandas.DataFrame
        A row a run: ``variant``, ``seed``, the parameters and the measures.

    Raises
    ------
    TypeError
        If ``variants`` is no dictionary of dictionaries.
    ValueError
        If there is no variant, a name is neither parameter nor option, or a value impossible.
    """
    _check_variants(simulate, parameters, variants)
    frames = []
    for name, differs in variants.items():
        changes = {key: value for key, value in differs.items() if key in parameters.as_dict()}
        options = {key: value for key, value in differs.items() if key not in changes}
        rows = replicate(
            simulate,
            parameters.replace(**changes),
            replications,
            seed=seed,
            jobs=jobs,
            progress=progress,
            **options,
        )
        rows.insert(0, "variant", name)
        frames.append(rows)
    return pd.concat(frames, ignore_index=True)


def compare(runs, measures, changes=(), percent=False):
    """Return what variants come to, and how they differ from the first over the same seeds.

    Parameters
    ----------
    runs : pandas.DataFrame
        As returned by ``run``.
    measures : str or list of str
        Whose means are given.
    changes : str or list of str
        Whose differences are given besides.
    percent : bool
        Differences in percent of the first variant's value at each seed.

    Returns
    -------
    pandas.DataFrame
        A row a variant, in their order: the means; for each of ``changes`` two columns, ``change
        of <measure>`` (``, %``) and ``+- <measure>``, the half-width of its 95 % interval over
        pairs of one seed.

    Raises
    ------
    ValueError
        If a measure is not there.
    """
    measures, changes = _names(measures), _names(changes)
    _check_measures(runs, [*measures, *changes])
    found = runs.groupby("variant", sort=False)[measures].mean()
    unit = ", %" if percent else ""
    for measure in changes:
        differs = differences(runs, measure, percent)
        pairs = [interval(differs[name]) for name in found.index]
        columns = [f"change of {measure}{unit}", f"+- {measure}{unit}"]
        found[columns] = pd.DataFrame(pairs, found.index)
    return found


def differences(runs, measure, percent=False):
    """Return how variants differ from the first, seed by seed.

    Parameters
    ----------
    runs, percent : pandas.DataFrame, bool
        As in ``compare``.
    measure : str

    Returns
    -------
    pandas.DataFrame
        A row a seed, a column a variant in their order; the first one's are 0.

    Raises
    ------
    ValueError
        If the measure is not there.
    """
    _check_measures(runs, [measure])
    by_seed = runs.pivot(index="seed", columns="variant", values=measure)
    by_seed = by_seed[runs["variant"].unique()]
    first = by_seed.iloc[:, 0]
    found = by_seed.sub(first, axis=0)
    return 100.0 * found.div(first, axis=0) if percent else found


def _names(given):
    return [given] if isinstance(given, str) else list(given)


def _check_variants(simulate, parameters, variants):
    if not isinstance(variants, dict) or not all(isinstance(v, dict) for v in variants.values()):
        raise TypeError("variants must be a dictionary: a name to a dictionary of what differs.")
    if not variants:
        raise ValueError("There must be a variant or more.")
    takes = inspect.signature(simulate).parameters
    if any(one.kind is one.VAR_KEYWORD for one in takes.values()):
        return
    known = {*parameters.as_dict(), *takes}
    for variant, differs in variants.items():
        for name in differs:
            if name not in known:
                hint = nearest(name, known) or "."
                raise ValueError(
                    f"Variant '{variant}' changes '{name}', which is no parameter or option{hint}"
                )


def _check_measures(runs, names):
    for name in names:
        if name not in runs:
            hint = nearest(name, map(str, runs.columns)) or "."
            raise ValueError(f"The runs have no measure '{name}'{hint}")
