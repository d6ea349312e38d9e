"""A sweep on a real Dask scheduler with two worker processes on this machine's loopback."""

import os
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest
from distributed import Client
from test_experiment import first_in_core

from perfkit.__main__ import main
from perfkit.runs import store
from perfkit.runs.experiment import sweep
from perfkit.systems.unix_v6 import Parameters, simulate

MACHINE = Parameters(processes=6, interactions=60, memory_clicks=500)
DESIGN = pd.DataFrame({"memory_clicks": [500, 700, 900, 1100]})
LIMIT_S = 60.0


class Cluster:
    """A scheduler and two workers, as processes that can be killed."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        where = ["--scheduler-file", str(self.file)]
        own = ["--host", "127.0.0.1", "--no-dashboard", "--port", "0"]
        start = [sys.executable, "-m", "distributed.cli.dask_scheduler", *own, *where]
        self.scheduler = subprocess.Popen(start, **quiet)
        wait_for(self.file.exists)
        one = [sys.executable, "-m", "distributed.cli.dask_worker", *where, "--nthreads", "1"]
        one += ["--no-nanny", "--no-dashboard", "--host", "127.0.0.1", "--death-timeout", "5"]
        self.workers = [subprocess.Popen(one, **quiet) for _ in range(2)]
        self.client = Client(scheduler_file=str(self.file), set_as_default=False)
        self.client.wait_for_workers(2, timeout=LIMIT_S)

    def end(self):
        self.client.close(timeout=1)
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()


def wait_for(condition):
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def cluster(tmp_path):
    one = Cluster(tmp_path)
    yield one
    one.end()


def run(executor, folder=None, replications=40, **more):
    where = {"progress": False, "store": folder, **more}
    return sweep(simulate, MACHINE, DESIGN, replications, executor=executor, **where)


def kill_in_mid_sweep(folder, process):
    """Kill a process once a batch has been kept."""

    def kill():
        wait_for(lambda: list(folder.glob(f"**/{store.BATCH}*")))
        os.kill(process.pid, signal.SIGKILL)

    threading.Thread(target=kill).start()


def test_a_cluster_gives_the_frame_of_threads_a_worker_lost_or_not_and_takes_policies(
    cluster, tmp_path, capsys
):
    whole = run("threads")
    pd.testing.assert_frame_equal(run(cluster.client), whole)
    own = {"victim": first_in_core, "replications": 4}
    pd.testing.assert_frame_equal(run(cluster.client, **own), run("threads", **own))
    address = cluster.client.scheduler.address
    told = ["sweep", "unix_v6", "processes=3", "interactions=5", "buffers=10,20", "--csv"]
    assert main(told) == 0
    here = capsys.readouterr().out
    assert main([*told, "--cluster", address]) == 0
    assert capsys.readouterr().out == here
    kill_in_mid_sweep(tmp_path / "runs", cluster.workers[0])
    pd.testing.assert_frame_equal(run(cluster.client, tmp_path / "runs"), whole)
    assert cluster.workers[0].wait(LIMIT_S) == -signal.SIGKILL


@pytest.mark.parametrize("seen", [True, False])
def test_a_cluster_that_is_lost_is_one_sentence_and_the_store_goes_on(
    cluster, tmp_path, monkeypatch, seen
):
    """Workers that see the store's folder write into it, the client never does; else it does."""
    if seen:
        monkeypatch.setattr(store.Kept, "keep", None)
    else:  # a worker of another machine finds another sweep's session, or none
        monkeypatch.setattr(store.Kept, "writer", lambda *_: store.Writer(tmp_path, "", []))
    kill_in_mid_sweep(tmp_path / "runs", cluster.scheduler)
    with pytest.raises(RuntimeError, match="The cluster was lost"):
        run(cluster.client, tmp_path / "runs", replications=400)
    done = int(store.status(tmp_path / "runs")["done"].iloc[0])
    assert 0 < done < 1600
    pd.testing.assert_frame_equal(run("threads", tmp_path / "runs", 100), run("threads", None, 100))


def test_workers_with_other_sources_are_refused_by_name():
    class Other:
        submit = nthreads = None

        def run(self, function):
            return {"tcp://127.0.0.1:1": "0123456789ab"}

    with pytest.raises(ValueError, match=r"worker tcp://127\.0\.0\.1:1 has other sources of perf"):
        run(Other())
