"""The machine against theory, against laws that hold in every run, and against plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from perfkit.analytic.repairman import repairman
from perfkit.runs import what_if
from perfkit.runs.experiment import interval, replicate

from study_key import MEASURES, Parameters, simulate
from study_key.__main__ import main


@pytest.mark.parametrize("users", [1, 5, 20, 30])
def test_runs_agree_with_the_machine_repairman(users):
    p = Parameters(users=users)
    theory = repairman(users, p.think_s, p.service_s)
    runs = replicate(simulate, p, 20, progress=False)
    for measure, exact in {
        "response_s": theory.response_s[-1],
        "throughput_per_s": theory.throughput[-1],
        "utilization_percent": 100.0 * theory.utilization[-1],
        "queue": theory.queue[-1],
    }.items():
        mean, half_width = interval(runs[measure], confidence=0.999)
        assert half_width < 0.1 * exact, measure  # or the next line would find nothing
        assert abs(mean - exact) <= half_width + 1e-9, measure


def test_littles_law_and_the_utilization_law_hold_in_a_run():
    p = Parameters(users=40, measured_s=20_000.0)
    run = simulate(p, seed=3)
    assert run.queue == pytest.approx(run.throughput_per_s * run.response_s, rel=0.01)
    assert run.utilization_percent == pytest.approx(100 * run.throughput_per_s * p.service_s, 0.02)


def test_the_same_seed_is_the_same_run_and_says_all_that_is_measured():
    run = simulate(Parameters(), seed=1, trace=100)
    assert run.measures() == simulate(Parameters(), seed=1).measures() | {"trace_full": 1}
    assert list(run.measures()) == list(MEASURES)
    assert list(run.trace_frame()["kind"].iloc[:2]) == ["request", "response"]


def test_a_faster_server_meets_the_same_requests():
    variants = {"as it stands": {}, "twice as fast": {"service_s": 0.25}}
    runs = what_if.run(simulate, Parameters(), variants, 5, progress=False)
    told = what_if.compare(runs, "response_s", "response_s").loc["twice as fast"]
    assert told["change of response_s"] + told["+- response_s"] < 0.0


def test_compiled_runs_are_those_of_plain_python(capsys):
    words = ["users=5", "settle_s=10", "measured_s=50", "replications=2"]
    assert main(words) == 0
    line, plain = [sys.executable, "-m", "study_key", *words], {"NUMBA_DISABLE_JIT": "1"}
    where = {"cwd": Path(__file__).parents[1], "env": os.environ | plain}
    done = subprocess.run(line, **where, capture_output=True, text=True, check=True)
    assert done.stdout == capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("user=5", "There is no parameter 'user'; did you mean users?"),
        ("users=0", "users must be a whole number from 1 to 1000 (users); 0 is not."),
        ("users", "'users' has no value; write name=value, without spaces."),
    ],
)
def test_a_slip_is_refused_in_a_sentence(word, said, capsys):
    assert main([word]) == 2
    assert capsys.readouterr() == ("", f"study_key: {said}\n")
