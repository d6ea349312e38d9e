"""Every field of every system at its ends, beyond them, and against the other fields."""

import math
from dataclasses import dataclass, fields

import pytest

from perfkit.core.record import stated
from perfkit.des.running import Loop
from perfkit.systems import cp67, emas, sim61, tss360, unix_v6
from studies import STUDIES
from tests.systems.test_all import SHORT

SYSTEMS = {"unix_v6": unix_v6, "sim61": sim61, "cp67": cp67, "emas": emas, "tss360": tss360}
RECORDS = [*(system.Parameters for system in SYSTEMS.values()), sim61.Device, sim61.NToOneLoad]
SPECS = [(record, spec) for record in RECORDS for spec in fields(record)]
# These are put together, but a run would take long.
LONG = (
    "memory_pages", "user_discs", "settle_s", "measured_s", "days", "session_s", "users",
    "commands_per_session", "user_slots", "interactions",
)  # fmt: skip


def name_of(value):
    return f"{value.__module__.split('.')[-2]}.{value.__name__}" if value in RECORDS else value.name


def extremes(spec):
    """Yield a field's ends and choices; of a list also fewer numbers, and more."""
    detail, several = spec.metadata, isinstance(spec.default, tuple)
    ends = [detail["low"], detail["high"], *(detail["choices"] or ())]
    if detail["infinite"]:
        ends.append(math.inf)
    for end in ends:
        if end is not None:
            yield (end,) * max(1, len(spec.default)) if several else end
    if several:
        yield from ((), spec.default[:-1], (*spec.default, *spec.default[-1:]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("key", STUDIES)
def test_a_parameter_at_its_ends_works_or_is_refused_in_a_sentence(key, monkeypatch):
    system = SYSTEMS[key]
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
                few = {"users": 1.0} if (key, spec.name) == ("cp67", "measured_s") else {}
                p = system.Parameters(**SHORT[key] | few | {spec.name: value})
                assert system.simulate(p).measures()
                ran += 1
            except PutTogether:
                pass
            except (ValueError, TypeError, RuntimeError) as error:
                said = str(error)
                assert said.endswith(".") and "\n" not in said, (spec.name, value)
    assert ran > 50


def beyond(spec):
    """Yield values that are none of a field's: beyond its ends, or of another kind."""
    detail = spec.metadata
    one = (*spec.default, 0.0)[0] if isinstance(spec.default, tuple) else spec.default
    kind = type(one)
    yield from (None, math.nan, [[1]])
    if kind is str:
        yield from (1, True, *(["no such word"] if detail["choices"] else []))
        return
    yield from ("many", 1) if kind is bool else ("many", True)
    if kind is int:
        yield 2.5
    if detail["low"] is not None:
        yield math.nextafter(detail["low"], -math.inf) if kind is float else detail["low"] - 1
    if kind is not bool and not detail["infinite"]:
        yield from (math.inf, *([detail["high"] + 1] if detail["high"] is not None else []))


@pytest.mark.parametrize(("record", "spec"), SPECS, ids=name_of)
def test_a_value_beyond_a_fields_ends_or_of_another_kind_is_refused_by_its_name(record, spec):
    for value in beyond(spec):
        for given in (value, (value,)) if isinstance(spec.default, tuple) else (value,):
            with pytest.raises(
                ValueError, match=rf"^{spec.name} must be .*; .* is not(\.|; did .*\?)$"
            ):
                record(**{spec.name: given})


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_a_record_tells_where_its_fields_come_from_and_reads_what_it_shows(record):
    frame = record().provenance()
    assert list(frame.index) == record.names()
    assert (frame["source"].str.len() > 0).all()
    told = frame["source"][frame["status"] == "calibrated"]
    assert told.empty or (record.calibrated_on and told.str.endswith(record.calibrated_on).all())
    for name, text in frame["value"].items():
        assert record.parse(name, text) == getattr(record(), name)
    for old, new in record.renamed.items():
        assert hasattr(record(), new)
        with pytest.raises(ValueError, match=f"There is no parameter '{old}'; it is called {new}."):
            record(**{old: 1})


@pytest.mark.parametrize("key", SYSTEMS)
def test_simulate_refuses_another_systems_parameters(key):
    for other in ({"users": 3}, *(SYSTEMS[k].Parameters() for k in SYSTEMS if k != key)):
        with pytest.raises(TypeError, match=rf"simulate takes {key}\.Parameters\(\.\.\.\), not "):
            SYSTEMS[key].simulate(other)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"parameters": {}}, r"observe takes unix_v6\.Parameters\(\.\.\.\), not dict"),
        ({"versions": [5]}, "sequence of dictionaries of changes; 5 is no dictionary"),
        ({"versions": {"minimum_time_in_s": 1}}, "of changes; 'minimum_time_in_s' is no dict"),
    ],
)
def test_observe_refuses_what_is_of_another_kind(given, message):
    with pytest.raises(TypeError, match=message):
        observe(**given)


