"""Where runs are computed: in threads, in processes, or on a Dask cluster.

A batch is a list of points with their seeds. Whatever computes it, a run gives the same measures,
bit for bit: each has its own seed, and nothing is shared. Batches are sized to a second's work.
"""

import functools
import importlib
import os
import time
import types
import warnings
from itertools import islice
from typing import NamedTuple

import cloudpickle
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from perfkit.core.sources import source_hash
from perfkit.core.values import is_whole

BACKENDS = {"threads": "threading", "processes": "loky"}
MOST_JOBS, PROGRESS_DELAY_S = 1000, 2.0
BATCH_S, MOST_IN_BATCH, AHEAD = 1.0, 4096, 2
KEPT_ERRORS = (ValueError, TypeError, MemoryError)


class Work(NamedTuple):
    """Runs of one point of a design; ``options`` are what else ``simulate`` takes."""

    point: int
    parameters: object
    options: dict
    seeds: range


class Run(NamedTuple):
    """What a run came to: its measures, or the kind and text of its failure."""

    point: int
    seed: int
    measures: dict | None
    failure: tuple | None

    def error(self, label):
        """Return the failure as an error that says which run it was; of one point, '' does."""
        kind, text = self.failure
        kinds = {known.__name__: known for known in KEPT_ERRORS}
        which = ", ".join(filter(None, [label, f"seed {self.seed}"]))
        return kinds.get(kind, RuntimeError)(f"The run of {which} failed: {text}")


class Batches:
    """Work in batches that take a second or so, by the time that finished ones took."""

    def __init__(self, work):
        self._work, self._size = iter(work), 1
        self._stopped = False

    def stop(self):
        """Begin no further batch; those under way are ended."""
        self._stopped = True

    def took(self, runs, seconds):
        """Note how long a batch took; the next ones are at most twice as large as before."""
        if runs:
            fitting = int(BATCH_S * runs / max(seconds, 1e-9))
            self._size = max(1, min(fitting, 2 * self._size, MOST_IN_BATCH))

    def __iter__(self):
        batch, room = [], self._size
        for point, parameters, options, seeds in self._work:
            while len(seeds) and not self._stopped:
                part, seeds = seeds[:room], seeds[room:]
                batch.append(Work(point, parameters, options, part))
                room -= len(part)
                if not room:
                    yield batch
                    batch, room = [], self._size
        if batch and not self._stopped:
            yield batch


def run_batch(simulate, batch):
    """Return what each run of a batch came to, and how many seconds it took together."""
    began = time.perf_counter()
    runs = [
        _outcome(simulate, work, seed, options)
        for work in batch
        for options in [restored(work.options)]
        for seed in work.seeds
    ]
    return runs, time.perf_counter() - began


def _outcome(simulate, work, seed, options):
    try:
        return Run(work.point, seed, simulate(work.parameters, seed, **options).measures(), None)
    except Exception as error:
        kind = next((kind for kind in KEPT_ERRORS if isinstance(error, kind)), RuntimeError)
        return Run(work.point, seed, None, (kind.__name__, str(error) or type(error).__name__))


def unkept(runs):
    """Leave a batch to the client."""
    return runs, False


def _keep_batch(simulate, batch, keep):
    """Return what ``run_batch`` does of a batch, and whether it is kept, by the worker itself."""
    runs, seconds = run_batch(simulate, batch)
    runs, kept = keep(runs)
    return runs, seconds, kept


def threads(jobs):
    """Return the number of threads that ``jobs`` asks for, or refuse it in one sentence."""
    if jobs is None:
        return os.cpu_count()
    if not is_whole(jobs) or jobs == 0 or abs(jobs) > MOST_JOBS:
        raise ValueError(
            f"jobs must be a whole number from 1 to {MOST_JOBS}, or -1 for all processors;"
            f" {jobs!r} is not."
        )
    return int(jobs)


def executed(simulate, work, total, *, keep=unkept, executor, jobs, strict, progress, label):
    """Run so much work (``total`` runs), and yield its runs as they are done, and if they are kept.

    Workers call ``keep`` (as ``perfkit.runs.store.Writer``). What is named is as in ``sweep``;
    ``label(point)`` is what a point is called if its run fails.
    """
    failed = []
    batches = Batches(work)
    shown = {"unit": "run", "delay": PROGRESS_DELAY_S, "disable": not progress, "leave": False}
    with tqdm(total=total, **shown) as bar:
        for runs, kept in completed(simulate, batches, keep, executor, threads(jobs)):
            failed += [run for run in runs if run.failure] if strict else []
            if failed:
                batches.stop()
            yield runs, kept
            bar.update(len(runs))
    # The first by point and seed, not the first in time, which would differ from call to call.
    for run in sorted(failed, key=lambda run: run[:2])[:1]:
        raise run.error(label(run.point))


