"""What a reader would predict of the TSS/360 paper's tables without the simulator."""

import numpy as np

from studies.evidence import nulls
from studies.evidence.nulls import Null, constant, mean_of_fitted
from studies.tss360.runs import VARIABLES

NONE_CUT_OFF = "Demands were drawn with the printed moments; a reader takes all of them to finish."
# Table 5's variables by what congestion does to them in the text. It says that p_v no longer rises,
# and nothing on slices that end at a limit.
RISE = ("N_t", "N_e", "N_d", "p_o", "r_s", "r_pf", "TSE_so", "R*")
FALL = ("P_eav", "P_a", "P_s", "r_p")
NEITHER = ("p_v", "TSE_mp", "TSE_mq")
SIZE = 0.5
ONE_FACTOR = "Everything follows congestion, as the text says: its sign times 0.5, or nothing."
NO_CHANGE = "The fitted column is copied: one experiment says nothing of the others."
NO_HOLD = "There is none: a fitted mean does not say how much periods differ."


def one_factor(known, asked):
    """Predict each correlation from its variables' signs under congestion and one size."""
    sign = dict.fromkeys(RISE, 1.0) | dict.fromkeys(FALL, -1.0) | dict.fromkeys(NEITHER, 0.0)
    pairs = asked["cell"].str.split()
    return np.array([SIZE * sign[one] * sign[other] for one, other in pairs])


NULLS = (
    *(
        Null("Table 2", unit, lambda known, asked: asked["published"], NONE_CUT_OFF)
        for unit in ("s", "reads", "writes")
    ),
    Null("Table 5", "correlation", one_factor, ONE_FACTOR),
    *(Null("Table 6", name, mean_of_fitted, NO_CHANGE) for name in VARIABLES if name != "N_t"),
    *(Null("Table 7", unit, constant(np.nan), NO_HOLD) for unit in ("s2", "ratio")),
)


def with_nulls(card):
    """Return the study's scorecard with its column ``null``."""
    return nulls.with_nulls(card, NULLS)
