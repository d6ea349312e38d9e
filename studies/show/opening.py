"""What a committed notebook opens with: its question, its picture, its finding.

The index and README show them, so that nothing is said of a study in two ways.
"""

import base64
import io
from typing import NamedTuple

from PIL import Image

from studies import book


class Opening(NamedTuple):
    """The first screen of a notebook.

    ``question`` is its title, ``paper`` the line below: what it is about, and how long reading
    takes. The picture is a ``png`` with an ``alt``, what it shows for those who can't see it, and a
    ``caption``, as Markdown, empty if there is none; ``finding`` is the text below the title, as
    Markdown.
    """

    question: str
    paper: str
    finding: str
    png: bytes
    alt: str
    caption: str = ""

    def small(self, width=420):
        """Return the picture as a small PNG, so many pixels wide, with its own few colours."""
        whole = Image.open(io.BytesIO(self.png)).convert("RGB")
        small = whole.resize((width, round(whole.height * width / whole.width)), Image.LANCZOS)
        written = io.BytesIO()
        few = small.quantize(128, method=Image.Quantize.MAXCOVERAGE)
        few.save(written, format="png", optimize=True)
        return written.getvalue()

    def lead(self):
        """Return the finding's first paragraph, on one line."""
        return " ".join(self.finding.split("\n\n")[0].split())

    def commands(self):
        """Return the lines below it, commands that print its numbers."""
        fenced = self.finding.split("```")
        return fenced[1].strip().splitlines() if len(fenced) > 1 else []


def opening(key):
    """Return what a study's committed notebook opens with.

    One that does not open with a question and a finding, then a picture that has an alternative
    text, is refused.
    """
    import nbformat

    cells = nbformat.read(book(key).notebook, as_version=4).cells
    question, _, rest = cells[0].source.removeprefix("# ").partition("\n")
    pictures = [
        (place, output)
        for place, cell in enumerate(cells)
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]
    place, picture = pictures[0] if pictures else (len(cells), None)
    texts = [cell.source for cell in cells[1:place] if cell.cell_type == "markdown"]
    alt = picture.metadata.get("image/png", {}).get("alt", "") if picture else ""
    if not (alt and texts and question.endswith("?")):
        raise ValueError(
            f"The notebook of {key} must open with a question, the finding, and a picture with an"
            " alternative text."
        )
    png = base64.b64decode(picture.data["image/png"])
    told = [output.data["text/markdown"] for output in cells[place].outputs[1:2]]
    return Opening(question, rest.strip().split("\n\n")[0], texts[0], png, alt, "".join(told))
