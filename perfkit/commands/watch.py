"""The command that films: watch, one machine or two side by side, as a page that plays it."""

from pathlib import Path

from perfkit.commands.words import count, number, pairs, read_parameters, say_if_compiling
from perfkit.show.players import films, player
from perfkit.systems import find


def watch(given):
    """Film a machine, or two on one load, into a file that plays in any browser."""
    record, path = find(given.key).module().Parameters, Path(given.html or f"{given.key}.html")
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--html takes a file that ends in .html; '{given.html}' does not.")
    if path.is_dir():
        raise ValueError(f"--html takes a file; {path} is a folder.")
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {path.parent} to write into.")
    lines = [given.values] if given.compare is None else [given.values, given.compare]
    machines = [read_parameters(given.key, record, pairs(texts)) for texts in lines]
    if len(machines) > 1 and record(**machines[0]) == record(**machines[1]):
        raise ValueError("Both machines are the same; let --compare differ in a parameter.")
    seed, seconds = count("seed", given.seed), number(given.seconds)
    begin_s = None if given.begin_s is None else number(given.begin_s)
    films.check_seconds("--begin", begin_s or 0.0, 0.0, films.MOST_BEGIN_S)
    films.check_seconds("--seconds", seconds, 0.001, films.MOST_SECONDS)
    say_if_compiling(given.key)
    player(given.key, *machines, seed=seed, begin_s=begin_s, seconds=seconds).save(path)
    kilobytes = path.stat().st_size // 1000
    print(f"{path}: {kilobytes} kB; open it in a browser, it needs no network.")
