"""The papers' own numbers: tables, claims and doubted cells, read from ``data/<key>``.

Each folder holds CSV files and a ``datapackage.json`` that names the columns and types of
every one, counts its rows and has its hash. A file that does not match its description is
refused, never repaired; ``make hashes`` describes it anew after a deliberate edit. A study that
is not of the collection says by ``locate`` where its folder is.
"""

import csv
import functools
import hashlib
import io
import json
import os
from pathlib import Path

from perfkit.core.wording import nearest
from studies import shipped

__all__ = ["DataError", "claims", "locate", "readings", "stated", "studies", "table", "table_names"]

_ELSEWHERE = {}  # the folders of studies that are not of the collection, by key
_DTYPES = {"integer": "Int64", "number": "float64", "string": "str"}


class DataError(ValueError):
    """A study or table that does not exist, or a data file that is missing or damaged."""


def data_folder():
    """Return the data folder: PERFKIT_DATA if it is set, else the one that perfkit came with."""
    chosen = os.environ.get("PERFKIT_DATA")
    return Path(chosen) if chosen else shipped("data")


def locate(key, folder):
    """Let the tables of a study that is not of the collection be read by its key, from a folder."""
    _ELSEWHERE[key] = Path(folder)


def folder_of(key):
    """Return the folder that a study's tables are read from."""
    return _ELSEWHERE.get(key) or data_folder() / key


def studies():
    """Return the keys of the studies that have a data folder, in alphabetical order."""
    folder = data_folder()
    try:
        if folder.is_dir():
            return sorted(p.name for p in folder.iterdir() if (p / "datapackage.json").is_file())
        reason = "is no folder" if folder.exists() else "does not exist"
    except OSError as error:
        reason = f"cannot be read ({error.strerror})"
    raise DataError(
        f"The data folder {folder} {reason}; set PERFKIT_DATA to the folder that holds one folder "
        "a study."
    )


def table_names(key):
    """Return the names of a study's tables, in the order of its data package."""
    return list(_resources(key))


def table(key, name, readings=False):
    """Return one table of a study as it is printed: ``table("unix_v6", "table_6")``.

    With ``readings`` each doubted cell is replaced by our reading; one without becomes missing.
    Whole numbers are int64 where no cell is empty, else nullable Int64.
    """
    resources = _resources(key)
    if name not in resources:
        raise DataError(f"Study {key!r} has no table {name!r}{_hint(name, resources)}")
    frame = _read(key, resources[name])
    if readings and name != "readings" and "readings" in resources:
        frame = _with_readings(key, name, frame)
    whole = [c for c in frame if frame[c].dtype == "Int64" and frame[c].notna().all()]
    return frame.astype(dict.fromkeys(whole, "int64")) if whole else frame


def claims(key):
    """Return the study's numeric and testable statements, one row per claim.

    Columns id, place, statement, quantity, relation, value, value_high, unit and use: what we make
    of it (tested, input, arithmetic, context, given or misprint).
    """
    return table(key, "claims")


def stated(key, claim):
    """Return the number that a statement of the text gives, by the claim's id.

    It is not a number if the statement gives none.
    """
    values = claims(key).set_index("id")["value"]
    if claim not in values.index:
        raise DataError(f"Study {key!r} has no claim {claim!r}{_hint(claim, values.index)}")
    return float(values[claim])


def readings(key):
    """Return the cells that look misprinted, with what we read and why.

    Columns table, key (the row's value in the table's first column), column, printed, reading and
    evidence.
    """
    return table(key, "readings")


def _hint(word, known):
    others = f"; it is one of {', '.join(known)}." if len(known) else "; there is none."
    return nearest(word, known) or others


