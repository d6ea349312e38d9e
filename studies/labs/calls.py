"""Run a student's code in a process apart: one that never ends, or crashes, ends alone.

A loop in compiled code can't be interrupted, so a time limit in the same process has no hold on
it. The process stays for further calls until one of them ends it. What it answers is plain data.
"""

import atexit
import inspect
import math
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
from numba import cloudpickle

from perfkit.core.values import is_number
from studies.labs import plain, policies, worker
from studies.labs.checks import Hint, check_number, check_that, judged

LONGEST_S = math.inf  # of any call; tests lower it
LONGEST_CASE = 200  # characters of a case that a hint shows
WARM_UP_S = 600.0  # the first run of a system may have to compile it


def apart(function, *arguments, limit_s=20.0):
    """Return what a function returns, called in a process apart.

    Parameters
    ----------
    function : callable
        The student's, with what it refers to; it is sent by value. One of a graded copy is called
        where that copy runs.
    *arguments
    limit_s : float
        It is stopped after as many seconds.

    Raises
    ------
    Hint
        If it raised, took too long or ended the process, or returned what is no plain data.
    """
    name = getattr(function, "__name__", "The function")
    check_that(callable(function), f"{name} is still empty: fill in its cell, then run it.")
    limit_s = min(limit_s, LONGEST_S)
    if hasattr(function, "asked"):
        return function.asked(arguments, limit_s)
    return WORKER.ask(name, limit_s, function, *arguments)


def run_apart(simulate, parameters, variants, replications=10, *, seed=0, limit_s=20.0):
    """Do as ``perfkit.runs.what_if.run`` in a process apart.

    Parameters
    ----------
    simulate, parameters, variants, replications, seed
        As there; a policy is a plain function, of which only the text is taken.
    limit_s : float
        Of all runs of one variant.

    Raises
    ------
    Hint
        If a policy can't be compiled, failed, chose what it must not or never came to an end.
    """
    sent = {
        name: {key: _sent(value) for key, value in differs.items()}
        for name, differs in variants.items()
    }
    WORKER.ask("The system", WARM_UP_S, worker.warm_up, simulate, parameters)
    runs = []
    for name, differs in sent.items():
        call = (worker.run, simulate, parameters, {name: differs}, replications, seed)
        runs.append(WORKER.ask(f"'{name}'", min(limit_s, LONGEST_S), *call))
    return pd.concat(runs, ignore_index=True)


@judged
def check_call(name, given, arguments, right, slips=None, relative=1e-6, limit_s=5.0):
    """Check what a function of the student's returns.

    Parameters
    ----------
    name : str
    given : callable
    arguments : list
        What it is called with; lists of numbers as arrays.
    right : float, str or array_like
    slips : dict of str to float or array_like, optional
        A hint, and what the function of who needs it returns.
    relative, limit_s : float
        Numbers may be off by this share; the call is stopped after as many seconds.
    """
    found = apart(given, *map(_as_array, arguments), limit_s=limit_s)
    check_that(found is not None, f"{name} returns nothing; end it with return.")
    if is_number(right):
        return check_number.__wrapped__(name, found, right, relative, 1e-12, slips)
    for hint, value in {"": right, **(slips or {})}.items():
        if _same(found, value, relative):
            check_that(not hint, hint)
            return None
    case = ", ".join(str(np.asarray(one).tolist()) for one in arguments)
    case = f" Do this case by hand: {name}({case})." if len(case) <= LONGEST_CASE else ""
    flat = isinstance(found, list | tuple | np.ndarray) and len(found) == len(right)
    count = f"; yours has {len(found)}" if isinstance(found, list | tuple | np.ndarray) else ""
    check_that(flat, f"{name} must return a list of {len(right)} values here{count}.{case}")
    wrong = next(k for k in range(len(right)) if not _same(found[k], right[k], relative))
    raise Hint(f"{name}: value {wrong + 1} of {len(right)} is wrong.{case}")


def _as_array(value):
    return np.array(value) if isinstance(value, list) and all(map(is_number, value)) else value


def _same(found, right, relative):
    try:
        found, right = np.asarray(found), np.asarray(right)
    except ValueError:  # lists of different lengths
        return False
    if found.shape != right.shape:
        return False
    if found.dtype.kind in "biuf" and right.dtype.kind in "biuf":
        return bool(np.allclose(found, right, relative, 1e-9))
    return found.tolist() == right.tolist()


def _sent(value):
    """Return a policy as its text, where that can be had; anything else as it is."""
    check_that(value is not None, "The rule is still empty: fill in its cell, then run it.")
    if hasattr(value, "sources"):  # of a graded copy
        return policies.text_of(value.__name__, value.sources)
    function = getattr(value, "py_func", value)
    if not inspect.isfunction(function):
        return function
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return function
    known = {word: function.__globals__.get(word) for word in function.__code__.co_names}
    constants = [f"{word} = {one!r}" for word, one in known.items() if is_number(one)]
    return policies.text_of(function.__name__, [*constants, source])


class _Worker:
    """The process, started when it is first needed and again when a call has ended it.

    ``prefix`` is the command that it is started by, such as a sandbox.
    """

    def __init__(self, prefix=()):
        self.prefix, self.process = list(prefix), None

    def ask(self, name, limit_s, function, *arguments):
        """Return what a call comes to there; a Hint about what is named if it failed."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        process, began = self.process, time.monotonic()
        try:
            worker.send(process.stdin, cloudpickle.dumps((limit_s, function, arguments)))
            failed, value = plain.loads(worker.receive(process.stdout))
        except (OSError, EOFError, ValueError):
            process.kill()
            process.wait()
            if time.monotonic() - began >= limit_s:
                text = f"was stopped after {limit_s:g} s: look for a loop that never ends."
            else:
                text = "ended the process that it ran in."
            raise Hint(f"{name} {text}") from None
        except BaseException:  # an interrupt: the answer to come belongs to no call
            process.kill()
            raise
        if failed:
            raise Hint(value)
        return value

    def start(self):
        """Start the process and wait until it has imported what it needs."""
        self.process = subprocess.Popen(
            [*self.prefix, sys.executable, "-c", "from studies.labs.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        atexit.register(self.process.kill)
        worker.receive(self.process.stdout)


WORKER = _Worker()
