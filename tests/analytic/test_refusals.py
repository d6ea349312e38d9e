"""Every model refuses, in one sentence, what is not of its kind or does not go together."""

import importlib
import inspect
import pkgutil
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from oracles import one_sentence

from perfkit import analytic
from perfkit.analytic import (
    approximate,
    checks,
    convolution,
    mixed,
    multiprogramming,
    mva,
    paging,
    priorities,
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
ROUTING = Kind(
    [[0, 1], [1, 0]],
    ([0, 1], [[0, 1, 0], [1, 0, 0]], [[0, 2], [1, 0]], [[0.7, 0.6], [1, 0]], [[0.4, 0.5], [1, 0]]),
)
# What an argument is by its name, and POSITIVE where it is not here.
NAMED = {
    **each(
        "completions customers residence_s utilization visits swaps traverse_time_s", NOT_NEGATIVE
    ),
    **each("swap_time_a swap_time_b", NOT_NEGATIVE),
    **each("arrivals_per_s demand_s loads compute_s exponent scale page_service_s", one(POSITIVE)),
    **each("revolution_s service_s", one(POSITIVE)),
    **each("think_time_s swap_s swap_share swap_time_s processor_s file_s load", one(NOT_NEGATIVE)),
    **each("arrival_rates", one(NOT_NEGATIVE)),
    **each("length most_resident places repairmen sectors", WHOLE),
    **each("memory_limit most_loaded", optional(WHOLE)),
    **each("page_rates_per_s throughput_by_load", several(POSITIVE)),
    **each("most_programs terminals", LISTED),
    **each("rates arrivals file_on_swap_channel", ANY),
    "demands_s": DEMANDS,
    "population": Kind(1, (*NUMBER, -1, 1.5, 10**10, [2, 3])),
    "servers": SERVERS,
    "stations": Kind(None, (["a", "a"], ["a"], "ab")),
    "classes": Kind(None, (["a", "b"], [])),
    "references": PAGES,
    "windows": WINDOWS,
    "routing": ROUTING,
    "reference": Kind(0, (*NUMBER, -1, 2, 1.5)),
    "processes": optional(POSITIVE),
    "quantum_s": without(one(POSITIVE), np.inf),
    "square_s2": optional(one(POSITIVE)),
    "lifetime": Kind(lambda pages: 0.1, (None, 5, "5")),
    "curve": Kind(paging.thrashing_curve(np.sqrt, 9, 1, 3)),
    "swap_probability": several(SHARE),
    "swap_device": optional(Kind(0, (*NUMBER, -1, 1.5, 2))),
}
# Of each model what it takes otherwise than by name.
BOUND = [
    (
        convolution.solve_convolution([1, 3], 3).marginal,
        {"station": Kind(0, (2, -1, "drum", None))},
    ),
    (round_robin.round_robin(0.5, 0.5, 0.5).response_to, each("demand_s", POSITIVE)),
]
APART = {
    laws.utilization: each("throughput service_s", NOT_NEGATIVE),
    laws.littles_law: each("throughput", NOT_NEGATIVE),
    laws.asymptotic_bounds: {"population": several(WHOLE)},
    mva.solve_mva: {"demands_s": TABLE},
    mva.schweitzer: {"demands_s": TABLE},
    approximate.linearizer: {"demands_s": TABLE},
    priorities.priorities: {
        "arrivals_per_s": several(NOT_NEGATIVE),
        "service_s": several(POSITIVE),
        "square_s2": optional(several(POSITIVE))._replace(sound=None),
        "preemptive": ANY,
    },
    mixed.solve_mixed: {
        "demands_s": TABLE,
        "open_demands_s": several(NOT_NEGATIVE),
        "arrivals_per_s": one(NOT_NEGATIVE),
    },
    mixed.chain: {
        "transitions": Kind(
            [[1, 1], [1, 0]], (None, "5", [1, 2], [[1, -1], [1, 0]], [[0, 0], [1, 0]])
        ),
        "demands_s": Kind([[1, 2], [3, 4]], (None, "5", [1, 2], [[1, 2]], [[-1, 2], [1, 2]])),
    },
    mva.mva_curve: {"demands_s": TABLE, "population": one(WHOLE)},
    convolution.solve_convolution: {"demands_s": TABLE, "population": one(LISTED)},
    repairman.repairman: {"users": several(LISTED)} | each("think_time_s", one(POSITIVE)),
    repairman.saturation_point: each("think_time_s", one(POSITIVE)),
    round_robin.processor_sharing_response: each("service_s", POSITIVE),
    multiprogramming.memory_constrained_curve: {"terminals": several(LISTED)},
    paging.thrashing_curve: each("memory_pages", one(POSITIVE)),
    swapping_networks.swap_in_probability: {"users": LISTED},
    swapping_networks.swapping_network: {"users": Kind(2, WHOLE.wrong)}
    | each("think_time_s", one(POSITIVE)),
    swapping_networks.limiting_resource: {"customers": WHOLE},
}


def public_functions():
    """Yield every model that a reader calls: what is not here can't be forgotten."""
    for room in pkgutil.iter_modules(analytic.__path__):
        for name, model in vars(importlib.import_module(f"perfkit.analytic.{room.name}")).items():
            own = inspect.isfunction(model) and model.__module__.endswith(room.name)
            if own and name[0] != "_" and room.name not in INNER and name not in TRUSTED:
                yield model


MODELS = [
    (
        model,
        {name: (NAMED | own).get(name, POSITIVE) for name in inspect.signature(model).parameters},
    )
    for model, own in [*((model, APART.get(model, {})) for model in public_functions()), *BOUND]
]
CASES = [
    pytest.param(model, kinds, name, id=f"{model.__qualname__} {name}")
    for model, kinds in MODELS
    for name in kinds
]


def sound(kinds):
    return {name: kind.sound for name, kind in kinds.items()}


def test_the_public_functions_are_found():
    assert set(APART) < set(public_functions())


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


CLASSES = [[1, 2], [3, 4]]
LABELLED = pd.DataFrame(CLASSES, ["a", "b"], ["processor", "disc"])
DRUM = pd.Series({"disc": 1, "drum": 2})
CROWD = 10**6
TOGETHER = [
    (lambda: checks.count("x", 10**9 + 1), "a whole number of 1e.09 at most, not 1000000001.0"),
    (lambda: checks.counts("x", [1, 2.5, 0]), "whole numbers of 1 or more, not 2.5"),
    (lambda: mva.solve_mva([0, 0], 3), "must have a number above zero"),
    (lambda: mva.solve_mva(CLASSES, 3), "population must be one number per class"),
    (lambda: mva.solve_mva(CLASSES, [2, 1], servers=2), "servers must be 1 or infinite"),
    (lambda: mva.solve_mva(LABELLED, pd.Series({"a": 1, "c": 2})), "must have the classes"),
    (lambda: mva.solve_mva(LABELLED, [1, 2], servers=DRUM), "servers must have the stations"),
    (lambda: mva.solve_mva(np.ones((6, 3)), [999] * 6), "schweitzer approximates"),
    (lambda: mva.solve_mva(np.ones((300, 3)), [9999] * 300), "about 1e1200 combinations"),
    (lambda: mva.solve_mva(np.ones((2, 2)), [10**4] * 2), "schweitzer approximates"),
    (lambda: mva.solve_mva([1, 2], 10**9), "population must be at most 50000000"),
    (lambda: mva.solve_mva([1, 2], CROWD, servers=CROWD), "must be at most 1e.09, not 2e.12"),
    (lambda: mva.mva_curve([1, 2], 10**9, servers=10**9), "servers must be 100000000 at most"),
    (lambda: mva.mva_curve([[1, 2]], 5), "a curve has one class"),
    (lambda: mva.solve_mva([[0.1], [0.2, 0.3]], [2, 3]), "rows of demands_s differ in length: 1 a"),
    (lambda: convolution.solve_convolution(CLASSES, [2, 2]), "convolution is of one class"),
    (lambda: convolution.solve_convolution([1, 2], CROWD, servers=CROWD), "1e.10, not 6e.12"),
    (lambda: multiprogramming.memory_constrained(2, 1.0, [1.0], 2), "memory_limit must be at mos"),
    (lambda: round_robin.round_robin(1.0, 1.0, 1.0), "less than all its time, not for 1"),
    (lambda: round_robin.round_robin(0.5, 1, 1e-16, 1e-17), "quantum_s must be at least 1e-08"),
    (lambda: round_robin.processor_sharing_response(1.0, 0.9, 1.0, 0.2), "less than all its time"),
    (lambda: priorities.priorities([0.5, 0.5], [1, 1]), "load the server below 1; these come to 1"),
    (lambda: priorities.priorities([0.5], [1], [0.5]), "square_s2 must be at least the square"),
    (lambda: mixed.solve_mixed([1, 1], 2, [1, 0], 1), "must leave each station time"),
    (lambda: mixed.chain(np.eye(2), CLASSES), "lead from every class back to the first"),
    (lambda: swapping.predict_elapsed(1, *[1e50, 1e-50] * 3), "the ratio of elapsed times"),
    (lambda: swapping_networks.swapping_network(2, 1.0, [1.0], 1.0, [0.5]), "2 numbers, not 1"),
]


@pytest.mark.parametrize(("call", "sentence"), TOGETHER)
def test_what_does_not_go_together_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        call()
    assert one_sentence(error)


def test_what_has_a_limit_comes_to_it():
    assert swapping.elapsed_ratio(1e50, 1e50, 0.05, 0.05, 0, 0) == pytest.approx(1)
    assert paging.duty_factor(1e50, 1e50) == 0.5
    idle = repairman.repairman(5, 1e50, 1e-50)
    full = repairman.repairman(5, 1e-50, 1e50)
    assert idle.response_s[0] == pytest.approx(1e-50)
    assert full.utilization[0] == pytest.approx(1)
    for solve in (mva.solve_mva, mva.schweitzer):
        assert solve([1e50, 1e-50], 3).throughput == pytest.approx(1e-50)
    short = round_robin.round_robin(0.5, 1, 1e-8)
    assert short.response_s == pytest.approx(2)
    assert short.response_to(1.0) == pytest.approx(2, rel=1e-6)
