"""Tell who handed in what, however a course system or a student named it.

Whatever is there becomes a row, with a copy to grade or with a sentence that tells the student what
to do: `files` opens folders and zips, `copies` reads notebooks.
"""

import itertools
import re
import time
import unicodedata
from collections import defaultdict
from collections.abc import Set
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from tools.labs import copies, files

LISTS = (".csv", ".xls", ".xlsx", ".md", ".json", ".txt")  # beside what students hand in
EMPTY, NOTHING = "The folder is empty: hand in the lab's notebook.", "Nothing was handed in."
OTHER = "{} is no notebook: hand in the file whose name ends in .ipynb."
NO_CELLS = "{} holds no notebook that can be read: " + copies.AGAIN
NO_LAB = "{} is the copy of no lab: hand in the lab's notebook."
MISNAMED = "{} is by its cells {}, and counts as such."
LATEST = "Handed in more than once: {} counts, and not {}."
MOST, CHECKPOINTS = 5, ".ipynb_checkpoints"
STRANGER = "The list of the class does not have this name."
NAMELESS = "No name of a student stands in the file's name, or in a folder's."
# What Moodle, Canvas, Blackboard and Brightspace call a student's folder or file. The number of
# Moodle is another in each lab. Ilias has folders.
SYSTEMS = (
    re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_.*"),
    re.compile(r"(?P<name>[^_]+?)(?:_late)?(?P<id>_\d+)_\d+_.+", re.IGNORECASE),
    re.compile(r"(?:.*_)?(?P<name>[^_]+)_[^\W\d_]+_(?P<time>\d{4}(?:-\d\d){5})[_.].*"),
    re.compile(r"\d+-\d+ - (?P<name>.+?) - .+"),
)
ILIAS = re.compile(r"[^_]+_[^_]+_.+_\d+")
SUFFIX = re.compile(r"(?:\.(?:ipynb|json|txt|py|zip|html?|pdf|docx?|download))+$", re.IGNORECASE)
VERSION = re.compile(
    r"(?:[\W_]*(?:\d{1,2}(?!\d)|v(?=\d)|(?:copy|kopie|checkpoint|final|old|new|alt|neu|version|of"
    r"|von|attempt|try|versuch|team|submissions?|abgaben?|solution|notebook)(?![^\W\d_])))*[\W_]*",
    re.IGNORECASE,
)


class HandIn(NamedTuple):
    """What one student handed in of one lab; without a book, the notes say why."""

    student: str
    lab: str
    book: NotebookNode | None
    handed_in: float | None
    notes: tuple[str, ...]
    source: str


class Copy(NamedTuple):
    """What a file holds. What is trivial counts only where a student handed in nothing else."""

    path: tuple[str, ...]
    time_s: float | None
    notes: tuple[str, ...] = ()
    lab: str = ""
    book: NotebookNode | None = None
    filled: int = 0
    is_trivial: bool = False


def collect(
    submissions: Path,
    released: dict[str, NotebookNode],
    roster: tuple[str, ...] = (),
    also: Set[str] = frozenset(),
) -> list[HandIn]:
    """Return a row for each student and lab of whatever was handed in, sorted.

    Parameters
    ----------
    submissions : Path
        A folder, a zip, or a folder of zips: a folder per student, or files that name students.
    released : dict of str to NotebookNode
        The labs' student copies as handed out, by name.
    roster : tuple of str
        Who is in the class, by names, numbers or addresses; each has a row.
    also : set of str
        Names of further notebooks that students get with a lab.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     collect(Path(folder), {}, roster=("Ada",))[0].notes
    ('Nothing was handed in.',)
    """
    submissions = Path(submissions)
    if not submissions.exists():
        raise ValueError(f"There is no folder or zip {submissions}.")
    names, labs = _lab_names(released), {lab: copies.Lab(book) for lab, book in released.items()}
    found = [_read(one, names, labs, also) for one in files.everything(submissions)]
    known = {safe(name) for name in roster}
    rows = []
    for student, own in _by_student(found, names, roster).items():
        told = (STRANGER,) * bool(known and student not in known)
        rows += [row._replace(notes=row.notes + told) for row in _rows(student, own)]
    absent = known - {row.student for row in rows}
    rows += [HandIn(student, "", None, None, (NOTHING,), "") for student in absent]
    return sorted(rows, key=lambda row: (row.student, row.lab))


