"""The command line: a command for each thing that people do with perfkit without programming."""

import argparse
import os
import re
import sys
import warnings
from importlib.metadata import entry_points
from pkgutil import resolve_name

from perfkit import __version__
from perfkit.commands.arguments import Line, add, add_forms, add_key, add_values, names

EXAMPLES = """examples:
  perfkit list
  perfkit show unix_v6
  perfkit show unix_v6 memory_clicks
  perfkit run unix_v6 memory_clicks=1000 process_clicks=314 replications=20
  perfkit run tss360 drums=3 --compare --plot drums.png

completion of keys and names: eval "$(register-python-argcomplete perfkit)"
"""
VALUES = """values:
  Every parameter has a type of its own, which perfkit show KEY tells.
  levers         disc_speed=1.25     (a word that sets several parameters)
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
FILMED = """examples:
  perfkit watch unix_v6 memory_clicks=650 --seconds 20 --html swap.html
  perfkit watch cp67 algorithm=1 --compare algorithm=2 --html clock.html
"""
RAW = {"formatter_class": argparse.RawDescriptionHelpFormatter}
DRAWN = "draw it into a .png, .svg or .pdf"
FURTHER = "perfkit.commands"  # the group of entry points that add commands
# Commands of the studies, which the library knows by name alone.
ELSEWHERE = ("reproduce", "verify", "headline", "score", "quiz", "calibrate", "sensitivity")


def parser():
    """Return the argument parser with all commands and their help texts."""
    top = Line(
        prog="perfkit",
        description="Classic performance studies of 1970s time-sharing systems, rebuilt.",
        epilog=EXAMPLES,
        **RAW,
    )
    top.add_argument("--version", action="version", version=f"perfkit {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    add_forms(add(commands, "list", "perfkit.commands.look:list_systems", "the studies"))

    told = "a study's parameters and measures, or one of them"
    show = add(commands, "show", "perfkit.commands.look:show", told)
    add_key(show)
    one = show.add_argument("name", nargs="?", help="one parameter or measure, told whole")
    one.completer = names
    add_forms(show)

    told = "simulate a system and print its measures"
    run = add(commands, "run", "perfkit.commands.simulate:run", told, epilog=VALUES, **RAW)
    add_key(run)
    add_values(run, "parameters and levers that differ; replications=N and seed=N too")
    run.add_argument("--replications", help="how many runs (10)")
    run.add_argument("--seed", help="of the first run (0)")
    told = "a second machine beside the first, over the same seeds; nothing behind it: the baseline"
    run.add_argument("--compare", nargs="*", metavar="name=value", help=told)
    run.add_argument("--plot", metavar="FILE", help=DRAWN)
    add_forms(run)

    _add_watch(commands)
    _add_sweep(commands)
    for further in entry_points(group=FURTHER):
        further.load()(commands)
    return top


def _add_watch(commands):
    told = "film a machine, or two side by side, into a page that plays it"
    film = add(commands, "watch", "perfkit.commands.watch:watch", told, epilog=FILMED, **RAW)
    add_key(film)
    add_values(film, "parameters and levers that differ")
    told = "a second machine beside the first; nothing behind it: the baseline"
    film.add_argument("--compare", nargs="*", metavar="name=value", help=told)
    film.add_argument("--html", metavar="FILE", help="the page (KEY.html)")
    told = "at which second (unix_v6: 20, cp67: 600, else settle_s)"
    film.add_argument("--begin", dest="begin_s", metavar="S", help=told)
    film.add_argument("--seconds", default="20", metavar="S", help="how long it lasts (20)")
    film.add_argument("--seed", default="0", help="of the run (0)")


def _add_sweep(commands):
    told = "run a design of many machines, into a store"
    many = add(commands, "sweep", "perfkit.commands.sweep:sweep", told, epilog=DESIGNS, **RAW)
    add_key(many, nargs="?")
    add_values(many, "a parameter's or lever's value, values 1,2,3 or range 1..3")
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
    many.add_argument("--plot", metavar="FILE", help=DRAWN)
    add_forms(many)


def main(arguments=None):
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    given = None
    warnings.showwarning = lambda message, *_: print(f"perfkit: {message}", file=sys.stderr)
    try:
        given = _read(sys.argv[1:] if arguments is None else arguments)
        resolve_name(given.does)(given) if given.command else parser().print_help()
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
    except (RuntimeError, ImportError) as error:
        return _fail(error, 1)
    except KeyboardInterrupt:
        return _fail(_stopped(given), 130)
    return 0


def _read(arguments):
    """Read the command line, or complete it."""
    top = parser()
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(top)
    if arguments and arguments[0] in ELSEWHERE and not entry_points(group=FURTHER):
        raise ValueError(
            f"perfkit {arguments[0]} needs the studies, which are in perfkit's repository only:"
            " get a copy of it and run make there, which installs both."
        )
    return top.read(arguments)


def _stopped(given):
    """Say what is left of a command that was interrupted."""
    if getattr(given, "store", None):
        return f"Stopped; the same command goes on from {given.store}."
    left = getattr(given, "left", "")
    return f"Stopped{left and '; ' + left.format(**vars(given))}."


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
    # A number of a hundred digits is named by its first.
    short = re.sub(r"([^\s/']{20})[^\s/']{40,}", r"\1...", str(message))
    print(f"perfkit: {short}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
