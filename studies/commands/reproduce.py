"""Execute notebooks through papermill: checked parameters, whole files only."""

import ast
import contextlib
import logging
import os
import shutil
import socket
import tempfile
import time
import warnings
from pathlib import Path

from joblib import Parallel, delayed

from perfkit.core.values import is_finite, is_truth
from perfkit.core.wording import nearest
from perfkit.des import memo
from studies import BEYOND, BOOKS, NOTEBOOKS, book
from studies.evidence import kept_cards

INDEX = "index"
AT_ONCE = 2
PART = ".part-"
CARDS = "scorecards"
WIDGETS = "application/vnd.jupyter.widget"
KINDS = {"int": int, "float": float}
IN_WORDS = {"int": "a whole number", "float": "a finite number", "bool": "true or false"}


def notebook_parameters(path):
    """Return a notebook's parameters: name to (type name, default text, help)."""
    import papermill

    if not Path(path).exists():
        raise ValueError(f"There is no notebook {path}.")
    if Path(path).suffix != ".ipynb":
        raise ValueError(f"{path} is no notebook: its name must end in .ipynb.")
    try:
        entries = papermill.inspect_notebook(str(path))
    except Exception as error:
        reason = str(error).rstrip(".")
        raise ValueError(f"{path} can't be read as a notebook: {reason}.") from None
    return {
        name: (_kind_of_default(path, name, entry["default"]), entry["default"], entry["help"])
        for name, entry in entries.items()
    }


def _kind_of_default(path, name, text):
    try:
        return type(ast.literal_eval(text)).__name__
    except (ValueError, TypeError, SyntaxError):
        raise ValueError(
            f"The default of '{name}' in {Path(path).name} must be a plain value, such as 3600 or"
            f" 'all'; {text} is to be computed."
        ) from None


def checked_parameters(path, values):
    """Return parameters by name as the notebook's own types; refuse what does not fit."""
    known = notebook_parameters(path)
    checked = {}
    for name, value in values.items():
        if name not in known:
            hint = f"{nearest(name, known) or '.'} It has {', '.join(known) or 'none'}; perfkit run"
            hint += " takes the machine's."
            raise ValueError(f"The notebook {Path(path).name} has no parameter '{name}'{hint}")
        checked[name] = _as_kind(name, known[name][0], value)
    return checked


def changed_parameters(path, values):
    """Return those of a notebook's checked parameters that are not its own values."""
    known = notebook_parameters(path) if values else {}
    return {
        name: value for name, value in values.items() if value != ast.literal_eval(known[name][1])
    }


def _as_kind(name, kind, value):
    refusal = ValueError(f"{name} must be {IN_WORDS.get(kind, kind)}; {value!r} is not.")
    if kind == "bool":
        word = str(value).lower()
        if word not in ("true", "false"):
            raise refusal
        return word == "true"
    if is_truth(value) and kind in ("int", "float"):
        raise refusal
    try:
        converted = KINDS.get(kind, str)(value)
    except (TypeError, ValueError, OverflowError):
        raise refusal from None
    if kind == "int" and not isinstance(value, str) and converted != value:
        raise refusal
    if kind == "float" and not is_finite(converted):
        raise refusal
    return converted


def execute(source, target, parameters=None):
    """Execute a notebook with checked parameters into a file that appears only when it is whole.

    It returns the seconds that it took. A cell that failed is a RuntimeError, which names the
    cell's error in one line.
    """
    import nbformat
    import papermill

    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    with _part(target.parent) as part, _quiet():
        try:
            executed = papermill.execute_notebook(
                str(source), None,  # to a path papermill writes all of it twice for each cell
                parameters=parameters or {}, kernel_name="python3", cwd=str(Path(source).parent),
                progress_bar=False, log_output=False, extra_arguments=["--log-level=ERROR"],
                shutdown_kernel="immediate", coalesce_streams=True,  # else its parts are chance
            )  # fmt: skip
        except papermill.PapermillExecutionError as error:
            raise RuntimeError(
                f"{Path(source).name} stopped in cell {error.exec_count}:"
                f" {error.ename}: {error.evalue}"
            ) from None
        whole = Path(part) / target.name
        nbformat.write(_stripped(executed), whole)
        os.replace(whole, target)
    return time.perf_counter() - started


def _part(folder):
    """Return a temporary folder in another one, for unfinished files; its name says whose it is."""
    prefix = f"{PART}{socket.gethostname()}-{os.getpid()}-"
    return tempfile.TemporaryDirectory(dir=folder, prefix=prefix)


def _left_by_a_killed_run(part):
    """Return whether the process that made a temporary folder, by its name, ended on this host.

    Of another host's processes nothing is known here: one may be running on a shared disk.
    """
    host, process, _ = ["", "", *part.name.removeprefix(PART).rsplit("-", 2)][-3:]
    if host != socket.gethostname() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)  # sends nothing
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass  # it lives, as another user's
    return False


def _stripped(notebook):
    """Take times, versions and widgets' names out, so that equal runs are equal files."""
    from nbstripout import strip_output

    keys = [
        "metadata.papermill", "cell.metadata.papermill", "cell.metadata.execution",
        "metadata.widgets", "metadata.language_info.version",
    ]  # fmt: skip
    kept = {"keep_output": True, "keep_count": True, "keep_id": True}
    notebook = strip_output(notebook, **kept, extra_keys=keys)
    for cell in notebook.cells:
        if "injected-parameters" in cell.metadata.get("tags", ()):
            cell.id = "injected-parameters"  # papermill draws another at each run
        for output in cell.get("outputs", ()):
            for kind in [k for k in output.get("data", {}) if k.startswith(WIDGETS)]:
                del output.data[kind]
    return notebook