def _lab_names(released):
    """Return what finds a lab in a file's name: lab1_unix_v6, Lab 1 (unix v6), lab01."""
    each = []
    for name in released:
        first, *rest = name.split("_")
        first = re.sub(r"(\D)(\d)", r"\1[\\W_]*0*\2", first)
        rest = "".join(rf"[\W_]*{word}" for word in rest)
        each.append(rf"(?P<{name}>(?<![^\W\d_]){first}(?!\d)(?:{rest})?)")
    return re.compile("|".join(each) or r"(?!)", re.IGNORECASE)


def _lab_in(name, names):
    found = max(names.finditer(name), key=lambda one: len(one[0]), default=None)
    return found.lastgroup if found else ""


def _time_of(found):
    """Return when a file was handed in, from a course system's name of it or else from its date."""
    for named in filter(None, map(_system, found.path)):
        if "time" in named.groupdict():
            try:
                return time.mktime(time.strptime(named["time"], "%Y-%m-%d-%H-%M-%S"))
            except (ValueError, OverflowError):
                break
    return found.time_s


def _read(found, names, labs, also):
    file, path, time_s = found.path[-1], found.path, _time_of(found)
    in_file, is_notebook = _lab_in(file, names), ".ipynb" in file.lower()
    if found.data is None:
        notes = ((found.note or OTHER).format(file),) * bool(file)
        return Copy(path, time_s, notes, in_file, is_trivial=not found.note)
    cells, told = copies.cells_of(found.data, is_script=file.lower().endswith(".py"))
    by_name = next((lab for part in path[::-1] if (lab := _lab_in(part, names))), "")
    lab, most = _lab_of(cells, by_name, labs)
    is_beside = not most and bool(also & {file, SUFFIX.sub("", file)})
    if not cells or not lab or is_beside or not (most or is_notebook):
        told = OTHER if not is_notebook else NO_LAB if cells else NO_CELLS
        is_trivial = is_beside or not is_notebook
        return Copy(path, time_s, (told.format(file),), in_file, is_trivial=is_trivial)
    book, notes, filled = labs[lab].copy_of(cells)
    misnamed = MISNAMED.format(file, lab) if in_file not in (lab, "") else ""
    return Copy(path, time_s, (*filter(None, (told, misnamed)), *notes), lab, book, filled)


def _lab_of(cells, by_name, labs):
    """Return a copy's lab and its marked cells: by the name, unless the cells are another's."""
    there = copies.marks_of(cells)
    marks = {lab: sum(bool({*k} & there) for k in one.keys.items()) for lab, one in labs.items()}
    first, *others = sorted(marks, key=marks.get, reverse=True) or [""]
    most, mine = marks.get(first, 0), marks.get(by_name, 0)
    is_clear = most > max(2, 2 * mine, *(marks[lab] for lab in others))
    return (first, most) if is_clear else (by_name, mine)


def _words(text):
    table = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
    text = unicodedata.normalize("NFKD", files.composed(text).casefold().translate(table))
    return re.findall(r"[^\W_]+", "".join(c for c in text if not unicodedata.combining(c)))


def _on_roster(name, roster):
    """Return who on the roster a name contains, in any order of words; "" if none or several."""
    there, found = set(_words(name)), defaultdict(list)
    for entry in roster:
        words = _words(entry.partition("@")[0])
        joined = {"".join(some) for some in itertools.permutations(words[:4])}
        if words and (there.issuperset(words) or joined & there):
            found[sum(map(len, words))].append(entry)
    best = found[max(found)] if found else []
    return best[0] if len(best) == 1 else ""


def _who(part, names):
    """Return what of a file's or folder's name may name a student."""
    for text in names.sub("\0", SUFFIX.sub("", part)).split("\0"):
        if not VERSION.fullmatch(text):
            return text.strip(" _-.,")
    return ""


def _system(part):
    """Return what of a name is the student's, if it is one as course systems make them."""
    return next((found for one in SYSTEMS if (found := one.fullmatch(part))), None)


