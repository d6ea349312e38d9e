"""Read what an editor or a hand made of a lab's notebook, and put a copy together anew.

The copy has the released cells, and in them the student's answers and further code. Nothing of it
runs here, and no content of a file raises: what went wrong is told in sentences for the student.
"""

import codecs
import copy
import itertools
import json
import re
import symtable
import warnings
from collections import defaultdict
from typing import NamedTuple

from nbformat import v4

CELLS, TORN = 5_000, 2 * 10**7  # read at most: cells, and letters of a torn file
AGAIN = "open your copy in JupyterLab, save it, and hand it in again."
CUT = "The file is cut off, and what can be read counts: " + AGAIN
DAMAGED = "The file is damaged, and what can be read counts: " + AGAIN
BLANK = "No answer is filled in: look whether this is the right file."
MISSING = "The cells of these answers are missing: {}."
TWICE = "These answers stand there more than once, and the first that is filled in counts: {}."
BY_NAMES = "These answers had lost their first line, and were found by the names they set: {}."
CHANGED = "These cells count as handed out, though you changed them: {}."
DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
SOURCE = re.compile(r'"(?:source|input)"\s*:\s*')
KIND = re.compile(r'"cell_type"\s*:\s*"(\w+)"')
GRADE_ID = re.compile(r'"grade_id"\s*:\s*"(\w+)"')
SCRIPT = re.compile(r"^# (?:In ?\[.*\]:|%%.*)$", re.MULTILINE)
MARK = re.compile(
    r"^[ \t]*(?:#[# \t]*(?:<!--[ \t]*)?|<!--[ \t]*)(given|answer|test)[ \t]*:[ \t]*(\w+)"
    r"(?:[ \t,]+\d+[ \t]*points?)?[ \t]*(?:-->([^\n]*))?$",
    re.IGNORECASE | re.MULTILINE,
)


class Cell(NamedTuple):
    """A student's cell, or a piece of one: of code, of a script (text is commented), or of text."""

    kind: str
    source: str
    key: str = ""
    id: str = ""
    has_mark: bool = False


def cells_of(data, *, is_script=False):
    """Return the cells in a notebook's or script's bytes, and a sentence if they are not whole.

    Examples
    --------
    >>> cells_of(b'{"cells": [{"cell_type": "code", "source": ["x = 1"]}')[0][0].source
    'x = 1'
    """
    text = _text(data)
    if is_script:
        return [Cell("script", plain(part)) for part in SCRIPT.split(text)], ""
    try:
        book, _ = DECODER.raw_decode(text, text.index("{"))
        sheets = [book] if "cells" in book else book["worksheets"]
        cells = [_cell(one) for sheet in sheets for one in sheet["cells"] if isinstance(one, dict)]
        if cells:
            return cells[:CELLS], ""
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return _torn(text[:TORN]), DAMAGED if text.rstrip().endswith("}") else CUT


def marks_of(cells):
    """Return which marks are in cells: (kind, name in small letters), and grade_ids."""
    marks = (mark for cell in cells for mark in MARK.finditer(cell.source))
    return {(mark[1].lower(), mark[2].lower()) for mark in marks} | {cell.key for cell in cells}


def plain(text):
    """Return text that can be written, with one kind of end of line."""
    text = re.sub(r"\r\n?", "\n", text.replace("\0", ""))
    return text.encode("utf-8", "replace").decode()


def _text(data):
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    if data[:200].count(0) > len(data[:200]) / 4:
        return data.decode("utf-16-be" if data[:1] == b"\0" else "utf-16-le", "replace")
    text = data.decode("utf-8", "replace")
    letters, lost = len(re.findall(r"[^\x00-\x7f\ufffd]", text)), text.count("\ufffd")
    return (text if letters >= lost else data.decode("cp1252", "replace")).lstrip("\ufeff")


def _cell(one):
    kind = one.get("cell_type", "code" if "outputs" in one else "text")
    key = one
    for name in ("metadata", "nbgrader", "grade_id"):
        key = key.get(name) if isinstance(key, dict) else None
    source = _joined(one.get("source", one.get("input")))
    return Cell("code" if kind == "code" else "text", source, str(key or ""), str(one.get("id")))


def _joined(source):
    if isinstance(source, list):
        lines = [line for line in source if isinstance(line, str)]
        source = ("" if any(line.endswith("\n") for line in lines) else "\n").join(lines)
    return plain(source if isinstance(source, str) else "")


