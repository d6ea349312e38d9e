"""The search finds what is known, keeps its bounds, goes on; every calibrated field is free."""

import json

import numpy as np
import pytest

from perfkit.calibration import Free, calibrate, soft_cost
from perfkit.studies import STUDIES

FREE = (Free("a", 0.0, 10.0), Free("b", -1.0, 1.0))


def away_from(a, b):
    """Return residuals that are 0 at a point."""
    return lambda values, seed: 10.0 * np.array([values["a"] - a, values["b"] - b])


def test_a_known_minimum_is_found():
    x = np.linspace(0.0, 1.0, 20)
    wanted = 3.0 * x + 0.25

    def residuals(values, seed):
        return values["a"] * x + values["b"] - wanted

    fit = calibrate(residuals, FREE, {"a": 8.0, "b": -0.5}, generations=80, progress=False)
    assert fit.values == pytest.approx({"a": 3.0, "b": 0.25}, abs=1e-3)
    assert fit.cost < 1e-6 < fit.start_cost


def test_a_minimum_beyond_a_bound_ends_at_the_bound_and_says_so():
    start = {"a": 5.0, "b": 0.5}
    fit = calibrate(away_from(12.0, 0.0), FREE, start, generations=80, progress=False)
    frame = fit.frame().set_index("name")
    assert frame.loc["a", "at_bound"] and not frame.loc["b", "at_bound"]
    assert 9.8 < fit.values["a"] <= 10.0


@pytest.mark.parametrize("seed", [0, 1])
def test_a_search_is_repeated_by_its_seed_and_leaves_the_global_generator_alone(seed):
    def search():
        start, by = {"a": 8.0, "b": 0.5}, {"generations": 3, "seed": seed, "progress": False}
        return calibrate(away_from(3.0, 0.0), FREE, start, **by).values

    before = np.random.get_state()[1].copy()
    first = search()
    assert np.array_equal(np.random.get_state()[1], before)
    np.random.rand()
    assert search() == first


def test_a_killed_search_goes_on_from_what_it_kept(tmp_path):
    kept, seen = tmp_path / "search.json", []

    def residuals(values, seed):
        seen.append(values)
        if len(seen) == 40:
            raise KeyboardInterrupt
        return np.array([values["a"] - 3.0, values["b"]])

    start = {"a": 9.0, "b": -0.9}
    with pytest.raises(KeyboardInterrupt):
        calibrate(residuals, FREE, start, keep=kept, progress=False)
    search = json.loads(kept.read_text())
    assert search["values"] != search["start"] == start and search["spread"] > 0.01
    kept.write_text(json.dumps(search | {"spread": 1e-9}))
    again = len(seen)
    calibrate(residuals, FREE, start, generations=1, keep=kept, progress=False)
    assert seen[again] == start
    for values in seen[again + 1 :]:
        assert values == pytest.approx(search["values"], abs=1e-6)
    assert [path.name for path in tmp_path.iterdir()] == ["search.json"]


def test_a_generation_shares_its_load_and_the_costs_come_from_another():
    seeds = []

    def residuals(values, seed):
        seeds.append(seed)
        return np.array([values["a"] - 3.0, values["b"]])

    calibrate(residuals, FREE, {"a": 9.0, "b": -0.9}, generations=3, progress=False)
    first, *searched, last = seeds
    assert first == last
    groups = [set(searched[i : i + 6]) for i in range(0, 18, 6)]
    assert len(searched) == 18 and all(len(group) == 1 for group in groups)
    assert len(set.union(*groups)) == 3 and first not in searched


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_centre_whose_cost_is_no_number_is_not_preferred_to_the_start():
    start = {"a": 3.0, "b": 0.25}

    def residuals(values, seed):
        return np.array([0.0 if values == pytest.approx(start) else np.nan])

    fit = calibrate(residuals, FREE, start, generations=1, progress=False)
    assert fit.values == pytest.approx(start) and fit.cost == fit.start_cost == 0.0


