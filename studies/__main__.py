"""The command line of what is the studies' alone: a study of one's own, and its tables."""

import sys
from pkgutil import resolve_name

from perfkit.commands.arguments import Line, add


def parser():
    """Return the argument parser with its commands and their help texts."""
    about = "Make a study of your own; the five papers' commands are perfkit's: see perfkit --help."
    top = Line(prog="studies", description=about)
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    told = "make the skeleton of a study, which runs, in a folder of its own"
    made = add(commands, "new", "studies.commands.new:new", told)
    told = "its name, that of a Python package, such as belady"
    made.add_argument("key", nargs="?", default="", metavar="KEY", help=told)
    made.add_argument("--folder", default=".", metavar="F", help="where it is made (here)")
    told = "describe a folder of tables anew after an edit, new files too"
    tables = add(commands, "hashes", "studies.commands.hashes:hashes", told)
    tables.add_argument("folder", metavar="FOLDER", help="with a datapackage.json, such as data")
    told = "execute a notebook in place or, with parameters changed, into results beside it"
    book = add(commands, "execute", "studies.commands.execute:execute_book", told)
    book.add_argument("notebook", metavar="NOTEBOOK", help="such as belady.ipynb")
    told = "parameters of its first cell of code"
    book.add_argument("changes", nargs="*", default=[], metavar="name=value", help=told)
    return top


def main(arguments=None):
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    try:
        given = parser().read(sys.argv[1:] if arguments is None else arguments)
        resolve_name(given.does)(given) if given.command else parser().print_help()
    except ValueError as error:
        print(f"studies: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(f"studies: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"studies: {error.filename or 'A file'}: {error.strerror}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
