"""The command that describes a study's data tables anew after a deliberate edit."""

import json
from pathlib import Path

from studies.evidence import published

PACKAGE = "datapackage.json"
TYPES = {"integer": int, "number": float, "string": str}  # the narrowest first


def hashes(given):
    """Describe a folder of tables as its CSV files are now, and say what is left to be written."""
    path = Path(given.folder) / PACKAGE
    if not path.is_file():
        raise ValueError(f"{given.folder} has no {PACKAGE}; name a study's folder of tables.")
    for resource in renew(path.parent):
        fields = resource["schema"]["fields"]
        columns = ", ".join(f"{field['name']} ({field['type']})" for field in fields)
        print(f"{resource['path']}: {resource['rows']} rows of {columns}")
        empty = [field["name"] for field in fields if not field["description"]]
        if empty or not resource["title"]:
            told = ["its title"] * (not resource["title"]) + empty
            print(f"  still to be described in {PACKAGE}: {', '.join(told)}")


def renew(folder):
    """Describe the CSV files that a folder has now, their columns too; return its resources.

    What is known of a table or a column stays. A new one gets the narrowest type that holds its
    cells, and words that are empty, to be written by hand.
    """
    package = _read(folder / PACKAGE)
    known = {resource["path"]: resource for resource in package["resources"]}
    there = sorted(path.name for path in folder.glob("*.csv"))
    names = [name for name in known if name in there]
    names += [name for name in there if name not in known]
    package["resources"] = [_described(folder / name, known.get(name)) for name in names]
    _write(package, folder / PACKAGE)
    return describe(folder)


def describe(folder):
    """Write the rows and hash of every table of a folder into its data package."""
    path = folder / PACKAGE
    package = _read(path)
    for resource in package["resources"]:
        _, rows, digest = published.contents(folder / resource["path"])
        schema = resource.pop("schema")
        resource.update(rows=len(rows), hash=digest, schema=schema)
    _write(package, path)
    return package["resources"]


def _read(path):
    try:
        package = json.loads(path.read_text(encoding="utf-8"))
        return package | {"resources": list(package["resources"])}
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise published.DataError(f"{path} is no data package ({error}).") from None


def _write(package, path):
    path.write_text(json.dumps(package, indent=1) + "\n", encoding="utf-8", newline="\n")


def _described(path, known):
    """Return a table's description with the columns that its file has now."""
    new = {"name": path.stem, "title": "", "path": path.name, "format": "csv", "encoding": "utf-8"}
    resource = known or new | {"schema": {"fields": [], "missingValues": [""]}}
    header, rows, _ = published.contents(path)
    fields = {field["name"]: field for field in resource["schema"]["fields"]}
    columns = dict(zip(header, zip(*rows, strict=False), strict=False))
    described = [_column(name, columns.get(name, ()), fields.get(name)) for name in header]
    return resource | {"schema": resource["schema"] | {"fields": described}}


def _column(name, cells, known):
    """Return a column's description, with a wider type if the known one does not hold a cell."""
    least = known["type"] if known else "integer" if any(cells) else "number"
    kinds = list(TYPES)[list(TYPES).index(least) :]
    kind = next(kind for kind in kinds if _holds(TYPES[kind], cells))
    return (known or {"name": name, "type": "", "unit": "", "description": ""}) | {"type": kind}


def _holds(kind, cells):
    """Return whether a Python type reads each cell of a column that is not empty."""
    try:
        return all([kind(cell) is not None for cell in cells if cell])
    except ValueError:
        return False
