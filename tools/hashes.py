"""Describe the data tables anew after a deliberate edit: their rows and hashes.

Run ``make hashes`` (``python -m tools.hashes``); reading a table checks them.
"""

import json
import sys

from studies.evidence import published


def describe(folder):
    """Write the rows and hash of every table of a folder into its data package."""
    path = folder / "datapackage.json"
    package = json.loads(path.read_text(encoding="utf-8"))
    for resource in package["resources"]:
        _, rows, digest = published.contents(folder / resource["path"])
        schema = resource.pop("schema")
        resource.update(rows=len(rows), hash=digest, schema=schema)
    path.write_text(json.dumps(package, indent=1) + "\n", encoding="utf-8", newline="\n")


def main():
    """Describe all studies; a table that still can't be read is one sentence."""
    try:
        for key in published.studies():
            describe(published.data_folder() / key)
            for name in published.table_names(key):
                published.table(key, name, readings=True)
    except published.DataError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