@contextlib.contextmanager
def environment(name, value):
    """Set an environment variable for a while, which the notebooks' kernels inherit."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextlib.contextmanager
def _quiet():
    logging.getLogger("papermill").setLevel(logging.ERROR)
    with environment("PYDEVD_DISABLE_FILE_VALIDATION", "1"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def planned(keys, quick=False, parameters=None):
    """Return each notebook's key, path and checked parameters; refused as by ``reproduce``."""
    if isinstance(keys, str):
        raise TypeError(f"The studies must be a list of their keys; write ['{keys}'].")
    plans = []
    for key in list(keys) or list(BOOKS):
        entry = book(key)
        values = {**(entry.quick if quick else {}), **(parameters or {})}
        plans.append((key, entry.notebook, checked_parameters(entry.notebook, values)))
    return plans


def reproduce(keys, results, quick=False, parameters=None, say=print):
    """Execute studies' notebooks, two at a time, then the index, into a folder, which is returned.

    All studies are executed if none is named. ``quick`` uses each one's quick parameters; further
    ``parameters`` are texts by name, for every one of the notebooks named. A quick run, and one
    with changed parameters, gets a folder within ``results`` that is named by what changed. ``say``
    takes one progress line per notebook.

    What can't be is refused before any run: parameters, a study that there is not, or ``results``
    that is no folder, is the notebooks' own, can't be written to, or has folders in files' places.
    """
    plans = planned(keys, quick, parameters)
    results = _results_folder(results, _what_changed(plans, quick, parameters), plans)
    for part in results.glob(PART + "*"):
        if _left_by_a_killed_run(part):
            shutil.rmtree(part, ignore_errors=True)
    say(f"{', '.join(key for key, _, _ in plans)}: executing ...")
    counted = results / f"{PART}runs-{os.getpid()}"
    with environment(memo.COUNTED, str(counted)):
        _execute_all(plans, results, say)
    say(memo.told(counted))
    counted.unlink(missing_ok=True)
    return results


def _execute_all(plans, results, say):
    pool = Parallel(n_jobs=min(AT_ONCE, len(plans)), return_as="generator_unordered")
    # Longest first; those of all machines, which would compile each once more, behind the studies.
    in_turn = sorted(reversed(plans), key=lambda plan: plan[0] in BEYOND)
    for key, seconds in pool(delayed(_produce)(*plan, results) for plan in in_turn):
        say(f"{key}: {results / key}.ipynb in {seconds:.0f} s")
    say(f"{INDEX}: executing ...")
    with environment("PERFKIT_RESULTS", str(results / CARDS)):
        seconds = execute(NOTEBOOKS / f"{INDEX}.ipynb", results / f"{INDEX}.ipynb")
    say(f"{INDEX}: {results / INDEX}.ipynb in {seconds:.0f} s")


def _what_changed(plans, quick, parameters):
    """Return a folder's name for a run of other parameters than the notebooks' own, or ''."""
    changed = {}
    for _, notebook, values in plans:
        of_caller = {name: value for name, value in values.items() if name in (parameters or {})}
        changed |= changed_parameters(notebook, of_caller)
    words = [f"{name}={value}".replace("/", "_") for name, value in changed.items()]
    return ",".join(["quick"] * bool(quick) + words)


def _results_folder(results, changed, plans):
    """Return the folder for results, made if need be, or refuse it in one sentence."""
    if not str(results).strip():
        raise ValueError("The results need a folder; name one.")
    results = Path(results)
    try:
        if results.exists() and not results.is_dir():
            raise ValueError(f"The results need a folder; {results.resolve()} is a file.")
        results = (results / changed).resolve()
        if results == NOTEBOOKS.resolve():
            raise ValueError(f"{results} has the notebooks themselves; name another folder.")
        for folder in (results, results / CARDS):
            if folder.exists() and not folder.is_dir():
                raise ValueError(f"The results need a folder; {folder} is a file.")
        for key in (*(key for key, _, _ in plans), INDEX):
            file = results / f"{key}.ipynb"
            if file.is_dir():
                raise ValueError(f"{file} is to be a file, not a folder; move it away.")
        (results / CARDS).mkdir(parents=True, exist_ok=True)
        with _part(results):
            pass
    except OSError as error:
        raise ValueError(f"{results} can't be written to: {error.strerror}.") from None
    return results


def _produce(key, notebook, values, results):
    """Execute a study's notebook; its files go to the results together, when all are whole."""
    with _part(results) as folder:
        part = Path(folder)
        with environment("PERFKIT_RESULTS", folder):
            seconds = execute(notebook, part / f"{key}.ipynb", values)
        kept_cards.note_conditions(key, changed_parameters(notebook, values), part)
        for whole in [*part.glob(f"{key}.json"), *part.glob(f"{key}.csv")]:
            os.replace(whole, results / CARDS / whole.name)
        os.replace(part / f"{key}.ipynb", results / f"{key}.ipynb")
    return key, seconds
