"""The command line: measures that no run has, what is compiled, what an interrupt leaves."""

import io
import json
import math
import os
import re
import subprocess
import sys
from shutil import copy

import pandas as pd
import pytest

from perfkit import __main__ as line
from perfkit.commands import pictures, simulate, words
from perfkit.des import compiling
from perfkit.runs.executors import Run
from studies import STUDIES, study
from studies.commands import RESULTS
from studies.evidence import calibration, kept_cards, repeated


def printed(values, monkeypatch, capsys):
    """Run the command line on runs with the given measure; return the line that it prints."""
    monkeypatch.setattr(compiling, "is_compiled", lambda *_: True)
    monkeypatch.setitem(study("unix_v6").module().MEASURES, "wait_s", "s of a wait")

    def measured(*_, **__):
        yield [Run(0, k, {"wait_s": value}, None) for k, value in enumerate(values)], False

    monkeypatch.setattr("perfkit.runs.experiment.executed", measured)
    assert line.main(["run", "unix_v6", "replications=3"]) == 0
    return re.sub(" +", " ", capsys.readouterr().out.splitlines()[-1]).strip()


@pytest.mark.parametrize("key", STUDIES)
@pytest.mark.parametrize("columns", ["60", "300"])
def test_parameters_and_measures_are_shown_in_lines_that_the_terminal_holds(
    key, columns, monkeypatch, capsys
):
    monkeypatch.setenv("COLUMNS", columns)
    assert line.main(["show", key]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [text.split(" = ")[0] for text in lines if re.match(r"\w+ = ", text)]
    system = study(key).module()
    assert names == [*system.Parameters.headline, *system.Parameters.names()]
    assert {f"{name}:" for name in system.MEASURES} <= {text.split(" ")[0] for text in lines}
    assert max(map(len, lines)) <= min(int(columns), words.MOST_WIDTH)


def test_one_parameter_is_told_whole_and_a_measure_by_its_meaning(capsys):
    assert line.main(["show", "cp67", "frames"]) == 0
    told = capsys.readouterr().out
    for word in ("unit", "allowed", "status", "source", "perfkit run cp67 frames=..."):
        assert word in told
    assert line.main(["show", "cp67", "response_s"]) == 0
    assert capsys.readouterr().out.startswith("response_s: s of response")


@pytest.mark.parametrize(
    "command", [["list"], ["show", "sim61"], ["run", "unix_v6", "replications=1"], ["score"]]
)
def test_what_prints_a_table_prints_it_as_json_and_as_csv_too(command, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "is_compiled", lambda *_: True)
    assert line.main([*command, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert line.main([*command, "--csv"]) == 0
    frame = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert len(rows) == len(frame) > 1 and list(rows[0]) == list(frame.columns)


def test_a_comparison_is_drawn_into_a_whole_file(tmp_path, capsys):
    target = tmp_path / "a.svg"
    command = ["run", "unix_v6", "buffers=3", "--replications", "2", "--compare"]
    assert line.main([*command, "--plot", str(target)]) == 0
    assert "<svg" in target.read_text()
    assert list(tmp_path.iterdir()) == [target]
    assert line.main([*command, "--plot", str(tmp_path / "a.gif")]) == 2
    assert "ends in .png, .svg, .pdf" in capsys.readouterr().err


def test_a_measure_of_one_of_two_systems_has_no_difference():
    runs = pd.DataFrame({"variant": ["baseline", "changed"], "seed": [0, 0], "x": [math.nan, 2.0]})
    row = simulate.compared(runs, ["x"]).iloc[0]
    assert row["changed"] == 2.0 and row["sense"] == "not measured in both"


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0]])
def test_a_change_is_compared_over_the_same_seeds_wherever_the_option_stands(order, capsys):
    words = [["processes=3", "interactions=5", "--compare"][i] for i in order]
    assert line.main(["run", "unix_v6", "replications=2", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "processes = 3 processes (baseline: 12)" in (head := " ".join(lines[:4]))
    assert "2 replications (seeds 0 to 1); means, and differences over" in head
    found = next(text for text in lines if text.startswith("elapsed_s"))
    own, changed, difference, sign, half_width, sense = found.split()[1:7]
    assert (sign, sense) == ("±", "less")
    assert float(difference) == pytest.approx(float(changed) - float(own), abs=30)
    assert float(half_width) > 0.0


def test_each_side_of_compare_is_the_machine_that_its_own_line_runs(capsys):
    sides, means = ["processes=3 interactions=5 disc_speed=2", "processes=3 interactions=9"], []
    for asked in (*sides, " --compare ".join(sides)):
        assert line.main(["run", "unix_v6", *asked.split(), "replications=2", "--csv"]) == 0
        means.append(pd.read_csv(io.StringIO(capsys.readouterr().out), index_col="measure"))
    a, b, both = means
    assert both["A"].equals(a["mean"].rename("A")) and both["B"].equals(b["mean"].rename("B"))


def test_pictures_have_words_with_units_values_in_a_legend_and_say_what_is_not_drawn():
    words = {"a_b": "a (s)", "c_d": "discipline", "x_s": "wait (s)", "y": "pages/s"}
    rows = [("x_s", 2.0, 1.0, -1.0, 0.5, "less"), ("y", 1.0, 1.0, 0.0, 0.0, "same")]
    columns = ["measure", "A", "B", "difference", "half_width", "sense"]
    (ax,) = (figure := pictures.differences(pd.DataFrame(rows, columns=columns), words)).axes
    assert [one.get_text() for one in ax.get_yticklabels()] == ["wait (s)"]
    assert "1 of 2 measures" in figure.get_supxlabel()
    for values in ([1, 2], range(6)):
        told = pd.DataFrame([(a, c) for a in range(6) for c in map(str, values)])
        told = told.set_axis(["a_b", "c_d"], axis=1).assign(x_s=1.0, x_s_half_width=0.1)
        ax = pictures.swept(told, ["a_b", "c_d"], "x_s", words).axes[0]
        assert ax.get_xlabel() == "a (s)"
        assert "wait (s)" in (ax.get_title(), ax.get_title("left"))  # where a style puts it
        named = ax.get_legend().get_title().get_text() if len(values) < 6 else ax.get_ylabel()
        assert named == "discipline"
    (ax,) = pictures.swept(told, ["c_d"], "x_s", words).axes
    assert [one.get_text() for one in ax.get_xticklabels()] == [*map(str, range(6))]


BAD = [
    ("lst", "There is no command 'lst'; did you mean list?"),
    ("help", "There is no command 'help'; there are list, show, run"),
    ("-V", "perfkit takes no -V; its options are -h, --help, --version."),
    ("list unix_v6", "perfkit list takes no unix_v6; its options are"),
    ("watch", "A study is missing, as in perfkit watch unix_v6; see perfkit list."),
    ("run unix_v6 --seed", "--seed needs one argument; see perfkit run --help."),
    ("run unix_v6 --measures elapsed_s", "run takes no --measures; it is an option of perfkit sw"),
    ("run unix_v6 -n 5", "perfkit run takes no -n; its options are -h, --help, --replications"),
    ("run unix_v6 --buffers=3", "takes no --buffers; a parameter is written buffers=3."),
    ("reproduce --quik", "perfkit reproduce takes no --quik; did you mean --quick?"),
    ("run unix_v6 --compare", "Both machines are the same; let --compare differ in a parameter."),
    ("run unix_v6 buffers=3 --compare buffers=3", "Both machines are the same; let --compare"),
    ("run unix_v6 seed=1 --compare buffers=3 seed=2", "seed is given twice."),
    ("run unix_v6 buffers=3 --compare disc_speed=2 head_switch_ms=1", "disc_speed also sets head_"),
    ("run unix_v6 buffers = 3", "'buffers' has no value; write name=value, without spaces."),
    ("run unix_v6 replcations=5", "There is no parameter 'replcations'; did you mean replicat"),
    ("run unix_v6 qqq=5", "There is no parameter 'qqq'; see perfkit show unix_v6."),
    ("run unix_v6 elapsed_s=3", "no parameter 'elapsed_s'; it is a measure, which a run prints."),
    ("headline cp67 response_s=3", "no parameter 'response_s'; it is a measure"),
    ("run unix_v6 seed=1 --seed 2", "seed is given twice."),
    ("run unix_v6 cylinders=5", "There is no parameter 'cylinders'; it is called disc_cylinders."),
    ("run unix_v6 memory_clicks=64KB", "'64KB' is not; write the number without a unit."),
    ("run unix_v6 buffers=650:2560:10", "is not; a sweep takes a range as 650..2560."),
    ("run unix_v6 buffers=10,20", "'10,20' is not; a sweep takes several, as 10,20 or 10..20."),
    ("run unix_v6 process_clicks=157,b", "from 1 to 4096 (64-byte clicks); '157,b' is not."),
    ("run unix_v6 discipline=look", "'look' is not; did you mean LOOK?"),
    ("run unix_v6 buffers=\u201d3", "(512-byte blocks); '\u201d3' is not."),
    (
        "run unix_v6 buffers=" + "9" * 100,
        "(512-byte blocks); 1000",
    ),
    ("watch cp67 --begin x", "--begin must be a number of seconds from 0 to 36000; 'x' is not."),
    ("watch cp67 --seconds 0", "--seconds must be a number of seconds from 0.001"),
    ("run unix_v6 process_clicks=2000", "must fit in memory"),
    ("run unix_v6 replications=\u00b2", "replications must be a whole number from 1"),
    ("run unix_v6 replications=0", "replications must be a whole number from 1 to 1000000"),
    ("run unix_v6 seed=" + "9" * 5000, "to 1000000000000000000; '99999999999999999999...' is not."),
    ("calibrate unix_v6 --cold --starts 0", "starts must be a whole number from 1 to"),
    ("calibrate unix_v6 --starts 2", "--starts is for --cold; name both or neither."),
    ("calibrate unix_v6 --replications 1", "replications must be a whole number from 2 to"),
    ("reproduce -p replication=2", "has no parameter 'replication'; did you mean replications"),
    ("reproduce -p replications=two", "replications must be a whole number"),
    ("reproduce unix_v6 -p memory_factor=1e999", "memory_factor must be a finite number"),
    ("reproduce -p replications", "write name=value"),
    ("reproduce sim61 memory_pages=3", "dirty_share, window_algorithm; perfkit run takes the"),
    ("sweep unix_v6 buffers=10", "A sweep needs several values: name=1,2,3;"),
    ("sweep sim61 memory_pages=128..256", "A range needs --design lhs:POINTS"),
    ("sweep unix_v6 buffers=1..9 --design grid", "no design 'grid'; there are full, lhs:POINTS,"),
    ("sweep unix_v6 --design . --store README.md", "--store needs a folder that can be written to"),
    ("sweep unix_v6 buffers=10,20 --measures swapps", "no measure 'swapps'; did you mean swaps"),
    ("sweep unix_v6 buffers=10,20 --until queue=5%", "must be between 0 and 1; '5%' is not"),
    ("sweep unix_v6 buffers=10,20 --cluster here", "--cluster needs an address with a port"),
    ("quiz cp67 --kind clok", "cp67 has no kind of quiz 'clok'; did you mean clock?"),
    ("quiz --kind clock", "--kind needs a study: perfkit quiz KEY --kind clock."),
    ("quiz cp67 --seed -1", "seed must be a whole number from 0 to"),
    ("show multics", "There is no study 'multics'; there are unix_v6, sim61, cp67, emas, tss360."),
    ("show cp67 framse", "no parameter or measure 'framse'; did you mean frames"),
]


@pytest.mark.parametrize(("words", "said"), BAD)
def test_bad_input_is_one_sentence_exit_2_and_no_file(words, said, capsys, tmp_path):
    written = words.split()
    if written[0] in ("reproduce", "calibrate"):
        written += ["--results", str(tmp_path / "results")]
    assert line.main(written) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("perfkit: ") and said in complaint and complaint.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [MemoryError("no room"), OverflowError("too large")])
def test_what_no_machine_holds_is_one_sentence_and_exit_1(error, capsys, monkeypatch):
    def run(given):
        raise error

    monkeypatch.setattr(simulate, "run", run)
    assert line.main(["run", "unix_v6"]) == 1
    said = capsys.readouterr().err
    assert "more than memory or numbers can hold" in said and said.count("\n") == 1


def test_a_sweep_says_what_is_the_same_for_all_its_machines(capsys):
    small = ["processes=3", "interactions=5", "replications=1"]
    assert line.main(["sweep", "unix_v6", *small, "buffers=10,20"]) == 0
    assert capsys.readouterr().out.startswith(f"unix_v6 {' '.join(small)}: 2 points, 2 ")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([math.nan] * 3, "wait_s not measured s of a wait"),
        ([math.nan, 2.0, math.nan], "wait_s 2 in 1 of 3 runs s of a wait"),
        ([1.0, math.nan, 3.0], "wait_s 2 ± 13 in 2 of 3 runs s of a wait"),
        ([1.0, 2.0, 3.0], "wait_s 2.0 ± 2.5 s of a wait"),
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
def test_each_system_to_be_compiled_is_announced(compiled, said, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(compiling, "is_compiled", lambda key: key in compiled)
    committed = kept_cards.COMMITTED.parent
    monkeypatch.setattr("studies.commands.reproduce.reproduce", lambda *_, **__: committed)
    assert line.main(["reproduce", "unix_v6", "emas", "--results", str(tmp_path)]) == 0
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("before", "after", "options", "code", "said"),
    [
        ("", "", "", 0, "275 of 275 cells and claims are the same as committed.\n"),
        ("", "", "--quick", 0, "45 of 45 cells and claims are the same as committed; 230 are"),
        (",67.5,67.5,", ",67.5,67.6,", "--quick", 1, "perfkit: 44 of 45 cells .*; 1 moved: unix_v"
         r"6/table_i/average_access/ms_us_byte: ours was 67\.5, now 67\.6\.\n"),
        ("average_access", "access", "", 1, "274 of 276 .* now absent; .* was absent"),
        ("True", "False", "", 1, r"average_.*: reproduced was True, now False; .*more"),
        ("", "", "seed=1", 0, "^Not compared with the committed scorecards: made with seed = 1, "),
    ],
)  # fmt: skip
def test_a_reproduction_says_which_cells_moved(
    before, after, options, code, said, monkeypatch, capsys, tmp_path
):
    (tmp_path / "scorecards").mkdir()
    card = (kept_cards.COMMITTED / "unix_v6.csv").read_text().replace(before, after)
    (tmp_path / "scorecards/unix_v6.csv").write_text(card)
    changed = {"seed": 1} if "seed" in options else {}
    kept_cards.note_conditions("unix_v6", changed, tmp_path / "scorecards")
    monkeypatch.setattr("studies.commands.reproduce.reproduce", lambda *_, **__: tmp_path)
    assert line.main(["reproduce", "unix_v6", *options.split()]) == code
    printed = capsys.readouterr()
    assert re.search(said, printed.err if code else printed.out, re.MULTILINE)
    assert ("Reproduced: " in printed.out) == (options != "--quick")


@pytest.mark.parametrize(("now", "code"), [("67.5", 0), ("67.6", 1)])
def test_a_verification_has_every_row_under_its_name(now, code, monkeypatch, capsys, tmp_path):
    (tmp_path / "scorecards").mkdir()
    card = (
        (kept_cards.COMMITTED / "unix_v6.csv").read_text().replace(",67.5,67.5,", f",67.5,{now},")
    )
    (tmp_path / "scorecards/unix_v6.csv").write_text(card)
    monkeypatch.setattr("studies.commands.reproduce.reproduce", lambda *_, **__: tmp_path)
    assert line.main(["verify", "unix_v6/table_i/average_access", "--quick"]) == code
    shown = capsys.readouterr().out
    assert re.search(rf"67\.5 +67\.5 +{now}", shown)
    found = json.loads((tmp_path / "verification.json").read_text())
    rows = {row["row"]: row for row in found["rows"]}
    assert len(rows) == 275 and found["on"]["perfkit"] and found["on"]["processor"]
    row = rows["unix_v6/table_i/average_access/ms_us_byte"]
    assert row["state"] == ("moved" if code else "same") and row["now"] == now
    assert rows["unix_v6/claims/queue_ratio"]["state"] == "not compared"
    page = (tmp_path / "verification.html").read_text()
    assert all(f'<tr id="{name}"' in page for name in rows) and "<script" not in page


def test_rows_of_all_studies_have_names_of_their_own_and_score_prints_them(capsys, monkeypatch):
    names = repeated.committed(list(STUDIES)).index
    assert names.is_unique and not names.str.contains(" ").any()
    monkeypatch.setenv("COLUMNS", "140")  # at which no table is split
    assert line.main(["score", "tss360/table_6/R", "cp67/claims/alg_2_knee"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("old schedule") == 2 and "The gain begins" in shown and "N_e" not in shown
    assert line.main(["verify", "tss360/table_9/R"]) == line.main(["score", "cp67/no"]) == 2
    assert capsys.readouterr().err.count("perfkit: There is no row '") == 2


def test_an_interrupted_search_says_that_nothing_is_kept(monkeypatch, capsys, tmp_path):
    def search(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(compiling, "is_compiled", lambda *_: True)
    monkeypatch.setattr(calibration, "calibrate", search)
    assert line.main(["calibrate", "unix_v6", "--results", str(tmp_path)]) == 130
    said = f"perfkit: Stopped; the same command goes on from the runs kept in {tmp_path}.\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("options", "starts", "said", "costs", "found"),
    [
        ([], 0, "1 search over 13 numbers, at most 2 steps", (9.0, 4.0), "The fit"),
        (["--cold"], 3, "3 searches over 13 numbers", (9.0, 8.5), "No fit is better than"),
        (["--cold", "--starts", "1"], 1, "1 search over", (9.0, 40.0), "No fit is better than"),
    ],
)
def test_a_fit_states_its_budget_then_what_it_moved_and_whether_that_is_better(
    options, starts, said, costs, found, monkeypatch, capsys
):
    def examine(key, parts, own, results, *by):
        assert (by, own, results) == ((starts, 2, 3), study(key).module().Parameters(), RESULTS)
        table = calibration.committed(key).drop(index=["start 1", "start 2"])
        worse = [cost - min(costs) for cost in costs]
        return table.assign(cost=costs, worse=worse, worse_half_width=1.0)

    monkeypatch.setattr(compiling, "is_compiled", lambda *_: True)
    monkeypatch.setattr(calibration, "examine", examine)
    words = ["calibrate", "unix_v6", "--iterations", "2", "--replications", "3", *options]
    assert line.main(words) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(said) and told[-2].startswith(found)
    assert told[3].split() == ["operations_per_interaction", "3.41", "3.695"]
    assert told[-3].split()[4] == f"{costs[0]}"


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
    monkeypatch.delenv("PERFKIT_RESULTS", raising=False)
    for name in ("results/scorecards", "mine/scorecards"):
        (tmp_path / name).mkdir(parents=True)
        copy(kept_cards.COMMITTED / "unix_v6.csv", tmp_path / name)
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
        return re.search(r"swapping \((.*)\)", capsys.readouterr().out)[1]

    assert read("--results", "mine") == "of the run in mine"
    assert read() == "of the run in results"
    (score_folder / "results/scorecards/unix_v6.csv").unlink()
    assert read() == "as committed"
