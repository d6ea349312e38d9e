"""What the labs call: checks that hint, code run apart; and the wheel carries all they read."""

import math
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from perfkit.runs import what_if
from perfkit.systems import unix_v6
from studies.labs import (
    FALSE_ALARM,
    Hint,
    apart,
    check_call,
    check_choice,
    check_list,
    check_mean,
    check_number,
    check_prediction,
    check_runs,
    compare,
    plain,
    run_apart,
)
from studies.labs.checks import collecting, is_rounded
from tools.labs import masters

SHORT = unix_v6.Parameters(interactions=5)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (None, "x is still empty"),
        ([1.0, 2.0], "x must be one number, not a list"),
        (math.sqrt, "x must be one number"),
        ("four", "x must be a number, not 'four'"),
        (math.nan, "x is nan; in pandas, row labels"),
        (4000.0, "x is right but for a factor of 1000"),
        (0.004, "x is right but for a factor of 1000"),
        (5.0, "you forgot the wait"),
        (4.5, "x is too large"),
        (-4.0, "x is too small"),
    ],
)
def test_a_wrong_number_is_told_by_a_hint_without_the_answer(given, hint):
    with pytest.raises(Hint) as told:
        check_number("x", given, 4.0, slips={"you forgot the wait": 5.0})
    assert hint in str(told.value)
    assert told.value._render_traceback_() == [f"✘ {told.value}"]
    check_number("x", np.float64(4.01), 4.0)
    check_number("x", 0.14, 0.144, 0.01, 0.005)  # as people round
    with pytest.raises(Hint, match="too small"):  # between the right number and the slip
        check_number("x", 3.92, 4.0, slips={"you forgot the wait": 3.87})
    with pytest.raises(Hint, match="too large"):
        check_number("x", 5.0, 0.003, absolute=0.005)


@given_any(st.floats(0.01, 1e6), st.integers(2, 8))
def test_a_number_may_be_rounded_to_two_digits_or_more_and_to_no_other(right, digits):
    decimals = digits - 1 - math.floor(math.log10(right))
    rounded = round(right, max(0, decimals))
    if len(repr(rounded).rstrip("0").replace(".", "").lstrip("0")) >= 2:  # 1.0 has one digit
        check_number("x", rounded, right, 1e-9)
    assert not is_rounded(1.06 * right, right)


