"""A student's policy as its text: what may be compiled without a line of it being run."""

import ast
import builtins
import math
from typing import NamedTuple

import numpy as np

from studies.labs.checks import Hint

BUILTINS = frozenset(("abs", "bool", "enumerate", "float", "int", "len", "max", "min", "range"))
NUMPY = frozenset(("abs", "ceil", "exp", "floor", "inf", "log", "maximum", "minimum", "sqrt"))
MODULES = {"math": math, "np": np}
NOT_ALLOWED = (
    *(ast.Import, ast.ImportFrom, ast.ClassDef, ast.AsyncFunctionDef, ast.Lambda, ast.With),
    *(ast.Try, ast.Raise, ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await),
    *(ast.Delete, ast.JoinedStr),
)


class Text(NamedTuple):
    """A policy's own text with that of the constants it names, and the function's name."""

    source: str
    name: str


def text_of(name, sources):
    """Return the text of a policy and of the constants that it names, and nothing else.

    Parameters
    ----------
    name : str
        Of the function.
    sources : sequence of str
        Those of the cells that may define it, the last one counts.

    Raises
    ------
    Hint
        If it is not there, or does what no policy may: a policy computes with numbers.

    Examples
    --------
    >>> print(source_of("rule", ["N = 7", "def rule(waiting):\\n    return int(waiting > N)"]))
    N = 7
    def rule(waiting):
        return int(waiting > N)
    """
    functions, constants = {}, {}
    for node in [node for source in sources for node in _statements(source)]:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            constants[node.targets[0].id] = node
    if name not in functions:
        raise Hint(f"{name} must be a plain function, written by def in a cell of its own.")
    function = functions[name]
    used = [constants[word] for word in _check(function, constants)]
    return Text("\n".join(ast.unparse(node) for node in [*used, function]), name)


def compiled_from(text):
    """Return the function of a Text: only numbers are set and one def is read."""
    names = {"__builtins__": {word: getattr(builtins, word) for word in BUILTINS}, **MODULES}
    exec(compile(text.source, f"<{text.name}>", "exec"), names)
    return names[text.name]


def _statements(source):
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # a cell with magics, or one that does not run either


def _check(function, constants):
    """Refuse what is more than computing; return the constants that a function uses."""
    name, given = function.name, function.args
    if (
        function.decorator_list
        or given.defaults
        or given.kw_defaults
        or given.vararg
        or given.kwarg
    ):
        raise Hint(f"{name} must be a plain function: no decorator, no default value, no *.")
    inside = [node for part in function.body for node in ast.walk(part)]
    for node in inside:
        if isinstance(node, (*NOT_ALLOWED, ast.FunctionDef)):
            raise Hint(f"{name} may only compute: line {node.lineno} does more than that.")
        if isinstance(node, ast.Attribute) and (
            node.attr.startswith("_") or not isinstance(node.ctx, ast.Load)
        ):
            raise Hint(f"{name} must not change what it is given, nor use names that begin with _.")
        if isinstance(node, ast.Call) and not _may_be_called(node.func):
            told = ast.unparse(node.func)[:40]
            raise Hint(f"{name} can't call {told}: a policy is compiled, so use numbers and loops.")
    own = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    own |= {n.id for n in inside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    wanted = {n.id for n in inside if isinstance(n, ast.Name)} - own - BUILTINS - set(MODULES)
    for word in sorted(wanted):
        if word not in constants or not _is_number(constants[word].value):
            raise Hint(f"{name} uses {word}, which is no number that a cell sets by {word} = ...")
    return sorted(wanted)


def _may_be_called(called):
    match called:
        case ast.Name(id=word):
            return word in BUILTINS
        case ast.Attribute(value=ast.Name(id="math")):
            return True
        case ast.Attribute(value=ast.Name(id="np"), attr=word):
            return word in NUMPY
    return False


def _is_number(node):
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return isinstance(value, int | float | bool) or (
        isinstance(value, tuple) and all(isinstance(one, int | float | bool) for one in value)
    )
