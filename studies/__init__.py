"""The studies: what each is called, where its parts stand, how it is run quickly."""

import importlib
from dataclasses import dataclass, field
from pathlib import Path

from perfkit.core.wording import nearest

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


@dataclass(frozen=True)
class Study:
    """One study.

    Attributes
    ----------
    key : str
        Names the notebook, the system's package and the data folder.
    title, paper : str
        The system, and the paper that it is known from.
    method : str
        What the paper teaches, in a few words.
    quick : dict
        Notebook parameters of ``reproduce --quick``.
    """

    key: str
    title: str
    paper: str
    method: str
    quick: dict = field(default_factory=dict)

    @property
    def notebook(self):
        """The path of the study's notebook."""
        return NOTEBOOKS / f"{self.key}.ipynb"

    def system(self):
        """Import and return the study's system: Parameters and simulate."""
        return importlib.import_module(f"perfkit.systems.{self.key}")

    def calibration(self):
        """Import and return what is free in the study's simulator and what it is fitted to.

        Its ``residuals(values, replications, seed, **alternative)`` takes a dict of the FREE
        numbers, and parameters that are fixed at another value. CHOSEN were fitted too, but no
        search moves them. ``predictions(values, replications, seed)`` is a scorecard.
        """
        return importlib.import_module(f"studies.{self.key}.calibration")

    def conclusions(self):
        """Import and return the study's headlines as margins: see ``evidence.sensitivity``."""
        return importlib.import_module(f"studies.{self.key}.conclusions")


STUDIES = {
    study.key: study
    for study in [
        Study(
            "unix_v6",
            "UNIX Sixth Edition on a PDP-11/34, swapping",
            "Brachman, A Model of the UNIX Time-Sharing System under Disk Saturation, 1983",
            "deterministic ratio model, factorial experiment",
            {"replications": 2},
        ),
        Study(
            "sim61",
            "RCA virtual memory system under demand paging, SIM/61",
            "Winograd, Morganstein, Herman, Simulation Studies of a Virtual Memory, Time-Shared,"
            " Demand Paging Operating System, about 1971",
            "simulation of load, configuration and algorithm",
            {"replications": 2},
        ),
        Study(
            "cp67",
            "IBM CP-67 time-sharing system",
            "Bard, Experimental evaluation of system performance, 1973",
            "on-line switching between versions of a running system",
            {"days": 4},
        ),
        Study(
            "emas",
            "Edinburgh Multi-Access System on the ICL System 4/75, prepaging",
            "Adams, Millard, Performance Measurement on the Edinburgh Multi Access System, 1975",
            "event tracing, sampling, benchmark construction",
            {"replications": 2},
        ),
        Study(
            "tss360",
            "IBM TSS/360 on a System/360 Model 67, tuned by experiment",
            "Anderson, Reiser, Galati, Tuning a Virtual Storage System, IBM Systems Journal 14,"
            " 1975",
            "workload characterisation, performance factors, factorial experiment with covariates",
            {"days": 12},
        ),
    ]
}


# Notebooks that follow no paper: they have a title and quick parameters, and no
# scorecard.
BEYOND = {
    "across": Study("across", "All five systems", "", "", {"replications": 4}),
    "scale": Study("scale", "Ten thousand machines", "", "", {"machines": 500}),
}
BOOKS = {**STUDIES, **BEYOND}


def book(key):
    """Return what has a notebook, a study or one beyond them, by its key."""
    return BEYOND.get(key) or study(key)


def study(key):
    """Return a study by its key."""
    if key not in STUDIES:
        hint = nearest(key, STUDIES) or f"; the studies are {', '.join(STUDIES)}."
        raise ValueError(f"There is no study '{key}'{hint}")
    return STUDIES[key]


def chosen(keys):
    """Return the studies of these keys, all if there are none."""
    return [study(key) for key in keys] if keys else list(STUDIES.values())