def completed(simulate, batches, keep, executor, jobs):
    """Compute batches and yield their runs and if these are kept, those that end sooner first."""
    call = functools.partial(_keep_batch, simulate, keep=keep)
    if executor == "threads":
        timed = _pooled(call, batches, executor, jobs)
    elif executor == "processes":
        timed = _pooled(call, _carried(batches), executor, jobs)
    else:
        timed = _on_cluster(call, _carried(batches), executor)
    for runs, seconds, kept in timed:
        batches.took(len(runs), seconds)
        yield runs, kept


def check_executor(executor):
    """Refuse what can't compute, in one sentence, and workers with other sources of perfkit."""
    if isinstance(executor, str):
        if executor not in BACKENDS:
            raise ValueError(
                f"executor must be {', '.join(BACKENDS)} or a distributed.Client;"
                f" {executor!r} is not."
            )
        return
    if not hasattr(executor, "submit") or not hasattr(executor, "nthreads"):
        raise TypeError(f"executor must be a word or a distributed.Client, not {executor!r}.")
    here = source_hash()
    for worker, hash_ in executor.run(source_hash).items():
        if hash_ != here:
            raise ValueError(
                f"The worker {worker} has other sources of perfkit; install the same wheel there."
            )


def _pooled(call, batches, executor, jobs):
    settings = {"backend": BACKENDS[executor], "return_as": "generator_unordered"}
    pool = Parallel(jobs, pre_dispatch=f"{AHEAD}*n_jobs", batch_size=1, **settings)
    outcomes = pool(delayed(call)(batch) for batch in batches)
    try:
        yield from outcomes
    except Exception as error:
        if "Terminated" in type(error).__name__ or "Broken" in type(error).__name__:
            raise RuntimeError("A worker process was lost; run the same again.") from None
        raise
    finally:
        with warnings.catch_warnings():  # of joblib, about what is lost when one stops early
            warnings.simplefilter("ignore")
            outcomes.close()


def _on_cluster(call, batches, client):
    """Yield what a cluster computes, with no more batches there than keep it busy."""
    from distributed import as_completed

    calls = iter(batches)
    room = AHEAD * max(1, sum(client.nthreads().values()))
    begun = [client.submit(call, batch, pure=False) for batch in islice(calls, room)]
    under_way = as_completed(begun, loop=client.loop)
    try:
        for future in under_way:
            yield future.result()
            for batch in islice(calls, 1):
                under_way.add(client.submit(call, batch, pure=False))
    except (ValueError, TypeError):
        raise
    except Exception as error:
        raise RuntimeError(f"The cluster was lost ({type(error).__name__}).") from None
    finally:
        client.cancel(list(under_way.futures)) if client.status == "running" else None


class Carried(NamedTuple):
    """A reader's policy on its way to another process: whose kind it is, and its code."""

    system: str
    kind: str
    code: bytes


def _carried(batches):
    """Yield batches whose policies go by their code, to be compiled where they are used."""
    known = {}
    for batch in batches:
        yield [
            work._replace(options={name: _packed(v, known) for name, v in work.options.items()})
            for work in batch
        ]


def _packed(value, known):
    """Return a policy as Carried, or refuse it in one sentence; any other value as it is."""
    kind = getattr(value, "policy_kind", None)
    if kind is None:
        return value
    if id(value) not in known:
        # A copy, for the reader's function keeps its module, and Numba's can't be pickled.
        plain = getattr(value, "py_func", value)
        copy = types.FunctionType(
            plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__
        )
        copy.__module__ = "__main__"  # which is what cloudpickle takes by its code, not by its name
        try:
            code = cloudpickle.dumps(copy)
        except Exception as error:
            raise ValueError(
                f"The policy '{plain.__name__}' can't be carried to another process: {error}."
            ) from None
        known[id(value)] = Carried(value.policy_system, kind, code)
    return known[id(value)]


def restored(options):
    """Return options with policies that came by their code compiled, once per process."""
    if not any(isinstance(value, Carried) for value in options.values()):
        return options
    return {n: _compiled(v) if isinstance(v, Carried) else v for n, v in options.items()}


@functools.lru_cache(maxsize=64)
def _compiled(policy):
    system = importlib.import_module(f"perfkit.systems.{policy.system}")
    return getattr(system, f"{policy.kind}_policy")(cloudpickle.loads(policy.code))
