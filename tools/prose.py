"""Say where a notebook breaks the rules of reading: ``python -m tools.prose notebooks/x.ipynb``.

Parts 0 to 8 answer a reader's questions; behind them the appendices keep the audit.
"""

import re
import statistics
import sys
from itertools import pairwise
from pathlib import Path

import nbformat

from studies import BEYOND

PARTS = [
    "Turn it",
    "The machine",
    "The idea",
    "The evidence",
    "Where it breaks",
    "What if",
    "Would it hold today?",
    "What stands",
    "Appendix A: the paper's other tables and figures",
    "Appendix B: claims",
    "Appendix C: scorecard",
    "Appendix D: parameters and fit",
    "Appendix E: departures and errata",
]
LONGEST, MEDIAN = 40, 18  # words of a sentence, anywhere and in the middle
MOST_COLUMNS = 7
SET_UP, BEFORE_PICTURE = 8, 25  # lines of code, at most
# Idioms of one writer, for which a reader has to stop; the field's or plain words stand instead.
IDIOMS = re.compile(
    r"\bas it (?:is|was)\b|\bours\b|\bt(?:old|ell) apart\b|\bforet(?:old|ells?)\b|\bthe prints?\b"
    r"|\bh(?:ang|angs|ung) on\b|\bby turns\b|\bc(?:ome|omes|ame) out\b|\bbesides[.,;]"
    r"|\bso it is\b|(?<!twice |times )(?<!half )\bas many(?! as)\b|\bat that[.,;]|\bwhoever\b"
    r"|\b(?:pages|times|requests|transfers|answers|tasks) an? (?:second|minute|hour|run|day)\b"
    r"|, for (?!\w+ \w+ that)(?:it|they|we|the|a|an|no|all|each|every|there|this|its|most|many|few)"
    r" (?:\w+ ){0,3}(?:is|are|was|were|has|have|had|does|do|did|can|will|must|may)\b",
    re.IGNORECASE,
)
DRAWS = re.compile(r"\bplots\.(picture|panels|errors|forest|conclusions|predictions)\(|\bplt\.")
END = re.compile(r"(?<=[.!?:;])[\"”)*_]*\s+(?=[\"“(*_`]*[A-Z0-9`])")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
TABLE = re.compile(r"<thead>.*?</thead>", re.S)
HEAD = re.compile(r"<tr>(.*?)</tr>", re.S)
CELL = re.compile(r"<t[hd]([^>]*)>(.*?)</t[hd]>", re.S)


def findings(path):
    """Return what breaks the rules, a sentence each.

    Parameters
    ----------
    path : path
        An executed notebook.

    Returns
    -------
    list of str
    """
    book = nbformat.read(path, as_version=4)
    beyond = Path(path).stem in BEYOND
    found = [*_wrong_parts(book, beyond), *_wrong_prose(book), *_dead_links(book, Path(path))]
    found += _late_answer(book)
    for number, cell in enumerate(book.cells):
        if cell.cell_type == "code":
            found += [f"cell {number} {told}" for told in _wrong_output(cell)]
    return found


def measures(book):
    """Return the words of parts 0 to 8, their median sentence, their longest, and the cells."""
    own = _before_appendices(book)
    lengths = [len(words(sentence)) for sentence in sentences(own)]
    texts = [cell.source for cell in own if cell.cell_type == "markdown"]
    return {
        "words": sum(len(words(text)) for text in texts),
        "median": statistics.median(lengths),
        "longest": max(lengths),
        "cells": len(own),
    }


def words(text):
    """Return the words of a text: what has a letter or a digit in it."""
    return [word for word in re.split(r"[\s—–]+", _plain(text)) if re.search(r"\w", word)]


