"""The simulated systems: what each is called, and the paper that it is known from."""

import importlib
from dataclasses import dataclass

from perfkit.core.wording import check_known


@dataclass(frozen=True)
class System:
    """One system: its package's name, what it is, its paper, and what that teaches."""

    key: str
    title: str
    paper: str
    method: str

    def module(self):
        """Import and return the system itself: its ``Parameters``, ``simulate``, ``MEASURES``."""
        return importlib.import_module(f"perfkit.systems.{self.key}")


SYSTEMS = {
    system.key: system
    for system in [
        System(
            "unix_v6",
            "UNIX Sixth Edition on a PDP-11/34, swapping",
            "Brachman, A Model of the UNIX Time-Sharing System under Disk Saturation, 1983",
            "deterministic ratio model, factorial experiment",
        ),
        System(
            "sim61",
            "RCA virtual memory system under demand paging, SIM/61",
            "Winograd, Morganstein, Herman, Simulation Studies of a Virtual Memory, Time-Shared,"
            " Demand Paging Operating System, about 1971",
            "simulation of load, configuration and algorithm",
        ),
        System(
            "cp67",
            "IBM CP-67 time-sharing system",
            "Bard, Experimental evaluation of system performance, 1973",
            "on-line switching between versions of a running system",
        ),
        System(
            "emas",
            "Edinburgh Multi-Access System on the ICL System 4/75, prepaging",
            "Adams, Millard, Performance Measurement on the Edinburgh Multi Access System, 1975",
            "event tracing, sampling, benchmark construction",
        ),
        System(
            "tss360",
            "IBM TSS/360 on a System/360 Model 67, tuned by experiment",
            "Anderson, Reiser, Galati, Tuning a Virtual Storage System, IBM Systems Journal 14,"
            " 1975",
            "workload characterisation, performance factors, factorial experiment with covariates",
        ),
    ]
}


def find(key):
    """Return a system by its key, or refuse it with the nearest key, or all.

    Examples
    --------
    >>> find("cp67").title
    'IBM CP-67 time-sharing system'
    """
    check_known("study", key, SYSTEMS)
    return SYSTEMS[key]
