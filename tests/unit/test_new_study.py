"""The skeleton of a study of one's own: green as made, refused where it can't be made."""

import importlib
import json
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from perfkit.des.caching import cache_folder
from perfkit.runs.experiment import sweep
from perfkit.runs.store import status
from studies import SYSTEMS
from studies.__main__ import main
from studies.commands import execute, new
from studies.evidence import published
from tools import prose

KEY = "bartlett"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A skeleton, and no kernels of it left behind."""
    folder = tmp_path_factory.mktemp("studies")
    assert main(["new", KEY, "--folder", str(folder)]) == 0
    yield folder / KEY
    for kept in cache_folder().glob(f"{KEY}_*"):
        shutil.rmtree(kept)


def run(folder, *words):
    env = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    line = [sys.executable, "-m", *words]
    done = subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_skeleton_is_green_as_made_with_its_notebook(made):
    code, told = run(made, "pytest", "--nbval", "-q", "-p", "no:cacheprovider")
    assert code == 0, told
    assert int(told.split(" passed")[0].split()[-1]) >= 20


def test_a_skeleton_has_its_key_in_place_of_the_templates_and_keeps_the_rules_of_style(made):
    texts = {path: path.read_text() for path in made.rglob("*") if path.is_file()}
    assert len(texts) >= len(new.files()) == 18
    assert not [path for path, text in texts.items() if new.PLACEHOLDER in f"{path}{text}"]
    assert run(made, "ruff", "check", "--no-cache", ".") == (0, "All checks passed!\n")
    assert run(made, "ruff", "format", "--no-cache", "--check", ".")[0] == 0
    assert prose.findings(made / f"{KEY}.ipynb") == []


def test_a_table_of_ones_own_takes_the_place_of_the_printed_one(made, tmp_path, capsys):
    data = shutil.copytree(made / "data", tmp_path / "data")
    published.locate("own", data)
    for text, said in [("a,a\n3,9\n", "'a' is not one."), ("a,b\n3\n", "has 1 cells in row 1")]:
        (data / "table_2.csv").write_text(text)
        assert main(["hashes", str(data)]) == 2 and said in capsys.readouterr().err
    (data / "table_1.csv").write_text("\ufeffframes,faults\n3,9\n4,10\n")  # Excel's mark
    (data / "table_2.csv").write_text("frames,ratio,why\n3,,\n4,1.5,more\n")
    with pytest.raises(published.DataError, match=f"columns frames, faults.*studies hashes {data}"):
        published.table("own", "table_1")
    assert main(["hashes", str(data)]) == 0
    told = capsys.readouterr().out
    assert "table_1.csv: 2 rows of frames (integer), faults (integer)\n  still to be" in told
    assert "table_2.csv: 2 rows of frames (integer), ratio (number), why (string)" in told
    assert published.table("own", "table_1")["faults"].tolist() == [9, 10]
    (data / "table_1.csv").write_text("frames,faults\n3,9\n4,11\n")
    with pytest.raises(published.DataError, match=f"is meant, run studies hashes {data}"):
        published.table("own", "table_1")
    package = json.loads((data / "datapackage.json").read_text())
    assert [one["name"] for one in package["resources"]] == ["table_1", "claims", "table_2"]
    main(["hashes", str(data)])
    before = (data / "datapackage.json").read_bytes()
    assert main(["hashes", str(data)]) == 0
    assert (data / "datapackage.json").read_bytes() == before


def test_a_notebook_is_executed_in_place_or_changed_beside_it(made, monkeypatch, capsys):
    book, executed = made / f"{KEY}.ipynb", []
    monkeypatch.setattr(execute, "execute", lambda *line: executed.append(line) or 7.0)
    assert main(["execute", str(book)]) == main(["execute", str(book), "service_s=1"]) == 0
    other = made / "results" / f"{KEY}.ipynb"
    assert executed == [(book, book, {}), (book, other, {"service_s": 1.0})]
    assert capsys.readouterr().out == f"{book}: 7 s\n{other}: 7 s\n"
    assert main(["execute", str(book), "service=1"]) == 2
    assert "has no parameter 'service'; did you mean service_s?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("", "Name the study, as in studies new belady."),
        ("Belady", "KEY must be at most 24 small letters, digits and _, a letter first, and no"),
        ("disc-arm", "such as belady; 'disc-arm' is not."),
        ("class", "'class' is not."),
        ("größe", "'größe' is not."),
        (25 * "x", "at most 24 small letters"),
        *((key, f"{key} is a study of the collection;") for key in SYSTEMS),
        ("random", "random is a module of Python's own library; take another key."),
        ("numpy", "numpy is the name of another package or folder; take another key."),
        ("tests", "tests is the name of another package or folder; take another key."),
        (KEY, f"{KEY} is there already; take another key or folder."),
    ],
)
def test_a_key_that_cannot_be_is_refused_in_a_sentence_and_nothing_is_written(
    key, said, tmp_path, capsys
):
    (tmp_path / KEY).touch()
    assert main(["new", key, "--folder", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert said in told.err and told.err.startswith("studies: ") and told.err.count("\n") == 1
    assert not told.out and [path.name for path in tmp_path.iterdir()] == [KEY]


def test_a_folder_that_is_not_there_is_refused(tmp_path, capsys):
    assert main(["new", KEY, "--folder", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == f"studies: There is no folder {tmp_path / 'none'}.\n"


def test_what_fails_half_way_leaves_nothing(tmp_path, monkeypatch, capsys):
    whole = [*new.files(), new.TEMPLATE / "missing.py"]
    monkeypatch.setattr(new, "files", lambda: whole)
    assert main(["new", KEY, "--folder", str(tmp_path)]) == 1
    assert "missing.py: No such file" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_sweep_takes_a_skeleton_unregistered_and_keeps_its_runs(made, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(made)
    own, papers = map(importlib.import_module, [KEY, f"{KEY}.runs"])
    short, design = own.Parameters(measured_s=20.0), pd.DataFrame({"users": [2, 4]})
    runs = [
        sweep(own.simulate, short, design, 2, store=store, progress=False)
        for store in (None, tmp_path, tmp_path)
    ]
    assert runs[0].equals(runs[1]) and runs[0].equals(runs[2]) and len(runs[0]) == 4
    assert status(tmp_path)["done"].tolist() == [4]
    monkeypatch.setitem(papers.TOLERANCES, "respons_s", {})
    with pytest.raises(ValueError, match="'respons_s' in the table_1"):
        papers.simulate_table_1()
