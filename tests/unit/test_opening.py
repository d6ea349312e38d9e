"""What a notebook opens with stands on the index and in README."""

import io
from types import SimpleNamespace

import nbformat.v4 as v4
import pytest
from PIL import Image

from perfkit import opening as module
from perfkit.opening import Opening, opening


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
        v4.new_code_cell("draw()", outputs=[drawn, said]),
        v4.new_markdown_cell("**It\ndoes.** Because.\n\nMore."),
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
