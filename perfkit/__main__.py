"""The command line: a command for each thing that people do with perfkit without programming."""

import argparse
import os
import sys
import warnings
from importlib.metadata import PackageNotFoundError, version

from perfkit.commands import long, look, simulate, sweep
from studies import BOOKS, STUDIES

EXAMPLES = """examples:
  perfkit list
  perfkit show unix_v6
  perfkit show unix_v6 memory_clicks
  perfkit run unix_v6 memory_clicks=1000 process_clicks=314 replications=20
  perfkit run tss360 drums=3 --compare --plot drums.png
  perfkit reproduce unix_v6 replications=5
  perfkit score

completion of keys and names: eval "$(register-python-argcomplete perfkit)"
"""
VALUES = """values:
  Every parameter has a type of its own, which perfkit show KEY tells.
  numbers        memory_clicks=1000  compute_ms=12.5
  words          discipline=FCFS
  true or false  compaction=true
  lists          process_clicks=157,314      (commas, no spaces)
"""
DESIGNS = """examples:
  perfkit sweep unix_v6 memory_clicks=650,1280 discipline=LOOK,FCFS
  perfkit sweep unix_v6 memory_clicks=650..2560 buffers=10..40 --design lhs:1000 --store runs
  perfkit sweep unix_v6 --design machines.csv --until elapsed_s=0.02 --plot machines.png
  perfkit sweep --status runs
The same line again, with --csv, reads what a store holds: its files have no parameters in them.
A list such as process_clicks=157,314 is one value; FILE.csv may have several, in quotes.
"""
RAW = {"formatter_class": argparse.RawDescriptionHelpFormatter}
RESULTS = look.RESULTS
COMMANDS = {
    "list": look.list_studies,
    "show": look.show,
    "run": simulate.run,
    "sweep": sweep.sweep,
    "reproduce": long.reproduce,
    "score": look.score,
    "calibrate": long.calibrate,
    "sensitivity": long.sensitivity,
}


