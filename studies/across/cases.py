"""The five systems asked alike: version B against A, a faster device, a load, parts of a stay."""

from functools import partial
from typing import NamedTuple

import numpy as np

from perfkit.methods import tracing
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6
from studies import STUDIES
from studies.cp67 import today as cp67_today
from studies.cp67.runs import busy_hour
from studies.emas.experiments import computing_faster

FASTER = 1.25  # the device of a ratio model's prediction
# Times of tss360: of its supervisor, and what else the processor takes.
SUPERVISOR = ("fault_ms", "interrupt_ms", "write_ms", "reclaim_ms", "access_ms", "slice_end_ms")
PROCESSING = (
    "cpu_points_s", "nonconversational_cpu_s", "system_cpu_s", "loading_ms", "foreground_slice_ms",
    "background_slice_ms", "quantum_ms",
)  # fmt: skip
TRACED = 2_500_000  # records, more than any run here writes
HOUR_S = 3600.0
NAMES = {"unix_v6": "UNIX", "sim61": "SIM/61", "cp67": "CP-67", "emas": "EMAS", "tss360": "TSS/360"}
SECOND = {  # another B of three machines: its changes, what it is called, the wait it acts on
    "unix_v6": ({"minimum_time_out_s": 6}, "6 s out of core, not 3", "ready, but out of core"),
    "sim61": ({"activations_per_batch": 5.0}, "more turns for batch tasks", "waits for core"),
    "cp67": ({"t2_ms": 5000.0}, "slices of 5 s in Q2, not 3", "waits for core"),
}


class Case(NamedTuple):
    """A system with its question: the parameters of version A, and what ``b`` changes.

    ``faster`` makes a device FASTER times as fast, ``limiting`` the processor where it is busier
    than that; ``said``: what B, device, measure, covariate are called. In a trace an event (``:0``
    behind it: of that value only) says at which of ``places`` its actor is from then on; B acts on
    ``waits``, and a stay ``ends`` with an event.
    """

    key: str
    parameters: object
    b: dict
    faster: dict
    said: tuple
    covariate: str
    places: dict
    waits: str
    ends: str
    limiting: dict | None = None

    @property
    def versions(self):
        """A and B, as methods that switch take them."""
        return [{name: getattr(self.parameters, name) for name in self.b}, self.b]

    @property
    def cells(self):
        """The four variants of a 2x2 design: the version by the device."""
        both = {**self.b, **self.faster}
        return {"A": {}, "B": self.b, "A, faster": self.faster, "B, faster": both}


class Measured:
    """A result's measures with what every case asks for; it stands in place of the result."""

    def __init__(self, case, result):
        self.result, self.values = result, dict(result.measures())
        self.values["time"], self.values["cycle"] = TIMES[case.key](result)
        if len(result.trace):
            parts = stay(case, result)
            self.values |= {f"stay: {name}": value for name, value in parts.items()}

    def measures(self):
        """Return the measures, a row of a frame."""
        return self.values


def _simulated(case, parameters, seed=0, **options):
    return Measured(case, STUDIES[case.key].module().simulate(parameters, seed, **options))


def simulate(case):
    """Return a function like the system's ``simulate`` whose runs have ``time`` and ``cycle``.

    ``time`` is what B is to change; ``cycle`` the time per unit of work done, in s: what
    Brachman's ratio is about. With a trace there is also ``stay: <place>``, in s per stay.
    """
    return partial(_simulated, case)


def _stretch(result):
    """Return seconds from command to answer over all commands, per second of processor time."""
    session = result.completions
    return float((session["ready_s"] - session["received_s"]).sum() / session["cpu_s"].sum())


def _span_s(result):
    return result.parameters.measured_s


TIMES = {
    "unix_v6": lambda r: (
        r.elapsed_s,
        r.elapsed_s / (r.parameters.processes * r.parameters.interactions),
    ),
    "sim61": lambda r: (r.response_s, _span_s(r) / r.interactions),
    "cp67": lambda r: (1.0 / r.user_percent, r.parameters.task_ms / r.user_percent),
    "emas": lambda r: (_stretch(r), _span_s(r) / r.commands),
    "tss360": lambda r: (r.R, 1.0 / r.values["transactions"]),
}


