"""What follows from the paper's own numbers: the law of Table 1, and counts.

We read the law of Table 1 off its waits. So all of them but the one that breaks it are "by
construction". Counts of rows that were typed from the text cannot fail either.
"""

import numpy as np

from studies.cp67.runs import KEY, REPLACEMENT, SLICES, designs
from studies.evidence import published, scorecard

HALF_A_SECOND = 0.5
KIND_OF = {
    "page_residence": "arithmetic",
    "shortest_batch_discards": "bookkeeping",
    "slice_cycle": "bookkeeping",
}
LAW_FALLS, IN_USERS = 5.0, 10.0
LEAST_USERS, LONGEST_S, SHORTEST_S = 10, 1000.0, 60.0


def wait_law_s(users):
    """Return the wait in whole seconds that each cell of Table 1 but one follows."""
    law = LONGEST_S * LAW_FALLS ** ((LEAST_USERS - np.asarray(users, float)) / IN_USERS)
    return np.clip(np.floor(law + 1e-9), SHORTEST_S, LONGEST_S)


def derive_tables():
    """Return the scorecard of what is arithmetic on published values."""
    waits = published.table(KEY, "table_1")
    law = wait_law_s(waits["users"])
    read = published.table(KEY, "table_1", readings=True)["wait_s"]
    notes = scorecard.reading_notes(waits["wait_s"], read)
    kinds = np.where(read == waits["wait_s"], scorecard.BY_CONSTRUCTION, "arithmetic")
    cell = waits["users"].astype(str) + " users"
    cells = scorecard.exact(
        "Table 1", cell, waits["wait_s"], law, HALF_A_SECOND, notes, kind=kinds, quantity="wait_s"
    )
    return scorecard.gather(cells, counts())


def counts():
    """Return the scorecard of the text's numbers: counts, and numbers that follow from others."""
    versions = published.table(KEY, "versions")
    days = published.table(KEY, "days")
    alternate = published.table(KEY, "alternate_days")
    waits = published.table(KEY, "table_1", readings=True)["wait_s"]
    design = designs()
    settings = int((versions["experiment"] == SLICES).sum())
    batch = published.stated(KEY, "shortest_batch")
    p0 = versions["p0"].dropna()
    ours = {
        "features_compared": len(design),
        "experiments_described": len(design),
        "alternate_days_each": alternate["version"].value_counts().min(),
        "example_interval": waits.iloc[-1] / 60.0,
        "page_residence": published.stated(KEY, "user_frames")
        / published.stated(KEY, "page_read_rate"),
        "shortest_batch_discards": 100.0
        * design.loc[REPLACEMENT, "discarded_observations"]
        / batch,
        "wait_against_users": np.sign(waits.diff().dropna()).max(),
        "fast_days": (days["response"] == "fast").sum(),
        "slice_settings": settings,
        "slice_cycle": settings * design.loc[SLICES, "batch_observations"],
        "p0_range": p0.max(),
    }
    claims = published.claims(KEY).set_index("id")
    stated = claims["value"].where(claims["value_high"].isna(), claims["value_high"])
    names = list(ours)
    where, cell, unit = (claims.loc[names, c].tolist() for c in ("place", "statement", "unit"))
    kinds = [KIND_OF.get(name, scorecard.BY_CONSTRUCTION) for name in names]
    found, printed = list(ours.values()), stated[names].to_numpy()
    return scorecard.exact(where, cell, printed, found, 0.005, kind=kinds, quantity=unit)
