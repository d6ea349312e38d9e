"""``python -m tools.robustness [PART ...]``: treat perfkit badly, and write what came of it.

The tables stand in docs/robustness.md, between markers; each part writes its own.
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd

from tests.systems import golden
from tools.readme import written
from tools.robustness import damage, inputs, kills, places, results, runs

PAGE = runs.ROOT / "docs/robustness.md"
BEGIN = "<!-- {}: written by tools/robustness -->\n"


def found(given, folder):
    """Return of each part what yields its rows, each when it is asked for."""
    return {
        "results": lambda: results.rows(given.wasm, given.systems),
        "kills": lambda: kills.rows(given.commands, given.kills, given.limit_s, folder / "kills"),
        "damage": lambda: damage.rows(given.kills, folder / "damage"),
        "full-disc": lambda: damage.full_disc(folder / "full"),
        "inputs": lambda: _told(inputs.rows(given.inputs // len(inputs.KINDS))),
        "places": lambda: places.rows(folder / "places"),
    }


def _told(rows):
    """Print what was neither refused nor answered; yield the rows."""
    for row, worse in rows:
        print(*sorted(set(worse)), sep="\n")
        yield row


def main():
    """Run the parts that are named, all if none is."""
    parser = argparse.ArgumentParser(prog="python -m tools.robustness", description=__doc__)
    names = list(found(None, Path()))
    parser.add_argument("parts", nargs="*", choices=[[], *names], help=", ".join(names))
    parser.add_argument("--kills", type=int, default=20, help="of each command (20)")
    parser.add_argument("--commands", nargs="*", default=[*kills.COMMANDS], help="to be killed")
    parser.add_argument("--limit", dest="limit_s", type=float, default=120, help="s each (120)")
    parser.add_argument("--inputs", type=int, default=3000, help="bad inputs (3000)")
    parser.add_argument("--systems", nargs="*", default=[*golden.RUNS], help="of the results")
    parser.add_argument("--wasm", type=Path, default=runs.ROOT / "build/wasm", help="the modules")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        parts = found(given, Path(folder))
        for name in given.parts or names:
            table = pd.DataFrame(parts[name]()).convert_dtypes().astype(object).fillna("-")
            print(f"\n{name}\n{table.to_string(index=False)}", flush=True)
            block = {name: f"{table.to_markdown(index=False)}\n"}
            PAGE.write_text(written(PAGE.read_text(), block, BEGIN))


if __name__ == "__main__":
    main()
