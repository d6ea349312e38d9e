"""The command line: measures that no run has, what is compiled, what an interrupt leaves."""

import math
import os
import re
import subprocess
import sys

import pandas as pd
import pytest

from perfkit import __main__ as line
from perfkit import calibration, kept_cards
from perfkit.des import compiling
from perfkit.studies import STUDIES, study


def printed(values, monkeypatch, capsys):
    """Run the command line on runs with the given measure; return the line that it prints."""
    monkeypatch.setattr(compiling, "is_compiled", lambda *_: True)
    monkeypatch.setitem(study("unix_v6").system().MEASURES, "wait_s", "s of a wait")
    values = iter(values)

    def measures(simulate, tasks, jobs, progress):
        return [(number, {"wait_s": next(values)}) for number in range(len(tasks))]

    monkeypatch.setattr("perfkit.what_if.in_threads", measures)
    assert line.main(["run", "unix_v6", "replications=3"]) == 0
    return re.sub(" +", " ", capsys.readouterr().out.splitlines()[-1]).strip()


@pytest.mark.parametrize("key", STUDIES)
def test_every_parameter_is_shown_in_lines_that_a_terminal_holds(key, capsys):
    assert line.main(["show", key]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [text.split(" = ")[0] for text in lines if re.match(r"\w+ = ", text)]
    assert names == list(study(key).system().Parameters.names())
    assert max(map(len, lines)) <= line.WIDTH + 30


def test_a_measure_of_one_of_two_systems_has_no_difference(monkeypatch, capsys):
    runs = pd.DataFrame({"variant": ["as it is", "changed"], "seed": [0, 0], "x": [math.nan, 2.0]})
    line._print_measures("unix_v6", runs, [])
    assert capsys.readouterr().out.splitlines()[2].split(maxsplit=4) == [
        "x", "-", "2", "-", "not measured in both",
    ]  # fmt: skip


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [2, 1, 0]])
def test_a_change_is_compared_over_the_same_seeds_wherever_the_option_stands(order, capsys):
    words = ["processes=3", "interactions=5", "--compare"]
    words = [words[i] for i in order]
    assert line.main(["run", "unix_v6", "replications=2", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["as", "it", "is", "changed", "difference"]
    name, own, changed, difference, sign, half_width = lines[2].split()
    assert (name, sign) == ("elapsed_s", "+-")
    assert float(difference) == pytest.approx(float(changed) - float(own), abs=0.2)
    assert float(half_width) > 0.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--compare"], "--compare needs a parameter that differs; write name=value."),
        (
            ["--compare", "buffers=20"],
            "--compare needs a parameter that differs; write name=value.",
        ),
        (["buffers", "=", "3"], "'buffers' has no value; write name=value, without spaces."),
        (["replcations=5"], "There is no parameter 'replcations'; did you mean replications or"),
        (["qqq=5"], "There is no parameter 'qqq'; see perfkit show unix_v6."),
        (["cylinders=5"], "There is no parameter 'cylinders'; it is called disc_cylinders."),
    ],
)
def test_words_that_make_no_run_are_refused(words, said, capsys):
    assert line.main(["run", "unix_v6", *words]) == 2
    assert capsys.readouterr().err.startswith(f"perfkit: {said}")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([math.nan] * 3, "wait_s - not measured s of a wait"),
        ([math.nan, 2.0, math.nan], "wait_s 2 in 1 of 3 runs s of a wait"),
        ([1.0, math.nan, 3.0], "wait_s 2 +- 13 in 2 of 3 runs s of a wait"),
        ([1.0, 2.0, 3.0], "wait_s 2 +- 2.5 s of a wait"),
    ],
)
def test_a_measure_that_runs_do_not_have_is_said_so(values, said, monkeypatch, capsys):
    assert printed(values, monkeypatch, capsys) == said


