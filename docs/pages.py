"""What becomes of a committed notebook when it is a page.

The answer comes first; code is folded, and what only draws is left out. Every picture, table and
claim has an anchor, every picture its caption. Below the finding a panel runs the machine itself.
"""

import base64
import functools
import html
import json
import re
import shutil
from pathlib import Path

import pandas as pd
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from docs import panels, predict
from studies import STUDIES
from studies.show.opening import opening

ROOT = Path(__file__).resolve().parents[1]
SENTENCE = re.compile(r"[^\n]+?[.?]\)?(?=\s|$)\s?")
PROMISES = "anew|kernel|run all cells|on a page|at the top|stand above|machine here|seeds of|sketch"
LIVE = re.compile(rf"\b({PROMISES})\b", re.IGNORECASE)  # what only a running kernel does
NOW = """<a href="#panel">The panel near the top</a> runs the machine in this page. The picture
below is the notebook's own, of shorter runs. `make lab` opens the notebook, to turn more than
parameters.
"""
NUMBERS = re.compile(r"td\.col(\d+) \{\s*text-align: right")
MINUTES = re.compile(r"(\w+(?: to \w+)? minutes) to read")
DOWNLOADS = """<p class="downloads"><a href="../predict/{0}.html">Predict first</a>,
<a href="#panel">turn the machine</a>, or
<a href="../machines/{0}.html">on a page of its own</a>. Download:
<a href="../downloads/{0}.ipynb">the notebook</a>,
<a href="../downloads/{0}-data.zip">the paper's numbers</a>,
<a href="../downloads/{0}-scorecard.csv">the scorecard</a>.</p>
"""
WATCHED = '<p><a href="#panel">The panel near the top</a> plays both machines, event by event.</p>'
PANEL = """<div class="panel" id="panel" data-key="{key}"><p>Here a browser that runs scripts and
WebAssembly turns the machine itself. Yours does not: the pictures stand as drawn.</p></div>
<script defer src="{root}downloads/panel-{key}.js"></script>"""
META = """<meta name="description" content="{told}">
<meta property="og:title" content="{title}"><meta property="og:description" content="{told}">
<meta property="og:image" content="{picture}">
<meta name="twitter:card" content="summary_large_image">
"""
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
            if source.startswith("## Turn it") and self.key in STUDIES:
                cell["source"] = without_kernel(source)
            return cell
        tags = cell["metadata"].setdefault("tags", [])
        if "hide-input" in tags:  # what draws, sets up or checks; the notebook itself has it
            tags[tags.index("hide-input")] = "remove-input" if cell["outputs"] else "remove-cell"
        elif "parameters" not in tags:
            tags.append("remove-input" if self.key == "index" else "hide-input")
        outputs, left = [], iter(cell["outputs"])
        for output in left:
            data = output.get("data", {})
            if "image/png" in data:
                caption = "" if self.key == "index" else next(left)["data"]["text/markdown"]
                picture = self._picture(output, "".join(caption).strip("*"))
                output["data"] = {"text/html": picture}
            elif 'class="player"' in "".join(data.get("text/html", "")):
                output["data"] = {"text/html": WATCHED}  # the panel's machines make their films
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
    return f"{title}\n\n{NOW}\n{kept.strip()}"


def opened(cells, key):
    """Return a study's cells with the answer and its panel before what sets the answer up."""
    has_picture = [any("<figure" in _html(o) for o in c.get("outputs", ())) for c in cells]
    place = has_picture.index(True)
    title, finding, picture = cells[0], cells[1], cells[place]
    title["source"] = "".join(title["source"]) + "\n\n" + DOWNLOADS.format(key)
    own = {"cell_type": "markdown", "id": "panel", "metadata": {}, "source": panel(key, "../")}
    return [title, picture, finding, own, *cells[2:place], *cells[place + 1 :]]


def _html(output):
    return output.get("data", {}).get("text/html", "")


@functools.cache
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


def panel(key, root):
    """Return the place of a study's panel, and its script, for a page so far from the root."""
    return PANEL.format(key=key, root=root)


def parameters(key):
    """Return a system's parameters, levers and measures, as a page of its own tells them."""
    module = STUDIES[key].module()
    table = module.Parameters().provenance(levers=True).reset_index()
    return {"rows": table.to_dict("records"), "measures": module.MEASURES}


def preview(page, title, path_to):
    """Return what is shown of a page where somebody shares a link to it."""
    folder, _, key = page.rpartition("/")
    key = key if folder in ("notebooks", "machines") and key in STUDIES else ""
    card = next((one for one in cards() if one["key"] == key), None)
    told = card["finding"] if card else "Five studies of 1970s time-sharing systems, rebuilt."
    title = card["question"] if card else title
    picture = path_to(f"_images/{key or next(iter(STUDIES))}-picture-1.png", resource=True)
    told, title = html.escape(re.sub(r"[*`]", "", told)), html.escape(title)
    return META.format(title=title, told=told, picture=picture)


def write_downloads(folder):
    """Write notebooks, printed numbers, scorecards and panels where pages link to them."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for key in STUDIES:
        shutil.copy(STUDIES[key].notebook, folder / f"{key}.ipynb")
        shutil.copy(ROOT / f"notebooks/scorecards/{key}.csv", folder / f"{key}-scorecard.csv")
        shutil.make_archive(str(folder / f"{key}-data"), "zip", ROOT / "data" / key)
        (folder / f"panel-{key}.js").write_text(panels.script(key))
    for key in predict.QUESTIONS:
        (folder / f"predict-{key}.js").write_text(predict.script(key))
