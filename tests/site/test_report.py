"""The report as an article: whole, on few pages, in letters that it carries; sheets name files."""

import re
import shutil
import zlib
from unicodedata import normalize

import pytest

from tests.site.conftest import ROOT
from tools import report

OBJECT = re.compile(rb"\n(\d+) 0 obj\n(.*?)\nendobj", re.S)
STREAM = re.compile(rb"Flate.*stream\n(.*)\nendstream", re.S)
NAMED = re.compile(r"<(\w{4})> <(\w{4})>(?: <(\w{4})>)?\n")  # a letter, or first, last and first's
SHOWN = re.compile(r"/F(\d+) [\d.]+ Tf|<(\w+)> Tj")
MOST_PAGES = 12


def clear(body):
    """Return an object's stream as text."""
    return zlib.decompress(STREAM.search(body)[1]).decode("latin-1")


def letters(table):
    """Return what each of a font's glyphs means, from its table."""
    rows = [[int(one, 16) for one in row if one] for row in NAMED.findall(table)]
    spans = [(row[0], row[-2] if row[2:] else row[0], row[-1]) for row in rows]
    return {low + n: chr(means + n) for low, high, means in spans for n in range(high - low + 1)}


def pages(objects):
    """Return the text of each page of a PDF file's objects, without its blanks."""
    tables = {key: re.search(rb"/ToUnicode (\d+)", body) for key, body in objects.items()}
    fonts = {key: letters(clear(objects[int(to[1])])) for key, to in tables.items() if to}
    for body in objects.values():
        if b"/Type /Page\n" in body:
            content, text = objects[int(re.search(rb"/Contents (\d+)", body)[1])], ""
            font = {}
            for name, shown in SHOWN.findall(clear(content)):
                font = fonts[int(name)] if name else font
                text += "".join(font[int(one, 16)] for one in re.findall("....", shown))
            yield "".join(normalize("NFKC", text).split())


def test_the_report_is_printed_whole_on_few_pages(tmp_path):
    chromium = next(filter(None, map(shutil.which, report.NAMES)), None)
    if not chromium:
        pytest.skip("Chromium is not installed (Debian's package chromium).")
    path = tmp_path / "report.pdf"
    report.print_pdf(chromium, path)
    objects = {int(key): body for key, body in OBJECT.findall(path.read_bytes())}
    found = list(pages(objects))
    assert 1 < len(found) <= MOST_PAGES and min(map(len, found)) > 300
    headings = re.findall(r"^##? (.*)", report.REPORT.read_text(), re.M)
    missing = [name for name in headings if "".join(name.split()) not in "".join(found)]
    assert len(headings) > 10 and not missing
    types = [body for body in objects.values() if b"/Type /FontDescriptor" in body]
    assert types and all(b"/FontFile2" in body for body in types)


def test_a_file_that_a_sheet_names_is_there():
    for path in (ROOT / "docs/stress").glob("*.md"):
        named = set(re.findall(r"`((?:\w+/)+[\w.]+)`", path.read_text()))
        key = "unix_v6" if path.stem == "index" else path.stem
        rooms = (ROOT, ROOT / "perfkit/systems" / key)
        files = [name.replace("KEY", key) for name in named]
        assert files and not [one for one in files if not any((r / one).exists() for r in rooms)]
