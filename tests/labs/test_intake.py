"""What a class hands in: each has a row, and what is whole in a copy survives what befell it."""

import copy
import io
import json
import re
import zipfile
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.labs import intake

LABS = Path(__file__).resolve().parents[2] / "notebooks" / "labs"
WHOLE = {path.stem: nbformat.read(path, 4) for path in sorted(LABS.glob("lab*/lab*.ipynb"))}
RELEASED = copy.deepcopy(WHOLE)
for cell in (cell for book in RELEASED.values() for cell in book.cells):
    cell.source = re.sub(r"\n.*BEGIN SOLUTION(.|\n)*?END SOLUTION.*", "\n# YOURS", cell.source)
OPS = st.sampled_from(["delete", "copy", "move", "merge", "type", "line"])
LAB, LATE = "lab1_unix_v6.ipynb", "Lab 1_bob_attempt_2023-10-02-12-00-00_lab1_unix_v6.ipynb"
GOOD = nbformat.writes(WHOLE["lab1_unix_v6"]).encode()
BLANK = nbformat.writes(RELEASED["lab1_unix_v6"]).encode()
JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["cells", "source"]), inner),
)
TOO_MANY = {"0.zip": {"1.zip": {"2": b""}}}
MOODLE, ILIAS = "Ö M_{}_assignsubmission_file_/" + LAB, f"Lab 1/Abgaben/M_Ada_a_9/{LAB}"
CASES = {  # who has which lab, with a copy (+) or without (-), of what files; a dict is a zip
    "ada 1+, bob -, cy -": {f"ada/a/b/{LAB}": GOOD, "bob/": b"", "cy/x.pdf": b""},
    "Bob Li 1+, ada_1 1+": {f"ada_1_{LAB}": GOOD, "Bob Li-Lab 1 (1).ipynb": GOOD, "a.csv": b""},
    "ada 1+, bob 1+": {f"lab1/ada/{LAB}": GOOD, f"lab1/bob/{LAB}": GOOD},
    "ada 1+, cy 1+": {"ada/lab2_sim61.ipynb": GOOD, "cy/x.ipynb.txt": GOOD},
    "ada 1+": {f"ada/{LAB}": GOOD, f"ada/z/{LAB}": BLANK, "ada/unix_v6.ipynb": b"{}"},
    "Ö M_7 1+, Ö M_8 1+": {"x.zip": {MOODLE.format(7): GOOD, MOODLE.format(8): GOOD}},
    "ada_1 1+, bob_2 -": {"x.zip": {f"ada_LATE_1_2_{LAB}": GOOD, "bob_2_3_x.png": b""}},
    "bob 1+": {LATE: GOOD, LATE.replace("02-12", "03-12"): GOOD},
    "M_Ada_a_9 1+": {"x.zip": {ILIAS: GOOD}},
    "ada 1+, bob -, cy -, ": {"ada.zip": {f"../{LAB}": GOOD}, "bob.zip": b"PK", "cy.zip": TOO_MANY},
    "ada 1-, bob 1-": {"ada.zip": {LAB: b" " * 19_000_000}, f"bob/{LAB}": b"[" * 9**6},
    "ada 1+, bob -": {"ada/lab1.py": b"# answer: runs\nruns = 1", "bob/x.py": b"x = 1"},
}


def packed(files):
    """Return a zip of files; a dict is a zip within it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, packed(data) if isinstance(data, dict) else data)
    return file.getvalue()


def known(cell):
    return cell.metadata.get("nbgrader", {})


def answers(book):
    """Return what is below the first line of each answer."""
    marked = [cell for cell in book.cells if known(cell).get("solution")]
    return {
        known(cell).grade_id: re.sub(r"\s", "", cell.source.partition("\n")[2]) for cell in marked
    }


def collected(folder, files, roster=()):
    """Write files, a dict as a zip; return their rows, after a check of what holds of all."""
    for name, data in files.items():
        (folder / f"{name}x").parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            (folder / name).write_bytes(packed(data) if isinstance(data, dict) else data)
    rows = intake.collect(folder, RELEASED, roster, {"unix_v6.ipynb"})
    for row in rows:
        assert not re.search(r"Error|Exception|Traceback", " ".join(row.notes))
        assert re.fullmatch(r"\w[^/]{0,79}", row.student) and (row.book or row.notes)
        if row.book:
            nbformat.validate(row.book)
            locked = [cell for cell in row.book.cells if known(cell).get("locked")]
            assert locked == [cell for cell in RELEASED[row.lab].cells if known(cell).get("locked")]
    return rows


@st.composite
def hurt(draw, cells):
    """Draw what an editor or a hand made of a copy's cells."""
    cells = [dict(cell) for cell in cells]
    for what in draw(st.lists(OPS, max_size=9)):
        i, k = (draw(st.integers(0, len(cells) - 2)) for _ in range(2))
        one, after = cells[i : i + 2]
        match what:
            case "delete":
                del cells[i]
            case "copy" | "move":
                cells.insert(k, dict(one) if what == "copy" else cells.pop(i))
            case "merge" if one["cell_type"] == after["cell_type"]:
                cells[i : i + 2] = [one | {"source": one["source"] + "\n\n" + after["source"]}]
            case "type":
                cells[i] = one | {"cell_type": draw(st.sampled_from(["raw", "code", "x", None]))}
            case "line":
                text = re.sub(r"^(#|<!--) (answer): ", r"\1\2 :", one["source"])
                cells[i] = one | {"source": text, "metadata": {}}
    lines = draw(st.sampled_from([str, lambda text: text.splitlines(True), str.splitlines]))
    odd = draw(st.lists(st.sampled_from([5, None, [], {}, {"source": 7, "id": 3}])))
    return [*odd, *(cell | {"source": lines(cell["source"])} for cell in cells)]