def _shared(paths, names):
    """Return the folders and zips that hold several students."""
    shared = {()}
    for depth in (1, 2, 3):
        inside = [path for path in paths if len(path) > depth and path[: depth - 1] in shared]
        tops, below = {path[:depth] for path in inside}, defaultdict(set)
        for path in inside:
            top = path[:depth]
            part = next((part for part in path[depth:] if _who(part, names)), path[depth])
            if _system(part) and (SYSTEMS[0].fullmatch(part) or names.search(part)):
                shared.add(top)
            elif part != path[-1] and ILIAS.fullmatch(part):
                below[top, ""] |= {"one", "more"}
            elif (lab := _lab_in(path[-1], names)) and (who := _who(part, names)):
                below[top, lab].add(who)
        for (top, _), several in below.items():
            is_open = len(tops) == 1 or top[-1].lower().endswith(".zip") or not _who(top[-1], names)
            shared |= {top} if is_open and len(several) > 1 else set()
    return shared


def _person(path, shared, names, roster):
    """Return who handed in a file: a name, a number that holds in one lab, and where it stands."""
    for i, part in enumerate(path):
        if any(_on_roster(outer, roster) for outer in path[:i]):
            break  # a folder of somebody's own, whatever name they gave to a file in it
        if path[:i] in shared and (found := _system(part)):
            parts = found.groupdict("")
            return parts["name"] + parts.get("id", ""), parts.get("number", ""), i
    for i, part in enumerate(path):
        if _on_roster(part, roster):
            return _who(part, names) or part, "", i
    for i, part in enumerate(path):
        if path[: i + 1] not in shared and (who := _who(part, names)):
            return ("" if i + 1 == len(path) and part.lower().endswith(LISTS) else who), "", i
    return SUFFIX.sub("", path[-1]), "", -1


def _by_student(copies_found, names, roster):
    """Return copies by the student, whose name is safe in a path and like no other."""
    shared = _shared([one.path for one in copies_found], names)
    people = [(one, *_person(one.path, shared, names, roster)) for one in copies_found]
    numbers, claims, by_name, students = defaultdict(set), defaultdict(set), {}, {}
    for one, who, number, i in people:
        numbers[one.path[:i], who].add(number)
        claims[_on_roster(one.path[i], roster)].add(
            "".join(sorted(re.sub(r"[\d\W_]", "", who.casefold())))
        )
    for one, who, number, i in people:
        entry = _on_roster(one.path[i], roster)
        if entry and (len(claims[entry]) == 1 or sorted(_words(entry)) == sorted(_words(who))):
            who = entry
        elif len(numbers[one.path[:i], who]) > 1:
            who = f"{who}_{number}"
        told = (NAMELESS,) * (i < 0)
        if who:
            own = by_name.setdefault(who.casefold(), (who, []))[1]
            own.append(one._replace(notes=(*one.notes, *told)))
    for who, own in by_name.values():
        name = base = safe(who)
        for more in itertools.count(2):
            if name.casefold() not in map(str.casefold, students):
                break
            name = f"{base[:75]}-{more}"
        students[name] = own
    return students


def safe(name):
    """Return a name as a part of a path."""
    name = re.sub(r"[^\w .,()@+-]", "_", re.sub(r"^\W+|_+$", "", files.composed(name)))
    return name.encode()[:200].decode(errors="ignore")[:80].strip(" .") or "nameless"


def _rank(one):
    """Return what makes one of several copies count: it is filled in, and the latest."""
    name = SUFFIX.sub("", one.path[-1])
    is_second = one.path[-1].lower().endswith(".py") or CHECKPOINTS in one.path
    natural = re.sub(r"\d+", lambda digits: digits[0].zfill(12), name)
    return bool(one.book), one.filled > 0, not is_second, one.time_s or 0.0, natural


def _rows(student, own):
    """Return a student's rows: one per lab, or one that says why there is none."""
    by_lab = defaultdict(list)
    for one in own:
        by_lab[one.lab].append(one)
    loose = by_lab.pop("", []) if len(by_lab) > 1 else []
    aside = [note for one in loose if not one.is_trivial for note in one.notes]
    rows = []
    for lab, several in by_lab.items():
        best, *others = sorted(several, key=_rank, reverse=True)
        source, notes = "/".join(best.path), [*best.notes, *aside]
        if lab:
            others = [one for one in others if one.book or not one.is_trivial]
            others = ["/".join(one.path) for one in others if CHECKPOINTS not in one.path]
            notes += [LATEST.format(source, ", ".join(others[:MOST]))] * bool(others)
        else:
            notes += [note for one in others[:MOST] for note in one.notes] or [EMPTY] * (not notes)
        rows.append(HandIn(student, lab, best.book, best.time_s, (*dict.fromkeys(notes),), source))
    return rows
