"""README, the index and the report tell what scorecards and notebooks say, and what exists."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat.v4 as v4
import pytest
import yaml
from PIL import Image

from perfkit.__main__ import parser
from studies import STUDIES
from studies.evidence import kept_cards, scorecard
from studies.show import opening as module
from studies.show.opening import Opening, opening
from tools import readme, release

COUNT = re.compile(r"\d+(?: of \d+)?")

README = (readme.ROOT / "README.md").read_text()
PYTHON = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)
LINES = re.findall(r"^ *((?:make|perfkit) .*)", "".join(README.split("```")[1::2]), re.M)
SLOW = {  # which lines are not run, and why
    "make": "each sets up an environment, then takes minutes",
    "perfkit reproduce": "a notebook takes minutes",
    "perfkit verify": "it makes all notebooks anew, in ten minutes",
    "perfkit headline": "an experiment takes half a minute",
    "perfkit sweep": "its 4000 runs take minutes",
    "perfkit calibrate": "a search takes an hour",
    "perfkit sensitivity": "its runs take an hour",
}
SHELL = [line for line in LINES if not line.startswith(tuple(SLOW))]


def test_findings_and_table_are_those_of_the_committed_notebooks_and_scorecards():
    for path, text in readme.texts(readme.committed()).items():
        assert path.read_text() == text, path
    assert readme.HERO.read_bytes() == opening(readme.FIRST[0]).png
    kept = json.loads(kept_cards.PARAMETERS.read_text())
    assert kept == json.loads(json.dumps(readme.parameters()))


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://github.com/owner/name", "v2/gh/owner/name/HEAD"),
        ("https://forge.example/a/b.git", "v2/git/https%3A%2F%2Fforge.example%2Fa%2Fb/HEAD"),
    ],
)
def test_an_address_in_its_one_place_gives_a_badge_and_is_cited(
    address, place, tmp_path, monkeypatch
):
    project = tmp_path / "pyproject.toml"
    table = f'[project.urls]\nRepository = "{address}"\n\n[project.scripts]'
    project.write_text(readme.PROJECT.read_text().replace("[project.scripts]", table))
    monkeypatch.setattr(readme, "PROJECT", project)
    shown, _, citation = readme.texts(readme.committed()).values()
    assert place in shown.split("\n## ")[0] and readme.NO_ADDRESS not in shown
    plain = address.removesuffix(".git")
    assert yaml.safe_load(citation)["repository-code"] == plain
    assert readme.cited(citation, plain) == citation
    assert readme.cited(citation, "") == (readme.ROOT / "CITATION.cff").read_text()


def test_the_release_notes_count_what_the_scorecards_hold():
    cells, null, *_, claims, refuted, undecided, _ = COUNT.findall(
        readme.overall(readme.committed())
    )
    hits, cells = cells.split(" of ")
    notes = " ".join(release.notes().split())
    assert f"Of {cells} numbers that were predicted, {hits} are within" in notes
    assert f"a simple forecast without a simulator gets {null}." in notes
    assert f"Of {claims.split()[-1]} claims, {refuted} are refuted and {undecided} und" in notes


def test_a_number_of_the_report_on_a_study_stands_in_its_notebook():
    whole = (readme.ROOT / "docs/report.md").read_text()
    sections = re.split(r"^## ", re.sub(r"^Reproduced: .*$", "", whole, flags=re.M), flags=re.M)
    for key, study in STUDIES.items():
        (section,) = [text for text in sections if f"<!-- card {key}:" in text]
        told = study.notebook.read_text().replace("−", "-")
        told += (readme.ROOT / "data" / key / "claims.csv").read_text()
        for number in re.findall(r"-?\d+(?:\.\d+)?", section.split("\n", 1)[1]):
            assert re.search(rf"(?<![\d.]){number}(?!\d|\.\d)", told), (key, number)


def test_every_forecast_cell_has_a_row_in_words():
    for key, card in readme.committed().items():
        assert (key in readme.ROWS) == card["kind"].isin(scorecard.FORECAST).any()
        if key in readme.ROWS:
            assert readme.predicted(key, card)["row"].notna().all()


def test_errors_are_in_percent_but_correlations_in_their_own_unit(monkeypatch):
    monkeypatch.setitem(readme.ROWS, "k", ("quantity", {"correlation": "r", "R": "R"}))
    what = ["correlation", "R", "R"]
    card = scorecard.cells("T", list("abc"), what, "predicted", [0.0, 2.0, 0.0], [0.1, 3.0, 1.0])
    found = readme.predicted("k", card)
    assert found["off"].round(6).tolist() == [10.0, 50.0]
    assert found["reproduced"].tolist() == [False, False]


def test_every_command_and_path_named_exists():
    commands = parser()._subparsers._group_actions[0]
    assert set(re.findall(r"^perfkit (\w+)", README, re.M)) == set(commands.choices)
    paths = re.findall(r"\]\(([\w/.]+)\)", README) + re.findall(r"`((?:\w+/)+)`", README)
    assert paths and all((readme.ROOT / path).exists() for path in paths)


@pytest.mark.parametrize("snippet", [*PYTHON, *SHELL])
def test_a_snippet_runs_alone_copied_as_it_stands(snippet, tmp_path):
    words = ["sh", "-c", snippet] if snippet in SHELL else [sys.executable, "-c", snippet]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path}
    run = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout or "show" in snippet  # where a notebook shows it


@pytest.fixture
def book(tmp_path, monkeypatch):
    path = tmp_path / "cp67.ipynb"
    monkeypatch.setattr(module, "book", lambda key: SimpleNamespace(notebook=path))
    drawn = v4.new_output(
        "display_data", {"image/png": "aGVybw=="}, metadata={"image/png": {"alt": "a trap"}}
    )
    said = v4.new_output("display_data", {"text/markdown": "*Red: caught.*"})
    cells = [
        v4.new_markdown_cell("# Does it pay?\n*A paper, 1973.*\n\nMore."),
        v4.new_markdown_cell("**It\ndoes.** Because.\n\nMore."),
        v4.new_code_cell("draw()", outputs=[drawn, said]),
    ]

    def write(*left_out):
        import nbformat

        kept = [cell for place, cell in enumerate(cells) if place not in left_out]
        nbformat.write(v4.new_notebook(cells=kept), path)

    return write


def test_an_opening_is_question_paper_picture_and_finding(book):
    book()
    found = opening("cp67")
    assert found == (
        "Does it pay?",
        "*A paper, 1973.*",
        "**It\ndoes.** Because.\n\nMore.",
        b"hero",
        "a trap",
        "*Red: caught.*",
    )
    assert found.lead() == "**It does.** Because."


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_a_notebook_that_opens_otherwise_is_refused_in_a_sentence(book, left_out):
    book(left_out)
    with pytest.raises(ValueError, match="The notebook of cp67 must open with a question"):
        opening("cp67")


def test_a_small_picture_is_as_wide_as_asked_and_keeps_its_shape():
    whole = io.BytesIO()
    Image.new("RGB", (1000, 500), "red").save(whole, format="png")
    small = Opening("Q?", "P", "F", whole.getvalue(), "a").small(100)
    assert Image.open(io.BytesIO(small)).size == (100, 50)