@given(st.data(), st.sampled_from(sorted(WHOLE)))
def test_what_is_whole_in_a_copy_survives_whatever_befell_the_rest(tmp_path_factory, data, lab):
    cells = data.draw(hurt(WHOLE[lab].cells))
    texts = [json.dumps(cell, ensure_ascii=False) for cell in cells]
    code = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]))
    end = data.draw(st.sampled_from(["]}", "", "]}\n}}", "]\n<<<<<<<\n"]))
    file = bytearray(('{"cells": [' + ", ".join(texts) + end).encode(code, "replace"))
    for at in data.draw(st.lists(st.integers(0, len(file) - 1), max_size=2)):
        file[at] ^= data.draw(st.integers(1, 255))
    file = file[: data.draw(st.sampled_from([None, len(file) // 2, len(file) - 5]))]
    (row,) = collected(tmp_path_factory.mktemp("class"), {f"ada/{lab}.ipynb": file})
    code = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(code, code)
    for key, answer in answers(WHOLE[lab]).items():
        said = json.dumps(answer, ensure_ascii=False)[1:-1]
        there = [text for text in texts if said in re.sub(r"\\n|\", \"|\s", "", text)]
        if there and all(file.count(t.encode(code, "replace")) == texts.count(t) for t in there):
            answer = answer.encode(code, "replace").decode(code)
            assert answer in answers(row.book)[key], (key, row.notes)


@given(
    st.binary() | JSON.map(lambda some: json.dumps(some).encode()),
    st.sampled_from([f"ada/{LAB}", "ada/x.zip", "ada_lab1.py", "ada.json.txt", "ada/x"]),
)
def test_arbitrary_bytes_have_a_row_too(tmp_path_factory, data, name):
    (row,) = collected(tmp_path_factory.mktemp("class"), {"ada/lab.pdf": b"", name: data})
    assert row.student == "ada"


@pytest.mark.parametrize("told", CASES)
def test_who_handed_in_what(tmp_path, told):
    rows = collected(tmp_path, CASES[told])
    found = [f"{row.student} {row.lab[3:4]}{'+' if row.book else '-'}" for row in rows]
    assert ", ".join(found) == told.rstrip(", "), [row.notes for row in rows]


def test_a_roster_names_students_and_misses_no_one(tmp_path):
    (tmp_path / "bob").symlink_to("/etc")
    files = {f"musterada_7_8_{LAB}": GOOD, f"eve/{LAB}": GOOD}
    rows = collected(tmp_path, files, ("Ada Muster", "bob@uni.example", "cy"))
    assert [row.student for row in rows] == ["Ada Muster", "bob@uni.example", "cy", "eve"]
    assert [row.notes[-1] for row in rows[1:]] == [
        intake.files.LINK.format("bob"),
        intake.NOTHING,
        intake.STRANGER,
    ]
    with pytest.raises(ValueError, match="There is no folder or zip"):
        intake.collect(tmp_path / "gone", RELEASED)


def test_a_file_in_a_folder_of_ones_own_is_nobody_elses_whatever_its_name(tmp_path):
    eves = {
        MOODLE.replace("Ö M", "Ada Li").format(7): GOOD,
        f"Ada Li_7_assignsubmission_{LAB}": b"",
    }
    files = {f"Ada Li/{LAB}": GOOD, **{f"Eve Wu/{name}": data for name, data in eves.items()}}
    rows = collected(tmp_path, files, ("Ada Li", "Eve Wu"))
    assert [(row.student, row.source.partition("/")[0]) for row in rows] == [
        ("Ada Li", "Ada Li"),
        ("Eve Wu", "Eve Wu"),
    ]


def test_code_of_the_students_own_and_text_beside_its_cell_are_kept(tmp_path):
    book = copy.deepcopy(WHOLE["lab1_unix_v6"])
    own, below = nbformat.v4.new_code_cell("import math"), nbformat.v4.new_markdown_cell("My text.")
    at = {known(cell).get("grade_id"): i for i, cell in enumerate(book.cells)}
    book.cells[at["why_rule"]] = below
    book.cells[at["runs"]] = nbformat.v4.new_code_cell("runs = compute()")
    book.cells.insert(at["given_setup"] + 1, own)
    (row,) = collected(tmp_path, {f"ada/{LAB}": nbformat.writes(book).encode()})
    assert row.book.cells[at["given_setup"] + 1].source == own.source
    found = answers(row.book)
    assert found["why_rule"] == "Mytext." and found["runs"] == "runs=compute()"
