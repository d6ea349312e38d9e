"""What follows from the print alone: the law of Table 1, Table 2 alone on a machine, counts.

The law of Table 1 was read off its waits, so they are shown "by construction", but for the one
wait that it was not read off. Counts of rows that were typed from the text can't fail either.
"""

import numpy as np
import pandas as pd

from perfkit.systems.cp67 import Parameters
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
CLOCKS_S = {
    "seconds (printed)": 1.0,
    "ticks of ten seconds": 10.0,
    "seconds, weight 1/4 for 4": 16.0,
    "minutes": 60.0,
    "milliseconds": 0.001,
}


def wait_law_s(users):
    """Return the whole seconds that all of Table 1 but one cell follows, within its limits."""
    law = LONGEST_S * LAW_FALLS ** ((LEAST_USERS - np.asarray(users, float)) / IN_USERS)
    return np.clip(np.floor(law + 1e-9), SHORTEST_S, LONGEST_S)


def table_1():
    """Return Table 1: printed, our reading, the law and what the law is off by."""
    printed = published.table(KEY, "table_1").set_index("users")["wait_s"]
    read = published.table(KEY, "table_1", readings=True).set_index("users")["wait_s"]
    law = wait_law_s(printed.index)
    return pd.DataFrame({"printed": printed, "reading": read, "law": law, "off": printed - law})


def table_2():
    """Return Table 2 with what follows: time between SIOs and time alone on a machine.

    One row per benchmark and their sum; ``alone_s`` with mean seeks and half a revolution,
    without supervisor time.
    """
    table = published.table(KEY, "table_2").set_index("benchmark")
    table.loc["set"] = table.sum()
    p = Parameters()
    record_ms = p.disc_seek_ms[1] + p.disc_revolution_ms * (0.5 + 1.0 / p.disc_records_per_track)
    sios = table["virtual_sio"]
    return table.assign(
        ms_an_sio=table["virtual_cpu_ms"] / sios.where(sios > 0),
        alone_s=(table["virtual_cpu_ms"] + sios * record_ms) / 1000.0,
    )


def head_starts():
    """Return by unit of T how long a candidate of one P0 is ahead of one of another.

    In seconds; one row per reading of the unit, columns the pairs of experiment 3.
    """
    weight = published.stated(KEY, "p_weight")
    first, usual, last = (published.stated(KEY, f"p0_{n}") for n in ("first", "second", "third"))
    pairs = {
        "1 before 50": usual - first,
        "50 before 98": last - usual,
        "1 before 98": last - first,
    }
    return pd.DataFrame(
        {
            name: {unit: gap * s / weight for unit, s in CLOCKS_S.items()}
            for name, gap in pairs.items()
        }
    )


def derive_tables():
    """Return the scorecard of everything that is arithmetic on the print."""
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
    """Return the scorecard of the text's numbers: those that follow from others, and counts."""
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
