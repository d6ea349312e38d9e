"""What becomes of a committed notebook when it is a page.

The answer comes first and code is folded. Every picture, table and claim has an anchor, every
picture its caption. The panel of sliders becomes a what-if that needs no kernel.
"""

import base64
import html
import json
import re
import shutil
from pathlib import Path

import pandas as pd
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from studies import STUDIES
from studies.show.opening import opening
from tools import whatif

ROOT = Path(__file__).resolve().parents[1]
SENTENCE = re.compile(r"[^\n]+?[.?]\)?(?=\s|$)\s?")
PROMISES = "anew|kernel|run all cells|on a page|at the top|stand above|machine here|seeds of|sketch"
LIVE = re.compile(rf"\b({PROMISES})\b", re.IGNORECASE)  # what only a running kernel does
NOW = """The controls below choose among runs that were made beforehand, so they answer at once.
The rest of the page stays as it is. To run the machine itself, copy the line under the curves, or
open the notebook with `make lab`.
"""
NUMBERS = re.compile(r"td\.col(\d+) \{\s*text-align: right")
MINUTES = re.compile(r"(\w+(?: to \w+)? minutes) to read")
DOWNLOADS = """<p class="downloads"><a href="#turn-it">Turn the machine</a>. Download:
<a href="../downloads/{0}.ipynb">the notebook</a>,
<a href="../downloads/{0}-data.zip">the paper's numbers</a>,
<a href="../downloads/{0}-scorecard.csv">the scorecard</a>.</p>
"""
WHATIF = """<div class="whatif" data-key="{key}">{picture}</div>
<script defer src="{root}downloads/whatif-{key}.js"></script>
<script defer src="{root}_static/whatif.js"></script>"""
FIGURE = """<figure class="picture" id="{name}">
<img src="{root}_images/{file}" alt="{alt}" loading="lazy" {size}>
<figcaption>{caption} {link}</figcaption></figure>"""


def anchor(name, what):
    """Return the sign that links to a place on its page."""
    return f'<a class="headerlink" href="#{name}" title="Link to this {what}">¶</a>'


class Page:
    """One notebook on its way to a page: counts its pictures and tables, writes its images."""

    def __init__(self, key, images):
        self.key, self.images = key, Path(images)
        self.pictures = self.tables = 0
        printed = ROOT / "data" / key / "claims.csv"
        frame = pd.read_csv(printed) if printed.exists() else pd.DataFrame(columns=["statement"])
        self.claims = dict(zip(frame["statement"], frame.get("id", ()), strict=True))

    def transformed(self, text):
        """Return the notebook's JSON as a page shows it."""
        notebook = json.loads(text)
        cells = [self._cell(cell) for cell in notebook["cells"]]
        notebook["cells"] = opened(cells, self.key) if self.key in STUDIES else cells
        return json.dumps(notebook)

    def _cell(self, cell):
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            if source.startswith("## Turn it") and self.key in whatif.GRIDS:
                cell["source"] = without_kernel(source)
            return cell
        tags = cell["metadata"].setdefault("tags", [])
        if not {"parameters", "hide-input"} & set(tags):
            tags.append("remove-input" if self.key == "index" else "hide-input")
        outputs, left = [], iter(cell["outputs"])
        for output in left:
            data = output.get("data", {})
            if "image/png" in data:
                caption = "" if self.key == "index" else next(left)["data"]["text/markdown"]
                picture = self._picture(output, "".join(caption).strip("*"))
                if "explore.sliders" in source and self.key in whatif.GRIDS:
                    picture = WHATIF.format(key=self.key, picture=picture, root="../")
                output["data"] = {"text/html": picture}
            elif "<table" in "".join(data.get("text/html", "")):
                data["text/html"] = self._table("".join(data["text/html"]))
                output["data"] = {"text/html": data["text/html"]}
            outputs.append(output)
        cell["outputs"] = outputs
        return cell

    def _picture(self, output, caption):
        """Write a picture to a file; return it as a figure of the size that it was drawn for."""
        self.pictures += 1
        name, look = f"picture-{self.pictures}", output["metadata"].get("image/png", {})
        file = f"{self.key}-{name}.png"
        self.images.mkdir(parents=True, exist_ok=True)
        content = "".join(output["data"]["image/png"])
        (self.images / file).write_bytes(base64.b64decode(content))
        size = " ".join(f'{side}="{look[side]}"' for side in ("width", "height") if side in look)
        alt = html.escape(look.get("alt", ""))
        caption = MarkdownIt().renderInline(caption)
        link = anchor(name, "picture")
        return FIGURE.format(
            name=name, root="../", file=file, alt=alt, size=size, caption=caption, link=link
        )

    def _table(self, text):
        """Return a styled frame as a plain table, numbers to the right, in a box that scrolls."""
        self.tables += 1
        page = BeautifulSoup(text, "html.parser")
        table, right = page.table, set(NUMBERS.findall(text))
        _joined_heads(table)
        for cell in table.find_all(["th", "td"]):
            _plain_cell(page, cell, right)
        table.attrs = {}
        self._name_claims(table)
        caption = table.caption.extract().get_text() if table.caption else ""
        name = f"table-{self.tables}"
        told = f"<figcaption>{html.escape(caption)} {anchor(name, 'table')}</figcaption>"
        rows = re.sub(r"\n\s*", "", str(table))
        return f'<figure class="table" id="{name}"><div class="scroll">{rows}</div>{told}</figure>'

    def _name_claims(self, table):
        """Give a row that tells a claim its anchor, where the page tells it first."""
        for cell in table.select("tbody td, tbody th"):
            name = self.claims.pop(cell.get_text(), None)
            if name and not cell.parent.get("id"):
                cell.parent["id"] = f"claim-{name}"
                cell.append(BeautifulSoup(" " + anchor(f"claim-{name}", "claim"), "html.parser"))