def stay(case, result):
    """Return the mean time of a stay by place, in s, read from the trace alone."""
    if case.key == "emas":
        stages = tracing.residence_stages(tracing.Trace.of(result, emas.Event)) / 1000.0
        return {place: stages[name] for name, place in case.places.items()}
    kinds = {kind.name.lower(): int(kind) for kind in type(result).EVENTS}
    names = [*dict.fromkeys(case.places.values())]
    by_kind = np.full(max(kinds.values()) + 1, -1)
    trace = result.trace[result.trace.time_ms >= 1000.0 * getattr(result.parameters, "settle_s", 0)]
    for event, name in case.places.items():
        if ":" not in event:
            by_kind[kinds[event]] = names.index(name)
    place = by_kind[trace.kind]
    for event, name in case.places.items():
        if ":" in event:
            kind, value = event.split(":")
            place[(trace.kind == kinds[kind]) & (trace.value == int(value))] = names.index(name)
    ended = max(1, int((trace.kind == kinds[case.ends]).sum()))
    told = np.flatnonzero(place >= 0)
    told = told[np.argsort(trace.actor[told], kind="stable")]
    lasts, same = np.diff(trace.time_ms[told]), np.diff(trace.actor[told]) == 0
    total = np.bincount(place[told][:-1][same], lasts[same], len(names)) / ended / 1000.0
    return {name: total[i] for i, name in enumerate(names) if name != "away"}


def cases(hours=0.5):
    """Return the five cases by key.

    ``sim61``, ``emas`` and ``tss360`` are observed for these hours, ``cp67`` for one,
    and ``unix_v6`` until its work is done.
    """
    span = {"measured_s": 60.0 * round(60.0 * hours)}
    unix = unix_v6.Parameters(memory_clicks=650, interactions=100)
    sim = sim61.Parameters(**span)
    bard = busy_hour(cp67.Parameters())
    edinburgh = emas.Parameters(settle_s=600.0, **span)
    yorktown = tss360.Parameters(settle_s=1800.0, **span)
    virtual = {name: 1.0 / FASTER for name in cp67_today.SHORTER}  # a processor FASTER as fast
    virtual |= dict.fromkeys(cp67_today.OFTENER, FASTER)
    found = [
        Case(
            "unix_v6", unix, {"minimum_time_in_s": 6}, {"disc_speed": FASTER},
            ("a process stays in core 6 s, not 3", "disc", "elapsed time", "blocks asked for"),
            "blocks",
            {"wake:0": "ready, but out of core", "swap_in": "in core", "wake": "in core",
             "run": "in core", "sleep": "waits for disc, clock or line"},
            "ready, but out of core", "interaction",
        ),
        Case(
            "sim61", sim, {"interactive_slice_ms": 66.0},
            {"page_rate": FASTER * sim.page_rate},
            ("a slice a tenth longer", "drum", "response", "processor time of users"),
            "user_percent",
            {"ready": "waits for core", "activate": "in core", "page_fault": "waits for a page",
             "exec_fault": "waits for a page", "page_in": "in core", "run_out": "waits for core",
             "response": "away"},
            "waits for core", "response",
        ),
        Case(
            "cp67", bard, {"algorithm": 1},
            {"drum_revolution_ms": bard.drum_revolution_ms / FASTER},
            ("Algorithm 1, not 2", "drum", "time per unit of work", "users active"),
            "active_users",
            {"task": "in queue", "candidate": "waits for core", "enter_q1": "in queue",
             "enter_q2": "in queue", "fault": "waits for a page", "page_in": "in queue",
             "sio": "waits for a disc", "sio_end": "in queue", "task_end": "away", "leave": "away",
             "logoff": "away"},
            "waits for a page", "task_end",
            {name: cp67_today.times(getattr(bard, name), by) for name, by in virtual.items()},
        ),
        Case(
            "emas", edinburgh, {"prepaging": False},
            {"drum_revolution_ms": edinburgh.drum_revolution_ms / FASTER,
             "drum_kb_per_s": edinburgh.drum_kb_per_s * FASTER,
             "drum_set_up_ms": edinburgh.drum_set_up_ms / FASTER},
            ("no prepaging", "drums", "stretch of a command", "processor time of users"),
            "user_percent",
            {"core_queue": "waits for core", "preload": "prepaging",
             "page_wait": "waits for a page", "run_queue": "waits for the processor",
             "on_processor": "on the processor"},
            "waits for a page", "residence",
            computing_faster(edinburgh, FASTER),
        ),
        Case(
            "tss360", yorktown, {"schedule": "new"},
            {name: getattr(yorktown, name) / FASTER for name in SUPERVISOR},
            ("the new schedule", "supervisor", "typical response", "tasks"),
            "N_t",
            {"active": "waits for core", "dispatch": "in core", "page_fault": "waits for a page",
             "sharable_fault": "waits for a page", "page_in": "in core",
             "slice_end": "waits for core", "done": "away", "cancel": "away", "log_off": "away"},
            "waits for core", "done",
            {name: cp67_today.times(getattr(yorktown, name), 1.0 / FASTER)
             for name in SUPERVISOR + PROCESSING},
        ),
    ]  # fmt: skip
    return {case.key: case for case in found}
