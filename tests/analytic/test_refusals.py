"""Every argument of every model refuses what is no number of its kind, in one sentence."""

import importlib
import inspect
import pkgutil
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from oracles import one_sentence

from perfkit import analytic
from perfkit.analytic import (
    convolution,
    drum,
    multiprogramming,
    mva,
    open_networks,
    paging,
    references,
    repairman,
    round_robin,
    swapping,
    swapping_networks,
)
from perfkit.analytic import operational as laws

INNER = ("checks", "networks", "multiclass", "records", "solutions")
TRUSTED = {"steady_state", "applications"}  # of arrays known to be sound; of nothing


class Kind(NamedTuple):
    """What an argument may be: a sound value, others that are not, and whether arrays do."""

    sound: object
    wrong: tuple = ()
    arrays: bool = False


def one(kind):
    return Kind(kind.sound, (*kind.wrong, [0.5, 0.5]))


def several(kind):
    return Kind([kind.sound] * 2, ([], *([wrong, kind.sound] for wrong in kind.wrong)))


def without(kind, allowed):
    """Return the kind that allows one thing more: None where it is optional, say."""
    return kind._replace(wrong=tuple(wrong for wrong in kind.wrong if wrong is not allowed))


def each(names, kind):
    return dict.fromkeys(names.split(), kind)


def above_zero(names):
    return each(names, POSITIVE)


def zero_or_more(names):
    return each(names, NOT_NEGATIVE)


def one_above_zero(names):
    return each(names, one(POSITIVE))


def one_zero_or_more(names):
    return each(names, one(NOT_NEGATIVE))


def optional(kind):
    return without(kind, None)


NUMBER = (None, "5", b"5", {}, 2j, np.nan, np.inf, 1e300, 10**400)
NOT_NEGATIVE = Kind(0.5, (*NUMBER, -1), arrays=True)
POSITIVE = Kind(0.5, (*NUMBER, -1, 0, 1e-300), arrays=True)
SHARE = Kind(0.5, (*NUMBER, -0.1, 1.1), arrays=True)
WHOLE = Kind(1, (*NUMBER, 0, -1, 1.5, 10**10))
LISTED = Kind(1, (*WHOLE.wrong, 10**9))  # more than memory holds
ANY = Kind(None)  # refused by hand elsewhere
PAGES = Kind([1, 2, 1], ([], 5, [[1, 2]]))
WINDOWS = Kind([1, 2], (*WHOLE.wrong, [], [3, 3], [2, 1], [*range(900)][::-1]))
DEMANDS = several(NOT_NEGATIVE)
TABLE = Kind(
    DEMANDS.sound, (*DEMANDS.wrong, 0.5, "fast", ["a"] * 900, np.ones((2, 2, 2)), [[1, 2], [3]])
)
SERVERS = Kind(1, (*without(WHOLE, np.inf).wrong, [1, np.inf, np.inf], ["inf", 1], [np.nan, 2]))
NAMES = {
    "stations": Kind(None, (["a", "a"], ["a"], "ab")),
    "classes": Kind(None, (["a", "b"], [])),
}
ROUTING = Kind(
    [[0, 1], [1, 0]],
    ([0, 1], [[0, 1, 0], [1, 0, 0]], [[0, 2], [1, 0]], [[0.7, 0.6], [1, 0]], [[0.4, 0.5], [1, 0]]),
)
CLOSED = {
    "demands_s": TABLE,
    "population": Kind(1, (*NUMBER, -1, 1.5, 10**10, [2, 3])),
    "think_time_s": one(NOT_NEGATIVE),
    "servers": SERVERS,
}
TERMINALS = one_zero_or_more("think_time_s") | {
    "throughput_by_load": several(POSITIVE),
    "memory_limit": optional(WHOLE),
}
RATIO = above_zero("loaded_a loaded_b block_time_a block_time_b") | zero_or_more(
    "swap_time_a swap_time_b"
)
SHARED = one_above_zero("arrivals_per_s demand_s") | one_zero_or_more("swap_share")
WORK = swapping_networks.SwappedWork(1, 1, 1, 1, 1, 1)


