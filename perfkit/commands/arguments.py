"""What lines of several commands have in common, ours and those that an entry point adds."""

from perfkit.systems import SYSTEMS, find

RUN_OPTIONS = ("replications", "seed")  # which may stand among a run's parameters


def add(commands, name, does, told, **options):
    """Add a command and return its parser; ``told`` is its line in ``perfkit --help``.

    ``does`` is called with the parsed line. It is written ``"module:function"``, so that a module
    is imported only when its command is given. Options go to ``add_parser``.
    """
    command = commands.add_parser(name, help=told, **options)
    command.set_defaults(does=does)
    return command


def add_key(command, many=False):
    """Add the study or, with ``many``, the studies that a command is about."""
    if many:
        told = "studies; all when none is named"
        one = command.add_argument("keys", nargs="*", default=[], metavar="KEY", help=told)
    else:
        one = command.add_argument("key", metavar="KEY", help="the study, such as unix_v6")
    one.completer = keys


def add_values(command, told):
    """Add parameters as name=value, which may stand behind the options, too."""
    one = command.add_argument("values", nargs="*", default=[], metavar="name=value", help=told)
    one.completer = names
    command.set_defaults(behind="values")


def add_forms(command):
    """Add the forms of an answer that programs read."""
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the answer as JSON")
    form.add_argument("--csv", action="store_true", help="the answer as CSV")


def keys(**_):
    """Complete the key of a study."""
    return list(SYSTEMS)


def names(parsed_args, **_):
    """Complete the names of a system's parameters, and of its measures where they are shown."""
    system = find(parsed_args.key).module()
    if parsed_args.command == "show":
        return [*system.Parameters.accepted(), *system.MEASURES]
    return [f"{name}=" for name in (*system.Parameters.accepted(), *RUN_OPTIONS)]
