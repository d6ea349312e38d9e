"""The runner when things go wrong: killed in the middle, damaged data, a cell that fails."""

import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import nbformat
import pytest

from studies.commands import reproduce as runner
from studies.commands.reproduce import PART, execute
from studies.evidence import kept_cards, published, scorecard

KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}}


def wait_for(condition, limit_s=120.0):
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


SHORT = """
import pathlib, sys
from perfkit import __main__ as line
from studies.commands import reproduce
import studies
books = pathlib.Path(sys.argv[1])
reproduce.NOTEBOOKS = studies.NOTEBOOKS = books
sys.exit(line.main(["reproduce", "unix_v6", "-p", "replications=2", "--results", sys.argv[2]]))
"""
CELLS = """
import pathlib, time
from studies.evidence import kept_cards, scorecard
kept_cards.save(scorecard.claim("section 1", "it holds", True), "unix_v6")
first = not pathlib.Path({begun!r}).exists()
pathlib.Path({begun!r}).touch()
print("one", flush=True); time.sleep(100 if first else 1); print("two")
"""


def test_a_killed_run_leaves_nothing_half_written_and_the_next_completes(tmp_path):
    """The command as it is, over a short notebook, killed in a cell after the scorecard's."""
    books, results, begun = tmp_path / "books", tmp_path / "results", tmp_path / "begun"
    books.mkdir()
    parameters = nbformat.v4.new_code_cell("replications = 5  # runs")
    parameters.metadata["tags"] = ["parameters"]
    cells = [parameters, nbformat.v4.new_code_cell(CELLS.format(begun=str(begun)))]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=KERNEL), books / "unix_v6.ipynb")
    index = [nbformat.v4.new_code_cell("1")]
    nbformat.write(nbformat.v4.new_notebook(cells=index, metadata=KERNEL), books / "index.ipynb")

    def start():
        words = [sys.executable, "-c", SHORT, books, tmp_path / "results"]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    run = start()
    wait_for(lambda: begun.exists() or run.poll() is not None)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    results = results / "replications=2"
    assert list(results.glob(PART + "*"))
    assert not [*results.glob("*.ipynb"), *results.glob("scorecards/*")]
    said, complaint = start().communicate(timeout=120)
    assert "Reproduced: " in said, complaint
    assert {p.name for p in results.iterdir()} == {"index.ipynb", "scorecards", "unix_v6.ipynb"}
    executed = nbformat.read(results / "unix_v6.ipynb", 4).cells[-1]
    assert [output.text for output in executed.outputs] == ["one\ntwo\n"]
    for path in results.glob("*.ipynb"):
        assert all(c.execution_count for c in nbformat.read(path, 4).cells if c.cell_type == "code")


def test_damaged_data_stop_the_run_with_one_sentence_and_no_notebook(tmp_path):
    data = tmp_path / "data"
    shutil.copytree(published.data_folder(), data)
    table = data / "unix_v6" / "table_6.csv"
    table.write_text(table.read_text().replace("3554", "35S4"))
    words = ["-m", "perfkit", "reproduce", "unix_v6", "--results", tmp_path / "results"]
    told = {"env": os.environ | {"PERFKIT_DATA": str(data)}, "capture_output": True, "text": True}
    run = subprocess.run([sys.executable, *words], **told)
    assert run.returncode == 1
    (said,) = [line for line in run.stderr.splitlines() if "compiling" not in line]
    assert "'35S4'" in said and "table_6.csv" in said
    assert not list((tmp_path / "results").rglob("*.ipynb"))


def test_a_failing_cell_leaves_no_file(tmp_path):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    nbformat.write(book, tmp_path / "bad.ipynb")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        execute(tmp_path / "bad.ipynb", tmp_path / "results" / "bad.ipynb")
    assert not list((tmp_path / "results").iterdir())


