"""Models that the thesis cites, each beside the simulator or the measurements."""

import numpy as np
import pandas as pd

from perfkit.analytic import paging, round_robin
from perfkit.analytic.convolution import solve_convolution
from perfkit.analytic.swapping import processes_loaded, smallest_quantum, swapping_is_hidden
from perfkit.analytic.swapping_networks import limiting_resource
from perfkit.systems.unix_v6 import simulate
from studies.unix_v6.derivations import INTERACTIONS, network_predictions, work_of_an_interaction
from studies.unix_v6.experiments import SMALL, processor_bound
from studies.unix_v6.runs import block_time_ms, swap_times_ms

STAYS_S = (1, 2, 3, 5)
LEAST_EXPONENT = 1e-6  # where no lifetime depends on memory
COUNTS = (4, 6, 8, 9, 10, 12, 14, 16, 20)


def limiting_predictions(six):
    """Return Strauss's elapsed time [35] of each run of Table VI, and whether the disc limits it.

    Between two swaps every loaded process gets one file request through, as for Equation 3.1;
    files and swaps share the channel. The work is that of a run that does not swap.
    """
    disc_s, elsewhere_s = work_of_an_interaction(six)
    blocks = 1000.0 * disc_s / block_time_ms()
    rows = []
    for run in six.itertuples():
        swaps = run.processes > run.loaded
        swap_s = 2.0 * swap_times_ms()[run.process_clicks[0]] / 1000.0
        loads = blocks / run.loaded / 2.0
        work = (run.processes, elsewhere_s, loads, swaps * swap_s, 0.0, disc_s)
        found = limiting_resource(*work, file_on_swap_channel=True)
        done = INTERACTIONS * run.processes
        rows.append((done / found.throughput_per_s, found.saturated))
    return pd.DataFrame(rows, six.index, ["elapsed_s", "saturated"])


def three_views(six, ours):
    """Return errors of Strauss's, Chen's and the simulator's times, in %, by size and memory."""
    errors = {
        "Strauss": limiting_predictions(six)["elapsed_s"],
        "Chen": network_predictions(six)["elapsed_s"],
        "simulator": ours.loc[six.index, "elapsed_s"],
    }
    groups = [
        six["process_clicks"].str[0].rename("process (clicks)"),
        six["memory_clicks"].rename("memory (clicks)"),
    ]
    columns = {}
    for name, elapsed_s in errors.items():
        off = 100.0 * (elapsed_s / six["elapsed_s"] - 1.0)
        columns[name, "mean error, %"] = off.abs().groupby(groups).mean()
        columns[name, "bias, %"] = off.groupby(groups).mean()
    unseen = 100.0 * (errors["simulator"] / six["elapsed_s"] - 1.0).abs()
    unseen = unseen.where(six["kind"] == "predicted").groupby(groups).mean()
    columns["simulator", "not fitted, %"] = unseen
    return pd.DataFrame(columns)


def number_at_the_disc(six, evidence, replications):
    """Return how often how many requests are at the disc when five processes all fit.

    By requests: ``convolution`` (Buzen [3]: the chance of n at a station, from the printed run)
    and ``simulated``, shares of the time.
    """
    disc_s, elsewhere_s = work_of_an_interaction(six)
    chance = solve_convolution([disc_s], 5, elsewhere_s, stations=["disc"]).marginal("disc")
    machine = evidence.machine(processes=5, memory_clicks=1280)
    ticks = sum(simulate(machine, evidence.seed + k).queue_samples for k in range(replications))
    found = pd.DataFrame({"simulated": ticks / ticks.sum()}).rename_axis("requests")
    found["convolution"] = pd.Series(chance)
    return found[found["simulated"].gt(0.001) | found["convolution"].notna()].fillna(0.0)


