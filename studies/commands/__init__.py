"""The commands that need the papers' side, added to ``perfkit`` by an entry point."""

import argparse

from perfkit.commands.arguments import add, add_forms, add_key, add_values

RESULTS = "results"
TABLES = "the folder for the tables (results)"


def add_commands(commands):
    """Add the studies' commands to the parsers of ``perfkit``."""
    text = "execute notebooks into a folder, with scorecards"
    books = add(commands, "reproduce", "studies.commands.long:reproduce", text)
    text = "studies (all when none is named), and parameters of their notebooks' first cell of code"
    one = books.add_argument("keys", nargs="*", default=[], metavar="KEY|name=value", help=text)
    one.completer = _notebooks
    books.add_argument("--quick", action="store_true", help="fewer replications, minutes at most")
    books.add_argument("-p", dest="parameters", action="append", default=[], help=argparse.SUPPRESS)
    text = "the folder (results); with parameters changed, one within it"
    books.add_argument("--results", default=RESULTS, help=text)
    left = "{results} holds whole notebooks only, of this run or an earlier one"
    books.set_defaults(behind="keys", details=False, json=False, csv=False, left=left)

    text = "whether every cell and claim is as published with this version"
    about = "Executes notebooks as reproduce does, and makes every run anew. A row has a name to"
    about += " cite, as tss360/table_6/R: parts may be left out between the first and the last."
    proof = add(commands, "verify", "studies.commands.verify:verify", text, description=about)
    text = "studies (all when none is named), or names of rows, which are printed"
    proof.add_argument("keys", nargs="*", default=[], metavar="KEY|ROW", help=text)
    text = "fewer runs: only what has no error of replication is compared"
    proof.add_argument("--quick", action="store_true", help=text)
    proof.add_argument("--results", default=RESULTS, help="the folder (results)")
    proof.set_defaults(left=left)

    text = "the number of a finding that an experiment shows: cp67, emas"
    about = "Runs the experiment that a study's first sentence rests on, some half a minute, and"
    about += " prints its table. cp67 and emas have one; the others' findings are of single runs."
    example = "example: perfkit headline cp67 days_spread=0 replications=5"
    told = {"description": about, "epilog": example}
    first = add(commands, "headline", "studies.commands.headline:headline", text, **told)
    add_key(first)
    add_values(first, "parameters and levers that differ; replications=N and seed=N too")
    add_forms(first)

    text = "scorecards of the last run, or as committed"
    score = add(commands, "score", "studies.commands.score:score", text)
    add_key(score, many=True)
    text = "the folder of a run (results if it is there, else as committed)"
    score.add_argument("--results", help=text)
    text = "every row: published, ours, null, z, diagnosis"
    score.add_argument("--details", action="store_true", help=text)
    add_forms(score)
    _add_quiz(commands)
    _add_long(commands)


def _add_quiz(commands):
    text = "small cases of a system's mechanisms, to be solved by hand"
    quiz = add(commands, "quiz", "studies.commands.quiz:quiz", text)
    text = "the study; without it, the kinds of quizzes are listed"
    add_key(quiz, nargs="?", help=text)
    quiz.add_argument("--kind", help="one kind, where a study has several (all)")
    quiz.add_argument("--seed", default="0", help="which case (0)")
    quiz.add_argument("--count", help="how many cases of a kind, of as many seeds (1)")
    form = quiz.add_mutually_exclusive_group()
    form.add_argument("--answer", action="store_true", help="with the solution, step by step")
    form.add_argument("--json", action="store_true", help="case, question and answer as data")


def _add_long(commands):
    """Add the commands that research takes: they move the simulators' own numbers."""
    left = "the same command goes on from the runs kept in {results}"
    fit = add(
        commands,
        "calibrate",
        "studies.commands.long:calibrate",
        "fit a simulator's free numbers anew on the published cells named for it",
        description="Goes on from the numbers that the simulator has, by least squares, and holds"
        " what it finds against them on loads that no search has seen.",
    )
    add_key(fit)
    text = "start from the middle of the plausible ranges, and from points drawn over them"
    fit.add_argument("--cold", action="store_true", help=text)
    fit.add_argument("--starts", help="of --cold, the middle counted (3)")
    fit.add_argument("--iterations", default="5", help="most steps of each search (5)")
    fit.add_argument("--replications", default="4", help="runs per cell and evaluation (4)")
    fit.add_argument("--results", default=RESULTS, help=TABLES)
    fit.set_defaults(left=left)
    text = "move a study's uncertain parameters: which conclusions survive"
    moves = add(commands, "sensitivity", "studies.commands.long:sensitivity", text)
    add_key(moves)
    moves.add_argument("--replications", default="4", help="repetitions per point (4)")
    moves.add_argument("--trajectories", default="6", help="of Morris's screening (6)")
    moves.add_argument("--results", default=RESULTS, help=TABLES)
    moves.set_defaults(left=left)


def _notebooks(**_):
    from studies import BOOKS

    return list(BOOKS)
