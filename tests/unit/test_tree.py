"""The size of the code, and its rooms: few at the top, and the same in all five systems."""

from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Of Python. The library was asked for small; a feature of the papers' side is the studies'. Whoever
# needs more lines first looks what can go. (13,800 were asked for of the tests.)
MOST_LINES = {"perfkit": 26_060, "studies": 17_110, "tests": 17_940}
MOST_LOOSE = 2  # modules at the top of a package, such as __init__ and __main__
SYSTEMS = ("cp67", "emas", "sim61", "tss360", "unix_v6")
ROOMS = {
    *("parameters", "load", "state", "processor", "memory"),
    *("devices", "users", "run", "result"),
}
STUDY_ROOMS = {
    *("runs", "derivations", "experiments", "claims", "conclusions"),
    *("calibration", "diagram", "pictures", "timeline"),
}


@pytest.mark.parametrize("part", MOST_LINES)
def test_a_part_of_the_tree_has_no_more_lines_than_it_may(part):
    lines = Counter()
    for path in (ROOT / part).rglob("*.py"):
        lines[path.parent.relative_to(ROOT).as_posix()] += len(path.read_bytes().splitlines())
    assert lines.total() <= MOST_LINES[part], f"The largest rooms: {lines.most_common(10)}"


@pytest.mark.parametrize("package", ["perfkit", "studies"])
def test_few_modules_lie_loose_at_the_top_of_a_package(package):
    loose = {path.name for path in (ROOT / package).glob("*.py")} - {"setup.py"}
    assert len(loose) <= MOST_LOOSE


def test_the_systems_have_the_same_rooms_and_no_others():
    folder = ROOT / "perfkit/systems"
    there = {p.name for p in folder.iterdir() if not p.name.startswith("__")}
    assert there == set(SYSTEMS)
    for key in SYSTEMS:
        found = [p.stem for p in (folder / key).iterdir() if not p.name.startswith("__")]
        assert sorted(found) == sorted(ROOMS), key
        studied = {path.stem for path in (ROOT / "studies" / key).glob("*.py")}
        assert studied >= STUDY_ROOMS, key
