"""What a record's fields may hold: words, several numbers, whole floats, infinity."""

import inspect
import math
import pickle
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pytest

from perfkit.core.record import ParameterRecord, calibrated, stated
from perfkit.core.result import Result
from perfkit.des.records import record
from perfkit.des.trace import new_trace


@dataclass(frozen=True, init=False)
class Machine(ParameterRecord):
    calibrated_on = "two cells"
    renamed = {"pages": "frames"}  # noqa: RUF012

    devices: tuple = stated(("drum",), "", "section 1", choices=("drum", "disc"))
    wait: float = stated(math.inf, "turns", "section 2", low=0.0, infinite=True)
    frames: int = calibrated(8, "pages", "section 3", low=1)
    locked: bool = stated(False, "", "section 4")
    order: str = stated("FCFS", "", "section 5", choices=("FCFS", "SSTF"))
    think_s: float = stated(1.5, "s", "section 6", low=0.0)


class Kind(IntEnum):
    START = 0


class Run(Result):
    MEASURES = {"pages_in": "pages read", "response_s": "s of response"}  # noqa: RUF012
    EVENTS = Kind
    SHOWN = ("response_s",)


def test_numbers_and_truth_values_of_numpy_are_pythons_and_infinity_only_where_allowed():
    assert Machine().wait == math.inf and Machine.parse("wait", "inf") == math.inf
    assert Machine(wait=3).wait == 3.0
    with pytest.raises(ValueError, match=r"think_s must be .*; inf is not\."):
        Machine(think_s=math.inf)
    assert type(Machine(frames=650 * 2.0).frames) is int
    found = Machine(frames=np.int16(3), wait=np.float32(0.5), locked=np.True_)
    assert found == Machine(frames=3, wait=0.5, locked=True)
    kinds = [type(getattr(found, name)) for name in ("frames", "wait", "locked")]
    assert kinds == [int, float, bool]


@pytest.mark.parametrize("values", [{"locked": 1}, {"locked": np.int64(1)}, {"frames": np.True_}])
def test_truth_values_and_numbers_stay_apart(values):
    with pytest.raises(ValueError, match=f"{next(iter(values))} must be"):
        Machine(**values)


def test_a_status_that_no_field_has_gives_an_empty_frame_and_an_unknown_one_is_refused():
    assert Machine().provenance("calibrated")["source"].to_dict() == {"frames": "section 3"}
    found, some = Machine().provenance("manual"), Machine().provenance("stated")
    assert found.empty and list(found) == list(some)
    assert found.index.name == some.index.name == "parameter"
    for status in ("guessed", ["stated"], None):
        with pytest.raises(ValueError, match=r"There is no status .* (stated|assumed)"):
            Machine().provenance("stated", status)


def test_an_unnamed_value_is_refused_and_an_old_name_with_the_new_one():
    with pytest.raises(TypeError, match=r"Name each parameter: Machine\(devices=650\)"):
        Machine(650)
    sentence = "There is no parameter 'pages'; it is called frames."
    for use in (
        lambda: Machine(pages=3),
        lambda: Machine.parse("pages", "3"),
        lambda: Machine().pages,
        lambda: Machine().replace(pages=3),
    ):
        with pytest.raises((ValueError, AttributeError)) as refusal:
            use()
        assert str(refusal.value) == sentence


def test_help_and_completion_know_every_field():
    text = inspect.getdoc(Machine)
    assert text.startswith(
        "A record of parameters.\n\nParameters\n----------\ndevices : tuple of str"
    )
    assert "frames : int, default 8\n    A whole number of 1 or more (pages); section 3" in text
    assert text.count("(stated).") == 5 and "Raises\n------\nValueError" in text
    signature = inspect.signature(Machine)
    assert list(signature.parameters) == Machine.names()
    assert signature.parameters["frames"].default == 8


def test_a_record_of_a_record_knows_the_fields_of_both():
    @dataclass(frozen=True, init=False)
    class Smaller(Machine):
        frames: int = stated(4, "pages", "section 7", low=1)

    assert list(inspect.signature(Smaller).parameters) == Smaller.names() == Machine.names()
    assert Smaller() == Smaller(frames=4) and Smaller().replace(wait=2.0).frames == 4


def test_settings_hold_what_handlers_can_read_of_parameters():
    kind = Machine.settings_type(whole="slots", real="rate")
    assert " ".join(kind.names) == "slots frames locked order rate wait think_s think_ms"
    settings = record(kind)
    Machine(frames=5, locked=True, order="SSTF").fill(settings)
    assert settings.tolist() == (0, 5, 1, 1, 0.0, math.inf, 1.5, 1500.0)


def test_a_result_shows_its_measures_with_their_meaning():
    values, tables = {"pages_in": 3, "response_s": 0.123456789}, {"by_class": [1]}
    run = Run(Machine(), 7, values, tables, new_trace(2))
    result = pickle.loads(pickle.dumps(run))
    assert repr(result) == "Result(seed=7, response_s=0.123457, ...)"
    assert result.pages_in == 3 and result.by_class == [1] and "pages_in" in dir(result)
    assert result.to_frame().loc["response_s"].tolist() == [0.123456789, "s of response"]
    assert result.to_frame()["value"].to_dict() == result.measures() == result.values
    assert "s of response" in result._repr_html_() and "0.1235" in str(result)
    assert list(result.trace_frame()) == ["time_s", "kind", "actor", "value", "detail"]
    with pytest.raises(AttributeError, match="did you mean pages_in"):
        _ = result.page_in
