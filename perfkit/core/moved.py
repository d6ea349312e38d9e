"""Where things went: an old name is refused with the new one."""

import sys

MOVED = {
    f"perfkit.{name}": f"{room}.{name}"
    for room, names in {
        "perfkit.core": "record result tables values wording sources",
        "perfkit.runs": "experiment what_if designs executors store",
        "perfkit.show": "plots explore controls",
        "studies.evidence": "published scorecard claims nulls kept_cards calibration sensitivity",
        "studies.show": "diagrams opening workbench",
        "studies.commands": "reproduce",
    }.items()
    for name in names.split()
}
MOVED["perfkit.studies"] = "studies"
PARTS = {
    "perfkit.show": ("studies.show.cards", "banner beside cells claims verdict verdicts"),
    "perfkit.show.plots": (
        "studies.show.charts",
        "conclusions errors forest predictions published timeline",
    ),
}


class OldNames:
    """A finder of imports that finds nothing: it refuses the modules that moved.

    An ImportError that is no ModuleNotFoundError, or ``from perfkit import plots`` would hide it.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Refuse an old module's name; Python goes on looking for any other."""
        if name in MOVED:
            raise ImportError(f"{name} is now {MOVED[name]}{_where(MOVED[name])}.", name=name)


def part(module, name):
    """Refuse a name that a module had, for its ``__getattr__``."""
    new, names = PARTS[module]
    went = name in names.split()
    place = f"is now {new}.{name}{_where(new)}" if went else "is not there"
    raise AttributeError(f"{module}.{name} {place}.")


def _where(new):
    return ", which is in perfkit's repository only" if new.startswith("studies") else ""


sys.meta_path.insert(0, OldNames)
