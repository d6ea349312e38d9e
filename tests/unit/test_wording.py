"""Numbers as texts."""

import math

import pytest

from perfkit.wording import nearest, short, with_half_width


@pytest.mark.parametrize(
    ("pair", "texts"),
    [
        ((1.0438, 0.00922), ("1.0438", "0.0092")),
        ((230000.4, 34512.0), ("230000", "34512")),
        ((-0.107, 0.0601), ("-0.107", "0.060")),
        ((1.17327, 1.5e-16), ("1.17", "0")),
        ((0.0, 0.0), ("0", "0")),
        ((1005.54, math.nan), ("1006", "")),
        ((math.nan, 0.0), ("", "")),
    ],
)
def test_a_number_goes_to_the_second_digit_of_its_half_width(pair, texts):
    assert with_half_width(*pair) == texts


@pytest.mark.parametrize(("value", "text"), [(999.4, "999"), (999.7, "1000"), (-9999.7, "-10000")])
def test_a_number_just_below_a_power_of_ten_is_written_out(value, text):
    assert short(value, 3) == text


@pytest.mark.parametrize(
    ("word", "names", "hint"),
    [
        ("procesess", ["processes", "buffers"], "; did you mean processes?"),
        ("typ", ["task_type", "tasks"], "; did you mean task_type?"),
        ("policy", ["process_clicks", "victim"], ""),
        ("tasks", ["seek_ms", "load"], ""),
    ],
)
def test_a_hint_is_a_name_that_was_likely_meant(word, names, hint):
    assert nearest(word, names) == hint
