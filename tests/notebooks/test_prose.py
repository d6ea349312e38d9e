"""How the notebooks read, and that the tool which says so finds what it should."""

import nbformat
import nbformat.v4 as v4
import pytest

from studies import BOOKS, NOTEBOOKS, STUDIES
from tools import prose

ROOT = NOTEBOOKS.parent
MOST_NOTES = 900
TEXTS = ["README.md", "docs/report.md", "docs/robustness.md", "docs/teaching.md"]
TEXTS += [f"docs/stress/{key}.md" for key in ("index", *STUDIES)]
ALT = {"image/png": {"alt": "What it shows, for those who can't see it, in words."}}


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.name)
def test_every_code_cell_was_executed_and_none_failed(path):
    cells = [c for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    assert cells and all(cell.execution_count for cell in cells)
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)


@pytest.mark.parametrize("key", BOOKS)
def test_a_notebook_keeps_the_rules_of_reading(key):
    assert not prose.findings(BOOKS[key].notebook)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_in_plain_english(name):
    assert not prose.IDIOMS.findall(" ".join((ROOT / name).read_text().split()))


@pytest.mark.parametrize("key", STUDIES)
def test_the_notes_of_a_study_are_short(key):
    notes = (ROOT / "studies" / key / "NOTES.md").read_text()
    assert len(prose.words(notes)) <= MOST_NOTES


def drawing(metadata=ALT, caption=True, tags=("hide-input",), folded=True):
    shown = [v4.new_output("display_data", {"image/png": "aGVybw=="}, metadata=metadata)]
    if caption:
        shown.append(v4.new_output("display_data", {"text/markdown": "*It rises.*"}))
    look = {"tags": list(tags), "jupyter": {"source_hidden": folded and bool(tags)}}
    return v4.new_code_cell("plots.picture()", outputs=shown, metadata=look)


def written(tmp_path, *cells, parts=prose.PARTS, title="# Does it pay?"):
    parts = [v4.new_markdown_cell(f"## {name}") for name in parts]
    whole = [v4.new_markdown_cell(title), *cells, *parts]
    path = tmp_path / "book.ipynb"
    nbformat.write(v4.new_notebook(cells=whole), path)
    return path


def text(*paragraphs):
    return v4.new_markdown_cell("\n\n".join(paragraphs))


GOOD = [text("It does. See [what stands](#What-stands)."), drawing()]
HTML = "<table><thead><tr>" + "<th>x</th>" * 8 + "</tr></thead></table>"
WIDE = v4.new_output("display_data", {"text/html": HTML})


def test_a_notebook_that_keeps_the_rules_has_no_findings(tmp_path):
    assert prose.findings(written(tmp_path, *GOOD)) == []


@pytest.mark.parametrize(
    ("cells", "finding"),
    [
        ([text("word " * 41 + "."), *map(text, ["Short."] * 3)], "a sentence has 41 words: word"),
        ([text("This is " + "long " * 17 + ".")], "the median sentence has 19 words"),
        ([text("Go [there](#No-such).")], "a link leads to #No-such, which is no heading"),
        ([text("Go [there](other.ipynb).")], "a link leads to other.ipynb, which is not there"),
        ([text("## Else")], "'## Else' is none of the parts"),
        ([drawing(metadata={})], "draws a figure without alternative text"),
        ([drawing(caption=False)], "draws a figure without a caption"),
        ([drawing(tags=())], "draws and does not carry the tag hide-input"),
        ([v4.new_code_cell("x", outputs=[WIDE])], "has a table of 8 columns"),
        ([text("It waits, for the disc is slow.")], "', for the disc is' is no plain English"),
        ([v4.new_code_cell("page = Page()" + 8 * "\nx")], "the set-up has 9 lines; 8 is the most"),
        (
            [v4.new_code_cell(25 * "x\n"), drawing()],
            "27 lines of code come before the first picture",
        ),
        ([drawing(folded=False)], "must be folded on a page and in JupyterLab alike"),
    ],
)
def test_each_rule_has_its_sentence(cells, finding, tmp_path):
    first = [] if "median" in finding else [text("It pays. Read on.")]
    found = prose.findings(written(tmp_path, *first, *cells))
    assert len(found) == 1 and finding in found[0]


def test_parts_must_be_all_there_in_order_under_a_question(tmp_path):
    swapped = [prose.PARTS[1], prose.PARTS[0], *prose.PARTS[2:]]
    path = written(tmp_path, *GOOD, parts=swapped, title="# An answer")
    title, order = prose.findings(path)
    assert "the title must be one question" in title and "not in their order" in order
    (missing,) = prose.findings(written(tmp_path, *GOOD, parts=prose.PARTS[:-1]))
    assert missing == "there is no part '## Appendix E: departures and errata'"


def test_words_are_those_of_prose():
    cell = text(
        "```\ncode here\n```", "- One [link](a.md) and `code`.", "| a | b |", "$$x$$ Two — 3."
    )
    assert prose.words("a [link](b.md) — **bold** 3 | $$x = 1$$") == ["a", "link", "bold", "3"]
    lengths = [len(prose.words(sentence)) for sentence in prose.sentences([cell])]
    assert lengths == [4, 2]
