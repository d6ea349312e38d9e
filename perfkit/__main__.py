"""The command line: python -m perfkit list | show | run | reproduce | score | calibrate."""

import argparse
import os
import sys
import textwrap

from perfkit.studies import STUDIES, study

EXAMPLES = """examples:
  python -m perfkit list
  python -m perfkit show unix_v6
  python -m perfkit run unix_v6 memory_clicks=1000 process_clicks=314 replications=20
  python -m perfkit run tss360 drums=3 --compare
  python -m perfkit reproduce unix_v6 -p replications=5
  python -m perfkit score
"""
RUN_OPTIONS = ("replications", "seed")
RESULTS = "results"
WIDTH = 96
MOST_SEED = 10**18


def parser():
    """Return the argument parser with all commands and their help texts."""
    top = argparse.ArgumentParser(
        prog="perfkit",
        description="Classic performance studies of 1970s time-sharing systems, rebuilt.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="the studies, a line each")
    show = commands.add_parser("show", help="a study's parameters with unit, status and source")
    show.add_argument("key", help="the study's key, such as unix_v6")
    run = commands.add_parser(
        "run",
        help="simulate a system and print its measures with 95 %% intervals",
        description="Simulate a system. replications=N (10) and seed=N (0) may be given too.",
    )
    run.add_argument("key", help="the study's key")
    run.add_argument(
        "values", nargs="*", default=[], metavar="name=value", help="parameters that differ"
    )
    run.add_argument(
        "--compare",
        action="store_true",
        help="beside the system with its own parameters, over the same seeds",
    )
    again = commands.add_parser(
        "reproduce", help="execute notebooks into a folder, with scorecards"
    )
    again.add_argument(
        "keys", nargs="*", default=[], metavar="KEY", help="studies; all when none is named"
    )
    again.add_argument("--quick", action="store_true", help="fewer replications, minutes at most")
    again.add_argument(
        "-p",
        dest="parameters",
        action="append",
        default=[],
        metavar="name=value",
        help="a parameter of the notebooks named; may be repeated",
    )
    again.add_argument("--results", default=RESULTS, help="the folder (results)")
    again.set_defaults(details=False)
    fit = commands.add_parser(
        "calibrate",
        help="fit a simulator's free numbers anew on the published cells named for it",
        description="Goes on from the numbers that the simulator has, by least squares, and holds"
        " what it finds against them on loads that no search has seen.",
    )
    fit.add_argument("key", help="the study's key")
    told = "start from the middle of the plausible ranges, and from points drawn over them"
    fit.add_argument("--cold", action="store_true", help=told)
    fit.add_argument("--starts", help="of --cold, the middle counted (3)")
    fit.add_argument("--iterations", default="5", help="most steps of each search (5)")
    fit.add_argument("--replications", default="4", help="runs per cell and evaluation (4)")
    fit.add_argument("--results", default=RESULTS, help="the folder for the tables (results)")
    move = commands.add_parser(
        "sensitivity", help="move a study's uncertain parameters: which conclusions survive"
    )
    move.add_argument("key", help="the study's key")
    move.add_argument("--replications", default="4", help="repetitions per point (4)")
    move.add_argument("--trajectories", default="6", help="of Morris's screening (6)")
    move.add_argument("--results", default=RESULTS, help="the folder for the tables (results)")
    score = commands.add_parser("score", help="the scorecards of the last run, or as committed")
    score.add_argument(
        "keys", nargs="*", default=[], metavar="KEY", help="studies; all when none is named"
    )
    score.add_argument(
        "--results", help="the folder of a run (results if it is there, else as committed)"
    )
    score.add_argument(
        "--details", action="store_true", help="every row: published, ours, null, z, diagnosis"
    )
    return top


def main(arguments=None):
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    given = _read(arguments)
    try:
        COMMANDS[given.command](given)
        sys.stdout.flush()
    except (ValueError, TypeError) as error:
        return _fail(error, 2)
    except (MemoryError, OverflowError) as error:
        return _fail(f"This asks for more than memory or numbers can hold: {error}.", 1)
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except OSError as error:
        _drop_what_cannot_be_printed()
        return _fail(_refused(error), 1)
    except RuntimeError as error:
        return _fail(error, 1)
    except KeyboardInterrupt:
        return _fail(_stopped(given), 130)
    return 0


def _read(arguments):
    """Read the command line; parameters of a run may stand before and behind its options."""
    top = parser()
    given, rest = top.parse_known_args(arguments)
    if given.command == "run":
        given.values += [text for text in rest if not text.startswith("-")]
        rest = [text for text in rest if text.startswith("-")]
    if rest:
        top.error(f"unrecognized arguments: {' '.join(rest)}; parameters are name=value")
    return given


def _stopped(given):
    """Say what is left of a command that was interrupted."""
    if given.command == "reproduce":
        return (
            f"Stopped; {given.results} holds whole notebooks only, of this run or an earlier one."
        )
    if given.command == "sensitivity":
        return f"Stopped; the same command goes on from the runs kept in {given.results}."
    kept = "; nothing is kept of the searches" if given.command == "calibrate" else ""
    return f"Stopped{kept}."


def _refused(error):
    """Return what the operating system refused, as a sentence."""
    if error.strerror is None:
        return error
    file = error.filename2 or error.filename or "A file"
    return f"{file} can't be read or written: {error.strerror}."


def _drop_what_cannot_be_printed():
    """Send what is left of the output nowhere, or Python tries again at its end and complains."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message, code):
    print(f"perfkit: {message}", file=sys.stderr)
    return code


def _pairs(texts):
    """Read name=value texts into a dictionary."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"'{text}' has no value; write name=value, without spaces.")
        if name.strip() in pairs:
            raise ValueError(f"{name.strip()} is given twice.")
        pairs[name.strip()] = value.strip()
    return pairs


def _studies(keys):
    return [study(key) for key in keys] if keys else list(STUDIES.values())


def list_studies(given):
    """Print the studies, a line each."""
    for entry in STUDIES.values():
        print(f"{entry.key:10} {entry.title}\n{'':10} {entry.paper}\n{'':10} {entry.method}")


def show(given):
    """Print a study's parameters with their provenance."""
    from perfkit.record import STATUSES

    entry = study(given.key)
    parameters = entry.system().Parameters()
    frame = parameters.provenance(*STATUSES)
    print(f"{entry.title}\n{textwrap.fill(entry.paper, WIDTH)}\n")
    for row in frame.itertuples():
        value = f"{row.value} {row.unit}".strip() if row.value != "" else "none"
        print(f"{row.Index} = {value}  ({row.status})")
        print(textwrap.fill(row.source, WIDTH, initial_indent="    ", subsequent_indent="    "))
    print(textwrap.fill(f"Calibrated values were fitted on {parameters.calibrated_on}.", WIDTH))


def run(given):
    """Simulate a system and print its measures."""
    system = study(given.key).system()
    pairs = _pairs(given.values)
    _check_names(given.key, pairs, system.Parameters)
    counts = {name: _count(name, pairs.pop(name)) for name in RUN_OPTIONS if name in pairs}
    values = {name: system.Parameters.parse(name, text) for name, text in pairs.items()}
    parameters = system.Parameters(**values)

    if given.compare and parameters == system.Parameters():
        raise ValueError("--compare needs a parameter that differs; write name=value.")
    variants = {"as it is": {}, "changed": values} if given.compare else {"changed": values}

    _say_if_compiling(given.key)
    from perfkit import what_if

    runs = what_if.run(
        system.simulate,
        system.Parameters(),
        variants,
        replications=counts.get("replications", 10),
        seed=counts.get("seed", 0),
    )
    _print_measures(given.key, runs, parameters.names())


def _check_names(key, pairs, record):
    """Refuse what is neither a parameter nor a number of runs."""
    for name in pairs:
        if name not in (*record.names(), *RUN_OPTIONS):
            hint = record.hint(name, RUN_OPTIONS) or f"; see perfkit show {key}."
            raise ValueError(f"There is no parameter '{name}'{hint}")


def _print_measures(key, runs, parameters):
    """Print the measures of a system, or as it is, changed, and how much they differ."""
    from perfkit.what_if import differences

    measures = [name for name in runs if name not in ("variant", "seed", *parameters)]
    variants = list(runs["variant"].unique())
    own = runs[runs["variant"] == variants[0]]
    count = f"{len(own)} replication{'s' if len(own) > 1 else ''}"
    if len(variants) == 1:
        print(f"{key}: {count}, means with 95 % half-widths")
        told = study(key).system().MEASURES
        for name in measures:
            print(f"  {name:23} {_measured(own[name]):26}  {told[name]}")
    else:
        print(f"{key}: {count}, means, differences with 95 % half-widths")
        print(f"  {'':23} {variants[0]:>12} {variants[1]:>12} {'difference':>12}")
        for name in measures:
            means = runs.groupby("variant", sort=False)[name].mean()
            columns = " ".join(_or_dash(mean) for mean in means)
            change = differences(runs, name)[variants[1]]
            print(f"  {name:23} {columns} {_measured(change, 'not measured in both')}")
        print(f"perfkit run {key}, without --compare, says what each is.")


def _or_dash(mean):
    return f"{'-':>12}" if mean != mean else f"{mean:12.4g}"


def _measured(values, missing="not measured"):
    """Return a measure's mean over the runs that have it, and how many those are if not all."""
    from perfkit.experiment import interval

    count = int(values.count())
    if count == 0:
        return f"{'-':>12}  {missing}"
    mean, half_width = interval(values)
    spread = f"  +- {half_width:.2g}" if count > 1 else ""
    share = f"  in {count} of {len(values)} runs" if count < len(values) else ""
    return f"{mean:12.4g}{spread}{share}"


def _say_if_compiling(*keys):
    """Tell who waits why the first simulation of each of these systems takes so long."""
    from perfkit.des.compiling import is_compiled

    new = [key for key in keys if not is_compiled(key)]
    if new:
        each = " each" if len(new) > 1 else ""
        names = ", ".join(new)
        print(f"perfkit: compiling {names}, once, for about 20 s{each}", file=sys.stderr)


def _count(name, text, least=1):
    from perfkit.experiment import MOST_RUNS

    least, most = (0, MOST_SEED) if name == "seed" else (least, MOST_RUNS)
    short = text.isdecimal() and len(text) <= len(str(MOST_SEED))
    if not short or not least <= int(text) <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}; '{text}' is not.")
    return int(text)