def test_a_resumed_search_is_compared_with_its_first_start(tmp_path):
    file = tmp_path / "search.json"
    file.write_text(kept(start={"a": 3.0, "b": 0.25}, values={"a": 9.0, "b": -0.9}, spread=1e-3))
    begin, by = {"a": 8.0, "b": 0.0}, {"generations": 1, "keep": file, "progress": False}
    fit = calibrate(away_from(3.0, 0.25), FREE, begin, **by)
    assert fit.values == pytest.approx({"a": 3.0, "b": 0.25})
    assert fit.cost == fit.start_cost == pytest.approx(0.0, abs=1e-12)
    again = json.loads(file.read_text())
    assert again["start"] == {"a": 3.0, "b": 0.25} and again["values"]["a"] > 8.5
    assert again["generation"] == 4


def kept(**changes):
    numbers = {"values": {"a": 1.0, "b": 0.0}, "start": {"a": 9.0, "b": 0.5}}
    return json.dumps({"generation": 3, "spread": 0.1} | numbers | changes)


BAD_NUMBERS = [None, {"a": 9.0}, {"a": float("nan"), "b": 0.0}, {"a": "1", "b": 0.0}]
NO_SEARCH = [
    *("", "[]", '{"values": {"a": 1}, "spread": 0.1}', kept(values={"a": True, "b": 0.0})),
    *(kept(**{name: bad}) for name in ("start", "values") for bad in BAD_NUMBERS),
    *(kept(spread=bad) for bad in (None, "0.1", 10**400, 0.0)),
    *(kept(generation=bad) for bad in (None, 2.5, -3)),
]


@pytest.mark.parametrize("text", NO_SEARCH)
def test_a_file_of_something_else_is_refused(tmp_path, text):
    other = tmp_path / "other.json"
    other.write_text(text)
    with pytest.raises(ValueError, match=r"other\.json holds no search for these free numbers"):
        calibrate(lambda v, seed: np.zeros(1), FREE, {"a": 1, "b": 0}, keep=other, progress=False)
    assert other.read_text() == text


@pytest.mark.parametrize("key", STUDIES)
def test_calibrated_parameters_are_free_or_alternatives_and_within_their_bounds(key):
    parts, parameters = STUDIES[key].calibration(), STUDIES[key].system().Parameters()
    provenance = parameters.provenance()
    calibrated = set(provenance.index[provenance["status"] == "calibrated"])
    reached = set(parts.changes_of(parts.free_values(parameters)))
    choices = {name for choice in parts.ALTERNATIVES for name in choice}
    assert reached <= calibrated <= reached | choices
    assert set(provenance.loc[sorted(choices), "status"]) <= {"calibrated", "assumed"}
    assert parameters.calibrated_on in provenance.loc[sorted(calibrated)[0], "source"]
    values = parts.free_values(parameters)
    assert parameters.replace(**parts.changes_of(values)) == parameters
    assert all(free.low <= values[free.name] <= free.high for free in parts.FREE)
    inside = {free.name for free in parts.FREE if free.low < values[free.name] < free.high}
    assert set(values) - inside <= {"file_area_cylinders", "changed_share"}


CHEAP = {"cp67": 2, "emas": 1, "sim61": 1, "tss360": 2, "unix_v6": 1}


@pytest.mark.parametrize("key", STUDIES)
def test_the_committed_values_cost_less_than_others(key):
    """The smallest part of a fit: at half of one free number every study errs more."""
    calibration = STUDIES[key].calibration()
    start = calibration.free_values(STUDIES[key].system().Parameters())
    name = {"emas": "command_think_s", "sim61": "exec_fault_share"}.get(
        key, calibration.FREE[0].name
    )
    own, off = (
        calibration.residuals(values, CHEAP[key], seed=1)
        for values in (start, start | {name: 0.5 * start[name]})
    )
    assert own.ndim == 1 and np.isfinite(own).all() and own.shape == off.shape
    assert soft_cost(own) < soft_cost(off)
