"""The smallest and largest value of every parameter: it works, or is refused in a sentence."""

import importlib
from dataclasses import fields

import pytest

from perfkit.des.running import Loop
from perfkit.studies import STUDIES
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6

SHORT = {
    "unix_v6": {"interactions": 3},
    "sim61": {"settle_s": 2.0, "measured_s": 10.0},
    "cp67": {"measured_s": 900.0},
    "emas": {"settle_s": 10.0, "measured_s": 30.0},
    "tss360": {"settle_s": 60.0, "measured_s": 60.0},
}
# These are put together, but a run would take long.
LONG = (
    "memory_pages", "user_discs", "settle_s", "measured_s", "days", "session_s", "users",
    "commands_per_session", "user_slots", "interactions",
)  # fmt: skip


def extremes(spec):
    detail, several = spec.metadata, isinstance(spec.default, tuple)
    ends = [detail["low"], detail["high"], *(detail["choices"] or ())]
    if detail["infinite"]:
        ends.append(float("inf"))
    for end in ends:
        if end is not None:
            yield (end,) * max(1, len(spec.default)) if several else end


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("key", STUDIES)
def test_a_parameter_at_its_ends_works_or_is_refused_in_a_sentence(key, monkeypatch):
    system = importlib.import_module(f"perfkit.systems.{key}")
    until = Loop.until

    class PutTogether(Exception):
        pass

    def stop(*_, **__):
        raise PutTogether

    ran = 0
    for spec in fields(system.Parameters):
        monkeypatch.setattr(Loop, "until", stop if spec.name in LONG else until)
        for value in extremes(spec):
            try:
                p = system.Parameters(**{**SHORT[key], spec.name: value})
                assert system.simulate(p).measures()
                ran += 1
            except PutTogether:
                pass
            except (ValueError, TypeError, RuntimeError) as error:
                said = str(error)
                assert said.endswith(".") and "\n" not in said, (spec.name, value)
    assert ran > 50


@pytest.mark.parametrize(
    ("record", "values"),
    [
        (
            unix_v6.Parameters,
            {"processes": 50, "interactions": 20000, "operations_per_interaction": 1000.0},
        ),
        (
            unix_v6.Parameters,
            {"disc_cylinders": 10**5, "disc_heads": 64, "disc_blocks_per_track": 1000}
            | {"file_area_cylinders": 10**4},
        ),
        (sim61.Parameters, {"memory_pages": 10**7}),
        (cp67.Parameters, {"users": 1e5}),
        (cp67.Parameters, {"session_s": 1e8}),
        (emas.Parameters, {"users": 5000, "own_pages": 4096}),
        (emas.Parameters, {"users": 5000, "commands_per_session": 1e4}),
        (emas.configuration_a, {"users": 10**400}),
        (tss360.Parameters, {"user_slots": 10**5}),
    ],
)
def test_what_no_computer_can_hold_is_refused_in_a_sentence(record, values):
    with pytest.raises(ValueError, match=r"can be held\.$| is not\.$"):
        record(**values)


def test_devices_with_more_cylinders_than_can_be_held_are_refused():
    vast = sim61.Device(
        window_ms=0.0, seek_ms=(1.0, 2.0, 3.0), cylinders=10**5
    )
    p = sim61.Parameters(user_discs=10**4, user_disc="vast")
    with pytest.raises(ValueError, match=r"times of seeks; at most .* can be held\.$"):
        sim61.simulate(p, devices={**sim61.TABLE_2, "vast": vast})
