"""Print docs/report.md as an article: ``python -m tools.report`` writes build/report.pdf.

Chromium prints it. Its letters are Matplotlib's own, so that no machine's fonts change a page.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib as mpl
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from perfkit import __version__
from tools import readme

ROOT = Path(__file__).resolve().parents[1]
REPORT, STYLE = ROOT / "docs" / "report.md", ROOT / "tools" / "report.css"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--no-first-run", "--no-pdf-header-footer", "--generate-pdf-document-outline"),
)
FONTS = Path(mpl.get_data_path()) / "fonts" / "ttf"
DOTS = 240  # per inch of the picture, which README has for a screen
DATES = re.compile(rb"/(?:Creation|Mod)Date \([^)]*\)\n?")
TOGETHER = re.compile(r"(?<=\d) (?=(?:of|±) \d)|(?<=±) (?=\d)")  # 8.3 ± 1.6 in a narrow column
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{style}</style></head>
<body>{body}</body></html>
"""


def article(picture):
    """Return the report as a page to be printed, with the picture of the scorecards at a path."""
    page = BeautifulSoup(MarkdownIt().enable("table").render(REPORT.read_text()), "html.parser")
    title = page.h1.get_text()
    page.h1.insert_after(byline := page.new_tag("p", attrs={"class": "byline"}))
    byline.string = f"The perfkit authors, version {__version__}"
    for image in page.find_all("img"):
        place = (REPORT.parent / image["src"]).resolve()
        image["src"] = (picture if place == readme.FIGURE else place).as_uri()
    for link in page.find_all("a", href=lambda address: "://" not in address):
        place = (REPORT.parent / link["href"]).resolve().relative_to(ROOT)
        if not link.code:  # on paper a link to a file is the file's name
            link.insert_after(f" ({place})")
        link.unwrap()
    style = STYLE.read_text().replace("FONTS", FONTS.as_uri())
    return PAGE.format(title=title, style=style, body=TOGETHER.sub("\u00a0", str(page)))


def print_pdf(chromium, path):
    """Write the report as a PDF file, the same bytes whenever it is printed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page, picture = Path(folder) / "report.html", Path(folder) / "agreement.png"
        with mpl.rc_context({"savefig.dpi": DOTS}):
            readme.draw(readme.committed(), picture)
        page.write_text(article(picture))
        path.parent.mkdir(parents=True, exist_ok=True)
        profile = f"--user-data-dir={folder}/profile"
        command = [chromium, *FLAGS, profile, f"--print-to-pdf={path}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    # As many blanks, for the file's table of places counts bytes.
    path.write_bytes(DATES.sub(lambda found: b" " * len(found[0]), path.read_bytes()))


def main():
    """Print the report, or say why not."""
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        print("build/report.pdf is skipped: Chromium is not installed (Debian's package chromium).")
        return
    print_pdf(chromium, ROOT / "build" / "report.pdf")
    print("Open build/report.pdf.")


if __name__ == "__main__":
    main()
