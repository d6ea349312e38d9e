"""The papers' numbers are read as described, and damaged files are refused."""

import errno
import json
import re
import shutil

import numpy as np
import pytest

from studies.evidence import published
from tools import hashes

KEY = "unix_v6"


@pytest.fixture
def copied(tmp_path, monkeypatch):
    shutil.copytree(published.data_folder() / KEY, tmp_path / KEY)
    monkeypatch.setenv("PERFKIT_DATA", str(tmp_path))
    return tmp_path / KEY


def edit(path, old, new, deliberate=False):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    if deliberate:
        hashes.describe(path.parent)


def test_studies_are_the_folders_with_a_description_in_order(copied):
    for name in ("b", "c", "a"):
        shutil.copytree(copied, copied.parent / name)
    (copied.parent / "notes").mkdir()
    (copied.parent / "README").write_text("None of them.")
    assert published.studies() == ["a", "b", "c", KEY]


@pytest.mark.parametrize("key", published.studies())
def test_every_csv_file_is_described_with_units_and_can_be_read(key):
    folder = published.data_folder() / key
    package = json.loads((folder / "datapackage.json").read_text())
    assert package["sources"][0]["title"]
    listed = [resource["path"] for resource in package["resources"]]
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.csv")) == sorted(listed)
    assert [f"{name}.csv" for name in published.table_names(key)] == listed
    for name in published.table_names(key):
        assert len(published.table(key, name)) > 0
        published.table(key, name, readings=True)
    fields = [f for r in package["resources"] for f in r["schema"]["fields"]]
    assert all(f["description"] for f in fields)
    assert all("unit" in f for f in fields if f["type"] == "number")


def test_types_come_from_the_description_and_readings_replace_only_the_doubted_cells():
    frame = published.table(KEY, "table_7")
    assert frame["elapsed_s"].dtype == np.int64
    assert frame["queue"].dtype == np.float64
    assert frame["process_clicks"].iloc[-1] == "157/314"
    printed = published.table(KEY, "table_6").set_index("run")
    read = published.table(KEY, "table_6", readings=True).set_index("run")
    assert (printed.loc[28, "elapsed_s"], read.loc[28, "elapsed_s"]) == (669, 569)
    assert read["utilization_percent"].isna().sum() == 1
    assert (printed["elapsed_s"] != read["elapsed_s"]).sum() == 2
    assert printed["swaps"].equals(read["swaps"])


@pytest.mark.parametrize("key", published.studies())
def test_readings_quote_the_printed_cell_and_claims_have_one_id_each_and_known_words(key):
    for doubt in published.readings(key).itertuples():
        frame = published.table(key, doubt.table)
        cells = frame.loc[frame.iloc[:, 0].astype("str") == str(doubt.key), doubt.column]
        np.testing.assert_equal(cells.astype("float64").item(), doubt.printed)
    frame = published.claims(key)
    assert frame["id"].is_unique
    assert set(frame["relation"]) <= {"=", "<", ">", "~", "between", "trend"}
    known = {"tested", "input", "arithmetic", "context"}
    assert known <= set(frame["use"]) <= known | {"given", "misprint"}
    assert (frame["value_high"].notna() == (frame["relation"] == "between")).all()
    assert set(frame) | set(frame["use"]) <= set(re.findall(r"\w+", published.claims.__doc__))