def test_a_copy_is_judged_per_answer_with_half_for_a_wrong_unit_and_by_its_own_earlier_answers():
    runs = pd.DataFrame({"variant": ["a", "a", "b"], "seed": [7, 8, 7], "size": [1, 1, 2]})
    asked = {"a": {"size": 1}, "b": {"size": 2}}
    with collecting() as found:
        check_number("good", 2.0, 2.0)
        check_number("unit", 25.0, 0.25)
        check_number("follows", 6.0, 4.0, own=lambda: 2 * 3.0)
        check_number("odd", 6.0, 4.0, own=lambda: 2 * None)
        check_number("nothing", 0.0, 4.0, own=lambda: 2 * 0.0)
        check_list("twice", [1.0, 1.0], 2)
        check_runs("runs", runs, asked, 2, 7)
        check_call("doubled", lambda x: 2 * x, [[1.0, 2.0]], [2.0, 4.0])
        check_call("doubled", lambda x: x, [[1.0, 2.0]], [2.0, 4.0], {"once": [1.0, 2.0]})
    assert [v.credit for v in found.verdicts] == [1.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    assert (
        found.verdicts[-1].hint == "once"
        and "asks for 2 runs a variant, not 1" in found.verdicts[6].hint
    )
    check_runs("runs", runs.iloc[[0, 2]], asked, 1, 7)
    with pytest.raises(Hint, match="another size"):
        check_runs("runs", runs.iloc[[0, 2]], {"a": {"size": 2}, "b": {}}, 1, 7)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given_any(VALUES, st.binary(max_size=60))
def test_what_passes_a_sandbox_is_the_same_plain_value_and_noise_is_refused(value, noise):
    assert plain.loads(plain.dumps(value)) == value
    try:
        plain.loads(noise)
    except ValueError as error:
        assert str(error) == "These are no plain values."


def test_frames_and_arrays_pass_a_sandbox_and_what_runs_code_becomes_a_word():
    assert plain.loads(plain.dumps("half a letter \ud800")) == "half a letter ?"
    frame = pd.DataFrame({"a": [1, 2], "b": [(1,), ("x",)], "c": [0.5, np.nan]}, index=["u", "v"])
    passed = plain.loads(plain.dumps({"f": frame, "s": frame["c"], "n": np.arange(3.0)}))
    assert passed["f"].equals(frame) and passed["s"].tolist()[0] == 0.5
    assert passed["n"].tolist() == [0.0, 1.0, 2.0]
    endless = []
    endless.append(endless)
    for odd in (math.sqrt, object(), endless, 10**400):
        assert "other" in str(plain.encode(odd))
    assert isinstance(plain.loads(plain.dumps(object())), plain.Other)


def test_a_right_mean_is_refused_as_rarely_as_stated():
    draws = np.random.default_rng(1).normal(10.0, 3.0, (8000, 30))
    refused = 0
    for row in draws:
        try:
            check_mean("x", row[:10].mean(), row[10:], 10)
        except Hint:
            refused += 1
    assert refused / len(draws) == pytest.approx(FALSE_ALARM, abs=0.001)
    check_mean("x", 0.1 + 0.2, [0.3, 0.3], 10)  # without scatter, but for rounding


def test_predictions_and_choices_are_held_to_what_is_possible(capsys):
    check_choice("x", "disc", ("disc", "memory"))
    check_prediction("x", 5, 0, 10)
    for wrong in (
        lambda: check_choice("x", None, ("disc",)),
        lambda: check_choice("x", "drum", ("disc", "memory")),
        lambda: check_choice("x", "disc", ("disc", "memory"), "memory", "Look again."),
        lambda: check_prediction("x", -1, 0, 10),
    ):
        with pytest.raises(Hint):
            wrong()
    compare("time (s)", 12.0, [10.0, 10.0])
    compare("time (s)", None, [10.0, 11.0])
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "time (s): you predicted 12, the runs gave 10; off by +2."
    assert "You had not predicted it" in told[1]


def oldest(processes, wanted, minimum_time_out_s, minimum_time_in_s):
    found = -1
    for p in range(1, processes.size):
        here = processes[p].loaded and not processes[p].locked
        if here and (found < 0 or processes[p].age_s > processes[found].age_s):
            found = p
    return found


oldest.__module__ = "__main__"  # as a notebook's functions are


def test_runs_apart_are_the_runs_of_what_if():
    variants = {"paper": {}, "oldest": {"victim": oldest}, "more": {"memory_clicks": 1600}}
    found = run_apart(unix_v6.simulate, SHORT, variants, 2, seed=3)
    variants["oldest"] = {"victim": unix_v6.victim_policy(oldest)}
    wanted = what_if.run(unix_v6.simulate, SHORT, variants, 2, seed=3, progress=False)
    assert found.equals(wanted)


def test_code_that_fails_apart_ends_alone():
    def leaves():
        os._exit(3)

    def stays():
        while True:
            pass

    def fails():
        raise KeyError("x")

    for function, hint in (
        (leaves, "leaves ended the process"),
        (stays, "stays was stopped after 1 s"),
        (fails, "KeyError: 'x'"),
    ):
        with pytest.raises(Hint, match=hint):
            apart(function, limit_s=1.0)
    assert apart(lambda x: x + 1, 2) == 3


def test_a_zip_says_what_to_do_and_holds_what_the_lab_asks_to_read(tmp_path):
    for name, book in masters.masters().items():
        asked = re.findall(r"of the notebook `(\w+)`", nbformat.read(book, 4).cells[0].source)
        (tmp_path / name).mkdir()
        masters.complete(tmp_path / name, "perfkit-1.whl studies-1.whl")
        there = {path.name for path in (tmp_path / name).iterdir()}
        assert there == {"README.txt", *(f"{key}.ipynb" for key in asked)}
        told = (tmp_path / name / "README.txt").read_text(encoding="utf-8")
        assert f"Hand in {name}.ipynb" in told and "install perfkit-1.whl studies-1.whl" in told


def test_the_wheels_carry_what_is_read_from_outside_the_repository(tmp_path):
    wheels = masters.wheels(tmp_path)
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path / "env")}))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", site, *wheels], check=True)
    (site / "house.pth").write_text("\n".join(p for p in sys.path if p.endswith("-packages")))
    script = (
        "import studies; from studies import labs;"
        "from studies.evidence import kept_cards, published, sensitivity;"
        "print(studies.__file__, len(published.studies()), len(published.table('cp67', 'claims')));"
        "assert kept_cards.committed_parameters('emas'); assert len(sensitivity.committed('emas'))"
    )
    own = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PERFKIT_DATA")}
    told = subprocess.run(
        [python, "-c", script], cwd=tmp_path, env=own, capture_output=True, text=True
    )
    assert not told.returncode, told.stderr
    file, studies, _ = told.stdout.split()
    assert Path(file).is_relative_to(site) and studies == "5"
