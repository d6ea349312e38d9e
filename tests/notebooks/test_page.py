"""A page on which a parameter was turned says so wherever its text can't follow."""

import re

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from studies import BOOKS, STUDIES
from studies.evidence import kept_cards
from studies.show import page as module
from studies.show.opening import opening
from studies.show.page import Page

PARAMETERS = [(key, name) for key in BOOKS for name in kept_cards.committed_parameters(key)]
SAID = re.compile(r'\(\s*"([-\d.,]+)",')


def turned(key, name):
    own = kept_cards.committed_parameters(key)
    other = {bool: lambda v: not v, str: lambda v: v + "?"}.get(type(own[name]), lambda v: v + 1)
    return own | {name: other(own[name])}


@pytest.fixture
def shell(monkeypatch):
    """A shell of IPython in which pages are made; what it prints is captured by each call."""
    shell = InteractiveShell.instance()
    monkeypatch.setattr(module.plots, "use_style", lambda: None)
    yield shell
    Page("unix_v6", kept_cards.committed_parameters("unix_v6"))  # takes the marks away
    InteractiveShell.clear_instance()


def run(shell, line):
    with capture_output() as shown:
        shell.run_cell(line)
    return [output.data.get("text/markdown", "") for output in shown.outputs]


@pytest.mark.parametrize(("key", "name"), PARAMETERS)
def test_each_output_is_marked_once_whatever_parameter_was_turned(key, name, shell):
    values = turned(key, name)
    shell.push({"Page": Page, "key": key, "values": values})
    for _ in range(2):  # a set-up cell that is run again leaves one mark
        (banner,) = run(shell, "page = Page(key, values)")
    assert banner.startswith(f"> **Turned:** `{name} = {values[name]!r}`")
    (mark,) = run(shell, "1")
    assert mark.startswith(f"*Turned: `{name} = {values[name]!r}`. The text")
    assert run(shell, "_silent = 1") == []
    shell.push({"values": kept_cards.committed_parameters(key)})
    assert run(shell, "page = Page(key, values)") == run(shell, "1") == []


def test_a_findings_numbers_are_held_to_the_run_and_told_anew_when_something_is_turned():
    own = kept_cards.committed_parameters("cp67")
    assert Page("cp67", own).now({"days": ("1,200", 1200.4), "gain": ("0.9", 0.94)}) is None
    with pytest.raises(ValueError, match=r"finding says 0\.9 for gain; this run computes 1\.0"):
        Page("cp67", own).now({"gain": ("0.9", 0.96)})
    told = Page("cp67", turned("cp67", "frames")).now({"gain": ("0.9", 0.96)})
    assert told.frame.loc["gain"].tolist() == ["0.9", "1.0"]


def test_claims_whose_verdict_turned_are_named():
    own, other = kept_cards.committed_parameters("cp67"), turned("cp67", "frames")
    card = kept_cards.load("cp67", kept_cards.COMMITTED)
    said = card[card["verdict"] != ""].copy()
    assert Page("cp67", own).verdicts(said) is None
    said.iloc[0, said.columns.get_loc("verdict")] = "misprint"
    told = Page("cp67", other).verdicts(said).data
    assert f"1 of {len(said)} claims" in told and told.count(", now misprint") == 1


@pytest.mark.parametrize("key", BOOKS)
def test_a_notebook_holds_its_findings_numbers_and_its_verdicts_to_its_run(key):
    cells = nbformat.read(BOOKS[key].notebook, 4).cells
    held = [cell.source for cell in cells if "page.now(" in cell.source]
    numbers = [number for source in held for number in SAID.findall(source)]
    finding = opening(key).finding
    assert len(numbers) >= 3
    assert not [number for number in numbers if number not in finding and number not in "01"]
    if key in STUDIES:
        place = next(i for i, c in enumerate(cells) if c.source.startswith("## What stands"))
        assert "page.verdicts(" in cells[place + 1].source