def test_an_empty_line_is_no_row_and_an_empty_cell_is_missing(copied):
    path = copied / "table_6.csv"
    path.write_text(path.read_text().replace("\n", "\n\n"))
    hashes.describe(copied)
    assert len(published.table(KEY, "table_6")) == 31
    frame = published.table(KEY, "examples").set_index("id")
    assert np.isnan(frame.loc["application_5", "printed_change_percent"])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nowhere", "nowhere does not exist"),
        ("x" * 300, r"x cannot be read \(File name too long\)"),
        ("file", "file is no folder"),
    ],
)
def test_a_data_folder_that_is_none_is_named(name, reason, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PERFKIT_DATA", str(tmp_path / name))
    with pytest.raises(published.DataError, match=f"{reason}; set PERFKIT_DATA to the folder"):
        published.studies()


@pytest.mark.parametrize("name", ["table_6.csv", "datapackage.json"])
def test_what_the_system_does_not_let_read_is_named(name, copied, monkeypatch):
    def denied(path, *_, **__):
        assert path.name == name
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    reads = "read_text" if name == "datapackage.json" else "read_bytes"
    monkeypatch.setattr(type(copied), reads, denied)
    said = rf"^[^']*{name} cannot be read as \w+: Permission denied\.$"
    with pytest.raises(published.DataError, match=said):
        published.table(KEY, "table_6")


# A file, what is put in place of what, and what is then said.
DAMAGED = [
    ("table_6.csv", "swaps", "swap", "has the columns .*, swap, .* expects .*, swaps,"),
    ("table_6.csv", "3554", "many", "'many' in column swaps, row 1 .* whole number"),
    ("table_6.csv", "3554", "35.5", "'35.5' in column swaps"),
    ("table_6.csv", "4.8", "nan", "'nan' in column queue"),
    ("table_6.csv", "3554,", "3554,1,", "10 cells in row 1"),
    ("table_6.csv", "3554", '"3554', "cannot be read as CSV"),
    ("table_6.csv", None, None, r"table_6\.csv is missing"),
    ("table_6.csv", None, b"\xff\xfe\x00", r"table_6\.csv"),
    ("readings.csv", "table_6,28", "table_6,99", "row 99 in table_6"),
    ("readings.csv", "28,elapsed_s", "28,elapsed", "column elapsed of row 28 in table_6"),
    ("readings.csv", "669,569", "669,569.5", r"569\.5 for elapsed_s"),
    ("datapackage.json", '"rows"', '"other"', "'rows' is wrong or missing"),
    ("datapackage.json", '"integer"', '"colour"', "the type 'colour'"),
    ("datapackage.json", None, b"[]", r"datapackage\.json"),
    ("datapackage.json", None, b'{"resources": [{"name": "a"}]}', r"datapackage\.json"),
    ("datapackage.json", None, b"\xff\xfe\x00", r"datapackage\.json"),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), DAMAGED)
def test_a_damaged_file_is_refused_in_one_sentence(copied, name, old, new, said):
    path = copied / name
    if old:
        edit(path, old, new, deliberate=name == "readings.csv")
    elif new is None:
        path.unlink()
    else:
        path.write_bytes(new)
    with pytest.raises(published.DataError, match=said) as refused:
        published.table(KEY, "table_6", readings=True)
    assert "\n" not in str(refused.value)
    assert len(re.findall(r"\.(?:\s|$)", str(refused.value))) == 1
    if name == "table_6.csv" and old:
        with pytest.raises(SystemExit, match=said):
            hashes.main()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda lines: lines[:4] + lines[5:], "has 30 rows, where datapackage.json counts 31"),
        (lambda lines: lines[:5] + lines[4:], "has 32 rows, where datapackage.json counts 31"),
        (lambda lines: [*lines[:-1], lines[-1][:-1] + b"7"], "other contents than the hash"),
    ],
    ids=["a row lost", "a row doubled", "a digit changed"],
)
def test_a_table_that_is_not_whole_is_named_until_it_is_described_anew(copied, change, says):
    path = copied / "table_6.csv"
    lines = change(path.read_bytes().splitlines())
    path.write_bytes(b"\n".join([*lines, b""]))
    with pytest.raises(published.DataError, match=f"^{re.escape(str(path))} has ") as refused:
        published.table(KEY, "table_6")
    advice = "; restore the file or, if the edit is meant, run make hashes."
    assert says in str(refused.value) and str(refused.value).endswith(advice)
    hashes.describe(copied)
    assert len(published.table(KEY, "table_6")) == len(lines) - 1


@pytest.mark.parametrize("key", published.studies())
def test_to_describe_what_is_described_changes_nothing(key, tmp_path):
    shutil.copytree(published.data_folder() / key, tmp_path / key)
    hashes.describe(tmp_path / key)
    committed = (published.data_folder() / key / "datapackage.json").read_bytes()
    assert (tmp_path / key / "datapackage.json").read_bytes() == committed