def _torn(text):
    """Return the cells whose source can be read in what is no JSON any more."""
    cells, end, room = [], 0, TORN
    for found in itertools.islice(SOURCE.finditer(text), CELLS):
        if found.start() < end or room < 0:
            continue
        try:
            source, stop = DECODER.raw_decode(text, found.end())
        except json.JSONDecodeError as error:
            room -= error.pos - found.end()  # else parts within parts are read again and again
            continue
        except RecursionError:
            continue
        before = text[end : found.start()]
        kinds, end = list(KIND.finditer(before)), stop
        key = GRADE_ID.search(before, kinds[-1].end()) if kinds else None
        kind = "code" if kinds and kinds[-1][1] == "code" else "text"
        cells.append(Cell(kind, _joined(source), key[1] if key else ""))
    return cells


def _names(source):
    """Return the names that code sets, or None if it is no Python."""
    source = re.sub(r"^([ \t]*)[%!?].*", r"\1pass", source[: 10**5], flags=re.MULTILINE)
    try:
        with warnings.catch_warnings(action="ignore"):
            table = symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {one.get_name() for one in table.get_symbols() if one.is_assigned()}


def _bare(text, kind):
    """Return what two sources of one content have in common."""
    return re.sub(r"\s+" if kind in ("text", "markdown") else r"#.*|\s+", "", text)


class Part(NamedTuple):
    """A released cell: its key (grade_id), first line, further lines, and what these come to."""

    cell: dict
    key: str
    head: str
    body: str
    bare: str
    is_answer: bool
    is_text: bool


class Lab:
    """A lab as handed out."""

    def __init__(self, released):
        self.released, self.parts, self.keys = released, [], {}
        for cell in released.cells:
            known, is_text = cell.metadata.get("nbgrader", {}), cell.cell_type == "markdown"
            key, is_answer = known.get("grade_id", ""), known.get("solution", False)
            head = cell.source.partition("\n")[0] if key else ""
            body = cell.source.removeprefix(head).strip()
            bare = _bare(body, cell.cell_type)
            self.parts.append(Part(cell, key, head, body, bare, is_answer, is_text))
            if key:
                kind, _, name = ("answer", "", key) if is_answer else key.partition("_")
                self.keys[kind, name.lower()] = key
        self.index = {part.key: i for i, part in enumerate(self.parts) if part.key}

    def pieces(self, cell):
        """Return a cell's pieces, split where marked lines stand: cells may have been merged."""
        marks = []
        for mark in MARK.finditer(cell.source):
            if key := self.keys.get((mark[1].lower(), mark[2].lower())):
                marks.append((mark, key))
        own = cell.key if cell.key in self.index and cell.key not in [k for _, k in marks] else ""
        ends = [*(mark.start() for mark, _ in marks), None]
        pieces = [cell._replace(key=own, source=cell.source[: ends[0]])]
        for (mark, key), end in zip(marks, ends[1:], strict=True):
            text = (mark[3] or "") + cell.source[mark.end() : end]
            pieces.append(cell._replace(key=key, source=text, has_mark=True))
        return [piece for piece in pieces if piece.key or piece.source.strip()]

    def copy_of(self, cells):
        """Return a student's cells as a copy of the lab, notes on it, and how many are filled."""
        made = _Assembly(self)
        for piece in (piece for cell in cells for piece in self.pieces(cell)):
            made.take(piece)
        return made.book(), made.notes(), made.filled