def limited(customers, think_time_s, loads, swap_s, processor_s, file_s):
    """Hand the fields of a class of work over one by one."""
    fields = (customers, think_time_s, loads, swap_s, processor_s, file_s)
    return swapping_networks.limiting_resource(swapping_networks.SwappedWork(*fields))


MODELS = [
    (laws.throughput, zero_or_more("completions") | above_zero("observed_s")),
    (laws.utilization, zero_or_more("throughput service_s")),
    (laws.service_demand, zero_or_more("visits service_s")),
    (laws.measured_demand, zero_or_more("utilization") | above_zero("throughput")),
    (laws.forced_flow, zero_or_more("throughput visits")),
    (laws.littles_law, zero_or_more("throughput residence_s")),
    (laws.residence_time, zero_or_more("customers") | above_zero("throughput")),
    (laws.response_time, each("visits residence_s", DEMANDS)),
    (laws.response_time_law, above_zero("users throughput") | zero_or_more("think_time_s")),
    (laws.saturation_point, each("demands_s", DEMANDS) | one_zero_or_more("think_time_s")),
    (
        laws.asymptotic_bounds,
        {"demands_s": DEMANDS, "population": several(WHOLE)} | one_zero_or_more("think_time_s"),
    ),
    (mva.solve_mva, CLOSED | {"rates": ANY} | NAMES),
    (mva.schweitzer, CLOSED | NAMES),
    (
        mva.mva_curve,
        CLOSED | {"population": one(WHOLE)} | {"rates": ANY, "stations": NAMES["stations"]},
    ),
    (
        convolution.solve_convolution,
        CLOSED | {"population": one(LISTED)} | {"rates": ANY, "stations": NAMES["stations"]},
    ),
    (
        open_networks.solve_open,
        {"demands_s": TABLE, "arrival_rates": one(NOT_NEGATIVE), "servers": SERVERS} | NAMES,
    ),
    (open_networks.delay_probability, each("servers", LISTED) | one_zero_or_more("load")),
    (
        open_networks.visit_ratios,
        {"routing": ROUTING, "arrivals": ANY, "reference": Kind(0, (*NUMBER, -1, 2, 1.5))},
    ),
    (
        repairman.repairman,
        {"users": several(LISTED)}
        | one_above_zero("think_time_s service_s")
        | {"repairmen": WHOLE},
    ),
    (repairman.saturation_point, one_above_zero("think_time_s service_s") | {"repairmen": WHOLE}),
    (
        round_robin.round_robin,
        one_above_zero("arrivals_per_s demand_s")
        | {"quantum_s": without(one(POSITIVE), np.inf)}
        | one_zero_or_more("swap_s"),
    ),
    (round_robin.round_robin(0.5, 0.5, 0.5).response_to, above_zero("demand_s")),
    (round_robin.processor_sharing_response, above_zero("service_s") | SHARED),
    (
        round_robin.processor_sharing_swap_time,
        SHARED | {"square_s2": optional(one(POSITIVE))},
    ),
    (multiprogramming.subsystem_throughput, {"demands_s": DEMANDS, "most_resident": WHOLE}),
    (multiprogramming.memory_constrained, {"terminals": LISTED} | TERMINALS),
    (multiprogramming.memory_constrained_curve, {"terminals": several(LISTED)} | TERMINALS),
    (references.working_sets, {"references": PAGES, "windows": WINDOWS}),
    (references.pages_since_activation, {"references": PAGES, "length": WHOLE}),
    (paging.lifetime, above_zero("memory_pages") | one_above_zero("scale exponent")),
    (paging.duty_factor, above_zero("lifetime_s") | zero_or_more("traverse_time_s")),
    (
        paging.memory_for_processors,
        above_zero("processors working_set_pages lifetime_s") | zero_or_more("traverse_time_s"),
    ),
    (
        paging.thrashing_curve,
        {"lifetime": Kind(lambda pages: 0.1, (None, 5, "5"))}
        | one_above_zero("memory_pages")
        | {"page_rates_per_s": several(POSITIVE), "most_programs": LISTED}
        | one_above_zero("compute_s")
        | one_zero_or_more("fault_overhead_s"),
    ),
    (
        paging.choose_degree,
        {"curve": Kind(paging.thrashing_curve(np.sqrt, 9, 1, 3))}
        | one_above_zero("page_service_s"),
    ),
    (drum.idle_service, one_above_zero("revolution_s") | {"sectors": WHOLE}),
    (drum.greatest_rate, one_above_zero("revolution_s") | {"sectors": WHOLE}),
    (swapping.elapsed_ratio, RATIO),
    (swapping.predict_elapsed, above_zero("elapsed_a") | RATIO),
    (
        swapping.processes_loaded,
        above_zero("memory_clicks process_clicks") | {"processes": optional(POSITIVE)},
    ),
    (
        swapping.elapsed_without_overlap,
        above_zero("elapsed_a swap_time") | zero_or_more("swaps"),
    ),
    (swapping.swapping_is_hidden, above_zero("quantum swap_time loaded")),
    (swapping.smallest_quantum, above_zero("swap_time")),
    (swapping.elapsed_by_processes, above_zero("elapsed_a processes_a processes_b")),
    (swapping.elapsed_by_queue, above_zero("elapsed_a queue_a queue_b")),
    (swapping.expected_queue, above_zero("loaded")),
    (swapping.calculated_block_time, above_zero("access_ms transfer_us_per_byte block_bytes")),
    (
        swapping.calculated_swap_times,
        above_zero("process_clicks access_ms transfer_us_per_byte")
        | above_zero("track_seek_ms blocks_per_cylinder block_bytes"),
    ),
    (swapping_networks.swap_in_probability, {"users": LISTED, "places": WHOLE}),
    (
        swapping_networks.swapping_network,
        {
            "users": Kind(2, WHOLE.wrong),
            "think_time_s": one(POSITIVE),
            "demands_s": DEMANDS,
            "swap_time_s": one(NOT_NEGATIVE),
            "swap_probability": several(SHARE),
            "most_loaded": optional(WHOLE),
            "swap_device": optional(Kind(0, (*NUMBER, -1, 1.5, 2))),
        },
    ),
    (
        swapping_networks.limiting_resource,
        each("interactive batch", Kind(WORK))
        | {"batch_share": Kind(0.5, (*one(SHARE).wrong, 0, 1)), "file_on_swap_channel": ANY},
    ),
    (
        limited,
        {"customers": WHOLE, "think_time_s": one(NOT_NEGATIVE), "loads": one(POSITIVE)}
        | one_zero_or_more("swap_s processor_s file_s"),
    ),
]
CASES = [
    pytest.param(model, kinds, name, id=f"{model.__qualname__} {name}")
    for model, kinds in MODELS
    for name in kinds
]


