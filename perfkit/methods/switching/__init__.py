"""On-line switching: versions of a running system take turns in short batches.

The method of Bard, "Experimental evaluation of system performance" (1973). A monitor
observes a running system at intervals and, every few observations, stores another version's
switch. Versions that alternate every few minutes see the same load, so that hours suffice
where separate days would need weeks.

Observations are a frame in the order of time, one row per observation, with the columns ``run``
(an uninterrupted stretch, such as a day) and ``version`` beside the measures. ``label`` adds
``batch`` (its number within the run), ``cycle`` (each version has one batch in it) and
``position`` (within the batch).
"""

from perfkit.methods.switching.batches import autocovariance, batch_sizes, contrast_variance
from perfkit.methods.switching.certainty import chance, units_needed
from perfkit.methods.switching.comparison import carry_over, compare
from perfkit.methods.switching.observations import (
    check_versions,
    label,
    load_classes,
    settled,
    switching_order,
)

__all__ = [
    "autocovariance", "batch_sizes", "carry_over", "chance", "check_versions", "compare",
    "contrast_variance", "label", "load_classes", "settled", "switching_order", "units_needed",
]  # fmt: skip
