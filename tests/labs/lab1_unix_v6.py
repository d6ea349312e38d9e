"""Typical wrong answers of lab1_unix_v6: what is answered, and which test hints what."""

HEAD = "def my_rule(processes, wanted, minimum_time_out_s, minimum_time_in_s):\n"
BEST = "def best_rule(processes, wanted, minimum_time_out_s, minimum_time_in_s):\n"
BY_HAND = """
loaded_before = 5
loaded_after = more_clicks // 157
cost_before_ms = 39.8 + 50.7 / 4
memory_s = 717 * (39.8 + 50.7 / loaded_after) / (39.8 + 50.7 / 4) * 1000
disc_s = 717 * (39.8 / disc_speed + 50.7 / 4) / (39.8 + 50.7 / 4)
"""
SWAPPED = """
loaded_before, loaded_after, cost_before_ms = 4, more_clicks // 157, 39.8 + 50.7 / 4
memory_s, disc_s = 717 / disc_speed, 717 * (39.8 + 50.7 / loaded_after) / cost_before_ms
"""
ONE_RUN = """
by_seed = runs.pivot(index="seed", columns="variant", values="elapsed_s")
memory_saves_s = (by_seed["baseline"] - by_seed["memory"]).iloc[0]
disc_saves_s = (by_seed["baseline"] - by_seed["disc"]).iloc[0]
paired_half_width_s = np.hypot(interval(by_seed["memory"])[1], interval(by_seed["disc"])[1])
unpaired_half_width_s = paired_half_width_s
better = "disc"
"""
MEDIANS = ONE_RUN.replace(".iloc[0]", ".median()")
SWAPPED_SAVED = ONE_RUN.replace("iloc[0]", "mean()").replace("_saves_s =", "_saved_s =") + (
    "memory_saves_s, disc_saves_s = disc_saved_s, memory_saved_s\n"
)
SAME_AS_PAPER = f"""{HEAD}
    for p in range(1, processes.size):
        if processes[p].loaded == 1 and processes[p].locked == 0 and processes[p].state == 2:
            return p
    oldest = -1
    for p in range(1, processes.size):
        here = processes[p].loaded == 1 and processes[p].locked == 0
        if here and (oldest < 0 or processes[p].age_s > processes[oldest].age_s):
            oldest = p
    waits = processes[wanted].age_s >= minimum_time_out_s
    return oldest if waits and processes[oldest].age_s >= minimum_time_in_s else -1
"""
YOUNGEST = f"""{HEAD}
    best = -1
    for p in range(1, processes.size):
        here = processes[p].loaded and not processes[p].locked
        if here and (best < 0 or processes[p].age_s < processes[best].age_s):
            best = p
    return best if processes[wanted].age_s >= minimum_time_out_s else -1
"""
ENDLESS = f"{HEAD}\n    k = 0\n    while processes.size > 0:\n        k += 1\n    return k\n"
WRITES = f"{HEAD}\n    processes[1].age_s = 9\n    return -1\n"
RAISES = f"{HEAD}\n    if wanted > 0:\n        raise ValueError('no idea')\n    return -1\n"
OFF_BY_ONE = f"{HEAD}\n    return processes[processes.size].age_s\n"
UNSHARED = """
start = simulated_s["650 clicks"]
error_1000_percent = start * (39.8 + 50.7 / 6) / (39.8 + 50.7 / 4) / simulated_s["1000 clicks"] - 1
error_2560_percent = error_disc_percent = 0.0
"""
ONE_SEED = """
tried = {"baseline": {}, "memory": {"memory_clicks": more_clicks}, "disc": {"disc_speed": 1.15}}
runs = what_if.run(unix_v6.simulate, machine, tried, 1, seed=my_seed, progress=False)
"""
FEW_SWAPS = YOUNGEST.replace(HEAD, BEST)

WRONG = {
    "rounded up, swaps as they were": (
        {"by_hand": BY_HAND},
        {"test_loaded": "round down", "test_by_hand": "a factor of 1000"},
    ),
    "one run of each": ({"runs": ONE_SEED}, {"test_runs": "20 runs a variant, not 1"}),
    "one replication, not paired": (
        {"saved": ONE_RUN},
        {"test_saved": "that of one replication", "test_paired": "pair first, seed by seed"},
    ),
    "purchases swapped": ({"by_hand": SWAPPED}, {"test_by_hand": "swapped the two purchases"}),
    "savings swapped": ({"saved": SWAPPED_SAVED}, {"test_saved": "swapped the two"}),
    "median for mean": ({"saved": MEDIANS}, {"test_saved": "the median of the replications"}),
    "a share for percent": ({"errors": UNSHARED}, {"test_errors": "a factor of 100"}),
    "the paper's rule": ({"my_rule": SAME_AS_PAPER}, {"test_my_rule": "never decides otherwise"}),
    "the youngest goes": ({"my_rule": YOUNGEST}, {"test_my_rule": "slower than the paper's"}),
    "a loop that never ends": ({"my_rule": ENDLESS}, {"test_my_rule": "loop that never ends"}),
    "it writes into the machine": (
        {"my_rule": WRITES},
        {"test_my_rule": "must not change"},
    ),
    "it raises": ({"my_rule": RAISES}, {"test_my_rule": "may only compute"}),
    "beyond the last process": ({"my_rule": OFF_BY_ONE}, {"test_my_rule": "out of bounds"}),
    "few swaps for a goal": ({"best_rule": FEW_SWAPS}, {"test_best_rule": "slower than"}),
}
