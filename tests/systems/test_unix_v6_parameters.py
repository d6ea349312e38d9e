"""Parameters: what is impossible is refused in one clear sentence."""

import pytest

from perfkit.systems.unix_v6 import Parameters


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"memory_click": 5}, "did you mean memory_clicks"),
        ({"memory_clicks": -5}, "memory_clicks must be a whole number from 1 to 4096"),
        ({"memory_clicks": "many"}, "must be a whole number"),
        ({"memory_clicks": 650.5}, "must be a whole number"),
        ({"processes": 0}, "processes must be a whole number from 1"),
        ({"processes": True}, "must be a whole number"),
        ({"process_clicks": 1300}, "must fit in memory"),
        ({"process_clicks": ()}, "at least one size"),
        ({"compute_ms": 13}, "one of 12, 30, 60, 186, 354"),
        ({"discipline": "SCAN"}, "one of FCFS, SSTF, LOOK"),
        ({"write_share": float("nan")}, "write_share must be a number from 0"),
        ({"pause_percent": (50.0, 20.0, 20.0, 20.0)}, "sum to 100"),
        ({"file_area_cylinders": 400}, "at most cylinders"),
        ({"overlapped_seeks": 1}, "true or false"),
        ({"seek_mean_ms": 500.0}, "No seek curve"),
    ],
)
def test_impossible_values_are_refused_in_one_sentence(values, message):
    from perfkit.systems.unix_v6 import simulate

    with pytest.raises(ValueError, match=message) as refusal:
        simulate(Parameters(**values))
    assert "\n" not in str(refusal.value)


def test_texts_are_read_as_the_fields_type():
    assert Parameters.parse("process_clicks", "157,314") == (157, 314)
    assert Parameters.parse("overlapped_seeks", "True") is True
    assert Parameters.parse("controller_ms", "2") == 2.0
    with pytest.raises(ValueError, match="must be a whole number"):
        Parameters.parse("memory_clicks", "a lot")


def test_provenance_tells_unit_status_and_source_of_every_field():
    frame = Parameters().provenance()
    assert list(frame.index) == Parameters.names()
    assert set(frame["status"]) == {"stated", "derived", "manual", "calibrated", "assumed"}
    assert (frame["source"].str.len() > 0).all()


def test_replace_checks_anew():
    assert Parameters().replace(memory_clicks=1000).memory_clicks == 1000
    with pytest.raises(ValueError, match="There is no parameter"):
        Parameters().replace(memory=1000)
