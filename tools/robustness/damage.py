"""Files with flipped bits or cut short, and discs that are full: a sentence, or the same end."""

import random
import resource
import shutil

from perfkit.des.caching import cache_folder
from tools.labs import sandbox
from tools.robustness import kills, runs

RUN = ("run", "unix_v6", "memory_clicks=650", "interactions=20", "replications=2", "--json")
ROOM_BYTES = 3000  # of the largest file, where a disc is full


def flip(path, draw):
    """Flip one bit of a file."""
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def cut(path, draw):
    """Cut a file short."""
    path.write_bytes(path.read_bytes()[: draw.randrange(path.stat().st_size)])


def rows(times, folder):
    """Yield of each kind of file how often it was damaged, and what came of that."""
    folder.mkdir(parents=True, exist_ok=True)
    swept, read = kills.sweep(folder)
    yield from _damaged("a store's batch", "batch-*", folder / "store", swept, read, times)
    yield from _damaged("a store's about.json", "about.json", folder / "store", swept, read, times)
    own = folder / "cache"
    shutil.copytree(cache_folder(), own / cache_folder().name, dirs_exist_ok=True)
    env = {"NUMBA_CACHE_DIR": own}
    ran = ["-m", "perfkit", *RUN]
    yield from _damaged("a kept kernel", "*.nb[ic]", own, ran, lambda d: d.stdout, times, env)
    if sandbox.is_there():
        graded, read = kills.grade(folder)
        shutil.rmtree(kills.COURSE, ignore_errors=True)
        course = kills.COURSE
        for kind in ("gradebook.db", "graded/*.json", "secret*"):
            yield from _damaged(f"{kind} of a course", kind, course, graded, read, min(times, 10))


def _damaged(what, pattern, where, words, read, times, env=()):
    draw, counts, said = random.Random(7), {"the same end": 0, "a sentence": 0}, ""
    whole = runs.command(*words, env=env)
    expected, sound = read(whole), where.with_name(f"{where.name}-sound")
    shutil.rmtree(sound, ignore_errors=True)
    shutil.copytree(where, sound)
    for nth in range(times):
        shutil.rmtree(where)
        shutil.copytree(sound, where)
        files = sorted(p for p in where.rglob(pattern) if p.is_file())
        if not files:
            return
        (flip, cut)[nth % 2](draw.choice(files), draw)
        done = runs.command(*words, env=env)
        if done.returncode and runs.is_one_sentence(done.stderr):
            counts["a sentence"] += 1
        elif done.returncode == 0 and read(done) == expected:
            counts["the same end"] += 1
        else:
            said = runs.last_line(done.stderr or "Another end, and nothing was said.")
    wrong = times - sum(counts.values())
    yield {"damaged": what, "times": times, **counts, "neither": wrong, "said": said}


def full_disc(folder):
    """Yield of commands whose files may have no more than some bytes what they say and leave."""
    words = {
        "sweep into a store": ([*runs.SWEEP, "--store", folder / "store"], folder / "store"),
        "run with a plot": ([*RUN[:-1], "--plot", folder / "p.png"], folder / "p.png"),
        "watch": (["watch", "cp67", "--html", folder / "w.html"], folder / "w.html"),
        "reproduce": (["reproduce", "cp67", "--quick", "--results", folder / "r"], folder / "r"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, (line, target) in words.items():
        done = runs.perfkit(*line, preexec_fn=_no_room)
        left = [p for p in [target, *target.rglob("*")] if _is_half(p)]
        yield {
            "command": name, "code": done.returncode,
            "one sentence": "yes" if runs.is_one_sentence(done.stderr) else "no",
            "half-written files": len(left), "said": runs.last_line(done.stderr),
        }  # fmt: skip
    with open("/dev/full", "w") as full:
        done = runs.perfkit("show", "unix_v6", stdout=full)
    one = "yes" if runs.is_one_sentence(done.stderr) else "no"
    yield {"command": "show, to a full device", "code": done.returncode, "one sentence": one,
           "half-written files": 0, "said": runs.last_line(done.stderr)}  # fmt: skip


def _is_half(path):
    return path.is_file() and (path.stat().st_size >= ROOM_BYTES or ".part" in path.name)


def _no_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM_BYTES, ROOM_BYTES))
