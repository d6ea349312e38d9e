"""The command that sweeps: sweep, over a design, into a store."""

import os
import textwrap
from contextlib import nullcontext
from pathlib import Path

from perfkit import show
from perfkit.commands import pictures
from perfkit.commands.simulate import counted
from perfkit.commands.words import check_names, count, emit, number, pairs, say_if_compiling, width
from perfkit.core.extras import extra
from perfkit.core.wording import check_known, grouped
from perfkit.runs import designs
from perfkit.runs.experiment import check_until, summarize
from perfkit.runs.experiment import sweep as run
from perfkit.runs.store import status
from perfkit.show.controls import all_words, meanings
from perfkit.systems import find

MADE = ("full", "lhs", "sobol")
RANGE, SHOWN = "..", 40


def sweep(given):
    """Run a design, or tell what a store holds."""
    if given.status is not None:
        return _status(given)
    if given.key is None:
        raise ValueError("A sweep needs a study; write perfkit sweep unix_v6, or --status DIR.")
    system = find(given.key).module()
    _check_store(given.store)
    values, counts = counted(given, replications="4", seed="0")
    parameters, design = _design(given, values, system.Parameters)
    until = {name: number(text) for name, text in pairs(given.until).items()} or None
    check_until(until, counts["replications"], most := count("most", given.most))
    names, target = _measures(given.measures, until, system), pictures.check_target(given.plot)

    with _executor(given) as executor:
        say_if_compiling(given.key)
        runs = run(
            system.simulate, parameters, design, until=until, executor=executor, store=given.store,
            strict=given.strict, most=most, **counts,
        )  # fmt: skip
    if runs.empty:
        raise ValueError("Each run failed, as is said above.")
    found = summarize(runs, "point", names)
    told = design.loc[found.index].join(found).rename_axis("point").reset_index()
    fixed = [text for text in given.values if text.partition("=")[0].strip() not in design]
    what = f"{' '.join([given.key, *fixed])}: {len(told)} points, {len(runs)} runs"
    emit(given, told, lambda: _text(what, told, list(design), names))
    if target:
        words = {**all_words(parameters, {}), **meanings(parameters)}
        pictures.save(target, [what], pictures.swept, told, list(design), names[0], words)


def _check_store(store):
    """Refuse a store that can't be written to, before a design is read or run."""
    if store is None:
        return
    near = Path(store) if Path(store).exists() else Path(store).parent
    if not store or not near.is_dir() or not os.access(near, os.W_OK):
        raise ValueError(f"--store needs a folder that can be written to; '{store}' is none.")


def _design(given, values, record):
    """Return the machine that is asked for, and the design over it."""
    kind, _, points = given.design.lower().partition(":")
    if kind not in MADE and not Path(given.design).is_file() and given.design[-4:] != ".csv":
        check_known("design", kind, ("full", "lhs:POINTS", "sobol:POINTS", "FILE.csv"))
    check_names(given.key, record, values)
    fixed, levels, ranges = {}, {}, {}
    for name, text in values.items():
        if RANGE in text:
            ranges[name] = tuple(record.parse(name, end) for end in text.split(RANGE, 1))
        elif "," in text and not isinstance(getattr(record(), name), tuple):
            levels[name] = [record.parse(name, level) for level in text.split(",")]
        else:
            fixed[name] = record.parse(name, text)
    record.check_apart(values)
    if kind not in MADE:
        design = designs.read(given.design, record)
        record.check_apart({**fixed, **design})
        return record(**fixed), design
    if kind == "full":
        if ranges:
            raise ValueError("A range needs --design lhs:POINTS or sobol:POINTS; or write 1,2,3.")
        if not levels:
            raise ValueError("A sweep needs several values: name=1,2,3; of a list in a FILE.csv.")
        return record(**fixed), designs.factorial(levels)
    if levels or not ranges:
        raise ValueError(f"--design {kind} needs the ends of each parameter: name=650..2560.")
    make = {"lhs": designs.latin_hypercube, "sobol": designs.sobol}[kind]
    return record(**fixed), make(ranges, count("points", points or "64"))


def _executor(given):
    """Return the executor as a context; a cluster's client is closed at its end."""
    if not given.cluster:
        return nullcontext("processes" if given.processes else "threads")
    if not given.cluster.rpartition(":")[2].isdecimal():
        raise ValueError("--cluster needs an address with a port, as in tcp://host:8786.")
    with extra("cluster", "--cluster"):
        from distributed import Client
    try:
        return Client(given.cluster, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"There is no Dask scheduler at {given.cluster} ({error}).") from None


def _measures(asked, until, system):
    names = [*(asked or "").replace(",", " ").split(), *(until or {})]
    names = list(dict.fromkeys(names)) or list(system.Result.SHOWN)[:3]
    for name in names:
        check_known("measure", name, system.MEASURES)
    return names


def _text(what, told, columns, names):
    shown = told[["point", *columns]].map(str)
    for name in names:
        both = zip(told[name], told[f"{name}_half_width"], strict=True)
        shown[name] = [grouped(*pair) for pair in both]
    head = textwrap.fill(f"{what}; means with 95 % half-widths", width()) + "\n\n"
    more = f"\n... and {len(shown) - SHOWN} points more; --csv prints all."
    table = show.Table(shown.iloc[:SHOWN].reset_index(drop=True)).text(width())
    return head + table + more * (len(shown) > SHOWN)


def _status(given):
    if not Path(given.status).is_dir():
        raise ValueError(f"There is no store {given.status}.")
    found = status(given.status)
    emit(given, found, lambda: show.table(found).text(width()))