INTERRUPTED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
from perfkit import __main__ as line
from studies.commands import long
from studies.commands.reproduce import execute
long.reproduce = lambda given: execute(sys.argv[1], given.results + "/slow.ipynb")
sys.exit(line.main(["reproduce", "--results", sys.argv[2]]))
"""


def test_an_interrupt_is_one_sentence_and_leaves_no_file(tmp_path):
    begun, results = tmp_path / "begun", tmp_path / "results"
    cell = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(100)"
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    nbformat.write(book, tmp_path / "slow.ipynb")
    words = [sys.executable, "-c", INTERRUPTED, tmp_path / "slow.ipynb", results]
    run = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: begun.exists() or run.poll() is not None)
    run.send_signal(signal.SIGINT)
    _, complaint = run.communicate(timeout=60)
    assert run.returncode == 130
    assert complaint.startswith(f"perfkit: Stopped; {results} holds whole notebooks only")
    assert complaint.count("\n") == 1
    assert not list(results.iterdir())


def test_only_parameters_that_differ_are_told_the_environment_is_put_back(tmp_path, monkeypatch):
    seen = []

    def execute(notebook, target, values=None):
        seen.append((os.environ["PERFKIT_RESULTS"], values or {}))
        kept_cards.folder().mkdir(parents=True, exist_ok=True)
        (kept_cards.folder() / f"{target.stem}.csv").write_text("")
        target.write_text("")
        return 0.0

    monkeypatch.setattr(runner, "execute", execute)
    monkeypatch.delenv("PERFKIT_RESULTS", raising=False)
    book = runner.NOTEBOOKS / "unix_v6.ipynb"
    own = {name: text for name, (_, text, _) in runner.notebook_parameters(book).items()}
    given = {"replications": own["replications"], "seed": "9"}
    where = runner.reproduce(["unix_v6"], tmp_path, parameters=given, say=lambda line: None)
    assert where == tmp_path / "seed=9"
    assert seen[0][1] == {"replications": int(own["replications"]), "seed": 9}
    assert seen[1] == (str(where / "scorecards"), {})
    assert kept_cards.conditions("unix_v6", where / "scorecards") == {"seed": 9}
    assert "PERFKIT_RESULTS" not in os.environ


def test_a_notebook_that_fails_after_its_scorecard_leaves_the_last_run_whole(tmp_path, monkeypatch):
    cards = tmp_path / "scorecards"
    cards.mkdir()
    before = {cards / "unix_v6.csv", cards / "unix_v6.json", tmp_path / "unix_v6.ipynb"}
    for path in before:
        path.write_text("the last run's")

    def execute(notebook, target, values=None):
        kept_cards.save(scorecard.claim("section 1", "it holds", True), "unix_v6")
        raise RuntimeError("stopped in a later cell")

    monkeypatch.setattr(runner, "execute", execute)
    with pytest.raises(RuntimeError, match="a later cell"):
        runner.reproduce(["unix_v6"], tmp_path, say=lambda line: None)
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before
    assert {path.read_text() for path in before} == {"the last run's"}


def test_only_what_a_killed_run_left_is_swept_up(tmp_path, monkeypatch):
    during = []

    def execute(notebook, target, values=None):
        during.append({path.name for path in tmp_path.glob(PART + "*")})
        target.write_text("")
        return 0.0

    monkeypatch.setattr(runner, "execute", execute)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    own = f"{PART}{socket.gethostname()}-"
    others = {f"{PART}elsewhere-{ended.pid}-x", f"{PART}{ended.pid}-x", f"{PART}x"}
    stay = {f"{own}{running.pid}-x", f"{own}x-x", *others}
    for name in (*stay, f"{own}{ended.pid}-x_1"):
        (tmp_path / name).mkdir()
    runner.reproduce(["unix_v6"], tmp_path, say=lambda line: None)
    running.communicate(b"\n")
    (ours,) = during[0] - stay
    assert ours.startswith(f"{own}{os.getpid()}-")
    assert during[1] == stay == {path.name for path in tmp_path.glob(PART + "*")}


@pytest.mark.parametrize(
    ("name", "kind", "values"),
    [
        ("replications", "a whole number", [math.inf, math.nan, "inf", 2.5, "1e3"]),
        ("memory_factor", "a finite number", [-math.inf, math.nan, "inf", "nan", 10**400, True]),
    ],
)
def test_a_value_of_another_kind_is_refused(name, kind, values):
    for value in values:
        with pytest.raises(ValueError, match=f"{name} must be {kind}; .* is not"):
            runner.checked_parameters(runner.NOTEBOOKS / "unix_v6.ipynb", {name: value})


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ("file", r"need a folder; .*file is a file\."),
        ("cards", r"need a folder; .*scorecards is a file\."),
        ("book", r"unix_v6\.ipynb is to be a file, not a folder; move it away\."),
        ("index", r"index\.ipynb is to be a file, not a folder; move it away\."),
        ("x" * 300, r"x can't be written to: File name too long\."),
        ("file/results", r"results can't be written to: Not a directory\."),
        (runner.NOTEBOOKS / "scorecards" / "..", "has the notebooks themselves; name another"),
    ],
)
def test_results_that_can_not_be_written_are_refused_before_any_run(results, said, tmp_path):
    for folder in ("cards", "book/unix_v6.ipynb", "index/index.ipynb"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("file", "cards/scorecards"):
        (tmp_path / file).write_text("")
    with pytest.raises(ValueError, match=said):
        runner.reproduce(["unix_v6"], tmp_path / results, say=pytest.fail)


def test_no_name_for_results_and_a_text_for_studies_are_refused(tmp_path):
    with pytest.raises(ValueError, match="The results need a folder; name one"):
        runner.reproduce(["unix_v6"], " ", say=pytest.fail)
    with pytest.raises(TypeError, match=r"must be a list of their keys; write \['unix_v6'\]"):
        runner.reproduce("unix_v6", tmp_path)


@pytest.mark.parametrize("default", ["60 * 60", "[", "datetime.now()", "hour"])
def test_a_default_that_is_to_be_computed_is_refused_by_name(default, tmp_path):
    cell = nbformat.v4.new_code_cell(f"runs = 5\nseconds = {default}  # of a run")
    cell.metadata["tags"] = ["parameters"]
    book = nbformat.v4.new_notebook(cells=[cell], metadata=KERNEL)
    nbformat.write(book, tmp_path / "own.ipynb")
    said = r"^The default of 'seconds' in own\.ipynb must be a plain value, such as .* computed\.$"
    with pytest.raises(ValueError, match=said):
        runner.checked_parameters(tmp_path / "own.ipynb", {"runs": 3})


def test_the_index_says_with_what_a_scorecard_was_made(tmp_path, monkeypatch):
    shutil.copy(kept_cards.COMMITTED / "unix_v6.csv", tmp_path)
    kept_cards.note_conditions("unix_v6", {"memory_factor": 2.0}, tmp_path)
    monkeypatch.setenv("PERFKIT_RESULTS", str(tmp_path))
    execute(runner.NOTEBOOKS / "index.ipynb", tmp_path / "index.ipynb")
    said = (tmp_path / "index.ipynb").read_text()
    assert "unix_v6: made with memory_factor = 2.0, not the notebook's own values" in said
    assert not any(f"{key}: made with" in said for key in ("sim61", "cp67", "emas", "tss360"))


def test_a_name_that_papermill_injects_and_the_notebook_lacks_is_refused():
    injected = {"In": ["", "import numpy", "# Parameters\nreplications = 2\nuserz = 3\n"]}
    kept_cards.check_injected("emas", {"In": injected["In"][:2]})
    with pytest.raises(ValueError, match="no parameter 'userz'; did you mean users"):
        kept_cards.check_injected("emas", injected)