def parser():
    """Return the argument parser with all commands and their help texts."""
    top = argparse.ArgumentParser(
        prog="perfkit",
        description="Classic performance studies of 1970s time-sharing systems, rebuilt.",
        epilog=EXAMPLES,
        **RAW,
    )
    top.add_argument("--version", action="version", version=f"perfkit {_version()}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    _answers(commands.add_parser("list", help="the studies"))

    show = commands.add_parser("show", help="a study's parameters and measures, or one of them")
    _key(show)
    one = show.add_argument("name", nargs="?", help="one parameter or measure, told whole")
    one.completer = _names
    _answers(show)

    run = commands.add_parser(
        "run", help="simulate a system and print its measures", epilog=VALUES, **RAW
    )
    _key(run)
    _values(run, "values", "parameters that differ; replications=N and seed=N too")
    run.add_argument("--replications", help="how many runs (10)")
    run.add_argument("--seed", help="of the first run (0)")
    told = "beside the system as it is, over the same seeds"
    run.add_argument("--compare", action="store_true", help=told)
    told = "draw it into a .png, .svg or .pdf"
    run.add_argument("--plot", metavar="FILE", help=told)
    _answers(run)

    _add_sweep(commands)
    told = "execute notebooks into a folder, with scorecards"
    again = commands.add_parser("reproduce", help=told)
    told = "studies (all when none is named), and parameters of their notebooks' first cell of code"
    one = again.add_argument("keys", nargs="*", default=[], metavar="KEY|name=value", help=told)
    one.completer = lambda **_: list(BOOKS)
    again.add_argument("--quick", action="store_true", help="fewer replications, minutes at most")
    again.add_argument("-p", dest="parameters", action="append", default=[], help=argparse.SUPPRESS)
    told = "the folder (results); with parameters changed, one within it"
    again.add_argument("--results", default=RESULTS, help=told)
    again.set_defaults(details=False, json=False, csv=False)

    score = commands.add_parser("score", help="scorecards of the last run, or as committed")
    _key(score, many=True)
    told = "the folder of a run (results if it is there, else as committed)"
    score.add_argument("--results", help=told)
    told = "every row: published, ours, null, z, diagnosis"
    score.add_argument("--details", action="store_true", help=told)
    _answers(score)
    _add_long(commands)
    return top


def _add_sweep(commands):
    many = commands.add_parser(
        "sweep", help="run a design of many machines, into a store", epilog=DESIGNS, **RAW
    )
    one = many.add_argument("key", metavar="KEY", nargs="?", help="the study")
    one.completer = lambda **_: list(STUDIES)
    _values(many, "values", "a value, values 1,2,3 or the ends of a range 1..3")
    many.add_argument("--design", default="full", help="FILE.csv, full, lhs:POINTS, sobol:POINTS")
    many.add_argument("--replications", help="runs per point (4)")
    many.add_argument("--seed", help="of each point's first run (0)")
    told = "replicate until measure=SHARE: half-width by mean"
    many.add_argument("--until", action="append", default=[], metavar="measure=SHARE", help=told)
    many.add_argument("--most", default="200", help="replications per point with --until (200)")
    many.add_argument("--measures", help="what to print, with commas")
    many.add_argument("--store", metavar="DIR", help="keep finished runs there, and go on from it")
    many.add_argument("--status", metavar="DIR", help="tell what a store holds, and stop")
    many.add_argument("--processes", action="store_true", help="in processes, not threads")
    many.add_argument("--cluster", metavar="ADDRESS", help="on a Dask scheduler")
    many.add_argument("--strict", action="store_true", help="stop at a run that fails")
    many.add_argument("--plot", metavar="FILE", help="draw it into a .png, .svg or .pdf")
    _answers(many)


def _add_long(commands):
    """Add the commands that research takes: they move the simulators' own numbers."""
    fit = commands.add_parser(
        "calibrate",
        help="fit a simulator's free numbers anew on the published cells named for it",
        description="Goes on from the numbers that the simulator has, by least squares, and holds"
        " what it finds against them on loads that no search has seen.",
    )
    _key(fit)
    told = "start from the middle of the plausible ranges, and from points drawn over them"
    fit.add_argument("--cold", action="store_true", help=told)
    fit.add_argument("--starts", help="of --cold, the middle counted (3)")
    fit.add_argument("--iterations", default="5", help="most steps of each search (5)")
    fit.add_argument("--replications", default="4", help="runs per cell and evaluation (4)")
    fit.add_argument("--results", default=RESULTS, help="the folder for the tables (results)")
    told = "move a study's uncertain parameters: which conclusions survive"
    move = commands.add_parser("sensitivity", help=told)
    _key(move)
    move.add_argument("--replications", default="4", help="repetitions per point (4)")
    move.add_argument("--trajectories", default="6", help="of Morris's screening (6)")
    move.add_argument("--results", default=RESULTS, help="the folder for the tables (results)")


def _key(command, many=False):
    if many:
        told = "studies; all when none is named"
        one = command.add_argument("keys", nargs="*", default=[], metavar="KEY", help=told)
    else:
        one = command.add_argument("key", metavar="KEY", help="the study, such as unix_v6")
    one.completer = lambda **_: list(STUDIES)


def _values(command, dest, told):
    one = command.add_argument(dest, nargs="*", default=[], metavar="name=value", help=told)
    one.completer = _names


def _names(parsed_args, **_):
    """Complete the names of a system's parameters, and of its measures where they are shown."""
    system = STUDIES[parsed_args.key].system()
    if parsed_args.command == "show":
        return [*system.Parameters.names(), *system.MEASURES]
    return [f"{name}=" for name in [*system.Parameters.names(), *simulate.RUN_OPTIONS]]


def _answers(command):
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the answer as JSON")
    form.add_argument("--csv", action="store_true", help="the answer as CSV")


def _version():
    try:
        return version("perfkit")
    except PackageNotFoundError:
        return "(from its sources)"


def main(arguments=None):
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    given = None
    warnings.showwarning = lambda message, *_: print(f"perfkit: {message}", file=sys.stderr)
    try:
        given = _read(arguments)
        COMMANDS.get(given.command, lambda _: parser().print_help())(given)
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
    """Read the command line; parameters may stand before and behind its options."""
    top = parser()
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(top)
    given, rest = top.parse_known_args(arguments)
    places = {"run": "values", "sweep": "values", "reproduce": "keys"}
    if given.command in places:
        behind = [text for text in rest if not text.startswith("-")]
        getattr(given, places[given.command]).extend(behind)
        rest = [text for text in rest if text.startswith("-")]
    if rest:
        name, _, value = rest[0].lstrip("-").replace("-", "_").partition("=")
        hint = f"; a parameter is written {name}={value or 'value'}, without dashes"
        hint = hint if given.command in places else f"; see perfkit {given.command} --help"
        raise ValueError(f"There is no option {rest[0]}{hint}.")
    return given


def _stopped(given):
    """Say what is left of a command that was interrupted."""
    if given is None:
        return "Stopped."
    if given.command == "reproduce":
        return (
            f"Stopped; {given.results} holds whole notebooks only, of this run or an earlier one."
        )
    if given.command == "sweep" and given.store:
        return f"Stopped; the same command goes on from {given.store}."
    if given.command in ("calibrate", "sensitivity"):
        return f"Stopped; the same command goes on from the runs kept in {given.results}."
    return "Stopped."


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


if __name__ == "__main__":
    sys.exit(main())
