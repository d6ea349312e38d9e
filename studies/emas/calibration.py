"""The simulator's free numbers, and the errors in the fitted cells that they give."""

import numpy as np

from perfkit.runs.experiment import replicate
from perfkit.systems.emas import KINDS, Parameters
from studies.emas.experiments import TRACED_FOLD, Evidence
from studies.emas.runs import (
    FITTED,
    published_samples,
    published_services,
    published_values,
    score,
    traced_values,
)
from studies.evidence import scorecard
from studies.evidence.calibration import free_numbers

FREE = free_numbers(
    reference_ms=(0.4, 6.0), wake_references=(10.0, 300.0), small_programme_pages=(6.0, 40.0),
    compile_pages=(15.0, 100.0), execute_pages=(8.0, 80.0), programme_pages_cv=(0.1, 2.0),
    file_share=(0.0, 1.0), locality_share=(0.1, 4.0), popularity_exponent=(1.2, 4.5),
    shared_reference_share=(0.3, 0.9), write_share=(0.01, 0.3), demotion_share=(0.3, 1.0),
    fit_share=(0.4, 1.0), shared_hold_s=(0.1, 6.0), drum_hold_s=(5.0, 90.0),
    drum_set_up_ms=(0.0, 5.0), execute_cpu_cv=(0.5, 4.0), chunk_characters=(2.0, 60.0),
    line_think_s=(3.0, 20.0), command_think_s=(5.0, 60.0),
)  # fmt: skip
WHOLE = ("wake_references",)
CHUNK = "chunk_characters"
SIZES = ("small_programme_pages", "compile_pages", "execute_pages")
SPREAD, EXECUTING = "execute_cpu_cv", KINDS.index("execute")
IN_PARTS = (*SIZES, SPREAD, CHUNK)
CHOSEN = ()
SHARE_UNIT, RELATIVE_UNIT, HOPELESS = 1.5, 0.06, 20.0
ONE_LOADER = {  # fitted to the same cells with one loader; commands print late in a stretch
    "preloads_at_once": 1, "silent_share": (0.8,) * 4, "cpu_cv": (1.0,) * 4,
    "programme_pages": (9.67, 30.3, 27.4, 9.67), "programme_pages_cv": 0.427, "file_share": 0.423,
    "reference_ms": 0.419, "wake_references": 134, "shared_reference_share": 0.514,
    "locality_share": 1.8, "popularity_exponent": 3.37, "write_share": 0.0889,
    "fit_share": 0.623, "demotion_share": 0.609, "shared_hold_s": 2.29, "drum_hold_s": 27.0,
    "drum_set_up_ms": 0.83, "buffer_characters": 82, "line_think_s": 9.26, "command_think_s": 33.5,
}  # fmt: skip


def free_values(parameters):
    """Return the calibration's free numbers, from a parameter record."""
    names = [free.name for free in FREE if free.name not in IN_PARTS]
    small, compiling, executing, _ = parameters.programme_pages
    return {name: float(getattr(parameters, name)) for name in names} | {
        "small_programme_pages": small,
        "compile_pages": compiling,
        "execute_pages": executing,
        SPREAD: parameters.cpu_cv[EXECUTING],
        CHUNK: float(parameters.buffer_characters - parameters.resume_characters),
    }


def changes_of(values):
    """Return the parameters that free numbers give; editing and other programmes are small."""
    changes = {name: v for name, v in values.items() if name not in IN_PARTS}
    changes |= {name: round(changes[name]) for name in WHOLE}
    changes["buffer_characters"] = Parameters().resume_characters + max(1, round(values[CHUNK]))
    small, compiling, executing = (values[name] for name in SIZES)
    spread = list(Parameters().cpu_cv)
    spread[EXECUTING] = values[SPREAD]
    return changes | {
        "programme_pages": (small, compiling, executing, small),
        "cpu_cv": tuple(spread),
    }


def residuals(values, replications=2, seed=0, measured_s=3600.0, **alternative):
    """Return the errors in the fitted cells, in units of one error each.

    For times and counts log ratios over RELATIVE_UNIT, for shares differences over SHARE_UNIT.
    """
    p = Parameters(**changes_of(values) | {"measured_s": measured_s} | alternative)
    rows = replicate(traced_values, p, replications, seed=seed, progress=False)
    printed = published_values()
    errors = []
    for name in FITTED:
        ours, wanted = rows[name].mean(), printed.loc[name, "published"]
        if printed.loc[name, "quantity"].endswith("percent"):
            errors.append((ours - wanted) / SHARE_UNIT)
        else:
            errors.append(np.log(max(ours, 1e-6) / wanted) / RELATIVE_UNIT)
    return np.nan_to_num(np.array(errors), nan=HOPELESS).clip(-HOPELESS, HOPELESS)


def predictions(values, replications=8, seed=0):
    """Return the scorecard of the traced session and of machine A under these free numbers.

    Replications are traced sessions; machine A has fewer.
    """
    e = Evidence(max(2, replications // TRACED_FOLD), seed, **changes_of(values))
    return scorecard.gather(
        score(published_values(), e.traced),
        score(published_services(), e.accounted),
        score(published_samples(), e.sampled),
    )