def reproduce(given):
    """Execute notebooks and print the scorecard."""
    keys = [entry.key for entry in _studies(given.keys)]
    pairs = _pairs(given.parameters)

    from perfkit import reproduce as runner

    runner.planned(keys, given.quick, pairs)  # refused before compiling is spoken of
    _say_if_compiling(*keys)
    runner.reproduce(
        keys, given.results, given.quick, pairs, say=lambda line: print(line, flush=True)
    )
    score(given)


def calibrate(given):
    """Fit a simulator's free numbers anew, write what is found, and print it."""
    if given.starts and not given.cold:
        raise ValueError("--starts is for --cold; name both or neither.")
    starts = _count("starts", given.starts or "3") if given.cold else 0
    iterations = _count("iterations", given.iterations)
    replications = _count("replications", given.replications, least=2)
    entry = study(given.key)
    parts = entry.calibration()
    standing = parts.free_values(entry.system().Parameters())

    _say_if_compiling(given.key)
    from perfkit.calibration import budget, examine

    by = starts, iterations, replications
    print(budget(len(parts.FREE), *by), flush=True)
    table = examine(given.key, parts, standing, given.results, *by)
    print(table.T.to_string(float_format="{:.4g}".format))


def sensitivity(given):
    """Move a study's uncertain parameters, write what becomes of its conclusions, and print it."""
    replications = _count("replications", given.replications, least=2)
    trajectories = _count("trajectories", given.trajectories, least=2)
    conclusions = study(given.key).conclusions()

    _say_if_compiling(given.key)
    from perfkit.sensitivity import examine

    print(examine(given.key, conclusions, given.results, replications, trajectories))


