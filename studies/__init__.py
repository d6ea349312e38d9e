"""The papers' side of perfkit: what was published, what we make of it, what notebooks show."""

import importlib
from dataclasses import dataclass, field
from pathlib import Path

from perfkit.systems import SYSTEMS, System, find

PACKAGE = Path(__file__).resolve().parent
NOTEBOOKS = PACKAGE.parent / "notebooks"


def shipped(folder):
    """Return a folder of the checkout, or the copy of it that an installed package carries.

    Parameters
    ----------
    folder : str
        From the checkout's root: "data".
    """
    inside = PACKAGE / Path(folder).name
    return inside if inside.is_dir() else PACKAGE.parent / folder


@dataclass(frozen=True)
class Study(System):
    """One study: a system and its paper, with the notebook's ``quick`` parameters."""

    quick: dict = field(default_factory=dict)

    @property
    def notebook(self):
        """The path of the study's notebook."""
        return NOTEBOOKS / f"{self.key}.ipynb"

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


QUICK = {
    "unix_v6": {"replications": 2},
    "sim61": {"replications": 2},
    "cp67": {"days": 4},
    "emas": {"replications": 2},
    "tss360": {"days": 12},
}
STUDIES = {key: Study(**vars(SYSTEMS[key]), quick=quick) for key, quick in QUICK.items()}
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
    return STUDIES[find(key).key]


def chosen(keys):
    """Return the studies of these keys, all if there are none."""
    return [study(key) for key in keys] if keys else list(STUDIES.values())