def _plain(text):
    """Return Markdown without code blocks, formulas, addresses and marks."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$", " ", text, flags=re.S)
    text = re.sub(r"\$[^$\n]+\$", "x", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[|#>*_`]+", " ", text)


def sentences(cells):
    """Return the sentences of Markdown cells; a list's item or a table's row is one by itself."""
    found = []
    for cell in cells:
        if cell.cell_type != "markdown":
            continue
        text = re.sub(r"```.*?```|\$\$.*?\$\$", "\n\n", cell.source, flags=re.S)
        blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*+>|]|\d+\.)\s?)", text)
        for block in blocks:
            if block.lstrip().startswith(("#", "|")):
                continue
            block = re.sub(r"^\s*(?:[-*+>]|\d+\.)\s+", "", " ".join(block.split()))
            found += [part for part in END.split(block) if words(part)]
    return found


def _headings(book, level):
    mark = "#" * level + " "
    lines = [
        line
        for cell in book.cells
        if cell.cell_type == "markdown"
        for line in re.sub(r"```.*?```", "", cell.source, flags=re.S).split("\n")
    ]
    return [line.removeprefix(mark).strip() for line in lines if line.startswith(mark)]


def _before_appendices(book):
    for number, cell in enumerate(book.cells):
        if cell.cell_type == "markdown" and cell.source.startswith("## Appendix"):
            return book.cells[:number]
    return book.cells


def _wrong_parts(book, beyond):
    """Tell what is wrong with title and parts; a notebook beyond the studies has its own parts."""
    title, own = _headings(book, 1), _headings(book, 2)
    if len(title) != 1 or not title[0].endswith("?"):
        yield f"the title must be one question; there is {', '.join(title) or 'none'}"
    if beyond:
        return
    for wanted in PARTS:
        if wanted not in own:
            yield f"there is no part '## {wanted}'"
    for other in own:
        if other not in PARTS:
            yield f"'## {other}' is none of the parts; make it a '###'"
    order = [PARTS.index(name) for name in own if name in PARTS]
    if any(later <= earlier for earlier, later in pairwise(order)):
        yield "the parts are not in their order"


def _wrong_prose(book):
    told = measures(book)
    if told["median"] >= MEDIAN:
        yield f"the median sentence has {told['median']:g} words; it must be below {MEDIAN}"
    for sentence in (*sentences(book.cells), *_captions(book)):
        for idiom in IDIOMS.findall(sentence):
            yield f"'{idiom}' is no plain English: {sentence[:60]} ..."
    for sentence in sentences(_before_appendices(book)):
        if len(words(sentence)) > LONGEST:
            yield f"a sentence has {len(words(sentence))} words: {sentence[:60]} ..."


def _late_answer(book):
    """Tell whether the finding, or the first picture, comes late wherever a notebook is opened."""
    if len(book.cells) < 2 or book.cells[1].cell_type != "markdown":
        yield "the second cell must say the finding"
    lines = 0
    for cell in book.cells:
        code = cell.source.count("\n") + 1 if cell.cell_type == "code" else 0
        lines += code
        if "Page(" in cell.source and code > SET_UP:
            yield f"the set-up has {code} lines; {SET_UP} is the most"
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", ())):
            break
    if lines > BEFORE_PICTURE:
        yield f"{lines} lines of code come before the first picture; {BEFORE_PICTURE} is the most"


def _captions(book):
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            yield output.get("data", {}).get("text/markdown", "")
            yield output.get("metadata", {}).get("image/png", {}).get("alt", "")


def _anchors(book):
    levels = (_headings(book, level) for level in (1, 2, 3, 4))
    return {heading.replace(" ", "-") for own in levels for heading in own}


def _dead_links(book, path):
    for cell in book.cells:
        if cell.cell_type != "markdown":
            continue
        for target in LINK.findall(cell.source):
            if target.startswith(("http:", "https:", "attachment:")):
                continue
            file, _, anchor = target.partition("#")
            place = path.parent / file if file else path
            if not place.exists():
                yield f"a link leads to {file}, which is not there"
            elif anchor and place.suffix == ".ipynb":
                other = book if not file else nbformat.read(place, as_version=4)
                if anchor not in _anchors(other):
                    yield f"a link leads to #{anchor}, which is no heading"


def _wrong_output(cell):
    """Return what is wrong with a code cell's pictures and tables."""
    tags, outputs = cell.metadata.get("tags", []), cell.outputs
    if ("hide-input" in tags) != cell.metadata.get("jupyter", {}).get("source_hidden", False):
        yield "must be folded on a page and in JupyterLab alike: hide-input, source_hidden"
    drawn = [output for output in outputs if "image/png" in output.get("data", {})]
    for output in drawn:
        if len(output.metadata.get("image/png", {}).get("alt", "")) < 40:
            yield "draws a figure without alternative text"
        after = outputs[outputs.index(output) + 1 :]
        if not after or "text/markdown" not in after[0].get("data", {}):
            yield "draws a figure without a caption"
    if DRAWS.search(cell.source) and not {"hide-input", "parameters"} & set(tags):
        yield "draws and does not carry the tag hide-input"
    for output in outputs:
        columns = _columns(output.get("data", {}).get("text/html", ""))
        if columns > MOST_COLUMNS:
            yield f"has a table of {columns} columns; {MOST_COLUMNS} is the most"


def _columns(html):
    """Return how many columns the first table of a page has, those under one heading once."""
    head = TABLE.search(html)
    rows = HEAD.findall(head.group(0)) if head else []
    cells = CELL.findall(rows[0]) if rows else []
    index = [look for look, _ in cells if "blank" in look or "index_name" in look]
    return max(len(cells) - len(index), 0)


def main(paths):
    """Print the findings and the measures of each notebook; return how many findings there are."""
    count = 0
    for path in paths:
        told = findings(path)
        count += len(told)
        book = nbformat.read(path, as_version=4)
        print(path, ", ".join(f"{name} {value:g}" for name, value in measures(book).items()))
        print("\n".join(f"    {line}" for line in told))
    return count


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