class _Assembly:
    """A copy in the making: pieces of a student's go in, the book and its notes come out."""

    def __init__(self, lab):
        self.lab, self.parts = lab, lab.parts
        self.answers, self.helpers, self.texts, self.told = (defaultdict(list) for _ in range(4))
        self.own, self.anchor, self.at, self.last, self.filled = {}, "", -1, "", 0

    def take(self, piece):
        """Put a piece where it belongs."""
        if piece.key:
            self.at = self.lab.index[piece.key]
            (self._answer if self.parts[self.at].is_answer else self._locked)(piece)
        elif piece.kind == "text":
            self._text(piece)
        else:
            self._code(piece)
        self.last = piece.key

    def _answer(self, piece):
        key, text = piece.key, piece.source.strip("\n")
        if self.parts[self.at].is_text and piece.kind == "script":
            lines = itertools.takewhile(lambda line: line.startswith("#"), text.split("\n"))
            text = "\n".join(line[1:].removeprefix(" ") for line in lines)
        if not piece.has_mark and self.last == key:  # the lower half of a cell that was split
            self.answers[key][-1] += "\n" + text
            return
        self.anchor = self.anchor if key in self.answers else key
        self.answers[key].append(text)

    def _locked(self, piece):
        """Keep what was written below a locked cell's lines, and imports written into them."""
        part, text = self.parts[self.at], piece.source.strip()
        more = text.removeprefix(part.body)
        if not text.startswith(part.body):
            lines = re.findall(r"^(?:import|from)\s.*", text, re.MULTILINE)
            more = "\n".join(line for line in lines if line not in part.body)
            self.told[CHANGED] += [part.key] * (_bare(text, "code") != part.bare)
        self.anchor = part.key
        self.helpers[part.key] += [more.strip("\n")] * bool(_bare(more, "code"))

    def _code(self, piece):
        bare = _bare(piece.source, "code")
        for i, part in enumerate(self.parts):
            is_same = piece.id == part.cell.get("id") and not part.key
            if not (part.is_text or part.is_answer) and (bare == part.bare or is_same):
                self.at = i
                self.own |= {i: piece.source} if is_same and bare else {}
                return
        self.helpers[self.anchor] += [piece.source.strip("\n")] * bool(bare)

    def _text(self, piece):
        """Take text below a question, or written into it, for the answer beside."""
        text = piece.source.strip()
        for i, part in enumerate(self.parts):
            is_same = part.body and (text.startswith(part.body) or piece.id == part.cell.get("id"))
            if is_same and part.is_text and not part.is_answer:
                lines = text.removeprefix(part.body).split("\n")
                self.at, text = i, "\n".join(x for x in lines if x not in part.body).strip()
                break
        near = [part for part in self.parts[max(self.at, 0) : self.at + 2] if part.is_answer]
        if near and near[0].is_text and text:
            self.texts[near[0].key].append(text)

    def _take_by_names(self):
        """Take code for the answers without a cell of which it sets half the names or more."""
        lost, near = {}, defaultdict(list)
        for part in self.parts:
            if part.is_answer and not part.is_text and part.key not in self.answers:
                lost[part.key] = _names(part.body) or set()
        for anchor, texts in self.helpers.items() if lost else ():
            for text in texts:
                names = _names(text) or set()
                best = max(lost, key=lambda key: len(lost[key] & names))
                near[best] += [(anchor, text, names)] if names & lost[best] else []
        for key, found in near.items():
            names = set().union(*(names for *_, names in found))
            if found and 2 * len(names & lost[key]) >= len(lost[key]):
                self.answers[key] = ["\n\n".join(text for _, text, _ in found)]
                self.told[BY_NAMES].append(key)
                for anchor, text, _ in found:
                    self.helpers[anchor].remove(text)

    def _source(self, part):
        """Return an answer: the first that is filled in and, if it is code, is Python."""
        there = self.answers.get(part.key, [])
        whole = [one for one in there if _bare(one, part.cell.cell_type) not in ("", part.bare)]
        if not part.is_text:
            whole.sort(key=lambda text: _names(text) is None)
        text = "\n\n".join([*whole[:1], *self.texts[part.key]])
        self.filled += bool(text)
        self.told[TWICE] += [part.key] * (len(whole) > 1)
        self.told[MISSING] += [part.key] * (not text and not there)
        return f"{part.head}\n{text or part.body}"

    def book(self):
        """Return the copy."""
        self._take_by_names()
        cells = []
        for i, part in enumerate(self.parts):
            cell = copy.deepcopy(part.cell)
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
            cell.source = self._source(part) if part.is_answer else self.own.get(i, cell.source)
            before = self.helpers.pop("", []) if part.key else []
            after = self.helpers[part.key] if part.key else []
            cells += [*map(v4.new_code_cell, before), cell, *map(v4.new_code_cell, after)]
        known = self.lab.released.metadata
        known = {key: known[key] for key in ("kernelspec", "language_info") if key in known}
        return v4.new_notebook(cells=cells, metadata=copy.deepcopy(known))

    def notes(self):
        """Return sentences on what was found, once the book was made."""
        told = {text: ", ".join(dict.fromkeys(keys)) for text, keys in self.told.items() if keys}
        return (*(text.format(keys) for text, keys in told.items()), *[BLANK] * (not self.filled))
