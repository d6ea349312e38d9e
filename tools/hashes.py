"""Describe the data tables anew after a deliberate edit: their rows and hashes.

Run ``make hashes`` (``python -m tools.hashes``); reading a table checks them.
"""

import sys

from studies.commands.hashes import describe
from studies.evidence import published


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