TOGETHER = [
    (unix_v6, {"process_clicks": 1300}, "must fit in memory"),
    (unix_v6, {"pause_percent": (50.0, 20.0, 20.0, 20.0)}, "sum to 100"),
    (unix_v6, {"file_area_cylinders": 400}, "at most disc_cylinders"),
    (unix_v6, {"disc_seek_ms": (15.0, 500.0, 100.0)}, "No seek curve"),
    (unix_v6, {"disc_seek_ms": (15.0, 1500.0, 2000.0)}, "at most 1000 ms track to track"),
    (unix_v6, {"processes": 1, "update_clicks": 1280, "swap_area_start": 252}, "hold 180 blocks"),
    (sim61, {"supervisor_pages": 256}, "must leave at least two pages"),
    (sim61, {"activations_per_batch": 2.5}, "whole number or infinity"),
    (sim61, {"paging_devices": "8568"}, "no device '8568'; did you mean"),
    (sim61, {"paging_channels": 2}, "must not exceed the number of paging_devices"),
    (sim61, {"user_channels": 3}, "must not exceed user_discs"),
    (cp67, {"locality_pages": (5, 2)}, "the fewest and the most"),
    (cp67, {"locality_pages": (5, 64)}, "at most 63"),
    (cp67, {"benchmark_pages": (1, 62, 1, 1)}, "fit into virtual_pages"),
    (cp67, {"minidisk_cylinders": 201}, "not exceed disc_cylinders"),
    (cp67, {"hottest_per_ms": 0.001}, "not be less than coldest"),
    (cp67, {"disc_seek_ms": (25.0, 200.0, 130.0)}, "No seek curve"),
    (cp67, {"absence_share": 1.0, "absence_s": 0.0}, "thinks of 0.01 s or more on average, not 0"),
    (emas, {"late_users": 31}, r"late_users must not exceed users\."),
    (emas, {"frames": 61}, "largest core allowance, 62; 61 does not"),
    (tss360, {"supervisor_pages": 250}, "must leave more frames"),
    (tss360, {"supervisor_pages": 235, "background_p_max": (4, 5, 6)}, "typical_p_max must be l"),
    (tss360, {"upper_threshold": 6}, "upper_threshold must be above lower_threshold"),
    (tss360, {"background_p_max": (24, 24, 30)}, "three rising numbers"),
    (tss360, {"typical_p_max": 1}, "typical_p_max and background_p_max must be 2 frames or more"),
    (tss360, {"users": 50.0}, "users must not exceed user_slots"),
    (tss360, {"cpu_points_s": (1.0, 0.5), "cpu_cdf": (0.0, 1.0)}, "must rise"),
    (tss360, {"cpu_points_s": (0.5, 1.0), "cpu_cdf": (0.0, 0.9)}, "begin with 0 and end with 1"),
    (tss360, {"recurring_pages": 200, "private_pages": 100}, "recurring_pages must be less"),
    (tss360, {"disc_seek_ms": (60.0, 25.0, 130.0)}, "No seek curve"),
    (tss360, {"paging_cylinders": 300}, "must not exceed disc_cylinders"),
    (tss360, {"measured_s": 90.0}, "settle_s and measured_s must be whole minutes"),
]


@pytest.mark.parametrize(("system", "values", "message"), TOGETHER)
def test_fields_that_are_impossible_together_are_refused_in_one_sentence(system, values, message):
    with pytest.raises(ValueError, match=message) as refusal:
        system.simulate(system.Parameters(**values))
    assert "\n" not in str(refusal.value)


def observe(**changes):
    p = unix_v6.Parameters(processes=6, interactions=120)
    unix_v6.observe(**{"parameters": p, "versions": [{}], "order": [0]} | changes)


def switch(versions=({},), order=(0,), **given):
    cp67.simulate(cp67.Parameters(measured_s=10.0), versions=versions, order=order, **given)


def of_kinds(**changes):
    changed = {name: emas.TABLE_6[name]._replace(**new) for name, new in changes.items()}
    emas.simulate(kinds=emas.TABLE_6 | changed)


@cp67.replacement_policy
def mine(referenced, in_queue, trip, resident_ms, queue):
    return 0