@pytest.mark.parametrize(
    ("compiled", "said"),
    [
        ((), "perfkit: compiling unix_v6, emas, once, for about 20 s each\n"),
        (("unix_v6",), "perfkit: compiling emas, once, for about 20 s\n"),
        (("unix_v6", "emas"), ""),
    ],
)
def test_every_system_that_will_be_compiled_is_announced(
    compiled, said, monkeypatch, capsys, tmp_path
):
    (tmp_path / "scorecards").mkdir()
    monkeypatch.setattr(compiling, "is_compiled", lambda key: key in compiled)
    monkeypatch.setattr("perfkit.reproduce.reproduce", lambda *_, **__: None)
    assert line.main(["reproduce", "unix_v6", "emas", "--results", str(tmp_path)]) == 0
    assert capsys.readouterr().err == said


def test_an_interrupted_search_says_that_nothing_is_kept(monkeypatch, capsys, tmp_path):
    def search(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(compiling, "is_compiled", lambda *_: True)
    monkeypatch.setattr(calibration, "calibrate", search)
    assert line.main(["calibrate", "unix_v6", "--results", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "perfkit: Stopped; nothing is kept of the searches.\n"


@pytest.mark.parametrize(
    ("options", "starts", "said"),
    [
        ([], 0, "1 search over 13 numbers, at most 2 steps and 48 evaluations each of 3"),
        (["--cold"], 3, "3 searches over 13 numbers, at most 2 steps and 48 evaluations each"),
        (["--cold", "--starts", "1"], 1, "1 search over 13 numbers"),
    ],
)
def test_a_fit_states_its_budget_and_then_what_it_found(options, starts, said, monkeypatch, capsys):
    def examine(key, parts, standing, results, *by):
        assert by == (starts, 2, 3)
        assert standing == parts.free_values(study(key).system().Parameters())
        assert results == line.RESULTS
        return pd.DataFrame({"cost": [1.25]}, pd.Index(["standing"], name="fit"))

    monkeypatch.setattr(compiling, "is_compiled", lambda *_: True)
    monkeypatch.setattr(calibration, "examine", examine)
    words = ["calibrate", "unix_v6", "--iterations", "2", "--replications", "3", *options]
    assert line.main(words) == 0
    first, *table = capsys.readouterr().out.splitlines()
    assert first.startswith(said) and table[-1].split() == ["cost", "1.25"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cold", "--starts", "0"], "starts must be a whole number from 1 to"),
        (["--starts", "2"], "--starts is for --cold; name both or neither."),
        (["--iterations", "0"], "iterations must be a whole number from 1 to"),
        (["--iterations", "2.5"], "iterations must be a whole number from 1 to"),
        (["--replications", "1"], "replications must be a whole number from 2 to"),
        (["--replications", "many"], "replications must be a whole number from 2 to"),
    ],
)
def test_budgets_that_make_no_fit_are_refused(options, said, capsys):
    assert line.main(["calibrate", "unix_v6", *options]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"perfkit: {said}") and complaint.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_output_to_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "perfkit", "show", "unix_v6"]
        run = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    said = "perfkit: A file can't be read or written: No space left on device.\n"
    assert (run.returncode, run.stderr) == (1, said)


@pytest.fixture
def score_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kept_cards, "COMMITTED", tmp_path / "committed")
    monkeypatch.delenv("PERFKIT_RESULTS", raising=False)
    for name in ("committed", "results/scorecards", "mine/scorecards"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize("options", [["--results", "typo"], ["--results", ""]])
def test_results_that_are_not_there_are_not_the_committed_ones(options, score_folder, capsys):
    assert line.main(["score", "unix_v6", *options]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("perfkit: There is no folder ") and said.err.count("\n") == 1
    assert not said.out


def test_scores_are_those_named_else_of_the_last_run_else_as_committed(score_folder, capsys):
    def read(*options):
        assert line.main(["score", "unix_v6", *options]) == 0
        return re.search(r"\((.*)\.csv\)", capsys.readouterr().out)[1]

    assert read("--results", "mine") == "mine/scorecards/unix_v6"
    assert read() == "results/scorecards/unix_v6"
    (score_folder / "results" / "scorecards").rmdir()
    assert read() == str(score_folder / "committed" / "unix_v6")
