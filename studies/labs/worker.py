"""The process apart: it reads a pickled call, makes it, and writes what came of it
as plain data."""

import contextlib
import faulthandler
import importlib
import os
import re
import struct
import sys

from numba import cloudpickle

from perfkit.runs import what_if
from studies.labs import plain, policies

MOST_BYTES = 16 * 2**30
LENGTH = struct.Struct("<q")


def warm_up(simulate, parameters):
    """Compile a system by a run under its own policies."""
    simulate(parameters, 0)


def run(simulate, parameters, variants, replications, seed):
    """Run variants; functions among what differs are compiled as policies first."""
    made = {name: _policies(simulate, differs) for name, differs in variants.items()}
    return what_if.run(simulate, parameters, made, replications, seed=seed, jobs=1, progress=False)


def _policies(simulate, differs):
    system, made = importlib.import_module(simulate.__module__), {}
    for name, value in differs.items():
        if isinstance(value, policies.Text):
            value = policies.compiled_from(value)
        made[name] = getattr(system, f"{name}_policy")(value) if callable(value) else value
    return made


def send(stream, message):
    """Write a message of bytes with its length."""
    stream.write(LENGTH.pack(len(message)) + message)
    stream.flush()


def receive(stream):
    """Return the next message of a stream; EOFError if it has ended."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(head)
    message = stream.read(length)
    if len(message) < length:
        raise EOFError
    return message


def _answer(message, nowhere):
    """Make a call; the process ends itself, even in a compiled loop, when its time is over."""
    try:
        limit_s, function, arguments = cloudpickle.loads(message)
        faulthandler.dump_traceback_later(limit_s, exit=True, file=nowhere)
        return plain.dumps((False, function(*arguments)))
    except BaseException as error:
        sentence = str(error) if isinstance(error, ValueError | TypeError | RuntimeError) else ""
        sentence = re.sub("\x1b\\[[0-9;]*m", "", sentence or f"{type(error).__name__}: {error}")
        return plain.dumps((True, sentence))
    finally:
        faulthandler.cancel_dump_traceback_later()


def _limit_memory():
    try:
        import resource
    except ImportError:  # there are no such limits on Windows
        return
    with contextlib.suppress(ValueError):  # a sandbox has set less
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def main():
    """Answer calls until the stream ends. What a call prints goes nowhere."""
    answers, nowhere = os.fdopen(os.dup(1), "wb"), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    _limit_memory()
    send(answers, b"ready")
    while True:
        try:
            message = receive(sys.stdin.buffer)
        except EOFError:
            return
        send(answers, _answer(message, nowhere))