def sound(kinds):
    return {name: kind.sound for name, kind in kinds.items()}


def test_every_argument_of_every_model_is_here():
    for model, kinds in MODELS:
        assert list(inspect.signature(model).parameters) == list(kinds), model
    rooms = [m.name for m in pkgutil.iter_modules(analytic.__path__) if m.name not in INNER]
    public = {
        model
        for room in rooms
        for name, model in vars(importlib.import_module(f"perfkit.analytic.{room}")).items()
        if inspect.isfunction(model) and model.__module__.endswith(room) and name[0] != "_"
    }
    there = {model for model, _ in MODELS}
    assert {model.__name__ for model in public - there} == TRUSTED


@pytest.mark.parametrize(("model", "kinds", "name"), CASES)
def test_each_argument_refuses_what_is_not_of_its_kind(model, kinds, name):
    model(**sound(kinds))
    for wrong in kinds[name].wrong:
        with pytest.raises((ValueError, TypeError)) as error:
            model(**sound(kinds) | {name: wrong})
            pytest.fail(f"{name} may be {wrong!r}")
        assert name in str(error.value) and one_sentence(error), wrong


@pytest.mark.parametrize(("model", "kinds"), MODELS)
def test_arrays_of_unequal_length_are_refused(model, kinds):
    arrays = [name for name, kind in kinds.items() if kind.arrays]
    for two, three in combinations(arrays, 2):
        with pytest.raises(ValueError, match="one number each or alike in shape, not of") as error:
            model(**sound(kinds) | {two: [0.5] * 2, three: [0.5] * 3})
        assert one_sentence(error)
