"""What lines of several commands have in common, ours and those that an entry point adds."""

import argparse

from perfkit.core.wording import check_known, nearest, sentence
from perfkit.systems import SYSTEMS, find

RUN_OPTIONS = ("replications", "seed")  # which may stand among a run's parameters


class Line(argparse.ArgumentParser):
    """A parser that refuses a line in one sentence."""

    def error(self, message):
        """Raise as a sentence what argparse would print below a usage."""
        if message.endswith("required: KEY"):
            raise ValueError(f"A study is missing, as in {self.prog} unix_v6; see perfkit list.")
        message = message.removeprefix("argument ").replace(": expected", " needs")
        raise ValueError(f"{sentence(message)}; see {self.prog} --help.")

    def read(self, arguments):
        """Read a line; parameters may stand before and behind its options."""
        commands = self._subparsers._group_actions[0].choices
        if arguments and not arguments[0].startswith("-"):
            check_known("command", arguments[0], commands)
        given, rest = self.parse_known_args(arguments)
        if behind := getattr(given, "behind", None):
            getattr(given, behind).extend(text for text in rest if not text.startswith("-"))
            rest = [text for text in rest if text.startswith("-")]
        _check(given, rest, commands.get(given.command, self), commands.values())
        return given


def _check(given, rest, own, commands):
    """Refuse what is left of a line: an option or a word that its command does not take."""
    options = own._option_string_actions
    taken = names(given) if hasattr(given, "values") and given.key else ()
    for text in rest:
        name, _, value = text.partition("=")
        bare = name.lstrip("-").replace("-", "_") + "="
        others = [other.prog for other in commands if name in other._option_string_actions]
        hint = nearest(name, options) or f"; its options are {', '.join(options)}."
        hint = f"; it is an option of {' and '.join(others)}." if others else hint
        hint = f"; a parameter is written {bare}{value or 'value'}." if bare in taken else hint
        raise ValueError(f"{own.prog} takes no {name}{hint}")


def add(commands, name, does, told, **options):
    """Add a command and return its parser; ``told`` is its line in ``perfkit --help``.

    ``does`` is called with the parsed line. It is written ``"module:function"``, so that a module
    is imported only when its command is given. Options go to ``add_parser``.
    """
    command = commands.add_parser(name, help=told, **options)
    command.set_defaults(does=does)
    return command


def add_key(command, many=False, **options):
    """Add the study or, with ``many``, the studies that a command is about."""
    if many:
        told = "studies; all when none is named"
        one = command.add_argument("keys", nargs="*", default=[], metavar="KEY", help=told)
    else:
        options = {"help": "the study, such as unix_v6", **options}
        one = command.add_argument("key", metavar="KEY", **options)
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
    also = () if parsed_args.command == "watch" else RUN_OPTIONS
    return [f"{name}=" for name in (*system.Parameters.accepted(), *also)]
