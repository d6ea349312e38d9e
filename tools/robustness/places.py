"""The commands in other surroundings: users, paths, languages, Python's own switches."""

import os
import shutil
import subprocess

from tools.robustness import runs

COMMANDS = {
    "list": ["list"],
    "show": ["show", "cp67"],
    "run": ["run", "unix_v6", "interactions=20", "replications=2", "--json"],
    "sweep": [*runs.SWEEP, "replications=1", "--csv", "--store", "lager"],
    "plot": ["run", "sim61", "drums=2", "replications=2", "--compare", "--plot", "bild é.png"],
}
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def rows(folder):
    """Yield of each place in which commands ended well, with the same numbers as at home."""
    home = folder / "plain"
    home.mkdir(parents=True, exist_ok=True)
    expected = {name: runs.perfkit(*words, cwd=home) for name, words in COMMANDS.items()}
    for place, (where, settings) in _places(folder).items():
        if settings is None:
            yield {"place": place, "commands": 0, "same numbers": 0, "said": "Not run here."}
            continue
        where.mkdir(parents=True, exist_ok=True)
        done = {n: runs.perfkit(*words, cwd=where, **settings) for n, words in COMMANDS.items()}
        well = [name for name in done if done[name].returncode == 0]
        same = [name for name in well if done[name].stdout.split() == expected[name].stdout.split()]
        failed = (f"{name}: {each.stderr}" for name, each in done.items() if each.returncode)
        said = runs.last_line(next(failed, ""))
        yield {"place": place, "commands": len(done), "ended well": len(well),
               "same numbers": len(same), "said": said}  # fmt: skip


def _places(folder):
    locales = folder / "locales"
    locales.mkdir(exist_ok=True)
    make = ["localedef", "-i", "tr_TR", "-f", "UTF-8", locales / "tr_TR.UTF-8"]
    turkish = shutil.which("localedef") and not subprocess.run(make, capture_output=True).returncode
    language = {"LOCPATH": str(locales), "LC_ALL": "tr_TR.UTF-8"}
    return {
        "a path with spaces and accents": (folder / "ein Ordner é ü", {}),
        "LC_ALL=C, no UTF-8": (folder / "c", {"env": ASCII}),
        "LC_ALL=tr_TR.UTF-8": (folder / "tr", {"env": language} if turkish else None),
        "python -O": (folder / "o", {"options": ["-O"]}),
        "python -OO": (folder / "oo", {"options": ["-OO"]}),
        "python -W error": (folder / "w", {"options": ["-W", "error"]}),
        "a user who may write into one folder only": (folder / "user", _as_user(folder / "user")),
    }


def _as_user(where):
    """Return settings for a user other than root, all else read-only; None without bubblewrap."""
    if not shutil.which("bwrap"):
        return None
    told = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--ro-bind", "/", "/"]
    told += ["--dev", "/dev", "--proc", "/proc", "--bind", where, where, "--chdir", where]
    home = {"HOME": str(where), "MPLCONFIGDIR": None, "XDG_CACHE_HOME": str(where / "cache")}
    return {"prefix": [os.fspath(word) for word in told], "env": home}