def _joined_heads(table):
    """Put an index's names beside the heads of columns instead of on a row of their own."""
    heads = table.thead.find_all("tr") if table.thead else []
    if len(heads) < 2 or not heads[-1].select(".index_name"):
        return
    above = heads[-2].find_all("th")
    for place, cell in enumerate(heads[-1].find_all("th")):
        if "index_name" in cell["class"]:
            above[place].string = cell.get_text()
            above[place]["class"] = ["col_heading"]
    heads[-1].extract()


def _plain_cell(page, cell, right):
    """Leave a cell its role alone: a number, fitted on, the head of a row or column, or nothing."""
    classes = cell.get("class", [])
    column = next((name[3:] for name in classes if re.fullmatch(r"col\d+", name)), "")
    spans = {name: cell[name] for name in ("colspan", "rowspan") if name in cell.attrs}
    kept = ["n"] if column in right and "colspan" not in spans else []
    kept += ["f"] if "fitted" in classes else []
    scope = "row" if "row_heading" in classes else "col"
    cell.attrs = {**spans, **({"class": kept} if kept else {})}
    if cell.name == "th" and not cell.get_text(strip=True):
        cell.name = "td"
        cell.string = ""
    elif cell.name == "th":
        cell["scope"] = scope


def without_kernel(text):
    """Return the text above a panel of sliders, its promises replaced by what a page can do."""
    title, _, rest = text.partition("\n\n")
    kept = SENTENCE.sub(lambda found: "" if LIVE.search(found[0]) else found[0], rest)
    return (
        f"{title}\n\n{NOW}\n{kept.replace('sliders turn more, even', 'controls turn even').strip()}"
    )


def opened(cells, key):
    """Return a study's cells with the answer before what sets it up, and what can be had."""
    has_picture = [any("<figure" in _html(o) for o in c.get("outputs", ())) for c in cells]
    place = has_picture.index(True)
    title, picture, finding = cells[0], cells[place], cells[place + 1]
    title["source"] = "".join(title["source"]) + "\n\n" + DOWNLOADS.format(key)
    return [title, picture, finding, *cells[1:place], *cells[place + 2 :]]


def _html(output):
    return output.get("data", {}).get("text/html", "")


def cards():
    """Return what the landing page says of each study: its question, finding and reading time."""
    found = []
    for key in STUDIES:
        first = opening(key)
        bold = re.match(r"\*\*(.+?)\*\*", first.finding)
        found.append(
            {
                "key": key,
                "question": first.question,
                "finding": bold.group(1) if bold else first.lead(),
                "minutes": MINUTES.search(first.paper).group(1).lower(),
                "system": STUDIES[key].title,
            }
        )
    return found


def live(key):
    """Return the what-if of a study for the landing page, over the picture of its notebook."""
    file = next(f for f in whatif_pictures(key))
    alt = "Curves of the paper's machine and of a turned one; the study's page describes them."
    picture = f'<img src="_images/{file}" alt="{alt}" width="630">'
    return WHATIF.format(key=key, picture=picture, root="")


def whatif_pictures(key):
    """Yield the file of the picture that stands where a study's page has its what-if."""
    notebook, place = json.loads(STUDIES[key].notebook.read_text()), 0
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            place += "image/png" in output.get("data", {})
            if "explore.sliders" in "".join(cell["source"]):
                yield f"{key}-picture-{place}.png"


def write_downloads(folder):
    """Write notebooks, printed numbers, scorecards and grids where pages link to them."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for key in STUDIES:
        shutil.copy(STUDIES[key].notebook, folder / f"{key}.ipynb")
        shutil.copy(ROOT / f"notebooks/scorecards/{key}.csv", folder / f"{key}-scorecard.csv")
        shutil.make_archive(str(folder / f"{key}-data"), "zip", ROOT / "data" / key)
        (folder / f"whatif-{key}.js").write_text(whatif.script(key))