def score(given):
    """Print the scorecards of the last run, or the committed ones."""
    from perfkit import kept_cards, scorecard
    from perfkit import show as show_

    entries = _studies(given.keys)
    where = _cards(given.results)
    for entry in entries:
        card = kept_cards.load(entry.key, where)
        print(f"\n{entry.title} ({where / entry.key}.csv)")
        if card is None:
            print(f"  no scorecard yet: python -m perfkit reproduce {entry.key}")
            continue
        told = kept_cards.told_conditions(entry.key, where)
        if told:
            print(f"  {told}")
        if given.details:
            print(show_.cells(card[card["kind"] != "claim"], null=True, why=True))
            print(f"\n{show_.claims(card)}\n")
        else:
            print(show_.verdicts(card))
        print(scorecard.headline(card))


def _cards(results):
    """Return the folder of the scorecards: that of a run, or the committed one if none is named."""
    from pathlib import Path

    from perfkit import kept_cards

    last = Path(RESULTS if results is None else results) / "scorecards"
    if last.is_dir():
        return last
    if results is not None:
        raise ValueError(f"There is no folder {last}; name one that reproduce has written.")
    return kept_cards.folder()


COMMANDS = {
    "list": list_studies,
    "show": show,
    "run": run,
    "reproduce": reproduce,
    "score": score,
    "calibrate": calibrate,
    "sensitivity": sensitivity,
}

if __name__ == "__main__":
    sys.exit(main())
