"""README and the report tell what the committed scorecards say; README names what exists."""

import json
import re

from perfkit import kept_cards, scorecard
from perfkit.__main__ import COMMANDS
from perfkit.opening import opening
from perfkit.studies import STUDIES
from tools import readme


def test_findings_and_table_are_those_of_the_committed_notebooks_and_scorecards():
    for path, text in readme.texts(readme.committed()).items():
        assert path.read_text() == text, path
    assert readme.HERO.read_bytes() == opening(readme.FIRST[0]).png
    kept = json.loads(kept_cards.PARAMETERS.read_text())
    assert kept == json.loads(json.dumps(readme.parameters()))


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
    text = (readme.ROOT / "README.md").read_text()
    assert set(re.findall(r"^perfkit (\w+)", text, re.M)) == set(COMMANDS)
    paths = re.findall(r"\]\(([\w/.]+)\)", text) + re.findall(r"`((?:\w+/)+)`", text)
    assert paths and all((readme.ROOT / path).exists() for path in paths)


def test_the_python_of_the_readme_runs(capsys):
    text = (readme.ROOT / "README.md").read_text()
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(block, names)
    shown = capsys.readouterr().out
    assert "elapsed_s_half_width" in shown and "change of elapsed_s, %" in shown