def _resources(key):
    if key not in _ELSEWHERE and key not in (known := studies()):
        raise DataError(f"No study is called {key!r}{_hint(key, known)}")
    path = folder_of(key) / "datapackage.json"
    try:
        package = json.loads(path.read_text(encoding="utf-8"))
        found = {}
        for resource in package["resources"]:
            columns = {field["name"]: field["type"] for field in resource["schema"]["fields"]}
            unknown = sorted(set(columns.values()) - set(_DTYPES))
            if unknown:
                raise DataError(
                    f"{path} gives a column of {resource['name']} the type {unknown[0]!r}, "
                    f"where {', '.join(_DTYPES)} are known."
                )
            known = {name: resource[name] for name in ("path", "rows", "hash")}
            found[resource["name"]] = {"columns": columns, **known}
        return found
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path} cannot be read as JSON: {reason}.") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path} is no data package: each resource needs a name, a path, rows, a hash and a "
            f"schema whose fields have a name and a type ({error} is wrong or missing)."
        ) from error


def _read(key, resource):
    path = folder_of(key) / resource["path"]
    columns = resource["columns"]
    header, rows, digest = contents(path)
    command = f"studies hashes {path.parent}" if key in _ELSEWHERE else "make hashes"
    mend = f"restore the file or, if the edit is meant, run {command}"
    if header != list(columns):
        raise DataError(
            f"{path} has the columns {', '.join(header) or '(none)'}, where datapackage.json "
            f"expects {', '.join(columns)}; {mend}."
        )
    frame = _frame(path, tuple(columns.items()), tuple(map(tuple, rows)))
    if len(rows) != resource["rows"]:
        raise DataError(
            f"{path} has {len(rows)} rows, where datapackage.json counts {resource['rows']};"
            f" {mend}."
        )
    if digest != resource["hash"]:
        raise DataError(
            f"{path} has other contents than the hash in datapackage.json expects; {mend}."
        )
    return frame.copy()


@functools.lru_cache
def _frame(path, columns, rows):
    """Return the rows as columns of their types; made once per content, for notebooks ask often."""
    import pandas as pd

    raw = pd.DataFrame(rows, columns=[name for name, _ in columns], dtype="str")
    return pd.DataFrame({name: _typed(raw[name], kind, path) for name, kind in columns})


def contents(path):
    """Return a CSV file's header, its rows, all as long, and its hash as a data package has it."""
    try:
        content = path.read_bytes()
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        lines = [line for line in reader if line]
    except FileNotFoundError:
        raise DataError(f"{path} is missing, though datapackage.json lists it.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path} cannot be read as CSV: {reason}.") from error
    header, rows = (lines[0], lines[1:]) if lines else ([], [])
    if odd := [name for name in header if not name or header.count(name) > 1]:
        raise DataError(f"{path} must give each column a name of its own; {odd[0]!r} is not one.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            raise DataError(
                f"{path} has {len(row)} cells in row {number} after the header, where "
                f"{len(header)} are expected."
            )
    return header, rows, f"sha256:{hashlib.sha256(content).hexdigest()}"


def _typed(cells, kind, path):
    import pandas as pd

    if kind == "string":
        return cells.astype("str")
    numbers = pd.to_numeric(cells.where(cells != ""), errors="coerce").astype("float64")
    wrong = (numbers.isna() & (cells != "")) | (numbers.abs() == float("inf"))
    if kind == "integer":
        wrong |= numbers.notna() & (numbers % 1 != 0)
    if wrong.any():
        row = wrong.idxmax()
        noun = "a whole number" if kind == "integer" else "a number"
        raise DataError(
            f"{path} has {cells[row]!r} in column {cells.name}, row {row + 1} after the header, "
            f"where {noun} is expected."
        )
    return numbers.astype(_DTYPES[kind])


def _with_readings(key, name, frame):
    doubts = table(key, "readings")
    where = folder_of(key) / "readings.csv"
    for doubt in doubts[doubts["table"] == name].itertuples():
        rows = frame.index[frame.iloc[:, 0].astype("str") == str(doubt.key)]
        if len(rows) != 1 or doubt.column not in frame.columns:
            raise DataError(
                f"{where} doubts column {doubt.column} of row "
                f"{doubt.key} in {name}, where exactly one such cell is expected."
            )
        try:
            frame.loc[rows[0], doubt.column] = doubt.reading
        except (TypeError, ValueError) as error:
            raise DataError(
                f"{where} reads {doubt.reading} for {doubt.column} "
                f"of {name}, which that column cannot hold."
            ) from error
    return frame
