"""Which conclusions survive, on a study made up for it."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from perfkit.core.record import ParameterRecord, assumed, calibrated, stated
from studies import STUDIES
from studies.evidence import rests, sensitivity
from studies.evidence.sensitivity import Margins


@dataclass(frozen=True, init=False)
class Machine(ParameterRecord):
    """A machine of which much is not known."""

    users: int = stated(10, "users", "print", 1, 100)
    think_s: float = calibrated(5.0, "s", "fitted", 0.0, 5.5)
    frames: int = assumed(2, "frames", "guess", 1, 100)
    sweep: bool = assumed(True, "", "guess")
    order: str = assumed("a", "", "guess", choices=("a", "b"))
    spread: float = assumed(1.0, "", "guess", 0.0, 9.0, plausible=(1.0, 4.0))
    seeks: tuple = assumed((1.0, 2.0), "ms", "guess", 0.0, 9.0)
    sizes: tuple = assumed((1.0, 2.0), "", "guess", 0.0, 9.0, plausible=((1.5, 2.0),))


def observe(p, seed):
    noise = 0.01 * (seed - 1.5)
    return Margins(
        always=1.0 + 0.1 * p.frames + noise,
        sweeps=0.5 - (not p.sweep) + noise,
        linear=p.think_s - p.spread,
    )


STUDY = SimpleNamespace(
    CONCLUSIONS={"always": "It holds", "sweeps": "It sweeps", "linear": "Thinking outlasts"},
    parameters=Machine,
    observe=observe,
)


def test_a_field_is_moved_by_a_fifth_within_its_bounds_or_as_its_record_says():
    found = {one.name: one.values for one in sensitivity.uncertain(Machine())}
    assert found == {
        "think_s": (4.0, 5.5),
        "frames": (1, 3),
        "sweep": (False,),
        "order": ("a", "b"),
        "spread": (1.0, 4.0),
        "sizes": ((1.5, 2.0),),
    }


def test_one_at_a_time_finds_what_a_conclusion_hangs_on():
    frame = sensitivity.one_at_a_time(STUDY, 4, progress=False)
    assert len(frame) == 3 * (1 + 2 + 2 + 1 + 1 + 1 + 1)
    assert (frame.loc[frame["conclusion"] == "always", "verdict"] == "holds").all()
    sweeps = frame[(frame["conclusion"] == "sweeps") & (frame["verdict"] == "fails")]
    assert sweeps[["parameter", "value"]].to_numpy().tolist() == [["sweep", False]]
    assert sweeps["margin"].item() == pytest.approx(-0.5)
    table = sensitivity.survivors(frame)
    assert table.index.tolist() == ["always", "linear", "sweeps"]
    assert table.loc["sweeps", "fails"] == "sweep = False"


@pytest.mark.parametrize("key", STUDIES)
def test_every_uncertain_number_moves_both_ways_or_its_machine_refuses_the_other(key):
    own = STUDIES[key].conclusions().parameters()
    for one in (one for one in sensitivity.uncertain(own) if one.range):
        value, (low, _) = getattr(own, one.name), sorted(one.values)
        if value in one.values:
            with pytest.raises(ValueError):
                own.replace(**{one.name: value - 1 if value == low else value + 1})


def test_committed_values_are_told_in_few_digits():
    moved = sensitivity.committed("tss360")
    told = sensitivity.survivors(moved.assign(verdict="undecided")).loc["schedule_gains"]
    assert "think_s = 53.92," in told["undecided"] and not told["fails"]
    assert "background_p_max = (24, 37, 51)" in told["undecided"]


def test_other_fits_are_points_of_their_own():
    study = SimpleNamespace(**vars(STUDY), OTHER_FITS={"greedy": {"frames": 3, "sweep": False}})
    frame = sensitivity.at_other_fits(study, 4, progress=False).set_index("conclusion")
    assert frame["margin"].tolist() == pytest.approx([1.3, -0.5, 4.0])


def test_an_effect_rests_on_what_was_left_open_what_was_fitted_and_other_fits():
    found, moved = rests.rests("emas"), sensitivity.committed("emas")
    moved = moved[moved["conclusion"] == "prepaging_saves"].set_index(["parameter", "value"])
    saved = 100.0 * (moved["margin"]["preloads_at_once", "1"] + 0.05)
    assert found.loc[rests.OPEN, "high"] == pytest.approx(saved)
    assert rests.sign(rests.rests("unix_v6")) == "yes" and rests.sign(found) == "none as fitted"


def test_screening_finds_the_slopes_of_a_line():
    found = sensitivity.morris(STUDY, 4, progress=False)
    linear = found[found["conclusion"] == "linear"].set_index("parameter")
    np.testing.assert_allclose(linear["mu_star"][["think_s", "spread"]], [1.5, 3.0])
    assert linear["mu_star"]["frames"] == 0.0 and linear["sigma"].abs().max() < 1e-9
    always = found[found["conclusion"] == "always"].set_index("parameter")
    assert always["mu_star"]["frames"] == pytest.approx(0.2)  # the range is 1 to 3, whole
    assert always["sigma"].abs().max() < 1e-9 and (always["holds_share"] == 1.0).all()


def test_both_tables_are_written_whole_and_told(tmp_path):
    said = sensitivity.examine("key", STUDY, tmp_path, 4, 4, progress=False)
    written = sorted(path.name for path in (tmp_path / "sensitivity").iterdir())
    assert written == ["key.csv", "key_fits.csv", "key_morris.csv"]
    assert "It holds.\n    Baseline: holds; no single move changes that." in said
    assert "It sweeps.\n    Baseline: holds; fails with sweep = False." in said
