"""Run a student's code in a process apart: one that never ends, or crashes, ends alone.

A loop in compiled code can't be interrupted, so a time limit in the same process has no hold on
it. The process stays for further calls until one of them ends it.
"""

import atexit
import math
import subprocess
import sys
import time

import pandas as pd
from numba import cloudpickle

from perfkit.labs import worker
from perfkit.labs.checks import Hint

LONGEST_S = math.inf  # of any call; tests lower it
WARM_UP_S = 600.0  # the first run of a system may have to compile it


def apart(function, *arguments, limit_s=20.0):
    """Return what a function returns, called in a process apart.

    Parameters
    ----------
    function : callable
        The student's, with what it refers to; it is sent by value.
    *arguments
    limit_s : float
        It is stopped after as many seconds.

    Raises
    ------
    Hint
        If it raised, took too long or ended the process.
    """
    name = getattr(function, "__name__", "The function")
    return _WORKER.ask(name, min(limit_s, LONGEST_S), function, *arguments)


def run_apart(simulate, parameters, variants, replications=10, *, seed=0, limit_s=20.0):
    """Do as ``perfkit.runs.what_if.run`` in a process apart.

    Parameters
    ----------
    simulate, parameters, variants, replications, seed
        As there; a policy may be a plain function, too.
    limit_s : float
        Of all runs of one variant.

    Raises
    ------
    Hint
        If a policy can't be compiled, failed, chose what it must not or never came to an end.
    """
    _WORKER.ask("The system", WARM_UP_S, worker.warm_up, simulate, parameters)
    runs = []
    for name, differs in variants.items():
        plain = {key: getattr(value, "py_func", value) for key, value in differs.items()}
        call = (worker.run, simulate, parameters, {name: plain}, replications, seed)
        runs.append(_WORKER.ask(f"'{name}'", min(limit_s, LONGEST_S), *call))
    return pd.concat(runs, ignore_index=True)


class _Worker:
    """The process, started when it is first needed and again when a call has ended it."""

    def __init__(self):
        self.process = None

    def ask(self, name, limit_s, function, *arguments):
        """Return what a call comes to there; a Hint about what is named if it failed."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        process, began = self.process, time.monotonic()
        try:
            worker.send(process.stdin, cloudpickle.dumps((limit_s, function, arguments)))
            failed, value = cloudpickle.loads(worker.receive(process.stdout))
        except (OSError, EOFError):
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
            [sys.executable, "-c", "from perfkit.labs.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        atexit.register(self.process.kill)
        worker.receive(self.process.stdout)


_WORKER = _Worker()