def stays(evidence, seconds=STAYS_S, loaded=(1, 2, 3)):
    """Return processor-bound runs by the least stay in core, beside what section 3.3.2 says.

    Indexed by ``loaded`` and ``stay_s``, the least stay asked for: ``quantum_s``, the processor
    time of a stay; ``elapsed_s``; ``swapping``, the share of the time that a swap is under way;
    ``smallest_s``, two swap times; ``hidden``, whether swapping should be hidden.
    """
    rows = []
    for places in loaded:
        for stay in seconds:
            runs = processor_bound(evidence, places, minimum_time_in_s=stay)
            mean = runs[["elapsed_s", "swaps", "swap_ms"]].mean()
            swap_s = mean["swap_ms"] / 1000.0
            free_s = mean["elapsed_s"] - mean["swaps"] * swap_s * (places == 1)
            quantum_s = free_s / (mean["swaps"] / 2.0)
            rows.append(
                {
                    "loaded": places,
                    "stay_s": stay,
                    "quantum_s": quantum_s,
                    "elapsed_s": mean["elapsed_s"],
                    "swap_s": swap_s,
                    "swapping": mean["swaps"] * swap_s / mean["elapsed_s"],
                    "smallest_s": smallest_quantum(swap_s),
                    "hidden": bool(swapping_is_hidden(quantum_s, swap_s, places)),
                }
            )
    return pd.DataFrame(rows).set_index(["loaded", "stay_s"])


def round_robins(quanta_s, swap_s, demand_s=8.2, per_s=0.05, short_s=1.0):
    """Return Kleinrock's round robin [20] with a swap out and in at each quantum, by quantum.

    The last row is its limit: quanta without end short, with a swap of a tenth of each.

    Indexed by quantum in s: ``swapping`` (share of the busy time), ``response_s`` to a short
    demand, ``mean_response_s``, ``expended_s`` (swap time spent on those present).
    """
    rows = {}
    for quantum_s in quanta_s:
        found = round_robin.round_robin(per_s, demand_s, quantum_s, 2.0 * swap_s)
        rows[float(quantum_s)] = (
            found.swapping / found.utilization,
            float(found.response_to(short_s)),
            found.response_s,
            found.swap_time_expended_s,
        )
    share = 0.1
    to = (
        round_robin.processor_sharing_response(x, per_s, demand_s, share)
        for x in (short_s, demand_s)
    )
    expended = round_robin.processor_sharing_swap_time(per_s, demand_s, share)
    rows[0.0] = (share / (1.0 + share), *map(float, to), expended)
    names = ["swapping", "response_s", "mean_response_s", "expended_s"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=names)


def lifetimes(evidence, replications, counts=COUNTS):
    """Return runs with a controller each for files and swaps, by number of processes.

    Indexed by processes: ``memory_each`` (clicks), ``lifetime_s`` (service of the files' drive
    between two swaps), ``throughput_per_s`` (interactions), ``swap_s``, ``file_s`` (service of the
    files' drive for one interaction).
    """
    rows = {}
    for n in counts:
        machine = evidence.machine(processes=n, memory_clicks=1280, controllers=2)
        found = [simulate(machine, evidence.seed + k) for k in range(replications)]
        files_s = np.mean(
            [r.block_ms * (r.reads + r.read_aheads + r.writes) / 1000.0 for r in found]
        )
        rows[n] = {
            "memory_each": machine.memory_clicks / n,
            "lifetime_s": files_s / max(np.mean([r.swaps for r in found]), 1.0),
            "throughput_per_s": n * machine.interactions / np.mean([r.elapsed_s for r in found]),
            "swap_s": np.mean([r.swap_ms for r in found]) / 1000.0,
            "file_s": files_s / (n * machine.interactions),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("processes")


def thrashing(found):
    """Return the curve of thrashing through measured lifetimes, and four rules' choices.

    Belady and Kuehner's power law [1] goes through the lifetimes of those with more processes
    than fit; the files' drive is the processor of the model, the swaps' drive its paging device;
    the rules are Denning's and others' [11].

    Scale and exponent, the curve, the choices.
    """
    memory_clicks = found["memory_each"].iloc[0] * found.index[0]
    more_than_fit = found.index > processes_loaded(memory_clicks, SMALL[0])
    swapping = found[more_than_fit] if more_than_fit.sum() > 1 else found
    exponent, log_scale = np.polyfit(
        np.log(swapping["memory_each"]), np.log(swapping["lifetime_s"]), 1
    )
    law = float(np.exp(log_scale)), max(float(exponent), LEAST_EXPONENT)
    swap_s = swapping["swap_s"].mean()
    curve = paging.thrashing_curve(
        lambda clicks: paging.lifetime(clicks, *law),
        memory_clicks,
        1.0 / swap_s,
        int(found.index.max()),
        compute_s=swapping["file_s"].mean(),
    )
    return law, curve, paging.choose_degree(curve, swap_s)