VAST = sim61.Device(window_ms=0.0, seek_ms=(1.0, 2.0, 3.0), cylinders=10**5)
HELD = r"can be held\.$| is not\.$"
CALLS = [
    (unix_v6.Parameters, {"processes": 50, "interactions": 20000}
     | {"operations_per_interaction": 1000.0}, HELD),
    (unix_v6.Parameters, {"disc_cylinders": 10**5, "disc_heads": 64, "disc_blocks_per_track": 1000}
     | {"file_area_cylinders": 10**4}, HELD),
    (sim61.Parameters, {"memory_pages": 10**7}, HELD),
    (cp67.Parameters, {"users": 1e5}, HELD),
    (emas.Parameters, {"users": 5000, "own_pages": 4096}, HELD),
    (emas.configuration_a, {"users": 10**400}, HELD),
    (tss360.Parameters, {"user_slots": 10**5}, HELD),
    (sim61.Device, {"window_ms": 20.0}, "less than revolution_ms"),
    (sim61.Device, {"transfer_kb_per_s": 50},
     r"pages \(81\.9 ms\) and window_ms fit .*; 85\.4 ms exceed 17\.2"),
    (sim61.Device, {"seek_ms": (10.0, 30.0)}, "seek_ms must be three numbers"),
    (sim61.Device, {"cylinders": 100, "seek_ms": (0.0, 50.0, 0.0)}, "No seek curve"),
    (sim61.NToOneLoad, {"basic_think_s": (5.0,)}, "two numbers"),
    (sim61.simulate, {"devices": {}}, "There is no device '8567'; there are none"),
    (sim61.simulate, {"devices": 3}, "devices must be a mapping of str to Device, not 3"),
    (sim61.simulate, {"devices": {"8567": 17.2}}, r"Device '8567' must be a Device, not 17\.2"),
    (sim61.simulate, {"parameters": sim61.Parameters(user_discs=10**4, user_disc="vast"),
                      "devices": {**sim61.TABLE_2, "vast": VAST}},
     r"times of seeks; at most .* can be held\.$"),
    (emas.configuration_a, {"users": "many"}, "users must be a whole number"),
    (emas.simulate, {"kinds": {}}, "kinds must have a CommandKind for 'edit'"),
    (emas.simulate, {"kinds": [1]}, r"kinds must be a mapping of str to CommandKind, not \[1\]"),
    (emas.simulate, {"kinds": emas.TABLE_6 | {"edits": emas.TABLE_6["edit"]}},
     "no kind of command 'edits';"),
    (of_kinds, {"edit": {"input_lines": 0}},
     "input_lines of kind 'edit' must be a number from 1 to"),
    (of_kinds, {"edit": {"output_lines": math.nan}},
     "output_lines of kind 'edit' must be a number"),
    (of_kinds, {name: {"count": 0} for name in emas.KINDS}, "a count above 0"),
    (switch, {"versions": [{"frames": 50}]}, "'frames' can't be switched"),
    (switch, {"versions": [{"replacement": min}]},
     "handed over beside the versions, as replacement="),
    (switch, {"versions": [{"algorithm": 3}]}, "reader's own"),
    (switch, {"versions": []}, "at least one dictionary"),
    (switch, {"versions": {"algorithm": 1}}, "must be a list of dictionaries"),
    (switch, {"versions": [{}, {}], "order": [-1, 0]}, "whole numbers from 0 to 1"),
    (switch, {"order": []}, "whole numbers from 0 to 0"),
    (switch, {"replacement": mine}, "Algorithm 3, which none of the versions has"),
    (observe, {"versions": [{"buffers": 5}]}, "buffers can't be switched on line"),
    (observe, {"versions": []}, "versions must hold at least one dictionary of changes"),
    (observe, {"order": [0] * 1000}, "ask for more interactions"),
    *((observe, {"order": order}, "order must be whole numbers from 0 to 0,")
      for order in ([1], [True], [[0]], [])),
    (observe, {"period_s": 1 / 60},
     r"period_s must be a finite number of 1/30 \(two clock ticks\) or"),
    (observe, {"period_s": math.inf}, "period_s must be a finite number"),
    (observe, {"period_s": [60.0]}, "period_s must be a finite number"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "given", "message"), CALLS)
def test_a_call_that_makes_no_sense_is_refused_in_one_sentence(call, given, message):
    with pytest.raises(ValueError, match=message) as refusal:
        call(**given)
    assert "\n" not in str(refusal.value)


def test_defaults_that_are_impossible_together_are_refused_before_a_run():
    @dataclass(frozen=True, init=False)
    class Cramped(sim61.Parameters):
        supervisor_pages: int = stated(300, "pages", "more than there are", 0, 400)

    with pytest.raises(ValueError, match="supervisor_pages must leave at least two pages"):
        sim61.simulate(Cramped())
