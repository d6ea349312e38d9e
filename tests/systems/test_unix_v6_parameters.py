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
        ({"file_area_cylinders": 400}, "at most disc_cylinders"),
        ({"overlapped_seeks": 1}, "true or false"),
        ({"disc_seek_ms": (15.0, 500.0, 100.0)}, "No seek curve"),
        ({"disc_seek_ms": (15.0, 55.0)}, "disc_seek_ms must be three numbers"),
        (
            {"processes": 1, "update_clicks": 1280, "swap_area_start": 252},
            "swap area from swap_area_start on must hold 180 blocks",
        ),
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


@pytest.mark.parametrize("old", Parameters.renamed)
def test_an_old_name_is_refused_with_the_new_one(old):
    with pytest.raises(ValueError, match=f"'{old}'; it is called {Parameters.renamed[old]}"):
        Parameters(**{old: 1})
    assert Parameters.renamed[old] in Parameters.names()
