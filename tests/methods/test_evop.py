"""Evolutionary operation: effects by hand, convergence, tracking, false moves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.methods.evop import Adjustable, corners, effects, evolve

SLICES = (Adjustable("t1_ms", 200.0, 25.0, 50.0, 800.0), Adjustable("t2_ms", 4.0, 0.5, 1.0, 20.0))


def valley(best, rng, noise=0.5):
    """A response that is lowest at ``best`` (in steps of each parameter), and noisy."""

    def observe(settings, cycle):
        t1_steps, t2_steps = best(cycle) if callable(best) else best
        off = ((settings["t1_ms"] - 200.0) / 25.0 - t1_steps) ** 2
        off += ((settings["t2_ms"] - 4.0) / 0.5 - t2_steps) ** 2
        return 10.0 + 0.3 * off + rng.normal() + noise * rng.normal(size=len(settings))

    return observe


def test_effects_by_hand():
    # Centre 5, corners 1 3 5 7: first factor (5+7)/2 - (1+3)/2 = 4, second 2, mean 4.2 - 5.
    responses = np.array([[5.0, 1.0, 3.0, 5.0, 7.0], [6.0, 2.0, 4.0, 6.0, 8.0]])
    effect, half_width = effects(responses, corners(2))
    assert effect == pytest.approx([4.0, 2.0, -0.8])
    assert half_width == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=3), st.integers(0, 2**31))
def test_what_a_cycle_shares_drops_out(loads, seed):
    responses = np.random.default_rng(seed).normal(size=(3, 5))
    shifted = responses + np.array(loads)[:, None]
    for one, other in zip(
        effects(responses, corners(2)), effects(shifted, corners(2)), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-9)


def test_large_responses_keep_the_digits_of_their_differences():
    responses = np.random.default_rng(4).normal(size=(3, 5)) + 1e12
    found, plain = (effects(part, corners(2)) for part in (responses, responses - 1e12))
    np.testing.assert_allclose(found, plain, rtol=1e-11)


def test_the_point_walks_to_the_best_setting_or_its_limit_and_stays():
    history = evolve(valley((4.0, -3.0), np.random.default_rng(0)), SLICES, 120)
    end = history.iloc[-30:]
    assert end["t1_ms"].between(275.0, 325.0).all()
    assert end["t2_ms"].between(2.0, 3.0).all()
    narrow = (Adjustable("t1_ms", 200.0, 25.0, 150.0, 250.0), SLICES[1])
    history = evolve(valley((9.0, 0.0), np.random.default_rng(2)), narrow, 60)
    assert history["t1_ms"].max() == 225.0
    history = evolve(valley((-9.0, 0.0), np.random.default_rng(2)), narrow, 60)
    assert history["t1_ms"].min() == 175.0


@pytest.mark.parametrize(("minimize", "way"), [(True, -25.0), (False, 25.0)])
def test_the_point_moves_to_the_better_side(minimize, way):
    history = evolve(lambda s, cycle: s["t1_ms"], SLICES[:1], 5, minimize=minimize)
    assert history["t1_ms"].tolist() == [200.0] * 2 + [200.0 + way] * 2 + [200.0 + 2.0 * way]
    assert history["moved"].tolist() == [False, True, False, True, False]


def test_without_evidence_old_observations_are_forgotten():
    still = valley((0.0, 0.0), np.random.default_rng(3))
    history = evolve(still, SLICES, 7, patience=3, confidence=0.9999)
    assert not history["moved"].any()
    forgotten = history["half_width_t1_ms"].isna()
    assert forgotten.tolist() == [True, False, False, True, False, False, True]
