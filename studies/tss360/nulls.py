"""What a reader would forecast of the TSS/360 paper's tables without the simulator."""

from studies.evidence import nulls
from studies.evidence.nulls import Null, constant, mean_of_fitted
from studies.tss360.runs import VARIABLES

NONE_CUT_OFF = "Demands were drawn with the printed moments; a reader takes all of them to finish."
UNRELATED = "No correlation: means of one experiment do not say which variables go together."
NO_CHANGE = "The fitted column is copied: one experiment says nothing of the others."
NO_EFFECT = "Neither change does anything: an F ratio of 1."
NO_HOLD = "There is none: a fitted mean does not say how much periods differ."
NULLS = (
    *(
        Null("Table 2", unit, lambda known, asked: asked["published"], NONE_CUT_OFF)
        for unit in ("s", "reads", "writes")
    ),
    Null("Table 5", "correlation", constant(0.0), UNRELATED),
    *(Null("Table 6", name, mean_of_fitted, NO_CHANGE) for name in VARIABLES if name != "N_t"),
    Null("Table 7", "s2", constant(float("nan")), NO_HOLD),
    Null("Table 7", "ratio", constant(1.0), NO_EFFECT),
)


def with_nulls(card):
    """Return the study's scorecard with its column ``null``."""
    return nulls.with_nulls(card, NULLS)
